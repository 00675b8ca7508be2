//! Names that are never mentions, whatever the knowledge base says.

use std::collections::HashSet;
use std::path::Path;

use truename_read::{Source, SourceOptions};
use truename_text::NormalizedName;

use crate::Error;

/// Names that are never mentions in documents. Capitals, punctuation and spacing do not matter; words in the plural are other names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StopNames(HashSet<String>);

impl StopNames {
    /// Creates a set of names.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Self {
        let normal = |name: S| NormalizedName::new(name.as_ref()).squeezed();
        Self(names.into_iter().map(normal).filter(|name| !name.is_empty()).collect())
    }

    /// Reads a file with one name a line; a line that begins with `# ` is a comment.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let lines = Source::open(path, &SourceOptions::default())?.into_string()?;
        Ok(Self::new(lines.lines().filter(|line| !line.starts_with("# "))))
    }

    /// Returns whether a text is one of the names.
    pub fn has(&self, text: &str) -> bool {
        !self.0.is_empty() && self.0.contains(&NormalizedName::new(text).squeezed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_in_normal_form() {
        let names = StopNames::new(["Plan", "case-in", ""]);
        assert!(names.has("PLAN") && names.has("Case in") && !names.has("plans") && !names.has("-"));
    }
}
