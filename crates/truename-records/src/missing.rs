//! Values that say nothing: empty ones and placeholders.

use truename_text::{NormalizedName, is_missing_value};

use crate::date::Date;

/// Words of cells without a value beside those that are no name in any vocabulary ([`is_missing_value`]).
const WORDS: &[&str] = &[
    "missing",
    "tba",
    "tbc",
    "empty",
    "void",
    "undefined",
    "dummy",
    "test",
    "testing",
    "todo",
    "placeholder",
    "pending",
    "fehlt",
    "leer",
    "keine",
    "manquant",
    "aucun",
    "aucune",
    "ninguno",
    "ninguna",
];
/// Spellings of missing values in files whose capitals tell them from names.
const SIGNS: [&str; 5] = ["nan", "NaN", "nil", "NA", "na"];
/// Words for what a value is of, beside a word that says that there is none: `123 Unknown Street`, `no e-mail`, `Name unknown`.
const NOUNS: &[&str] = &[
    "name",
    "first",
    "last",
    "given",
    "family",
    "surname",
    "street",
    "st",
    "road",
    "avenue",
    "address",
    "city",
    "town",
    "place",
    "country",
    "postcode",
    "zip",
    "phone",
    "telephone",
    "mobile",
    "number",
    "email",
    "mail",
    "e",
    "date",
    "birth",
    "dob",
    "person",
    "company",
    "customer",
    "patient",
    "contact",
    "user",
    "fixed",
    "abode",
];
/// Mailboxes that nobody reads, at any domain, and those that are placeholders at a domain of such a name.
const NO_MAILBOXES: &[&str] = &[
    "noemail",
    "nomail",
    "none",
    "unknown",
    "noreply",
    "donotreply",
    "na",
    "notprovided",
    "notavailable",
    "dummy",
    "fake",
];
const EXAMPLES: &[&str] = &[
    "test", "testing", "example", "sample", "email", "mail", "abc", "asdf", "xyz", "no", "user", "name", "domain",
    "me", "you", "a", "x", "aa", "xx", "xxx",
];
/// Dates that programs and people put where they have none: first and last ones of formats, and zero of Excel and of Unix.
const DATES: [&str; 11] = [
    "00010101", "17530101", "18991230", "18991231", "19000101", "19010101", "19700101", "29991231", "30000101",
    "99990101", "99991231",
];
/// Digits in order that stand for a number.
const IN_ORDER: &str = "01234567890123456789";
const FROM_NINE: &str = "98765432109876543210";
/// Fewest digits of a number of zeros, of nines, and of another digit or of digits in order, that is none.
const ZEROS: usize = 4;
const NINES: usize = 5;
const OTHER_DIGITS: usize = 7;

/// Returns true if a value says nothing: it is empty or a placeholder, such as `TBA`, `00000`, `9999-12-31`, `test@test.com` or
/// `123 Unknown`.
pub(crate) fn is_missing(value: &str) -> bool {
    let value = value.trim();
    !value.contains(char::is_alphanumeric)
        || SIGNS.contains(&value)
        || is_missing_value(value)
        || match value.contains(char::is_alphabetic) {
            true if value.contains('@') => is_no_mailbox(value),
            true => are_words_without_value(value),
            false => is_no_number(value) || is_no_date(value),
        }
}

/// Returns true if the words of a value say that there is none, beside numbers and what it would be of.
fn are_words_without_value(value: &str) -> bool {
    let says_none = |word: &str| is_missing_value(word) || WORDS.iter().any(|known| known.eq_ignore_ascii_case(word));
    let mut words = value.split(|letter: char| !letter.is_alphanumeric());
    // Most values are told without a normal form.
    if !words.any(|word| says_none(word) || word.eq_ignore_ascii_case("no")) {
        return false;
    }
    let normalized = NormalizedName::new(value);
    let is_number = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
    let (numbers, words): (Vec<&str>, Vec<&str>) = normalized.tokens().partition(is_number);
    let (nouns, said): (Vec<&str>, Vec<&str>) = words.into_iter().partition(|word| NOUNS.contains(word));
    // `No. 5` is a number, and `no street` none.
    said == ["no"] && numbers.is_empty() && !nouns.is_empty() || !said.is_empty() && says_none(&said.join(" "))
}

fn is_no_mailbox(value: &str) -> bool {
    let squeezed = |text: &str| NormalizedName::new(text).squeezed();
    let Some((local, domain)) = value.split_once('@') else { return false };
    let (local, domain) = (squeezed(local), squeezed(domain.split('.').next().unwrap_or_default()));
    let is_example = |name: &str| EXAMPLES.contains(&name) || NO_MAILBOXES.contains(&name);
    NO_MAILBOXES.contains(&local.as_str()) || is_example(&local) && is_example(&domain)
}

/// Returns true for digits that are all one or in order, as people fill a field that must not be empty: `000-00-0000`, `1234567890`.
fn is_no_number(value: &str) -> bool {
    if value.contains(|sign: char| !sign.is_ascii_digit() && !matches!(sign, ' ' | '-' | '/' | '(' | ')' | '+')) {
        return false;
    }
    let digits: String = value.chars().filter(char::is_ascii_digit).collect();
    let is_all = |digit: char| digits.chars().all(|other| other == digit);
    match digits.chars().next() {
        Some('0') if is_all('0') => digits.len() >= ZEROS,
        Some('9') if is_all('9') => digits.len() >= NINES,
        Some(first) => {
            digits.len() >= OTHER_DIGITS && (is_all(first) || IN_ORDER.contains(&digits) || FROM_NINE.contains(&digits))
        }
        None => false,
    }
}

fn is_no_date(value: &str) -> bool {
    // Eight digits may be another number.
    value.contains(['-', '.', '/']) && Date::parse(value).is_some_and(|date| is_placeholder_date(&date.digits()))
}

/// Returns true for the digits of a date that stands for none.
pub(crate) fn is_placeholder_date(digits: &str) -> bool {
    DATES.contains(&digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_say_nothing() {
        for value in [
            "",
            " - ",
            "n/a",
            "NaN",
            "TBA",
            "missing",
            "Missing.",
            "no name",
            "No e-mail",
            "unknown street",
            "123 Unknown",
            "Unknown 12",
            "123 Unknown Street",
            "Name: unknown",
            "no fixed abode",
            "00000",
            "000-00-0000",
            "0000000000",
            "+00 000 0000",
            "99999",
            "111-111-1111",
            "1234567890",
            "123-45-6789",
            "987654321",
            "1900-01-01",
            "01/01/1900",
            "1.1.1970",
            "9999-12-31",
            "9999-12-31 00:00:00",
            "test@test.com",
            "TEST@example.com",
            "none@none.com",
            "noreply@sample.org",
            "no.email@sample.org",
            "a@a.com",
        ] {
            assert!(is_missing(value), "{value:?}");
        }
    }

    #[test]
    fn values_that_look_like_placeholders_are_kept() {
        for value in [
            "Unknown Soldier",
            "No. 5",
            "No 5 Street",
            "12 Main Street",
            "Missing Link Ltd",
            "Test Systems",
            "0",
            "0.00",
            "00:00",
            "000",
            "12345",
            "11111",
            "1234",
            "012345",
            "Nan",
            "Na",
            "1900-01-02",
            "1900",
            "19000101",
            "1999-12-31",
            "anna@test.com",
            "test@adler.example",
            "info@example.org",
            "a@b.org",
            "May",
            "Street",
            "1",
            "John None Sample",
        ] {
            assert!(!is_missing(value), "{value:?}");
        }
    }
}
