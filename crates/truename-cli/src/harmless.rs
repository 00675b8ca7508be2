//! Text that cannot command a terminal.

use std::fmt;
use std::io::{self, Write};

/// Text in which controls other than tabs and ends of lines are shown as U+FFFD.
pub struct Harmless<'a>(pub &'a str);

impl fmt::Display for Harmless<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write_without(formatter, self.0, |character| character.is_control() && !matches!(character, '\t' | '\n'))
    }
}

/// An id or a name, which stays on its line and in its order.
pub struct OneLine<'a>(pub &'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write_without(formatter, self.0, |character| {
            // Overrides and embeddings would turn the text after it around: <https://trojansource.codes>.
            character.is_control() || matches!(character, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
        })
    }
}

fn write_without(formatter: &mut fmt::Formatter, text: &str, is_unwanted: impl Fn(char) -> bool) -> fmt::Result {
    let shown = |character| if is_unwanted(character) { char::REPLACEMENT_CHARACTER } else { character };
    text.chars().map(shown).try_for_each(|character| write!(formatter, "{character}"))
}

/// Prints a line on stderr; a reader that closed it is no reason to stop.
pub fn say(words: fmt::Arguments) {
    let _ = writeln!(io::stderr(), "{}", Harmless(&words.to_string()));
}

/// Bytes on their way to a terminal, with the same controls replaced.
pub struct HarmlessWriter<W> {
    out: W,
    /// The first byte of C2 80 to C2 9F, which are controls in UTF-8, where its second has not come yet.
    has_c2: bool,
}

impl<W: Write> HarmlessWriter<W> {
    pub fn new(out: W) -> Self {
        Self { out, has_c2: false }
    }
}

impl<W: Write> Write for HarmlessWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();
        let mut shown = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            let is_c1 = std::mem::take(&mut self.has_c2) && {
                let is_c1 = (0x80..=0x9F).contains(&byte);
                if !is_c1 {
                    shown.push(0xC2);
                }
                is_c1
            };
            match byte {
                _ if is_c1 => shown.extend_from_slice(REPLACEMENT),
                0xC2 => self.has_c2 = true,
                b'\t' | b'\n' | b'\r' => shown.push(byte),
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
        let text = "\u{1b}[31mé £\u{9b}2J\u{85}x\u{7f}\t\r\n🧠Â";
        let expected = text.replace(['\u{1b}', '\u{9b}', '\u{85}', '\u{7f}'], "\u{FFFD}");
        for size in [1, 2, 3, 64] {
            let mut out = Vec::new();
            let mut writer = HarmlessWriter::new(&mut out);
            text.as_bytes().chunks(size).for_each(|piece| writer.write_all(piece).unwrap());
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
        assert_eq!(Harmless(text).to_string(), expected.replace('\r', "\u{FFFD}"));
    }
}
