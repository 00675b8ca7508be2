//! Dates as people write them.

/// Beginnings of the names of months in English, German, French and Spanish, by month.
const MONTHS: [&[&str]; 12] = [
    &["jan", "ene"],
    &["feb", "fév", "fev"],
    &["mar", "mär", "maer"],
    &["apr", "avr", "abr"],
    &["may", "mai"],
    &["jun", "juin"],
    &["jul", "juil"],
    &["aug", "aoû", "ago"],
    &["sep"],
    &["oct", "okt"],
    &["nov"],
    &["dec", "dez", "déc", "dic"],
];

/// First year of two digits that is of the last century.
const THIS_CENTURY: u32 = 30;

/// A date, as far as it is given. `03/04/1999` is the third of April: dates of the other order are on the level of swapped days and
/// months, whose probability the model learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Date {
    pub(crate) year: u32,
    /// Month and day; 0 where they are not given.
    pub(crate) month: u32,
    pub(crate) day: u32,
}

impl Date {
    /// Returns true if a text is a date with signs or the name of a month, and no plain number.
    pub(crate) fn is_written(text: &str) -> bool {
        text.contains(|letter: char| !letter.is_ascii_digit()) && Self::parse(text).is_some_and(|date| date.month > 0)
    }

    /// Returns true if a text is a date of eight digits: `19990403`.
    pub(crate) fn is_compact(text: &str) -> bool {
        text.len() == 8 && Self::parse(text).is_some_and(|date| date.is_valid())
    }

    fn is_valid(self) -> bool {
        (1..=12).contains(&self.month) && (1..=31).contains(&self.day) && (1000..=2999).contains(&self.year)
    }

    /// Returns the digits of year, month and day, by which dates are in order.
    pub(crate) fn digits(self) -> String {
        format!("{:04}{:02}{:02}", self.year, self.month, self.day)
    }

    /// Reads a date in one of several formats.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_lowercase();
        // The time of day says nothing.
        let date = text.split_once('t').filter(|(date, _)| date.ends_with(|letter: char| letter.is_ascii_digit()));
        let date = date.map_or(text.as_str(), |(date, _)| date);
        let parts: Vec<&str> =
            date.split(|letter: char| !letter.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
        let date = match parts[..] {
            [one] if one.len() == 8 => of_parts([one.get(..4)?, one.get(4..6)?, one.get(6..)?]),
            [year] if is_year(year) => Some(Self { year: year.parse().ok()?, month: 0, day: 0 }),
            [year, month] if is_year(year) => Some(Self { year: year.parse().ok()?, month: month_of(month)?, day: 0 }),
            [month, year] if is_year(year) => Some(Self { year: year.parse().ok()?, month: month_of(month)?, day: 0 }),
            [one, two, three, ..] => of_parts([one, two, three]),
            _ => None,
        };
        date.filter(|date| date.year > 0)
    }
}

/// Reads year, month and day in the order that their lengths and names tell; the day first where nothing does.
fn of_parts(parts: [&str; 3]) -> Option<Date> {
    let [one, two, three] = parts;
    let (year, first, second) = match () {
        () if is_year(one) => (one, three, two),
        () if is_year(three) => (three, one, two),
        () if three.len() == 2 => (three, one, two),
        () => return None,
    };
    let (day, month) = if is_month_name(first) { (second, first) } else { (first, second) };
    let (mut day, mut month) = (day.trim_end_matches(char::is_alphabetic).parse().ok()?, month_of(month)?);
    if month > 12 && day <= 12 {
        (day, month) = (month, day);
    }
    let number: u32 = year.parse().ok()?;
    // Two digits are of the last hundred years.
    let century = if is_year(year) {
        0
    } else if number < THIS_CENTURY {
        2000
    } else {
        1900
    };
    Some(Date { year: century + number, month, day })
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_month_name(text: &str) -> bool {
    text.starts_with(char::is_alphabetic)
}

fn month_of(text: &str) -> Option<u32> {
    if !is_month_name(text) {
        return text.parse().ok().filter(|month| *month <= 99);
    }
    let is_name = |names: &&[&str]| names.iter().any(|name| text.starts_with(name));
    // `juin` and `juil` begin as one.
    MONTHS.iter().rposition(is_name).map(|at| at as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_dates_are_one() {
        for text in
            ["1999-04-03", "3.4.1999", "03/04/1999", "3 April 1999", "Apr 3rd, 1999", "19990403", "1999-04-03T10:00"]
        {
            assert_eq!(Date::parse(text), Some(Date { year: 1999, month: 4, day: 3 }), "{text}");
        }
        assert_eq!(Date::parse("25/12/98"), Date::parse("12/25/1998"));
        assert_eq!(Date::parse("3 juin 1999"), Date::parse("1999-06-03"));
        assert_eq!(Date::parse("4 juillet 1999"), Date::parse("1999-07-04"));
        assert_eq!(Date::parse("März 1999"), Date::parse("1999-03"));
        for text in ["", "0000-00-00", "soon", "12", "1-2-3", "a b c"] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
        assert!(Date::is_written("3.4.1999") && !Date::is_written("1999") && !Date::is_written("19990403"));
        assert!(Date::is_compact("19990403") && !Date::is_compact("69880480"));
    }
}
