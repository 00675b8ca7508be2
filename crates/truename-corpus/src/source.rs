//! Files of documents, opened by the options of a reader.

use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;

use truename_read::{Cause, LineFault, Source, SourceOptions, Watch, without_packing};

use crate::wrong::{Wrong, not_utf8, too_long};
use crate::{Error, ReadOptions};

pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<Source, Error> {
    Ok(Source::open(path, &source_options(options))?)
}

/// Opens a text whose byte order mark is a character of it, as brat counts.
pub(crate) fn open_with_mark(path: &Path, options: &ReadOptions) -> Result<Source, Error> {
    Ok(Source::open_with_mark(path, &source_options(options))?)
}

pub(crate) fn of_reader(
    name: &Path,
    reader: impl Read + Send + 'static,
    options: &ReadOptions,
) -> Result<Source, Error> {
    Ok(Source::of_reader(name, reader, &source_options(options))?)
}

fn source_options(options: &ReadOptions) -> SourceOptions {
    SourceOptions {
        encoding: options.encoding.clone(),
        max_line_bytes: options.max_line_bytes as u64,
        ..SourceOptions::default()
    }
}

/// Returns a file as text; the inner error is a problem with its content.
pub(crate) fn text(source: Source, options: &ReadOptions) -> Result<Result<String, Wrong>, Error> {
    source.into_string().map(Ok).or_else(|error| {
        let cause = error.cause();
        let problem = error.into_problem()?;
        let message = match cause {
            Some(Cause::TooLong) => too_long("the text", options.max_line_bytes),
            Some(Cause::Undecodable) => not_utf8(problem.reason.trim_end_matches(" is not UTF-8")),
            _ => return Err(problem.into()),
        };
        Ok(Err(Wrong { line: problem.line, message }))
    })
}

/// Returns the message about a line that is no text.
pub(crate) fn told(fault: LineFault) -> String {
    match fault {
        LineFault::TooLong(limit) => too_long("the line", usize::try_from(limit).unwrap_or(usize::MAX)),
        LineFault::NotUtf8(at) => not_utf8(format_args!("byte {at} of the line")),
    }
}

/// Returns the message about a document that is too long; any other failure of a reader ends the reading.
pub(crate) fn failure(watch: &Rc<Watch>, error: io::Error, options: &ReadOptions) -> Result<String, Error> {
    let error: Error = watch.failure_or(|| Error::io("read", watch.path(), error));
    match error.is_too_long() {
        true => Ok(too_long("the document", options.max_line_bytes)),
        false => Err(error),
    }
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
