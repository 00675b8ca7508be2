//! Files of documents, opened by the options of a reader.

use std::path::Path;

use truename_error::ErrorKind;
use truename_read::{LineFault, Source, without_packing};

use crate::wrong::{Wrong, not_utf8, too_long};
use crate::{Error, ReadOptions};

/// Returns a file as text; the inner error is a problem with its content.
pub(crate) fn text(source: Source, options: &ReadOptions) -> Result<Result<String, Wrong>, Error> {
    source.into_string().map(Ok).or_else(|error| {
        let kind = error.kind();
        let problem = error.into_problem()?;
        let wrong = match kind {
            ErrorKind::TooLong => too_long("the text", options.source.max_line_bytes),
            ErrorKind::Undecodable => Wrong { message: problem.reason, ..not_utf8("") },
            _ => return Err(Error::of_problem(kind, problem)),
        };
        Ok(Err(Wrong { line: problem.line, ..wrong }))
    })
}

/// Returns the problem of a line that is no text.
pub(crate) fn told(fault: LineFault) -> Wrong {
    match fault {
        LineFault::TooLong(limit) => too_long("the line", limit),
        LineFault::BlockTooLong(limit) => too_long("the document", limit),
        LineFault::NotUtf8(at) => not_utf8(format_args!("byte {at} of the line")),
    }
}

/// Returns the problem with which the reading of a file ends; a failure of the system is an error.
pub(crate) fn read_failure(error: Error, options: &ReadOptions) -> Result<Wrong, Error> {
    let kind = error.kind();
    let problem = error.into_problem()?;
    let wrong = match kind {
        ErrorKind::TooLong => too_long("the document", options.source.max_line_bytes),
        ErrorKind::Undecodable => not_utf8("a byte here"),
        _ => Wrong { hint: problem.hint.map(|hint| *hint), ..problem.reason.into() },
    };
    Ok(Wrong { line: problem.line, ..wrong }.and_stop())
}

/// Returns the name of a file without its extension, for documents that have no other id.
pub(crate) fn stem(path: &Path) -> String {
    without_packing(path).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_name_documents() {
        for (path, name) in [("in/a.b.txt", "a.b"), ("a.txt.gz", "a"), ("-", "-"), ("a", "a")] {
            assert_eq!(stem(Path::new(path)), name);
        }
    }
}
