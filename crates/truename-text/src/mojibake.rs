//! Names whose UTF-8 was read as Windows-1252 (`SjÃ¶gren` for `Sjögren`), once or several times.

/// Characters of the bytes from 0x80 to 0x9F in Windows-1252; five bytes stand for the control characters of Latin-1.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];
/// Characters that begin letters of Latin and Greek, and signs, that were decoded wrongly.
pub(crate) const LEADS: [char; 7] = ['Ã', 'Â', 'Î', 'Ï', 'Å', 'Ä', 'â'];
/// Characters that may follow one of these in a text.
const MARKS: [char; 9] = ['\u{A0}', '»', '”', '“', '’', '‘', '–', '—', '…'];
/// Largest number of decodings that are taken back.
const MAX_DECODINGS: usize = 3;

/// Returns the name as it was before its UTF-8 was decoded as Windows-1252 or Latin-1; `None` if it is no such text.
///
/// The whole name must be made of the characters of these encodings, and their bytes must be UTF-8. A text in any language hardly is: a
/// capital such as `Ã` would have to stand before a sign such as `©` or `¶` each time (`SÃO PAULO` and `Âge` stay).
pub fn repaired(name: &str) -> Option<String> {
    let mut repaired = None;
    for _ in 0..MAX_DECODINGS {
        let Some(earlier) = undecoded(repaired.as_deref().unwrap_or(name)) else { break };
        repaired = Some(earlier);
    }
    repaired
}

/// Returns the length and the character of a sequence at the beginning of a text that is hardly anything but decoded wrongly: `Ã¶`, `Î²`, `â€™`.
pub(crate) fn sequence_at(text: &str) -> Option<(usize, char)> {
    let first = text.chars().next().filter(|c| LEADS.contains(c))?;
    let length = if first == 'â' { 3 } else { 2 };
    let characters = || text.chars().take(length);
    if length == 3 && text.chars().nth(1) != Some('€') || characters().nth(1).is_some_and(|c| MARKS.contains(&c)) {
        return None;
    }
    let repaired = undecoded(&characters().collect::<String>())?;
    let mut repaired = repaired.chars();
    let character = repaired.next().filter(|_| repaired.next().is_none())?;
    Some((characters().map(char::len_utf8).sum(), character))
}

/// Takes one decoding back.
fn undecoded(name: &str) -> Option<String> {
    if name.is_ascii() {
        return None;
    }
    let bytes: Option<Vec<u8>> = name.chars().map(byte).collect();
    String::from_utf8(bytes?).ok()
}

/// Returns the byte of a character in Windows-1252, or in Latin-1.
fn byte(character: char) -> Option<u8> {
    match u8::try_from(u32::from(character)) {
        Ok(byte) => Some(byte),
        Err(_) => WINDOWS_1252.iter().position(|known| *known == character).map(|at| 0x80 + at as u8),
    }
}

#[cfg(test)]
mod tests {
    use super::{repaired, sequence_at};

    #[test]
    fn what_was_decoded_wrongly_is_taken_back() {
        for (name, expected) in [
            ("SjÃ¶gren syndrome", "Sjögren syndrome"),
            ("SjÃƒÂ¶gren syndrome", "Sjögren syndrome"),
            ("Guillainâ€“BarrÃ©", "Guillain–Barré"),
            ("interferon-Î³", "interferon-γ"),
            ("Crohnâ€™s disease", "Crohn’s disease"),
            ("æ\u{A0}ªå¼\u{8F}ä¼šç¤¾", "株式会社"),
            ("TÃ\u{AD}pico", "Típico"),
        ] {
            assert_eq!(repaired(name).as_deref(), Some(expected), "{name}");
        }
    }

    #[test]
    fn sequences_in_texts_are_taken_back_one_by_one() {
        for (text, expected) in [
            ("Ã¶ 日本", Some((4, 'ö'))),
            ("Î²-", Some((4, 'β'))),
            ("â€™s", Some((8, '’'))),
            ("Ã»", None),
            ("Â\u{A0}»", None),
            ("âge", None),
            ("Ä", None),
            ("é\u{A0}»", None),
        ] {
            assert_eq!(sequence_at(text), expected, "{text}");
        }
    }

    #[test]
    fn names_of_all_languages_stay() {
        for name in [
            "SÃO PAULO",
            "Âge",
            "château",
            "Ångström",
            "Müller & Söhne",
            "Ærøskøbing",
            "Ñuñoa",
            "naïve",
            "β-carotene",
            "株式会社",
            "Łódź",
            "ÎLE-DE-FRANCE",
            "Übergröße",
            "Café™",
            "25 µg",
            "L’Oréal®",
            "Ø 5 mm",
            "aspirin",
            "",
        ] {
            assert_eq!(repaired(name), None, "{name}");
        }
    }
}
