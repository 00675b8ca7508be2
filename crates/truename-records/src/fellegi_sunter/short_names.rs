//! Short forms and spellings of given names: `Bob` and `Rob` of `Robert`, `Steven` of `Stephen`.

use std::collections::HashMap;
use std::sync::LazyLock;

use truename_text::NormalizedName;

/// Given names of several languages, a name with its spellings and short forms a line.
const SHORT_NAMES: &str = include_str!("short_names.txt");
/// The lines that have the normal form of a name.
static LINES: LazyLock<HashMap<String, Vec<usize>>> = LazyLock::new(|| {
    let mut lines: HashMap<String, Vec<usize>> = HashMap::new();
    for (number, line) in SHORT_NAMES.lines().enumerate() {
        for name in line.split(' ') {
            lines.entry(NormalizedName::new(name).as_str().to_owned()).or_default().push(number);
        }
    }
    lines
});

/// Returns true if the normal forms of two given names are forms of one name.
pub(super) fn are_forms_of_one_name(left: &str, right: &str) -> bool {
    let of_line = |left: &Vec<usize>, right: &Vec<usize>| left.iter().any(|line| right.contains(line));
    let has_line = || LINES.get(left).zip(LINES.get(right)).is_some_and(|(left, right)| of_line(left, right));
    let has_pair = |name: &str| name.as_bytes().windows(2).any(|pair| matches!(pair, [b'a' | b'o' | b'u', b'e']));
    has_line() || (has_pair(left) || has_pair(right)) && without_umlauts(left) == without_umlauts(right)
}

/// Returns a name with one letter for each umlaut that is written as two: `jurgen` of `juergen`.
fn without_umlauts(name: &str) -> String {
    name.replace("ue", "u").replace("oe", "o").replace("ae", "a").replace('ü', "u").replace('ö', "o").replace('ä', "a")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_are_those_of_one_name() {
        for (left, right, expected) in [
            ("robert", "bob", true),
            ("bob", "robert", true),
            ("bob", "rob", true),
            ("chris", "christine", true),
            ("christopher", "christine", false),
            ("robert", "roberta", false),
            ("steven", "stephen", true),
            ("muhammad", "mohammed", true),
            ("jurgen", "juergen", true),
            ("jürgen", "juergen", true),
            ("robert", "xavier", false),
        ] {
            assert_eq!(are_forms_of_one_name(left, right), expected, "{left}, {right}");
        }
    }

    #[test]
    fn no_name_is_twice_in_a_line() {
        for line in SHORT_NAMES.lines() {
            let mut names: Vec<_> = line.split(' ').collect();
            names.sort_unstable();
            assert!(names.len() > 1 && names.windows(2).all(|pair| pair[0] != pair[1]), "{line}");
        }
    }
}
