//! Signs and words that programs write for a missing value, which are no names.

use truename_text::is_missing_value;

/// Words that programs write for a missing value: those of pandas (`pandas.read_csv`, `na_values`) and the NULL of MySQL.
const WORDS: [&str; 19] = [
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL",
    "NaN", "None", "n/a", "nan", "null", "\\N",
];

/// Returns true if a text is no word but a sign that there is none: dashes, question marks, empty quotes, `N/A` and the like.
pub(super) fn is_sign(text: &str) -> bool {
    let text = text.trim();
    let is_mark = |c: char| matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '?' | '.' | '…' | '"' | '\'');
    let is_word = text.chars().all(char::is_alphanumeric);
    !is_word && (text.chars().all(is_mark) || WORDS.contains(&text))
}

/// Returns true if a text stands for a missing value: such a sign, or a word.
pub(super) fn is_placeholder(text: &str) -> bool {
    is_sign(text) || WORDS.contains(&text.trim()) || is_missing_value(text)
}
