//! Frequency classes of English words.

use std::collections::HashSet;
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
        () if is_function_word(&word) => Commonness::Function,
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

static FUNCTION_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    const WORDS: &str = "a about above after again all also although am an and any are as at be because been before being below between both \
        but by can cannot could did do does during each either for from had has have he her here him his how however i if in into is it \
        its itself may me might more most must my neither no nor not of off on once only or other our out over own same shall she should \
        since so some such than that the their them then there these they this those through thus to too under until up upon us very was \
        we were what when where whereas whether which while who whom whose why will with within without would yet you your";
    WORDS.split_whitespace().collect()
});

/// Returns whether a word is one without a meaning of its own; the first letter may be a capital.
pub(crate) fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(word)
        || word.starts_with(|c: char| c.is_ascii_uppercase()) && FUNCTION_WORDS.contains(word.to_lowercase().as_str())
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
