//! Numbers and their nouns as messages write them: `1,234 documents`.

/// Formats a number as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// Formats a number with its noun: `1 document`, `2,000 documents`, `2 entries`.
pub fn counted(number: u64, noun: &str) -> String {
    match noun.strip_suffix('y') {
        _ if number == 1 => format!("1 {noun}"),
        Some(stem) => format!("{} {stem}ies", grouped(number)),
        None => format!("{} {noun}s", grouped(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_nouns_agree() {
        assert_eq!([0, 1, 1000].map(|number| counted(number, "entry")), ["0 entries", "1 entry", "1,000 entries"]);
        assert_eq!((counted(1, "name"), grouped(1_234_567)), ("1 name".into(), "1,234,567".into()));
    }
}
