//! Names made of IRIs, for classes that have no label.

/// Returns the last part of an IRI in words: `…#HeartAttack` is "Heart Attack"; nothing where it is a number, as in
/// `…/DOID_1612`.
pub(super) fn iri_label(iri: &str) -> Option<String> {
    let last = iri.trim_end_matches(['/', '#']).rsplit(['/', '#', ':']).next()?;
    let last = percent_decoded(last);
    let is_number = last.trim_start_matches(|c: char| c.is_alphabetic() || matches!(c, '_' | '-'));
    if last.is_empty() || (!is_number.is_empty() && is_number.chars().all(|c| c.is_ascii_digit())) {
        return None;
    }
    let characters: Vec<char> = last.chars().collect();
    let mut label = String::with_capacity(last.len() + 4);
    for (at, &character) in characters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| characters[before]);
        let begins_word = character.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || (before.is_uppercase() && characters.get(at + 1).is_some_and(|after| after.is_lowercase()))
            });
        if begins_word {
            label.push(' ');
        }
        label.push(if character == '_' { ' ' } else { character });
    }
    Some(label.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|label| !label.is_empty())
}

/// Returns a text with `%C3%B6` as the character that it stands for; as it is where that is not UTF-8.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}
