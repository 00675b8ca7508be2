//! Plain text: the file is the document, kept byte for byte; a byte order mark is no part of it.

use truename_read::Source;
use truename_text::Document;

use crate::Error;
use crate::output::Output;
use crate::source::{stem, text};

pub(crate) fn read(source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    let id = stem(source.path());
    let read = text(source, &output.options)?.map(|text| Document::new(&id, text).into());
    output.give_one(&id, read);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::output::tests::{problems, read_str};
    use crate::{Format, ReadOptions};

    #[test]
    fn the_text_is_kept_byte_for_byte() {
        let document = &read_str("notes.txt", " a\r\n\tb\r\n\n", &ReadOptions::default()).0[0];
        assert_eq!((document.id.as_str(), document.text.as_str()), ("notes", " a\r\n\tb\r\n\n"));
        assert!(document.passages.is_empty());
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
