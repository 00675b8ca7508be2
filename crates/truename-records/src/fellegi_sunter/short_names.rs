//! Short forms of given names: `Bob` and `Rob` of `Robert`.

use std::collections::HashMap;
use std::sync::LazyLock;

use truename_text::NormalizedName;

/// Given names of several languages, a name with its short forms a line.
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
    let (Some(left), Some(right)) = (LINES.get(left), LINES.get(right)) else { return false };
    left.iter().any(|line| right.contains(line))
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
