//! Frequency classes of English words.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::super::spelling::is_common_word;

/// Words of levels 35 to 50 of SCOWL, sorted, each with its level in tens (the file holds the licence).
static WORDS: &str = include_str!("english_words.txt");

/// Frequency class of an English word: the smallest list of SCOWL that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Commonness {
    /// A word without a meaning of its own, such as `of`.
    Function,
    /// Levels 10 and 20, some 10,000 words.
    Common,
    /// Level 35.
    Usual,
    /// Levels 40 and 50.
    Rare,
    Unknown,
}

/// Returns the frequency class of a word; capitals do not matter.
pub(crate) fn commonness(word: &str) -> Commonness {
    let word = word.to_lowercase();
    match () {
        () if function_word_kind(&word).is_some() => Commonness::Function,
        () if is_common_word(&word) => Commonness::Common,
        () => match level(&word) {
            Some('3') => Commonness::Usual,
            Some(_) => Commonness::Rare,
            None => Commonness::Unknown,
        },
    }
}

/// Returns the level of a word in small letters.
fn level(word: &str) -> Option<char> {
    let (mut start, mut end) = (0, WORDS.len());
    while start < end {
        let middle = start + (end - start) / 2;
        let line_start = WORDS[..middle].rfind('\n').map_or(0, |at| at + 1);
        let line_end = WORDS[middle..].find('\n').map_or(WORDS.len(), |at| middle + at);
        let (known, level) = WORDS[line_start..line_end].split_once(' ')?;
        match known.cmp(word) {
            std::cmp::Ordering::Equal => return level.chars().next(),
            std::cmp::Ordering::Less => start = line_end + 1,
            std::cmp::Ordering::Greater => end = line_start,
        }
    }
    None
}

/// Function words, each with its kind.
static FUNCTION_WORDS: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
    // Pronouns and others, verbs, determiners, conjunctions, prepositions, `of`.
    const KINDS: [&str; 6] = [
        "about above again all also although because below both cannot either he her here him his how however i if it its \
            itself me more most my neither not off once only our out over own shall she since so their them then there they thus \
            too until up us very we what when where whereas whether which while who whom whose why yet you your",
        "am are be been being can could did do does had has have is may might must should was were will would",
        "a an any each no other same some such that the these this those",
        "and but nor or",
        "after as at before between by during for from in into on than through to under upon with within without",
        "of",
    ];
    KINDS.iter().enumerate().flat_map(|(kind, words)| words.split_whitespace().map(move |word| (word, kind))).collect()
});

/// Returns the kind of a word without a meaning of its own, from 0 to 5; the first letter may be a capital.
pub(crate) fn function_word_kind(word: &str) -> Option<usize> {
    let in_small_letters = || FUNCTION_WORDS.get(word.to_lowercase().as_str());
    let kind = FUNCTION_WORDS.get(word);
    let is_capital = word.starts_with(|c: char| c.is_ascii_uppercase());
    if kind.is_none() && is_capital { in_small_letters() } else { kind }.copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_by_their_lists() {
        for (word, expected) in [
            ("The", Commonness::Function),
            ("child", Commonness::Common),
            ("Aspirin", Commonness::Usual),
            ("casein", Commonness::Rare),
            ("acanthosis", Commonness::Unknown),
            ("clusterin", Commonness::Unknown),
            ("", Commonness::Unknown),
        ] {
            assert_eq!(commonness(word), expected, "{word}");
        }
        let lines: Vec<&str> = WORDS.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(lines.is_sorted_by(|one, other| one.split_once(' ') < other.split_once(' ')), "{} words", lines.len());
        for line in lines.iter().step_by(97) {
            let (word, known) = line.split_once(' ').unwrap();
            assert_eq!(level(word), known.chars().next(), "{word}");
        }
    }
}
