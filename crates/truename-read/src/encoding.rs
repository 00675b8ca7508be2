//! Encodings of texts: told from their beginning, decoded for reading, and encoded for cells that are added.

use std::io::{Cursor, Read, Result};

use encoding_rs::{UTF_8, UTF_16BE, UTF_16LE};

use crate::reader::Reader;

const CHUNK: usize = 1 << 16;

/// The encoding of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    encoding: &'static encoding_rs::Encoding,
    /// True if the text begins with a byte order mark.
    marked: bool,
}

impl Encoding {
    /// The byte order mark of UTF-8.
    pub(crate) const MARK: &[u8] = b"\xEF\xBB\xBF";
    /// UTF-8 without a byte order mark.
    pub const UTF_8: Self = Self { encoding: UTF_8, marked: false };

    /// Returns the encoding of a WHATWG label, as `windows-1252`.
    pub fn of_label(label: &str) -> Option<Self> {
        encoding_rs::Encoding::for_label(label.as_bytes()).map(|encoding| Self { encoding, marked: false })
    }

    /// Returns the encoding of a label for a text that is written; UTF-16 then begins with a byte order mark.
    pub fn of_output(label: &str) -> Option<Self> {
        Self::of_label(label).map(|encoding| Self { marked: encoding.is_utf16(), ..encoding })
    }

    /// Returns the encoding that a text has by its byte order mark, else the one asked for, else the one that its XML
    /// declaration or its NUL bytes tell, else UTF-8. A text that is UTF-8 beyond ASCII stays so where one byte a character is asked
    /// for, since such a text is hardly ever UTF-8 by chance.
    pub(crate) fn tell(asked: Option<Self>, beginning: &[u8]) -> Self {
        if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(beginning) {
            return Self { encoding, marked: true };
        }
        let told = || declared(beginning).or_else(|| by_zeros(beginning)).unwrap_or(UTF_8);
        let is_utf8 = |asked: &Self| asked.encoding.is_single_byte() && is_utf8_beyond_ascii(beginning);
        let asked = asked.map(|asked| if is_utf8(&asked) { Self::UTF_8 } else { asked });
        asked.unwrap_or_else(|| Self { encoding: told(), marked: false })
    }

    /// Returns the name, as messages show it.
    pub fn name(self) -> &'static str {
        self.encoding.name()
    }

    /// Returns true if text is handed over without translation.
    pub fn is_utf8(self) -> bool {
        self.encoding == UTF_8
    }

    pub(crate) fn is_utf16(self) -> bool {
        self.encoding == UTF_16LE || self.encoding == UTF_16BE
    }

    /// Returns a text as UTF-8 without its byte order mark. What the encoding does not have becomes U+FFFD.
    pub(crate) fn decoded(self, raw: Reader) -> Reader {
        let decoder = self.encoding.new_decoder_with_bom_removal();
        Box::new(Decoded { raw, decoder, text: Cursor::default(), is_ended: false })
    }

    /// Returns a cell of a row as text; `None` if it is invalid in the encoding. Rows of UTF-16 are handed over as UTF-8.
    pub fn decode(self, cell: &[u8]) -> Option<String> {
        if self.is_utf16() || self.is_utf8() {
            return std::str::from_utf8(cell).ok().map(str::to_owned);
        }
        self.encoding.decode_without_bom_handling_and_without_replacement(cell).map(|text| text.into_owned())
    }

    /// Returns text in the encoding of a row, to be added to it; `None` if the encoding lacks a character.
    pub fn encode(self, text: &str) -> Option<Vec<u8>> {
        if self.is_utf16() || self.is_utf8() {
            return Some(text.as_bytes().to_vec());
        }
        let (bytes, _, unmappable) = self.encoding.encode(text);
        (!unmappable).then(|| bytes.into_owned())
    }

    /// Returns the bytes that a file has for a whole row; `None` if a row of UTF-16 is no longer text.
    pub fn finish(self, row: Vec<u8>) -> Option<Vec<u8>> {
        if !self.is_utf16() {
            return Some(row);
        }
        let units = std::str::from_utf8(&row).ok()?.encode_utf16();
        let bytes = if self.encoding == UTF_16LE { u16::to_le_bytes } else { u16::to_be_bytes };
        Some(units.flat_map(bytes).collect())
    }

    /// Returns the byte order mark with which the text began.
    pub fn mark(self) -> &'static [u8] {
        match (self.marked, self.encoding) {
            (false, _) => b"",
            (true, encoding) if encoding == UTF_16LE => b"\xFF\xFE",
            (true, encoding) if encoding == UTF_16BE => b"\xFE\xFF",
            (true, _) => Self::MARK,
        }
    }
}

/// A text in another encoding, read as UTF-8.
struct Decoded {
    raw: Reader,
    decoder: encoding_rs::Decoder,
    text: Cursor<Vec<u8>>,
    is_ended: bool,
}

impl Read for Decoded {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        while self.text.position() == self.text.get_ref().len() as u64 && !self.is_ended {
            let mut raw = [0; CHUNK];
            let read = self.raw.read(&mut raw)?;
            self.is_ended = read == 0;
            // Room for all of them, so that none is left.
            let mut text = vec![0; self.decoder.max_utf8_buffer_length(read).unwrap_or(4 * CHUNK)];
            let (_, _, written, _) = self.decoder.decode_to_utf8(&raw[..read], &mut text, self.is_ended);
            text.truncate(written);
            self.text = Cursor::new(text);
        }
        self.text.read(buffer)
    }
}

/// Returns true if a beginning has characters beyond ASCII, all of which are UTF-8; the last may be cut off.
fn is_utf8_beyond_ascii(beginning: &[u8]) -> bool {
    let valid = match std::str::from_utf8(beginning) {
        Ok(text) => text.len(),
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => 0,
    };
    !beginning[..valid].is_ascii()
}

/// Returns the encoding that an XML file has by its first bytes or its declaration (XML 1.0, appendix F), unless it is
/// UTF-8 or the ASCII that XML tools write for it.
fn declared(beginning: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    match beginning {
        [b'<', 0, b'?', 0, ..] => return Some(UTF_16LE),
        [0, b'<', 0, b'?', ..] => return Some(UTF_16BE),
        _ => {}
    }
    let declaration = beginning.strip_prefix(b"<?xml")?;
    let declaration = std::str::from_utf8(&declaration[..declaration.iter().position(|byte| *byte == b'>')?]).ok()?;
    let label = declaration.split_once("encoding")?.1.trim_start_matches([' ', '=', '"', '\'']);
    let label = label.split(['"', '\'']).next()?;
    let is_ascii = label.to_ascii_lowercase().contains("ascii");
    // A declaration that can be read byte by byte is not UTF-16, whatever it says.
    encoding_rs::Encoding::for_label(label.as_bytes())
        .filter(|encoding| !is_ascii && ![UTF_8, UTF_16LE, UTF_16BE].contains(encoding))
}

/// Returns UTF-16 where NUL bytes stand in one of two places, and a fourth of all bytes are such: this leaves room for
/// letters beyond Latin-1.
fn by_zeros(beginning: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let count = |from: usize| beginning.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    match (count(0), count(1)) {
        (0, odd) if odd > 0 && 4 * odd >= beginning.len() => Some(UTF_16LE),
        (even, 0) if even > 0 && 4 * even >= beginning.len() => Some(UTF_16BE),
        _ => None,
    }
}
