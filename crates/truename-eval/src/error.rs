use std::fmt;
use std::path::{Path, PathBuf};

/// An error in a file of judgements or predictions.
#[derive(Debug)]
pub struct Error(Kind);

#[derive(Debug)]
enum Kind {
    Read(truename_read::Error),
    Malformed { path: PathBuf, line: u64, message: String, hint: &'static str },
    Different { name: String, left: PathBuf, right: PathBuf },
}

impl Error {
    pub(crate) fn malformed_gold(path: &Path, line: u64, message: impl Into<String>) -> Self {
        let hint = "gold judgements are a table with the columns `name` and `id`, several ids joined by `|`";
        Self(Kind::Malformed { path: path.to_owned(), line, message: message.into(), hint })
    }

    pub(crate) fn malformed_prediction(path: &Path, line: u64, message: impl Into<String>) -> Self {
        let hint = "predictions are made by `truename evaluate names --predictions FILE`, one JSON object a line";
        Self(Kind::Malformed { path: path.to_owned(), line, message: message.into(), hint })
    }

    /// Reports a row of texts with labels that cannot be used.
    pub fn malformed_texts(path: &Path, line: u64, message: impl Into<String>) -> Self {
        let hint = "name the columns by data.first, data.second and data.label in a recipe, by --first, --second and --label \
                    elsewhere; a file has a header, or columns are numbers";
        Self(Kind::Malformed { path: path.to_owned(), line, message: message.into(), hint })
    }

    pub(crate) fn malformed_substitutes(path: &Path, line: u64, message: impl Into<String>) -> Self {
        let hint = "one sentence a line, as LexMTurk (a header; sentence, word, substitutes) or BenchLS (sentence, word, position, \
                    rank:substitute) has them, separated by tabs";
        Self(Kind::Malformed { path: path.to_owned(), line, message: message.into(), hint })
    }

    pub(crate) fn malformed_pairs(path: &Path, line: u64, message: impl Into<String>) -> Self {
        let hint = "labelled pairs are a table with the columns `left`, `right` and `label` (1 or 0), or lines \
                    `COL … VAL … TAB COL … VAL … TAB 1`";
        Self(Kind::Malformed { path: path.to_owned(), line, message: message.into(), hint })
    }

    pub(crate) fn malformed_clusters(path: &Path, line: u64, message: impl Into<String>) -> Self {
        let hint = "clusters are a table with the columns `name` and `cluster`, or lines of `cluster TAB size TAB name TAB name …`";
        Self(Kind::Malformed { path: path.to_owned(), line, message: message.into(), hint })
    }

    /// Reports two files of predictions that are not of the same names.
    pub fn different(name: &str, left: &Path, right: &Path) -> Self {
        Self(Kind::Different { name: name.to_owned(), left: left.to_owned(), right: right.to_owned() })
    }

    /// Returns true where a file does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(&self.0, Kind::Read(source) if source.is_not_found())
    }

    /// Returns a way out, where one is known.
    pub fn hint(&self) -> Option<String> {
        match &self.0 {
            Kind::Malformed { hint, .. } => Some((*hint).into()),
            Kind::Different { .. } => Some("make both with --predictions from the same gold file".into()),
            Kind::Read(source) => source.hint().map(str::to_owned),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Read(source) => write!(f, "{source}"),
            Kind::Malformed { path, line, message, .. } => write!(f, "{}:{line}: {message}", path.display()),
            Kind::Different { name, left, right } => {
                write!(
                    f,
                    "{} and {} differ in their names or judgements at \"{name}\"",
                    left.display(),
                    right.display()
                )
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Kind::Read(source) => source.source(),
            _ => None,
        }
    }
}

impl From<truename_read::Error> for Error {
    fn from(source: truename_read::Error) -> Self {
        Self(Kind::Read(source))
    }
}
