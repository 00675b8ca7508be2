//! Parts of names, by which people ask for the whole.

/// A part with fewer letters says nothing.
const FEWEST_LETTERS: usize = 2;

/// Some of the words of a name, in a row, or a single word without what follows its last change between letters and digits:
/// `LC3` of `Autophagy-related protein LC3 B`, `AKT` of `AKT1`, `IL` of `IL-2`. It may be the whole; nothing where it has
/// fewer than two letters.
///
/// `first` and `count` say which words, whatever their size.
pub fn part_of(name: &str, first: usize, count: usize) -> Option<String> {
    let part = cut(name, first, count);
    (part.chars().filter(|letter| letter.is_alphabetic()).count() >= FEWEST_LETTERS).then_some(part)
}

fn cut(name: &str, first: usize, count: usize) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    match words[..] {
        [] => String::new(),
        [word] => stem(word).to_owned(),
        _ => {
            let first = first % words.len();
            let count = 1 + count % (words.len() - 1);
            words[first..words.len().min(first + count)].join(" ")
        }
    }
}

fn stem(word: &str) -> &str {
    let mut cut = word.len();
    let mut after: Option<char> = None;
    for (at, letter) in word.char_indices().rev() {
        if after.is_some_and(|after| after.is_ascii_digit() != letter.is_ascii_digit()) {
            cut = at + letter.len_utf8();
            break;
        }
        after = Some(letter);
    }
    word[..cut].trim_end_matches(|letter: char| !letter.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_words_in_a_row_or_a_stem() {
        let words = [(2, 0), (0, 1), (3, 2), (5, 4)].map(|(first, count)| cut("light chain LC3 B", first, count));
        assert_eq!(words, ["LC3", "light chain", "B", "chain LC3"]);
        let stems = ["AKT1", "LC3B", "IL-2", "p62", "TGFβ1", "kinase", "12", ""].map(|word| cut(word, 0, 0));
        assert_eq!(stems, ["AKT", "LC3", "IL", "p", "TGFβ", "kinase", "12", ""]);
        assert_eq!((part_of("p62", 0, 0), part_of("LC3B", 0, 0)), (None, Some("LC3".to_owned())));
    }
}
