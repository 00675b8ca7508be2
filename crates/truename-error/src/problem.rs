//! Problems: places in files whose content was skipped, repaired or not read, with the reason.

use std::fmt::{self, Write};
use std::path::PathBuf;

use crate::{Hint, excerpt};

/// A place in a file whose content was skipped, repaired or not read, with the reason.
///
/// Displayed as `FILE:LINE: document ID: REASON: "VALUE"`, without the parts that are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1, where the format has lines.
    pub line: Option<u64>,
    /// The id of the document, in a corpus.
    pub document: Option<String>,
    /// The reason.
    pub reason: String,
    /// The value found, shortened; none where the reason quotes it.
    pub value: Option<Box<str>>,
    /// Advice, where there is some; not displayed.
    pub hint: Option<Box<Hint>>,
    /// True if nothing of the file was read, or nothing behind this place.
    pub ends_file: bool,
}

impl Problem {
    /// Creates a problem at a line of a file, or with the whole of it.
    pub fn new(path: impl Into<PathBuf>, line: impl Into<Option<u64>>, reason: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            line: line.into(),
            document: None,
            reason: reason.into(),
            value: None,
            hint: None,
            ends_file: false,
        }
    }

    /// Names the document, where its id is known.
    #[must_use]
    pub fn in_document(self, id: Option<String>) -> Self {
        Self { document: id, ..self }
    }

    /// Adds an excerpt of the value found.
    #[must_use]
    pub fn with_value(self, value: &str) -> Self {
        Self { value: Some(excerpt(value).into()), ..self }
    }

    /// Says that nothing of the file was read, or nothing behind this place.
    #[must_use]
    pub fn ending_file(self) -> Self {
        Self { ends_file: true, ..self }
    }

    /// Adds advice.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<Hint>) -> Self {
        Self { hint: Some(Box::new(hint.into())), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        if let Some(document) = &self.document {
            write!(f, " document {}:", excerpt(document))?;
        }
        f.write_str(" ")?;
        // No control character reaches a terminal.
        for letter in self.reason.chars() {
            if letter.is_control() { write!(f, "{}", letter.escape_debug())? } else { f.write_char(letter)? }
        }
        self.value.as_ref().map_or(Ok(()), |value| write!(f, ": \"{value}\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_displayed() {
        let whole = Problem::new("a.txt", None, "not UTF-8");
        assert_eq!(whole.to_string(), "a.txt: not UTF-8");
        assert_eq!(Problem::new("a.txt", 1, "a\tb ä\u{1b}").to_string(), "a.txt:1: a\\tb ä\\u{1b}");
        let row = Problem::new("a.csv", 3, "an empty name").with_value(" \t");
        assert_eq!(row.to_string(), "a.csv:3: an empty name: \" \\t\"");
        let document = Problem::new("a.jsonl", 3, "no text").in_document(Some("D1".into()));
        assert_eq!(document.to_string(), "a.jsonl:3: document D1: no text");
    }
}
