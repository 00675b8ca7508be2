//! Levels of agreement of dates.

use truename_text::similarity::spelling_edits;

use super::{Comparison, Level, level};
use crate::date::Date;
use crate::missing::is_placeholder_date;

impl Date {
    /// Level of dates that are one digit apart.
    pub(in crate::fellegi_sunter) const SIMILAR: usize = 2;
}

impl Comparison for Date {
    const LEVELS: &'static [Level] = &[
        level("differs", 0.05, 0.975),
        level("same year", 0.03, 0.02),
        level("similar", 0.07, 0.002),
        level("day and month swapped", 0.02, 0.0002),
        level("equal", 0.83, 0.0028),
    ];

    fn parse(text: &str) -> Option<Self> {
        Self::parse(text).filter(|date| !is_placeholder_date(&date.digits()))
    }

    fn key(&self) -> String {
        self.digits()
    }

    fn level(&self, other: &Self) -> usize {
        let is_year = self.year == other.year;
        match () {
            () if is_year && (self.month, self.day) == (other.day, other.month) => 3,
            () if self.day * other.day > 0 && spelling_edits(&self.digits(), &other.digits()) <= 1 => Self::SIMILAR,
            () if is_year => 1,
            () => 0,
        }
    }

    /// Returns true for two full dates that differ in two places of year, month and day, by more than one digit; swapped days and months
    /// are one.
    fn contradicts(&self, other: &Self) -> bool {
        let parts = |date: &Self| [date.year, date.month, date.day];
        let differing = parts(self).into_iter().zip(parts(other)).filter(|(one, other)| one != other).count();
        let are_full = [self, other].iter().all(|date| date.month > 0 && date.day > 0);
        are_full && differing > 1 && self.level(other) < Self::SIMILAR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_agree_by_levels() {
        let of =
            |left: &str, right: &str| Date::LEVELS[Date::parse(left).unwrap().level(&Date::parse(right).unwrap())].name;
        assert_eq!(of("1999-04-03", "1999-03-04"), "day and month swapped");
        assert_eq!(of("1999-04-03", "1999-04-30"), "similar");
        assert_eq!(of("1999-04-03", "1989-04-03"), "similar");
        assert_eq!(of("1999-04-03", "1999"), "same year");
        assert_eq!(of("1999-04-03", "1999-11-12"), "same year");
        assert_eq!(of("1950-01-01", "1978-01-01"), "differs");
    }

    #[test]
    fn full_dates_that_differ_plainly_contradict() {
        let contradict = |left: &str, right: &str| {
            let (left, right) = (Date::parse(left).unwrap(), Date::parse(right).unwrap());
            assert_eq!(left.contradicts(&right), right.contradicts(&left));
            left.contradicts(&right)
        };
        for other in ["1982-11-02", "1950-07-29", "1951-03-04", "1950-04-13"] {
            assert!(contradict("1950-03-14", other), "{other}");
        }
        // One digit, two digits of one part, digits that changed places, and a part that is not given.
        for other in ["1950-03-15", "1960-03-14", "1950-03-27", "1905-03-14", "1950", "1950-03"] {
            assert!(!contradict("1950-03-14", other), "{other}");
        }
        assert!(!contradict("1980-04-05", "1980-05-04"));
    }
}
