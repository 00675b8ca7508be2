//! Excerpts of values for messages: short, with control characters escaped.

/// Longest excerpt, in characters.
const LONGEST: usize = 80;

/// Returns the first 80 characters of a value for a message, with control characters escaped and `…` where some were cut.
pub fn excerpt(value: &str) -> String {
    let shown: String = value.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if value.chars().nth(LONGEST).is_some() { format!("{shown}…") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_and_harmless() {
        assert_eq!(excerpt("heart\tattack\u{1b}[2J"), "heart\\tattack\\u{1b}[2J");
        assert_eq!(excerpt(&"ä".repeat(80)), "ä".repeat(80));
        assert_eq!(excerpt(&"ä".repeat(81)), "ä".repeat(80) + "…");
    }
}
