//! Words of the names of columns.

/// Returns the words of the name of a column in lower case: `customer` and `id` of `customerId` and of `Customer_ID`.
pub(crate) fn header_words(name: &str) -> Vec<String> {
    let mut words = String::new();
    let mut last = ' ';
    for letter in name.trim().chars() {
        if letter.is_uppercase() && last.is_lowercase() || letter.is_ascii_digit() && last.is_alphabetic() {
            words.push(' ');
        }
        words.extend(
            if matches!(letter, '_' | '-' | '.' | ':' | '/' | '(' | ')') { ' ' } else { letter }.to_lowercase(),
        );
        last = letter;
    }
    words.split_whitespace().map(str::to_owned).collect()
}
