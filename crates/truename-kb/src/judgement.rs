//! Judgements that a knowledge base keeps: the concept of a name, as a person decided.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use truename_error::{ErrorKind, excerpt};
use truename_text::{NormalizedName, Rotation, digit_groups, is_negative};

use crate::{Alias, ConceptId, Error};

/// The concept of a name, as a person decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// Name.
    pub name: String,
    /// Decision.
    pub verdict: Verdict,
    /// Day of the decision.
    pub date: Date,
}

/// Decision on a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The name stands for this concept, whatever other concepts have it.
    Concept(ConceptId),
    /// No concept is meant by the name.
    Nil,
    /// The name is never a mention in a text.
    StopName,
}

/// A judgement without a concept as a line of JSON, which an import reads: `{"name": "plan", "judged": "never a mention", "date":
/// "2026-11-26"}`. A judgement with a concept is an alias of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JudgementLine {
    name: String,
    judged: String,
    date: Date,
}

impl JudgementLine {
    /// Returns the line of a judgement; `None` if it has a concept.
    pub fn new(judgement: &Judgement) -> Option<Self> {
        let judged = match judgement.verdict {
            Verdict::Concept(_) => return None,
            Verdict::Nil => "nil",
            Verdict::StopName => Verdict::STOP_NAME,
        };
        Some(Self { name: judgement.name.clone(), judged: judged.to_owned(), date: judgement.date })
    }

    /// Returns the judgement of a line.
    ///
    /// # Errors
    /// If it has a concept.
    pub fn judgement(self) -> Result<Judgement, Error> {
        match self.judged.parse()? {
            Verdict::Concept(id) => {
                let message = format!("the judgement of \"{}\" has the concept {id}", excerpt(&self.name));
                let hint = "give the concept the alias with the source `judged` and the day";
                Err(Error::new(ErrorKind::Syntax, message).with_hint(hint))
            }
            verdict => Ok(Judgement { name: self.name, verdict, date: self.date }),
        }
    }
}

impl Verdict {
    /// Texts in the place of an id that stand for NIL, capitals or not.
    pub const NIL: [&'static str; 6] = ["", "-", "nil", "null", "none", "n/a"];
    /// Text in the place of an id that makes a name a stop name, capitals or not.
    pub const STOP_NAME: &'static str = "never a mention";

    /// Returns the decision as the id of a table has it; empty for NIL.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Concept(id) => id.as_str(),
            Self::Nil => "",
            Self::StopName => Self::STOP_NAME,
        }
    }
}

impl FromStr for Verdict {
    type Err = Error;

    /// Reads what stands in the place of an id.
    fn from_str(value: &str) -> Result<Self, Error> {
        match value.trim().to_lowercase().as_str() {
            Self::STOP_NAME => Ok(Self::StopName),
            text if Self::NIL.contains(&text) => Ok(Self::Nil),
            _ => value.parse().map(Self::Concept),
        }
    }
}

/// The form that all spellings of a judged name share: without capitals, punctuation and spaces, with its groups of digits and its sign.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JudgedForm {
    letters: String,
    digits: Vec<String>,
    rotation: Option<Rotation>,
    is_negative: bool,
}

impl JudgedForm {
    /// Returns the form of a name.
    pub fn of(name: &str) -> Self {
        let name = name.trim();
        let letters = NormalizedName::new(name).squeezed();
        Self { letters, digits: digit_groups(name), rotation: Rotation::of(name), is_negative: is_negative(name) }
    }
}

/// Word before the day in the source of a judged name.
const JUDGED: &str = "judged ";

impl Alias {
    /// Creates a name that was judged to stand for the concept.
    pub fn judged(name: impl Into<String>, date: Date) -> Self {
        Self { name: name.into(), source: format!("{JUDGED}{date}") }
    }

    /// Returns the day of the judgement that the name comes from; `None` if it comes from a vocabulary.
    pub fn judged_on(&self) -> Option<Date> {
        judged_on(&self.source)
    }
}

/// Returns the day of the judgement that is the source of a name; `None` if the source is a vocabulary.
pub fn judged_on(source: &str) -> Option<Date> {
    source.strip_prefix(JUDGED)?.parse().ok()
}

/// A day of the Gregorian calendar, written `2026-11-26`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

/// Seconds of a day.
const DAY_S: u64 = 24 * 60 * 60;

impl Date {
    /// Returns the day of today, in UTC.
    pub fn today() -> Self {
        Self::of_seconds(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
    }

    /// Returns the day of a time in seconds since 1970-01-01, in UTC.
    ///
    /// The calendar is computed in years that begin in March and eras of 400 years (Hinnant,
    /// "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`).
    pub fn of_seconds(seconds: u64) -> Self {
        // Days since 0000-03-01.
        let days = seconds / DAY_S + 719_468;
        let (era, of_era) = (days / 146_097, days % 146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = era * 400 + year_of_era + u64::from(month <= 2);
        Self { year: u16::try_from(year).unwrap_or(u16::MAX), month: month as u8, day: day as u8 }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { year, month, day } = self;
        write!(formatter, "{year:04}-{month:02}-{day:02}")
    }
}

impl FromStr for Date {
    type Err = Error;

    fn from_str(value: &str) -> Result<Self, Error> {
        let part = |from: usize, to: usize| {
            let digits = value.get(from..to).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
            digits.and_then(|digits| digits.parse::<u16>().ok())
        };
        let is_whole = value.len() == 10 && value.get(4..5) == Some("-") && value.get(7..8) == Some("-");
        match (is_whole, part(0, 4), part(5, 7), part(8, 10)) {
            (true, Some(year), Some(month @ 1..=12), Some(day @ 1..=31)) => {
                Ok(Self { year, month: month as u8, day: day as u8 })
            }
            _ => Err(Error::new(ErrorKind::Syntax, format_args!("\"{}\" is no date", excerpt(value)))
                .with_hint("write year, month and day as 2026-11-26")),
        }
    }
}

impl TryFrom<String> for Date {
    type Error = Error;

    fn try_from(value: String) -> Result<Self, Error> {
        value.parse()
    }
}

impl From<Date> for String {
    fn from(date: Date) -> Self {
        date.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_days_of_the_calendar() {
        // datetime.fromtimestamp(seconds, timezone.utc).date() of Python.
        for (seconds, date) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_795_651_199, "2026-11-25"),
            (1_795_651_200, "2026-11-26"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(Date::of_seconds(seconds).to_string(), date);
            assert_eq!(date.parse::<Date>().unwrap(), Date::of_seconds(seconds));
        }
    }

    #[test]
    fn what_is_no_day_is_refused() {
        for text in
            ["", "2026-11-2", "2026-13-01", "2026-00-10", "2026-01-32", "2026/01/02", "+026-01-02", "20261126ab"]
        {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_source_tells_judgements_from_vocabularies() {
        let date: Date = "2026-11-26".parse().unwrap();
        assert_eq!(Alias::judged("MI", date).judged_on(), Some(date));
        assert_eq!(["judged.csv", "judged names.csv", "judged "].map(judged_on), [None; 3]);
    }
}
