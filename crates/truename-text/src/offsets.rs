//! Offsets in bytes, characters and UTF-16 units: files count in any of these, spans in bytes.

use std::fmt;
use std::str::FromStr;

/// Unit of offsets from the beginning of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OffsetUnit {
    /// Bytes of UTF-8, as in Rust and Go.
    Bytes,
    /// Unicode scalar values, as in Python, PubTator and brat.
    #[default]
    Chars,
    /// UTF-16 code units, as in JavaScript, Java and C#.
    Utf16,
}

impl FromStr for OffsetUnit {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = [Self::Bytes, Self::Chars, Self::Utf16].into_iter().find(|unit| unit.to_string() == name);
        known.ok_or_else(|| format!("\"{name}\" is no unit of offsets; use bytes, chars or utf16"))
    }
}

impl fmt::Display for OffsetUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "bytes",
            Self::Chars => "chars",
            Self::Utf16 => "utf16",
        })
    }
}

/// Turns offsets of one text from a unit into bytes and back.
pub struct Offsets {
    /// Characters longer than one unit or one byte: the byte and the unit after each.
    beyond: Vec<(usize, usize)>,
    bytes: usize,
}

impl Offsets {
    /// Creates the offsets of a text in a unit.
    pub fn new(text: &str, unit: OffsetUnit) -> Self {
        let mut beyond = Vec::new();
        if unit != OffsetUnit::Bytes && !text.is_ascii() {
            let mut units = 0;
            for (byte, character) in text.char_indices() {
                units += if unit == OffsetUnit::Utf16 { character.len_utf16() } else { 1 };
                if character.len_utf8() > 1 {
                    beyond.push((byte + character.len_utf8(), units));
                }
            }
        }
        Self { beyond, bytes: text.len() }
    }

    /// Returns the byte at an offset in units; none where it lies outside the text.
    ///
    /// An offset within a character of several units gives no character boundary; [`Span::of`](crate::Span::of) detects
    /// that.
    pub fn to_byte(&self, offset: usize) -> Option<usize> {
        let at = self.beyond.partition_point(|(_, units)| *units <= offset);
        let (byte, units) = at.checked_sub(1).map_or((0, 0), |before| self.beyond[before]);
        let byte = byte.checked_add(offset - units)?;
        // The next long character begins where its bytes do.
        let fits = self.beyond.get(at).is_none_or(|(end, _)| byte < *end) && byte <= self.bytes;
        fits.then_some(byte)
    }

    /// Returns the offset in units of a byte that begins a character.
    pub fn of_byte(&self, byte: usize) -> usize {
        let at = self.beyond.partition_point(|(end, _)| *end <= byte);
        let (end, units) = at.checked_sub(1).map_or((0, 0), |before| self.beyond[before]);
        units + (byte - end)
    }

    /// Returns the length of the text in units.
    pub fn length(&self) -> usize {
        self.of_byte(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn offsets_go_there_and_back(text in any::<String>()) {
            for unit in [OffsetUnit::Bytes, OffsetUnit::Chars, OffsetUnit::Utf16] {
                let offsets = Offsets::new(&text, unit);
                let mut at = 0;
                for (byte, character) in text.char_indices() {
                    prop_assert_eq!(offsets.of_byte(byte), at);
                    prop_assert_eq!(offsets.to_byte(at), Some(byte));
                    let units = match unit {
                        OffsetUnit::Bytes => character.len_utf8(),
                        OffsetUnit::Chars => 1,
                        OffsetUnit::Utf16 => character.len_utf16(),
                    };
                    if unit == OffsetUnit::Utf16 && units == 2 {
                        prop_assert_eq!(offsets.to_byte(at + 1).filter(|&b| text.is_char_boundary(b)), None);
                    }
                    at += units;
                }
                prop_assert_eq!(offsets.length(), at);
                prop_assert_eq!(offsets.to_byte(at), Some(text.len()));
                prop_assert_eq!(offsets.to_byte(at + 1), None);
            }
        }
    }
}
