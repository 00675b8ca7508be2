//! Encodings other than UTF-8: decoded, and written back as they were.

use std::io::{BufRead, BufReader, Read};

use anyhow::{Context, bail};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;

use crate::exit_code::UsageError;

/// Encoding of a table.
#[derive(Clone, Copy)]
pub struct Codec {
    encoding: &'static Encoding,
    /// True if the text begins with a byte order mark.
    marked: bool,
}

impl Codec {
    /// Returns the encoding of the byte order mark, else the user's, else UTF-8.
    pub fn of(label: Option<&str>, beginning: &[u8]) -> anyhow::Result<Self> {
        let said = label.map(|label| {
            let unknown = || UsageError(format!("\"{label}\" is no known encoding; use a label such as windows-1252"));
            Encoding::for_label(label.as_bytes()).ok_or_else(unknown)
        });
        let said = said.transpose()?;
        let marked = Encoding::for_bom(beginning);
        let encoding = marked.map(|(encoding, _)| encoding).or(said).unwrap_or(UTF_8);
        Ok(Self { encoding, marked: marked.is_some() })
    }

    /// Returns text in which delimiters can be found: UTF-16 is decoded, other encodings stay as they are.
    pub fn preview(self, beginning: &[u8]) -> Vec<u8> {
        if self.is_utf16() {
            return self.encoding.decode(beginning).0.into_owned().into_bytes();
        }
        beginning.strip_prefix(self.mark()).unwrap_or(beginning).to_vec()
    }

    pub fn is_utf16(self) -> bool {
        self.encoding == UTF_16LE || self.encoding == UTF_16BE
    }

    /// Returns text without its byte order mark, with line feeds of one byte: UTF-16 becomes UTF-8, other encodings
    /// stay as they are.
    ///
    /// # Errors
    /// If the beginning cannot be read.
    pub fn reader(self, mut raw: impl BufRead + 'static) -> std::io::Result<Box<dyn BufRead>> {
        if self.is_utf16() {
            let decoded = DecodeReaderBytesBuilder::new().encoding(Some(self.encoding)).strip_bom(true).build(raw);
            return Ok(Box::new(BufReader::with_capacity(1 << 16, decoded)));
        }
        let mut beginning = Vec::new();
        raw.by_ref().take(self.mark().len() as u64).read_to_end(&mut beginning)?;
        Ok(Box::new(raw))
    }

    /// Decodes a cell; `None` if it is invalid in the encoding.
    pub fn decode(self, cell: &[u8]) -> Option<String> {
        if self.is_utf16() || self.encoding == UTF_8 {
            return String::from_utf8(cell.to_vec()).ok();
        }
        self.encoding.decode_without_bom_handling_and_without_replacement(cell).map(|text| text.into_owned())
    }

    /// Encodes text added to a row in the encoding of the row.
    pub fn encode(self, text: &str) -> anyhow::Result<Vec<u8>> {
        if self.is_utf16() || self.encoding == UTF_8 {
            return Ok(text.as_bytes().to_vec());
        }
        let (bytes, _, unmappable) = self.encoding.encode(text);
        if unmappable {
            bail!(
                "\"{text}\" cannot be written in {}; convert the input to UTF-8, or write --format jsonl",
                self.encoding.name()
            );
        }
        Ok(bytes.into_owned())
    }

    /// Returns the bytes of a whole row for the output.
    pub fn finish(self, row: Vec<u8>) -> anyhow::Result<Vec<u8>> {
        if !self.is_utf16() {
            return Ok(row);
        }
        let text = std::str::from_utf8(&row).context("a row is not UTF-16")?;
        let units = text.encode_utf16();
        Ok(if self.encoding == UTF_16LE {
            units.flat_map(u16::to_le_bytes).collect()
        } else {
            units.flat_map(u16::to_be_bytes).collect()
        })
    }

    /// Returns the byte order mark that the reader removed.
    pub fn mark(self) -> &'static [u8] {
        match (self.marked, self.encoding) {
            (false, _) => b"",
            (true, encoding) if encoding == UTF_16LE => b"\xFF\xFE",
            (true, encoding) if encoding == UTF_16BE => b"\xFE\xFF",
            (true, _) => b"\xEF\xBB\xBF",
        }
    }
}
