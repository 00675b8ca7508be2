//! Files of documents, opened by the options of a reader.

use std::io::Read;
use std::path::Path;

use truename_read::{Cause, LineFault, Source, without_packing};

use crate::wrong::{REST, Wrong, not_utf8, too_long};
use crate::{Error, ReadOptions};

pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<Source, Error> {
    Ok(Source::open(path, &options.source)?)
}

/// Opens a text whose byte order mark is a character of it, as brat counts.
pub(crate) fn open_with_mark(path: &Path, options: &ReadOptions) -> Result<Source, Error> {
    Ok(Source::open_with_mark(path, &options.source)?)
}

pub(crate) fn of_reader(
    name: &Path,
    reader: impl Read + Send + 'static,
    options: &ReadOptions,
) -> Result<Source, Error> {
    Ok(Source::of_reader(name, reader, &options.source)?)
}

/// Returns a file as text; the inner error is a problem with its content.
pub(crate) fn text(source: Source, options: &ReadOptions) -> Result<Result<String, Wrong>, Error> {
    source.into_string().map(Ok).or_else(|error| {
        let cause = error.cause();
        let problem = error.into_problem()?;
        let message = match cause {
            Some(Cause::TooLong) => too_long("the text", options.source.max_line_bytes),
            Some(Cause::Undecodable) => not_utf8(problem.reason.trim_end_matches(" is not UTF-8")),
            _ => return Err(problem.into()),
        };
        Ok(Err(Wrong { line: problem.line, message }))
    })
}

/// Returns the message about a line that is no text.
pub(crate) fn told(fault: LineFault) -> String {
    match fault {
        LineFault::TooLong(limit) => too_long("the line", limit),
        LineFault::BlockTooLong(limit) => too_long("the document", limit),
        LineFault::NotUtf8(at) => not_utf8(format_args!("byte {at} of the line")),
    }
}

/// Returns the problem with which the reading of a file ends; a failure of the system is an error.
pub(crate) fn read_failure(error: truename_read::Error, options: &ReadOptions) -> Result<Wrong, Error> {
    let (cause, hint) = (error.cause(), error.hint().map(|hint| format!(" ({hint})")));
    let problem = error.into_problem()?;
    let message = match cause {
        Some(Cause::TooLong) => too_long("the document", options.source.max_line_bytes),
        Some(Cause::Undecodable) => not_utf8("a byte here"),
        _ => problem.reason + &hint.unwrap_or_default(),
    };
    Ok(Wrong { line: problem.line, message: format!("{message}; {REST}") })
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
