//! Rules that make one row of the rows of a cluster: the golden record.

use std::cmp::Reverse;
use std::collections::HashMap;

use truename_error::ErrorKind;
use truename_read::{column, quoted};

use crate::Error;
use crate::date::Date;
use crate::missing::is_missing;

/// A rule by which a column takes the value of one of the rows. Missing values and placeholders are never taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeRule {
    /// The value of the most rows; of those the longest, of those the first.
    MostFrequent,
    /// The longest value; of those the first.
    Longest,
    /// The value of the first row.
    First,
    /// The value of the row with the newest date in the column of this place; of those the first. Rows without a date are the oldest.
    Newest(usize),
}

/// A rule for each column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeRules(Vec<MergeRule>);

impl MergeRules {
    /// Creates rules by which each column takes its most frequent value.
    pub fn new(columns: &[String]) -> Self {
        Self(vec![MergeRule::MostFrequent; columns.len()])
    }

    /// Reads further rules: `RULE` for all columns or `COLUMN=RULE` for one, where a rule is `most-frequent`, `longest`, `first` or
    /// `newest(COLUMN)`.
    ///
    /// # Errors
    /// If a rule is none, or the table lacks a column.
    pub fn and(mut self, columns: &[String], rules: &[String]) -> Result<Self, Error> {
        for text in rules {
            let (of, rule) = text.rsplit_once('=').map_or((None, text.as_str()), |(of, rule)| (Some(of.trim()), rule));
            let rule = MergeRule::read(rule.trim(), columns)?;
            match of {
                None => self.0.fill(rule),
                Some(name) => self.0[column(columns, name).map_err(|error| error.advised("merge"))?] = rule,
            }
        }
        Ok(self)
    }

    /// Sets the rule of a column.
    #[must_use]
    pub fn with(mut self, column: usize, rule: MergeRule) -> Self {
        self.0[column] = rule;
        self
    }

    /// Refuses tables whose columns of dates have none.
    ///
    /// # Errors
    /// If no value of a column of dates that is not missing is a date.
    pub fn check(&self, columns: &[String], rows: &[Vec<String>]) -> Result<(), Error> {
        for rule in &self.0 {
            let MergeRule::Newest(at) = rule else { continue };
            let mut values = rows.iter().map(|row| row[*at].trim()).filter(|value| !is_missing(value));
            if let Some(first) = values.clone().next().filter(|_| values.all(|value| Date::parse(value).is_none())) {
                let message = format!("column {} holds no dates, but {}", quoted(&columns[*at]), quoted(first));
                return Err(Error::new(ErrorKind::Choice, message).with_hint("write dates as 2024-05-31"));
            }
        }
        Ok(())
    }

    /// Returns for each column the number of the row whose value is taken; none where all values are missing.
    pub fn choose(&self, rows: &[&[String]]) -> Vec<Option<usize>> {
        self.0.iter().enumerate().map(|(column, rule)| rule.choose(rows, column)).collect()
    }
}

impl MergeRule {
    fn read(text: &str, columns: &[String]) -> Result<Self, Error> {
        let newest = text.strip_prefix("newest(").and_then(|rest| rest.strip_suffix(')'));
        match (text, newest) {
            ("most-frequent", _) => Ok(Self::MostFrequent),
            ("longest", _) => Ok(Self::Longest),
            ("first", _) => Ok(Self::First),
            (_, Some(date)) => Ok(Self::Newest(column(columns, date.trim()).map_err(|error| error.advised("merge"))?)),
            _ => {
                let message = format!("no rule {} among most-frequent, longest, first, newest(COLUMN)", quoted(text));
                Err(Error::new(ErrorKind::Choice, message))
            }
        }
    }

    fn choose(self, rows: &[&[String]], column: usize) -> Option<usize> {
        let value = |row: usize| rows[row][column].trim();
        let filled = (0..rows.len()).filter(|row| !is_missing(value(*row)));
        match self {
            Self::First => filled.min(),
            Self::Longest => filled.max_by_key(|row| (value(*row).chars().count(), Reverse(*row))),
            Self::MostFrequent => {
                let mut counts: HashMap<&str, usize> = HashMap::new();
                filled.clone().for_each(|row| *counts.entry(value(row)).or_default() += 1);
                filled.max_by_key(|row| (counts[value(*row)], value(*row).chars().count(), Reverse(*row)))
            }
            Self::Newest(date) => {
                // Of one day, times of day are in the order of their letters.
                let date = |row: usize| Date::parse(&rows[row][date]).map(|of| (of.digits(), rows[row][date].trim()));
                filled.max_by_key(|row| (date(*row), Reverse(*row)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    fn merged(rules: &[&str]) -> Vec<String> {
        let columns = strings(&["Name", "phone", "changed"]);
        let rows = [
            strings(&["A. Woods", "030 1", "2023-04-01"]),
            strings(&["Anna Woods", "030 2", "05.06.2024"]),
            strings(&["A. Woods", "n/a", ""]),
            strings(&["Anna  Woods-Kaya", "030 2", "2024-06-05T10:00"]),
        ];
        let rules = MergeRules::new(&columns).and(&columns, &strings(rules)).unwrap();
        rules.check(&columns, &rows).unwrap();
        let chosen = rules.choose(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
        chosen.into_iter().enumerate().map(|(at, row)| rows[row.unwrap()][at].clone()).collect()
    }

    #[test]
    fn each_column_takes_the_value_of_its_rule() {
        assert_eq!(merged(&[]), ["A. Woods", "030 2", "2024-06-05T10:00"]);
        assert_eq!(merged(&["name=longest"])[0], "Anna  Woods-Kaya");
        assert_eq!(merged(&["first"]), ["A. Woods", "030 1", "2023-04-01"]);
        assert_eq!(merged(&["longest", "phone = first"])[1], "030 1");
        assert_eq!(merged(&["newest(changed)"]), ["Anna  Woods-Kaya", "030 2", "2024-06-05T10:00"]);
        let missing = [strings(&["n/a"]), strings(&[""])];
        let rules = MergeRules::new(&strings(&["a"]));
        assert_eq!(rules.choose(&[&missing[0], &missing[1]]), [None]);
    }

    #[test]
    fn rules_that_are_none_are_refused() {
        let columns = strings(&["name", "changed"]);
        let refused = |rule: &str| MergeRules::new(&columns).and(&columns, &strings(&[rule])).unwrap_err().to_string();
        assert_eq!(refused("name=oldest"), "no rule \"oldest\" among most-frequent, longest, first, newest(COLUMN)");
        assert!(refused("nam=longest").starts_with("no column \"nam\""));
        assert!(refused("newest(date)").starts_with("no column \"date\""));
        let rules = MergeRules::new(&columns).and(&columns, &strings(&["newest(changed)"])).unwrap();
        let error = rules.check(&columns, &[strings(&["a", "yesterday"]), strings(&["b", ""])]).unwrap_err();
        assert_eq!(error.to_string(), "column \"changed\" holds no dates, but \"yesterday\"");
        rules.check(&columns, &[strings(&["a", ""])]).unwrap();
    }
}
