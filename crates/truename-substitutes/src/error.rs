//! Errors that several modules report.

use std::path::Path;

pub use truename_error::Error;
use truename_error::{ErrorKind, Problem};

/// Error of a line of a word list or synonym vocabulary, or of the whole.
pub(crate) fn word_list(path: &Path, line: impl Into<Option<u64>>, reason: impl Into<String>) -> Error {
    Error::of_problem(ErrorKind::Syntax, Problem::new(path, line, reason)).with_hint(
        "word lists are `word TAB count`; synonyms are WordNet's data files, PPDB's clusters, or CSV and TSV with the synonyms \
         of a row; other encodings are converted by `iconv -t utf-8`",
    )
}
