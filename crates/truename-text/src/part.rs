//! Parts of names, by which people ask for the whole.

use crate::NormalizedName;
use crate::normalize::is_greek_letter;

/// Fewest letters of a part.
const FEWEST_LETTERS: usize = 2;

/// Returns some successive words of a name, or a single word up to its last change between letters and digits:
/// `LC3` of `Autophagy-related protein LC3 B`, `AKT` of `AKT1`, `IL` of `IL-2`. The part may be the whole name; none
/// where it has fewer than two letters.
///
/// `first` and `count` choose the words; any value is allowed.
pub fn part_of(name: &str, first: usize, count: usize) -> Option<String> {
    let part = cut(name, first, count);
    (part.chars().filter(|letter| letter.is_alphabetic()).count() >= FEWEST_LETTERS).then_some(part)
}

/// Returns true if people may ask for a name by `part`: its words end the name but for words of a variant, or it is the
/// last other word up to its last change between letters and digits. `LC3` is a part of `MAP1A/MAP1B LC3 A` and not of
/// `LC3 synthase`, whose head is another word.
pub fn has_part(name: &NormalizedName, part: &NormalizedName) -> bool {
    let (mut rest, part) = (name.as_str(), part.as_str());
    while !rest.is_empty() && !part.is_empty() {
        let (before, word) = rest.rsplit_once(' ').unwrap_or(("", rest));
        let ends = rest.strip_suffix(part).is_some_and(|before| before.is_empty() || before.ends_with(' '));
        if ends || stem(word) == part {
            return true;
        }
        if !tells_variants(word) {
            return false;
        }
        rest = before;
    }
    false
}

/// Returns true for words of a variant: with a digit, of one or two letters, or a Greek letter.
fn tells_variants(word: &str) -> bool {
    word.chars().count() <= 2 || word.contains(|letter: char| letter.is_ascii_digit()) || is_greek_letter(word)
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

    #[test]
    fn names_have_their_parts_and_no_others() {
        let has = |name, part| has_part(&NormalizedName::new(name), &NormalizedName::new(part));
        for part in ["LC3", "chain LC3", "light chain", "chain LC3 B", "b"] {
            assert!(has("Light-chain LC3 B", part), "{part}");
        }
        for part in ["", "chai", "light", "light LC3", "chain LC3 B of"] {
            assert!(!has("Light-chain LC3 B", part), "{part}");
        }
        assert!(has("AKT1", "AKT") && has("protein kinase AKT1 alpha", "AKT") && has("IL-2", "IL"));
        assert!(!has("AKT1", "AK") && !has("LuCa-3", "LC3") && !has("Lc3 synthase", "LC3") && !has("", "LC3"));
    }
}
