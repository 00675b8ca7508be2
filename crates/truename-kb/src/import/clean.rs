//! Values of imported files without control characters and surrounding space.

use std::borrow::Cow;

/// Returns a value without controls and white space around it, if anything is left.
pub(super) fn tidy_value(value: String) -> Option<String> {
    let trimmed = value.trim();
    (!trimmed.is_empty()).then(|| without_controls(trimmed).into_owned())
}

/// Returns a text with control characters as spaces, without bidirectional controls and byte order marks.
pub(super) fn without_controls(text: &str) -> Cow<'_, str> {
    let bidirectional =
        |c: char| matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}');
    if !text.contains(|c: char| c.is_control() || bidirectional(c)) {
        return Cow::Borrowed(text);
    }
    let spaced: String =
        text.chars().filter(|c| !bidirectional(*c)).map(|c| if c.is_control() { ' ' } else { c }).collect();
    Cow::Owned(spaced.split_whitespace().collect::<Vec<_>>().join(" "))
}
