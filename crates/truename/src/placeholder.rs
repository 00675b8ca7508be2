//! Placeholders: numbers, dates and words such as `unknown` in place of a name.

use std::collections::HashSet;
use std::path::Path;
use std::sync::LazyLock;

use truename_read::{Source, SourceOptions};
use truename_text::{NormalizedName, PLACEHOLDER_WORDS};

use crate::Error;

/// Built-in words, one a line.
static WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let mut words = HashSet::new();
    read_words(PLACEHOLDER_WORDS, &mut words);
    words
});

/// Tells placeholders from names.
///
/// A placeholder is text without a letter or digit, a number (also with a sign, separators, an exponent or a percent
/// sign), a range, ratio or fraction of two numbers, a date or time, or one of a list of words. Lists of numbers, codes
/// (`14-3-3`) and versions (`9.5.1`) are not.
///
/// ```
/// let placeholders = truename::Placeholders::default();
/// assert!(["N/A", "unknown", "-", "1,234.5", "3–5 %", "12/03/2021"].iter().all(|text| placeholders.has(text)));
/// assert!(!["aspirin", "db2 9.5", "14-3-3", "unknown primary"].iter().any(|text| placeholders.has(text)));
/// ```
#[derive(Clone, Debug)]
pub struct Placeholders {
    /// Normal forms of the words.
    words: HashSet<String>,
}

impl Default for Placeholders {
    /// Creates the built-in words: entries for "no name" in English and a dozen other languages.
    fn default() -> Self {
        Self { words: WORDS.clone() }
    }
}

impl Placeholders {
    /// Adds the words of a file to the built-in ones, one word or phrase a line. `!word` removes a built-in one; a line
    /// that begins with `# ` is a comment.
    ///
    /// # Errors
    /// If the file cannot be read or is not UTF-8.
    pub fn read(path: &Path) -> Result<Self, Error> {
        Ok(Self::default().with_words(&Source::open(path, &SourceOptions::default())?.into_string()?))
    }

    /// Adds and removes words in the format of [`read`](Self::read).
    #[must_use]
    pub fn with_words(mut self, lines: &str) -> Self {
        read_words(lines, &mut self.words);
        self
    }

    /// Returns whether `text` is a placeholder.
    pub fn has(&self, text: &str) -> bool {
        self.has_form(text, &NormalizedName::new(text))
    }

    /// Returns whether a text with this normal form is a placeholder.
    pub(crate) fn has_form(&self, text: &str, normalized: &NormalizedName) -> bool {
        !text.contains(char::is_alphanumeric) || self.words.contains(normalized.as_str()) || is_number_or_date(text)
    }
}

fn read_words(lines: &str, words: &mut HashSet<String>) {
    for line in lines.lines().map(str::trim) {
        if line.is_empty() || line == "#" || line.starts_with("# ") {
            continue;
        }
        match line.strip_prefix('!') {
            Some(word) => words.remove(NormalizedName::new(word).as_str()),
            None => words.insert(NormalizedName::new(line).as_str().to_owned()),
        };
    }
}

/// Returns whether a placeholder and a name of the knowledge base are the same name.
///
/// A number must have the same digits between the same breaks, for `3.14` is not `314`; a month may be written together
/// with its day, for `Sept 9` may be the gene `SEPT9`.
pub(crate) fn is_same_name(text: &NormalizedName, name: &NormalizedName) -> bool {
    let has = |is: fn(char) -> bool| text.as_str().contains(is);
    let is_mixed = has(char::is_alphabetic) && has(char::is_numeric);
    text == name || (is_mixed && text.squeezed() == name.squeezed())
}

fn is_number_or_date(text: &str) -> bool {
    /// Maximum length of a number or date: "Wednesday, 15th of September 2021, 23:59:59.999999 +00:00".
    const MAX_BYTES: usize = 80;
    if text.len() > MAX_BYTES || !text.contains(char::is_numeric) {
        return false;
    }
    let folded: String = text.chars().map(fold).collect::<String>().to_lowercase();
    let folded = folded.trim_matches(|c: char| c.is_whitespace() || "()[]\"'".contains(c));
    is_quantity(folded) || is_moment(folded)
}

/// Maps spaces, dashes and digits of other alphabets to ASCII.
fn fold(character: char) -> char {
    match character {
        _ if character.is_whitespace() => ' ',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(character as u32 - 0xFEE0).unwrap_or(character),
        '\u{0660}'..='\u{0669}' => digit(character, 0x0660),
        '\u{06F0}'..='\u{06F9}' => digit(character, 0x06F0),
        '\u{0966}'..='\u{096F}' => digit(character, 0x0966),
        _ => character,
    }
}

