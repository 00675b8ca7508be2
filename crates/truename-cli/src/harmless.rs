//! Text without terminal control sequences.

use std::fmt;
use std::io::{self, Write};

/// Text that shows control characters other than tabs and line ends as U+FFFD.
pub struct Harmless<'a>(pub &'a str);

impl fmt::Display for Harmless<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write_without(formatter, self.0, |character| character.is_control() && !matches!(character, '\t' | '\n'))
    }
}

/// An id or name that stays on one line and in one direction.
pub struct OneLine<'a>(pub &'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write_without(formatter, self.0, |character| {
            // Overrides and embeddings would reverse the text after them: <https://trojansource.codes>.
            character.is_control() || matches!(character, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
        })
    }
}

fn write_without(formatter: &mut fmt::Formatter, text: &str, is_unwanted: impl Fn(char) -> bool) -> fmt::Result {
    let shown = |character| if is_unwanted(character) { char::REPLACEMENT_CHARACTER } else { character };
    text.chars().map(shown).try_for_each(|character| write!(formatter, "{character}"))
}

/// Prints a line on stderr, and ignores a closed pipe.
pub fn say(words: fmt::Arguments) {
    let _ = writeln!(io::stderr(), "{}", Harmless(&words.to_string()));
}

/// Opens stderr for a line of the log.
pub fn log() -> HarmlessWriter<io::Stderr> {
    HarmlessWriter::new(io::stderr())
}

/// A writer to a terminal that replaces control characters other than tabs and line ends.
pub struct HarmlessWriter<W> {
    out: W,
    /// The last byte, where the next one tells what it is: C2 may begin a control character of UTF-8 (C2 80 to C2 9F), and a
    /// carriage return without a line feed would write over the line.
    held: Option<u8>,
}

impl<W: Write> HarmlessWriter<W> {
    pub fn new(out: W) -> Self {
        Self { out, held: None }
    }
}

impl<W: Write> Write for HarmlessWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();
        let mut shown = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            match self.held.take() {
                Some(0xC2) if (0x80..=0x9F).contains(&byte) => {
                    shown.extend_from_slice(REPLACEMENT);
                    continue;
                }
                Some(b'\r') if byte != b'\n' => shown.extend_from_slice(REPLACEMENT),
                held => shown.extend(held),
            }
            match byte {
                0xC2 | b'\r' => self.held = Some(byte),
                b'\t' | b'\n' => shown.push(byte),
                0..0x20 | 0x7F => shown.extend_from_slice(REPLACEMENT),
                _ => shown.push(byte),
            }
        }
        self.out.write_all(&shown)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_replaced_however_the_bytes_are_cut() {
        let text = "\u{1b}[31mé £\u{9b}2J\u{85}x\u{7f}\rover\t\r\n🧠Â";
        let expected = text.replace(['\u{1b}', '\u{9b}', '\u{85}', '\u{7f}'], "\u{FFFD}").replace("\ro", "\u{FFFD}o");
        for size in [1, 2, 3, 64] {
            let mut out = Vec::new();
            let mut writer = HarmlessWriter::new(&mut out);
            text.as_bytes().chunks(size).for_each(|piece| writer.write_all(piece).unwrap());
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
        assert_eq!(Harmless(text).to_string(), expected.replace('\r', "\u{FFFD}"));
    }
}
