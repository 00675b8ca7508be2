//! Writes documents in the formats that keep them in one file, and says what each format loses.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use truename_text::{Document, OffsetUnit};

use crate::{Error, Format, bioc, brat, conll, jsonl, pubtator};
use truename_error::ErrorKind;

/// Writes documents, one after another, in a format that keeps them in one file.
///
/// All formats keep the spans and the text. They lose:
/// - JSONL: nothing;
/// - BioC: blanks around types and ids, and passages of the type `gap`, which stand for text between others;
/// - BioC XML: control characters, which become spaces, and U+FFFE and U+FFFF, which become U+FFFD;
/// - PubTator: line breaks, which become spaces, fragments (a discontinuous mention goes from its first to its
///   last), probabilities, and passages other than a title and an abstract;
/// - in BioC and PubTator, the ids `-` and `-1`, which are read as none;
/// - CoNLL: the blanks between tokens, so its offsets are others; ids and probabilities of mentions, fragments, as in PubTator, and
///   documents without a token. Of mentions that overlap the one that begins first is written, of those the longest.
///
/// [`losses`](Self::losses) counts the others and the characters that were replaced.
pub struct Writer<W: Write> {
    format: Format,
    offsets: OffsetUnit,
    out: W,
    begun: bool,
    losses: Losses,
}

/// Counts of what the format of a [`Writer`] cannot hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Losses {
    /// Number of mentions that CoNLL cannot hold beside those that were written.
    pub left_out: u64,
    /// Number of characters of texts that XML cannot hold, written as spaces or U+FFFD.
    pub replaced: u64,
}

impl std::ops::Add for Losses {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { left_out: self.left_out + other.left_out, replaced: self.replaced + other.replaced }
    }
}

impl<W: Write> Writer<W> {
    /// Creates a writer to `out` with offsets in the unit `offsets`.
    ///
    /// # Errors
    /// For plain text, which holds no annotations, for brat and WNED, which keep a document in two files, and for links of
    /// Wikipedia, which have no types.
    pub fn new(format: Format, offsets: OffsetUnit, out: W) -> Result<Self, Error> {
        let reason = match format {
            Format::Text | Format::Lines => "plain text holds no annotations",
            Format::Brat => {
                let hint = "name a folder for them, or write jsonl, pubtator, bioc-xml, bioc-json or conll";
                return Err(Error::new(ErrorKind::Choice, brat::NO_STREAM).with_hint(hint));
            }
            Format::Wned => "wned keeps each text in a file of its own, so it is no stream",
            Format::Wiki => "wiki keeps the titles of links, and no types, candidates or nested mentions",
            Format::Jsonl | Format::Pubtator | Format::BiocXml | Format::BiocJson | Format::Conll => {
                return Ok(Self { format, offsets, out, begun: false, losses: Losses::default() });
            }
        };
        Err(Error::new(ErrorKind::Choice, reason)
            .with_hint("write jsonl, pubtator, bioc-xml, bioc-json, conll or brat"))
    }

    /// Writes a document.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn write(&mut self, document: &Document) -> io::Result<()> {
        let first = !self.begun;
        self.begin()?;
        let (out, offsets) = (&mut self.out, self.offsets);
        match self.format {
            Format::Jsonl => jsonl::write(out, document, offsets),
            Format::Pubtator => pubtator::write(out, document, offsets),
            Format::BiocXml => {
                self.losses.replaced += bioc::xml::replaced(&document.text);
                bioc::xml::write(out, document, offsets)
            }
            Format::BiocJson => bioc::json::write(out, document, offsets, first),
            Format::Conll => {
                self.losses.left_out += conll::write(out, document)?;
                Ok(())
            }
            Format::Text | Format::Lines | Format::Brat | Format::Wned | Format::Wiki => {
                Err(io::Error::other("not a stream"))
            }
        }
    }

    /// Returns the counts of what the format cannot hold.
    pub fn losses(&self) -> Losses {
        self.losses
    }

    /// Flushes the documents that were written.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes the end of the format, and returns `out`.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.begin()?;
        match self.format {
            Format::BiocXml => self.out.write_all(bioc::xml::END.as_bytes())?,
            Format::BiocJson => self.out.write_all(bioc::json::END.as_bytes())?,
            _ => {}
        }
        self.out.flush()?;
        Ok(self.out)
    }

    fn begin(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        match self.format {
            Format::BiocXml => self.out.write_all(bioc::xml::BEGIN.as_bytes()),
            Format::BiocJson => self.out.write_all(bioc::json::BEGIN.as_bytes()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_that_are_no_streams_are_refused() {
        let refusal = |format| {
            let error = Writer::new(format, OffsetUnit::Chars, Vec::new()).err().unwrap();
            (error.to_string(), error.hint().unwrap().to_string())
        };
        let (message, hint) = refusal(Format::Text);
        assert_eq!(message, "plain text holds no annotations");
        assert_eq!(hint, "write jsonl, pubtator, bioc-xml, bioc-json, conll or brat");
        let (message, hint) = refusal(Format::Wned);
        assert_eq!(message, "wned keeps each text in a file of its own, so it is no stream");
        assert_eq!(hint, "write jsonl, pubtator, bioc-xml, bioc-json, conll or brat");
        let (message, hint) = refusal(Format::Wiki);
        assert_eq!(message, "wiki keeps the titles of links, and no types, candidates or nested mentions");
        assert_eq!(hint, "write jsonl, pubtator, bioc-xml, bioc-json, conll or brat");
        let (message, hint) = refusal(Format::Brat);
        assert_eq!(message, "brat keeps a document in two files, so it is no stream");
        assert_eq!(hint, "name a folder for them, or write jsonl, pubtator, bioc-xml, bioc-json or conll");
    }

    #[test]
    fn no_document_makes_a_whole_file_too() {
        for format in [Format::Jsonl, Format::Pubtator, Format::BiocXml, Format::BiocJson, Format::Conll] {
            let bytes = Writer::new(format, OffsetUnit::Chars, Vec::new()).unwrap().finish().unwrap();
            let options = crate::ReadOptions { input_format: Some(format), ..crate::ReadOptions::default() };
            let (documents, problems) = crate::output::tests::read_bytes("memory", &bytes, &options);
            assert_eq!((documents, problems), (Vec::new(), Vec::new()));
        }
    }
}