fn digit(character: char, zero: u32) -> char {
    char::from_digit(character as u32 - zero, 10).unwrap_or(character)
}

/// Returns whether the text is a number, or two numbers that form a range, ratio, fraction or value with error.
fn is_quantity(text: &str) -> bool {
    const BETWEEN: [&str; 9] = ["-", "..", "...", "~", "/", ":", "to", "±", "+/-"];
    is_number(text)
        || BETWEEN.iter().any(|between| {
            text.match_indices(between).any(|(at, _)| {
                let (left, right) = (text[..at].trim(), text[at + between.len()..].trim());
                is_number(left) && is_number(right)
            })
        })
        // A whole and its fraction: 1 1/2.
        || text.split_once(' ').is_some_and(|(whole, part)| {
            let parts = part.split_once('/');
            is_digits(whole) && parts.is_some_and(|(above, below)| is_digits(above) && is_digits(below))
        })
}

/// Returns whether the text is a number: signs or a currency first, grouped digits, decimals, an exponent, `%` or a
/// currency last.
fn is_number(text: &str) -> bool {
    const BEFORE: &str = "+-±~<>=≤≥≈$€£¥ ";
    const BEHIND: &str = "%‰°+$€£¥ ";
    let text = text.trim_start_matches(|c| BEFORE.contains(c)).trim_end_matches(|c| BEHIND.contains(c));
    let mantissa = match text.split_once('e') {
        Some((mantissa, exponent)) if is_digits(exponent.trim_start_matches(['+', '-'])) => mantissa,
        Some(_) => return false,
        None => text,
    };
    // A vulgar fraction, alone or behind a whole: ½, 1½.
    let mantissa = match mantissa.strip_suffix(|c: char| c.is_numeric() && !c.is_ascii_digit()) {
        Some("") => return true,
        Some(whole) => whole,
        None => mantissa,
    };
    // The last mark is the decimal mark; otherwise all marks are alike and separate groups of three digits.
    ['.', ',', '\''].iter().any(|&mark| {
        let (whole, part) = mantissa.rsplit_once(mark).unwrap_or((mantissa, ""));
        (part.is_empty() || is_digits(part)) && (is_grouped(whole) || (whole.is_empty() && !part.is_empty()))
    }) || is_grouped(mantissa)
}

