//! Texts of requests, which clients write from the cells of tables.

use std::borrow::Cow;
use std::fmt::{self, Formatter};

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Number;

/// A text, or the number or flag that a client wrote in its place.
pub(crate) enum Text {
    Written(String),
    Flag(bool),
    Number(Number),
}

/// As an untagged enum, but with an error that names the value found.
impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Text;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text::Written(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Text, E> {
        Ok(Text::Written(text))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Text, E> {
        Ok(Text::Flag(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Text, E> {
        Ok(Text::Number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Text, E> {
        Ok(Text::Number(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Text, E> {
        Number::from_f64(number).map(Text::Number).ok_or_else(|| E::custom("a number is not finite"))
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        match text {
            Text::Written(text) => text,
            Text::Flag(flag) => flag.to_string(),
            Text::Number(number) => written(&number),
        }
    }
}

/// Returns a number as a table shows it: 1984.0, which columns with empty cells hold, is 1984.
fn written(number: &Number) -> String {
    let text = number.to_string();
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// Bytes of an escape such as `\ud83d`.
const ESCAPE: usize = 6;

/// Returns JSON with U+FFFD for each half of a surrogate pair that stands alone: programs that cut texts write them, and a parser
/// refuses the whole for one.
pub(crate) fn without_lone_surrogates(json: &[u8]) -> Cow<'_, [u8]> {
    let mut json = Cow::Borrowed(json);
    let mut at = 0;
    while let Some(found) = json[at..].iter().position(|byte| *byte == b'\\') {
        at += found;
        let length = match (surrogate(&json[at..]), surrogate(&json[(at + ESCAPE).min(json.len())..])) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 2 * ESCAPE,
            (Some(_), _) => {
                json.to_mut()[at..at + ESCAPE].copy_from_slice(b"\\ufffd");
                ESCAPE
            }
            (None, _) => 2,
        };
        at = (at + length).min(json.len());
    }
    json
}

/// Returns the half of a pair that an escape at the beginning of some bytes has.
fn surrogate(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    let digits =
        std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok().filter(|unit| (0xD800..=0xDFFF).contains(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_pairs_are_replaced_and_pairs_are_kept() {
        for (json, expected) in [
            (r#""\ud83d""#, "\u{FFFD}"),
            (r#""a\uDE00b""#, "a\u{FFFD}b"),
            (r#""\ud83d\ud83d\ude00""#, "\u{FFFD}\u{1F600}"),
            (r#""\\ud83d\u00e9\n""#, "\\ud83d\u{e9}\n"),
        ] {
            let read: String = serde_json::from_slice(&without_lone_surrogates(json.as_bytes())).unwrap();
            assert_eq!(read, expected, "{json}");
        }
        for json in [&b"\"\\ud8"[..], b"\\", b"\\u", b"{\"a\": 1}"] {
            assert_eq!(&*without_lone_surrogates(json), json);
        }
    }

    #[test]
    fn numbers_are_written_as_tables_show_them() {
        for (json, text) in
            [("1984.0", "1984"), ("1984", "1984"), ("-2.50", "-2.5"), ("true", "true"), ("\"1.0\"", "1.0")]
        {
            assert_eq!(String::from(serde_json::from_str::<Text>(json).unwrap()), text);
        }
    }
}
