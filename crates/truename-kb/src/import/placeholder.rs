/// Words that programs write for a missing value: those of pandas (`pandas.read_csv`, `na_values`), the NULL of MySQL, and
/// the word that people write.
const WORDS: [&str; 19] = [
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL",
    "NaN", "None", "n/a", "nan", "null", "\\N",
];
const UNKNOWN: &str = "unknown";

/// Returns true if a cell has no name but a sign that there is none: such a word, dashes, question marks, empty quotes.
pub(super) fn is_placeholder(name: &str) -> bool {
    let name = name.trim();
    let is_punctuation = !name.is_empty() && name.bytes().all(|byte| matches!(byte, b'-' | b'?' | b'.' | b'"' | b'\''));
    is_punctuation || WORDS.contains(&name) || name.eq_ignore_ascii_case(UNKNOWN)
}