/// Returns whether the text is digits, optionally in groups of three (in India of two, the last excepted) with one kind
/// of mark between them.
fn is_grouped(text: &str) -> bool {
    let Some(mark) = text.chars().find(|c| !c.is_ascii_digit()) else { return is_digits(text) };
    let groups: Vec<&str> = text.split(mark).collect();
    let (first, rest) = (groups[0], &groups[1..]);
    " ,.'_".contains(mark)
        && groups.iter().all(|group| is_digits(group))
        && first.len() <= 3
        && rest.last().is_some_and(|last| last.len() == 3)
        && rest.iter().all(|group| (2..=3).contains(&group.len()))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether the text is a date, a time, or both.
fn is_moment(text: &str) -> bool {
    // Separators of date and time: "2021-03-03T10:00", "3 March 2021, 10:00".
    let splits = text.char_indices().filter(|(_, c)| matches!(c, ' ' | 't' | ',' | ';'));
    is_date(text)
        || is_time(text)
        || splits.clone().any(|(at, _)| {
            let (left, right) = (text[..at].trim(), text[at + 1..].trim());
            (is_date(left) && is_time(right)) || (is_time(left) && is_date(right))
        })
}

/// Returns whether the text is three numbers with one possible year, a year and a month, or a date in words.
fn is_date(text: &str) -> bool {
    let numbers = |mark: char| {
        let parts: Vec<&str> = text.split(mark).map(str::trim).collect();
        let in_range = |part: &str, highest: u32| {
            is_digits(part) && part.len() <= 2 && part.parse().is_ok_and(|value: u32| (1..=highest).contains(&value))
        };
        let is_year = |part: &str| is_digits(part) && matches!(part.len(), 2 | 4);
        let is_day_and_month = |one: &str, other: &str| {
            in_range(one, 31) && in_range(other, 31) && (in_range(one, 12) || in_range(other, 12))
        };
        match parts[..] {
            [one, other, year] if is_year(year) && is_day_and_month(one, other) => true,
            [year, one, other] => year.len() == 4 && is_digits(year) && is_day_and_month(one, other),
            [year, month] if mark != '.' => {
                (year.len() == 4 && is_digits(year) && in_range(month, 12))
                    || (month.len() == 4 && is_digits(month) && in_range(year, 12))
            }
            _ => false,
        }
    };
    ['-', '/', '.'].into_iter().any(numbers) || is_date_in_words(text)
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Returns whether the text is a month in letters with a day, a year or both, and optionally a weekday: "Wed, March 3rd
/// 2021", "3-Mar-21".
fn is_date_in_words(text: &str) -> bool {
    let is_number = |part: &str| {
        let digits = ["st", "nd", "rd", "th"].iter().find_map(|ending| part.strip_suffix(ending)).unwrap_or(part);
        is_digits(digits) && matches!(digits.len(), 1 | 2 | 4)
    };
    let is_month = |part: &str| part == "sept" || MONTHS.iter().any(|month| part == *month || part == &month[..3]);
    let is_weekday = |part: &str| part.len() >= 3 && WEEKDAYS.iter().any(|weekday| weekday.starts_with(part));
    let (mut months, mut numbers, mut weekdays) = (0, 0, 0);
    for part in text.split(|c| " ,.-/'".contains(c)).filter(|part| !matches!(*part, "" | "of" | "the")) {
        match part {
            _ if is_number(part) => numbers += 1,
            _ if is_month(part) => months += 1,
            _ if is_weekday(part) => weekdays += 1,
            _ => return false,
        }
    }
    months == 1 && matches!(numbers, 1 | 2) && weekdays <= 1
}

/// Returns whether the text is a time: hours and minutes, optionally seconds, am/pm and a zone: "3 pm", "10:30",
/// "23:59:59.9Z", "10:00+02:00".
fn is_time(text: &str) -> bool {
    let text = text.strip_suffix('z').or_else(|| text.strip_suffix("utc")).unwrap_or(text).trim_end();
    let zone = text.rfind(['+', '-']).filter(|at| *at > 0).map(|at| (&text[..at], &text[at + 1..]));
    if let Some((time, zone)) = zone {
        return time.contains(':') && is_time(time.trim_end()) && is_digits(&zone.replace(':', "")) && zone.len() <= 5;
    }
    let half = ["am", "pm", "a.m.", "p.m."].iter().find_map(|half| text.strip_suffix(half));
    let mut parts = half.unwrap_or(text).trim_end().split(':');
    let below = |part: &str, bound: u32| {
        is_digits(part) && part.len() <= 2 && part.parse().is_ok_and(|value: u32| value < bound)
    };
    let hours = parts.next().is_some_and(|hours| below(hours, 25));
    let minutes = parts.next().map_or(half.is_some(), |minutes| below(minutes, 60));
    let seconds = parts.next().is_none_or(|seconds| {
        let (whole, part) = seconds.split_once(['.', ',']).unwrap_or((seconds, "0"));
        below(whole, 61) && is_digits(part)
    });
    hours && minutes && seconds && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_dates_and_words_are_placeholders() {
        let placeholders = Placeholders::default();
        let all = [
            "",
            " ",
            "-",
            "--",
            "?",
            "...",
            "—",
            "/",
            "(?)",
            "0",
            "7",
            "007",
            "3.14",
            "-1",
            "+5",
            "1,234.5",
            "1.234,5",
            "1 234",
            "1'234",
            "12,34,567",
            "1e-3",
            "2.5E+10",
            "50%",
            "50 %",
            "~5",
            "< 0.05",
            ">=3",
            "$12.50",
            "12 €",
            "(12)",
            ".5",
            "5.",
            "½",
            "1½",
            "1/2",
            "1 1/2",
            "120/80",
            "3-5",
            "3 – 5 %",
            "3 to 5",
            "1:2",
            "0.3 ± 0.1",
            "０",
            "٣",
            "2021-03-03",
            "2021/3/3",
            "12/03/2021",
            "3.4.21",
            "3. 4. 2021",
            "03-04-2021",
            "2021-03",
            "03/2021",
            "March 3 2021",
            "March 3rd, 2021",
            "3 March 2021",
            "3-Mar-21",
            "Mar 2021",
            "Wed, 3 Mar 2021",
            "Sept 9",
            "the 3rd of March",
            "10:30",
            "10:30:15.5",
            "3 pm",
            "3:15 a.m.",
            "2021-03-03T10:30:00Z",
            "2021-03-03 10:30:00+02:00",
            "3 March 2021, 10:30",
            "unknown",
            "UNKNOWN",
            "N/A",
            "n. a.",
            "none",
            "Other",
            "not  available",
            "NULL",
            "tbd",
            "missing",
            "not applicable",
            "#N/A",
            "inconnu",
            "Desconocido",
            "не указано",
            "不明",
            "k.A.",
            "Monday",
        ];
        for text in all {
            assert!(placeholders.has(text), "{text:?}");
        }
    }

    #[test]
    fn names_and_codes_are_not() {
        let placeholders = Placeholders::default();
        let all = [
            "aspirin",
            "db2 9.5",
            "db2",
            "14-3-3",
            "1.2.3",
            "9.5.1.2",
            "p53",
            "5-FU",
            "H2O",
            "C#",
            "C++",
            "SEPT9",
            "MARCH1",
            "3D",
            "4 mg",
            "Other disease",
            "unknown primary",
            "no",
            "7up",
            "1,2-dichloroethane",
            "1e",
            "e5",
            "March of Dimes",
            "Sat",
            "2-3-4-5",
            "7 8 9",
            "32/13/2021",
            "10-4-1-1",
            "COVID-19",
            "IIS 6.0",
            "Windows 10",
            "なし崩し",
            "α",
        ];
        for text in all {
            assert!(!placeholders.has(text), "{text:?}");
        }
    }

    #[test]
    fn a_file_adds_words_and_takes_some_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words.txt");
        std::fs::write(&path, "\u{FEFF}# ours\nsee Jira\r\n\n!Other\n").unwrap();
        let placeholders = Placeholders::read(&path).unwrap();
        assert!(placeholders.has("See JIRA") && placeholders.has("unknown") && placeholders.has("7"));
        assert!(!placeholders.has("other") && !placeholders.has("ours"));
        let error = Placeholders::read(&folder.path().join("nowhere")).unwrap_err();
        assert!(error.to_string().contains("nowhere"), "{error}");
    }

    #[test]
    fn a_number_is_another_where_its_breaks_differ() {
        let is_same = |text: &str, name: &str| is_same_name(&NormalizedName::new(text), &NormalizedName::new(name));
        assert!(is_same("7", "7") && is_same("3.14", "3,14") && is_same("Sept 9", "SEPT9") && is_same("n/a", "N.A."));
        assert!(!is_same("3.14", "314") && !is_same("n/a", "Na"));
    }

    proptest! {
        #[test]
        fn numbers_are_placeholders_however_they_are_written(
            value in -1e12..1e12_f64, decimals in 0..6_usize, mark in "[.,]", group in "[ ,.']", sign in "[-+~<]? ?", behind in " ?%?",
        ) {
            prop_assume!(mark != group);
            let plain = format!("{:.decimals$}", value.abs());
            let (whole, part) = plain.split_once('.').map_or((plain.as_str(), None), |(whole, part)| (whole, Some(part)));
            let groups: Vec<&str> = whole.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
            let part = part.map_or_else(String::new, |part| format!("{mark}{part}"));
            let placeholders = Placeholders::default();
            for text in [
                format!("{sign}{whole}{part}{behind}"),
                format!("{sign}{}{part}{behind}", groups.join(&group)),
                format!("{value:e}"),
                format!("{whole}{part} - {whole}{part}{behind}"),
            ] {
                prop_assert!(placeholders.has(&text), "{text:?}");
            }
        }

        #[test]
        fn dates_are_placeholders(year in 1000..3000_u32, month in 1..=12_u32, day in 1..=28_u32, hour in 0..24_u32) {
            let placeholders = Placeholders::default();
            let name = MONTHS[month as usize - 1];
            for text in [
                format!("{year}-{month:02}-{day:02}"), format!("{year}-{month:02}-{day:02}T{hour:02}:{day:02}Z"),
                format!("{day}/{month}/{year}"), format!("{month}/{day}/{year}"), format!("{day}.{month}.{:02}", year % 100),
                format!("{name} {day}, {year}"), format!("{day}. {} {year}", &name[..3]), format!("{hour}:{day:02}"),
            ] {
                prop_assert!(placeholders.has(&text), "{text:?}");
            }
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,40}", digits in "[0-9tTeE:/.,+ -]{0,20}") {
            let placeholders = Placeholders::default();
            let _ = placeholders.has(&text) | placeholders.has(&digits);
        }
    }
}
