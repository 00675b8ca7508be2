//! Cologne phonetics (Hans Joachim Postel, Die Kölner Phonetik, IBM-Nachrichten 19, 1969).

/// Returns the code of a word in lower case: its digits, runs of one digit once, without zeros behind the first. A word with other
/// letters than Latin ones, or digits, is its own code.
pub(super) fn code(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let at = |place: Option<usize>| place.and_then(|place| letters.get(place)).copied().unwrap_or(' ');
    let mut digits = String::new();
    for (place, letter) in letters.iter().enumerate() {
        let (before, after) = (at(place.checked_sub(1)), at(Some(place + 1)));
        let Some(code) = digit(*letter, before, after, place == 0) else { return word.to_owned() };
        digits.push_str(code);
    }
    let mut code = String::new();
    let mut last = None;
    for digit in digits.chars() {
        if last != Some(digit) && (digit != '0' || code.is_empty()) {
            code.push(digit);
        }
        last = Some(digit);
    }
    code
}

/// Returns the digits of a letter between its neighbours; none of other letters than Latin ones.
fn digit(letter: char, before: char, after: char, is_first: bool) -> Option<&'static str> {
    let is = |letters: &str, letter: char| letters.contains(letter);
    Some(match letter {
        'a' | 'e' | 'i' | 'j' | 'o' | 'u' | 'y' => "0",
        'h' => "",
        'p' if after == 'h' => "3",
        'b' | 'p' => "1",
        'd' | 't' if is("csz", after) => "8",
        'd' | 't' => "2",
        'f' | 'v' | 'w' => "3",
        'g' | 'k' | 'q' => "4",
        'c' if is_first => {
            if is("ahkloqrux", after) {
                "4"
            } else {
                "8"
            }
        }
        'c' if is("sz", before) => "8",
        'c' if is("ahkoqux", after) => "4",
        'x' if !is("ckq", before) => "48",
        'c' | 'x' | 's' | 'z' | 'ß' => "8",
        'l' => "5",
        'm' | 'n' => "6",
        'r' => "7",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_their_published_codes() {
        // https://de.wikipedia.org/wiki/Kölner_Phonetik
        let cases = [("wikipedia", "3412"), ("muller", "657"), ("ludenscheidt", "52682"), ("breschnew", "17863")];
        for (word, expected) in cases {
            assert_eq!(code(word), expected, "{word}");
        }
        assert_eq!((code("meier"), code("maier"), code("mayr")), (code("meyer"), code("meyer"), code("meyer")));
        assert_eq!((code("xaver"), code("12a"), code("hoh")), ("4837".into(), "12a".into(), "0".into()));
    }
}
