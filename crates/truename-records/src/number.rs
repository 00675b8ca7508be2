//! Numbers as people write them.

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number(pub(crate) f64);

impl Number {
    /// Reads a number such as `1997`, `-3.5`, `$1,299.00`, `1.299,00 €`, `3,5` or `12 %`. A number with leading zeros is a code.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let is_unit = |letter: char| letter.is_whitespace() || matches!(letter, '$' | '€' | '£' | '¥' | '%');
        let digits = text.trim_matches(is_unit);
        let unsigned = digits.trim_start_matches(['+', '-']);
        let is_code = unsigned.len() > 1 && unsigned.starts_with('0') && !unsigned[1..].starts_with(['.', ',']);
        let is_number = unsigned.starts_with(|letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ','))
            && unsigned.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
        let signs = digits.len() - unsigned.len();
        (is_number && !is_code && signs <= 1).then(|| plain(digits))??.parse().ok().map(Self)
    }
}

/// Writes a number with a decimal point and without signs of thousands; none where the signs contradict each other.
fn plain(digits: &str) -> Option<String> {
    let (commas, points) = (digits.matches(',').count(), digits.matches('.').count());
    let last = digits.rfind([',', '.']);
    let is_grouped = |sign: char| {
        let mut groups = digits.trim_start_matches(['+', '-']).split(sign);
        groups.next().is_some_and(|first| (1..=3).contains(&first.len())) && groups.all(|group| group.len() == 3)
    };
    match (commas, points, last) {
        (0, 0 | 1, _) => Some(digits.to_owned()),
        // `1,299` has thousands, `3,5` and `12,50` a decimal comma.
        (_, 0, _) if is_grouped(',') => Some(digits.replace(',', "")),
        (1, 0, _) => Some(digits.replace(',', ".")),
        (0, _, _) if is_grouped('.') => Some(digits.replace('.', "")),
        (_, 1, Some(last)) if digits[last..].starts_with('.') => Some(digits.replace(',', "")),
        (1, _, Some(last)) if digits[last..].starts_with(',') => Some(digits.replace('.', "").replace(',', ".")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_text() {
        let cases = [
            ("1997", Some(1997.0)),
            (" $1,299.00 ", Some(1299.0)),
            ("1.299,00 €", Some(1299.0)),
            ("1,299", Some(1299.0)),
            ("1.234.567", Some(1_234_567.0)),
            ("-3.5", Some(-3.5)),
            ("3,5", Some(3.5)),
            ("0,75", Some(0.75)),
            ("12 €", Some(12.0)),
            ("04511", None),
            ("1,2,3", None),
            ("inf", None),
            ("1e5", None),
            ("--1", None),
            ("12 GB", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Number::read(text).map(|number| number.0), expected, "{text}");
        }
    }
}
