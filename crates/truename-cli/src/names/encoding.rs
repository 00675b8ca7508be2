//! Text that is not UTF-8: read, and written back as it was.

use std::io::{BufRead, BufReader, Read};

use anyhow::{Context, bail};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;

use crate::exit_code::UsageError;

/// How a table is encoded.
#[derive(Clone, Copy)]
pub struct Codec {
    encoding: &'static Encoding,
    /// Whether the text began with a byte order mark.
    marked: bool,
}

impl Codec {
    /// What the user says, or else what a byte order mark says, or else UTF-8.
    pub fn of(label: Option<&str>, beginning: &[u8]) -> anyhow::Result<Self> {
        if let Some(label) = label {
            let found = Encoding::for_label(label.as_bytes());
            let unknown = || UsageError(format!("\"{label}\" is no known encoding; use a label such as windows-1252"));
            let encoding = found.ok_or_else(unknown)?;
            return Ok(Self {
                encoding,
                marked: Encoding::for_bom(beginning).is_some_and(|(found, _)| found == encoding),
            });
        }
        let found = Encoding::for_bom(beginning);
        Ok(Self { encoding: found.map_or(UTF_8, |(encoding, _)| encoding), marked: found.is_some() })
    }

    fn is_utf16(self) -> bool {
        self.encoding == UTF_16LE || self.encoding == UTF_16BE
    }

    /// Bytes in which a line feed is one byte: UTF-16 becomes UTF-8, anything else stays as it is.
    pub fn reader<R: Read + 'static>(self, raw: R) -> Box<dyn BufRead> {
        if !self.is_utf16() {
            return Box::new(BufReader::with_capacity(1 << 16, raw));
        }
        let decoded = DecodeReaderBytesBuilder::new().encoding(Some(self.encoding)).strip_bom(true).build(raw);
        Box::new(BufReader::with_capacity(1 << 16, decoded))
    }

    /// The text of a cell as the reader gives it; nothing where it is not in the encoding.
    pub fn decode(self, cell: &[u8]) -> Option<String> {
        if self.is_utf16() || self.encoding == UTF_8 {
            return String::from_utf8(cell.to_vec()).ok();
        }
        self.encoding.decode_without_bom_handling_and_without_replacement(cell).map(|text| text.into_owned())
    }

    /// What is added to a row, in the encoding of the row.
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

    /// The bytes of a whole row as the output has them.
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

    /// The byte order mark that the reader took away.
    pub fn mark(self) -> &'static [u8] {
        match (self.marked, self.encoding == UTF_16LE) {
            (true, true) => b"\xFF\xFE",
            (true, false) if self.is_utf16() => b"\xFE\xFF",
            _ => b"",
        }
    }
}
