//! The errors of rows.

/// Failure to read a row.
#[derive(Debug)]
pub enum RecordError {
    Io(std::io::Error),
    /// A quoted cell without an end, with the line on which its row begins.
    Unclosed {
        line: u64,
    },
    /// A row longer than the limit; `in_quotes` if the limit lies within a quoted cell.
    TooLong {
        line: u64,
        longest: usize,
        in_quotes: bool,
    },
}

impl RecordError {
    /// Returns advice, if there is any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Io(_) => None,
            Self::Unclosed { .. } => Some("write a quote within a quoted cell twice".into()),
            Self::TooLong { in_quotes: true, .. } => {
                Some("is a quote never closed? --max-line-bytes reads longer rows".into())
            }
            Self::TooLong { .. } => Some("--max-line-bytes reads longer rows".into()),
        }
    }
}

impl std::fmt::Display for RecordError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Unclosed { line } => write!(f, "line {line}: a quote that is never closed"),
            Self::TooLong { line, longest, .. } => write!(f, "line {line}: a row of more than {longest} bytes"),
        }
    }
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => error.source(),
            _ => None,
        }
    }
}
