//! Problems of documents while they are read, before the file and the document are named.

use std::fmt::Display;
use std::path::Path;

use truename_error::{Hint, HintPart, hint};
use truename_read::encoding_hint;

use crate::Problem;

/// The problem of a document, with its line where the format has lines.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Wrong {
    pub(crate) line: Option<u64>,
    pub(crate) message: String,
    pub(crate) hint: Option<Hint>,
    /// Nothing after it in the file is read.
    pub(crate) ends_file: bool,
}

impl Wrong {
    pub(crate) fn at(line: u64, wrong: impl Into<Self>) -> Self {
        Self { line: Some(line), ..wrong.into() }
    }

    /// Names the part of the document.
    pub(crate) fn within(self, part: impl Display) -> Self {
        Self { message: format!("{part}: {}", self.message), ..self }
    }

    /// Says that the reading ends with this problem.
    pub(crate) fn and_stop(self) -> Self {
        Self { message: self.message + "; the rest of the file is not read", ends_file: true, ..self }
    }

    /// Names the file and, where it is known, the document.
    pub(crate) fn in_file(self, path: &Path, document: Option<&str>) -> Problem {
        let mut problem = Problem::new(path, self.line, self.message).in_document(document.map(str::to_owned));
        problem.hint = self.hint.map(Box::new);
        if self.ends_file { problem.ending_file() } else { problem }
    }
}

impl<M: Into<String>> From<M> for Wrong {
    fn from(message: M) -> Self {
        Self { message: message.into(), ..Self::default() }
    }
}

/// Returns the problem of bytes that are no text; `place` names the first of them.
pub(crate) fn not_utf8(place: impl Display) -> Wrong {
    Wrong { hint: Some(encoding_hint()), ..format!("{place} is not UTF-8").into() }
}

/// Returns the problem of a line, text or document that has more bytes than [`ReadOptions`](crate::ReadOptions) allow.
pub(crate) fn too_long(what: &str, limit: u64) -> Wrong {
    let advice = hint![HintPart::setting("max_line_bytes"), " reads longer ones"];
    Wrong { hint: Some(advice), ..format!("{what} is longer than {limit} bytes").into() }
}
