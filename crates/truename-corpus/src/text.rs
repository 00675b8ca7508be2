//! Plain text: the file is the document, or each line is one.
//!
//! It is kept byte for byte; a byte order mark is no part of it.

use truename_read::Source;
use truename_text::Document;

use crate::Error;
use crate::output::Output;
use crate::source::{stem, text, told};
use crate::wrong::Wrong;

pub(crate) fn read(source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    let id = stem(source.path());
    let read = text(source, &output.options)?.map(|text| Document::new(&id, text).into());
    output.give_one(&id, read);
    Ok(())
}

/// Reads a document from each line that is not blank; its id is the number of the line.
pub(crate) fn read_lines(source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    let mut lines = source.into_lines();
    while !output.stopped
        && let Some(line) = lines.read_filled()?
    {
        let id = line.number.to_string();
        let read = line.text().map(|text| Document::new(&id, text).into());
        output.give_one(&id, read.map_err(|fault| Wrong::at(line.number, told(fault))));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::output::tests::{problems, read_bytes, read_str};
    use crate::{Format, ReadOptions};

    #[test]
    fn the_text_is_kept_byte_for_byte() {
        let document = &read_str("notes.txt", " a\r\n\tb\r\n\n", &ReadOptions::default()).0[0];
        assert_eq!((document.id.as_str(), document.text.as_str()), ("notes", " a\r\n\tb\r\n\n"));
        assert!(document.passages.is_empty());
    }

    #[test]
    fn each_line_is_a_document_by_its_number() {
        let options = ReadOptions { input_format: Some(Format::Lines), ..ReadOptions::default() };
        let (documents, problems) = read_bytes("a.txt", b"a cold\r\n \nna\xEFve\n b", &options);
        let documents: Vec<_> = documents.iter().map(|one| (one.id.as_str(), one.text.as_str())).collect();
        assert_eq!(documents, [("1", "a cold"), ("4", " b")]);
        assert_eq!(
            problems,
            ["a.txt:3: document 3: byte 3 of the line is not UTF-8 (say `encoding`, as in `encoding = windows-1252`)"]
        );
    }

    #[test]
    fn what_is_not_utf8_is_a_problem() {
        let options = ReadOptions { input_format: Some(Format::Text), ..ReadOptions::default() };
        assert_eq!(
            problems("a.txt", b"one\ntw\xFFo", &options),
            ["a.txt:2: document a: byte 7 of the file is not UTF-8 (say `encoding`, as in `encoding = windows-1252`)"]
        );
    }
}
