//! Patterns over names of parameters, to freeze some of them.

use std::fmt;

/// A pattern over the names of parameters, in which `*` stands for any characters: `*.layer.0.*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern(String);

impl NamePattern {
    /// Creates a pattern.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into())
    }

    /// Returns whether the pattern matches all of a name.
    pub fn matches(&self, name: &str) -> bool {
        let mut parts = self.0.split('*');
        let Some(rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
        let (mut rest, mut parts) = (rest, parts.peekable());
        let has_star = parts.peek().is_some();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                return rest.ends_with(part);
            }
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
        has_star || rest.is_empty()
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        let name = "bert.encoder.layer.10.output.dense.weight";
        for (pattern, expected) in [
            ("*", true),
            (name, true),
            ("bert.*", true),
            ("*.weight", true),
            ("*layer.10.*", true),
            ("*layer.1.*", false),
            ("bert.*.dense.*", true),
            ("*.bias", false),
            ("encoder.*", false),
            ("bert", false),
            ("", false),
        ] {
            assert_eq!(NamePattern::new(pattern).matches(name), expected, "{pattern}");
        }
        assert!(NamePattern::new("a*ba").matches("aba"));
        assert!(!NamePattern::new("a*ba").matches("a"));
    }
}
