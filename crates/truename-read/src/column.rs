//! Columns of a table, found by name, by name but for capitals, or by number.

use std::fmt;

use truename_error::{Error, ErrorKind, Hint, HintPart, hint};
use truename_text::NameProfile;
use truename_text::similarity::jaro_winkler;

/// Most columns listed in a message.
const MAX_SHOWN: usize = 20;
/// Least similarity (Jaro–Winkler) of a column that is suggested as a correction.
const MIN_SIMILARITY: f64 = 0.75;

/// Returns a column's name without capitals and surrounding blanks.
pub fn folded(column: &str) -> String {
    column.trim().to_lowercase()
}

/// Returns the place of a column: of the one that is called so, else of the one that is but for capitals and blanks, else
/// of the one with this number, from 1.
///
/// # Errors
/// If there is no such column, or several that differ only in capitals and blanks.
pub fn column(columns: &[String], wanted: &str) -> Result<usize, ColumnError> {
    if let Some(at) = columns.iter().position(|column| column == wanted) {
        return Ok(at);
    }
    let alike: Vec<usize> = (0..columns.len()).filter(|at| folded(&columns[*at]) == folded(wanted)).collect();
    let number = wanted.trim().parse().ok().filter(|number| (1..=columns.len()).contains(number));
    match (&alike[..], number) {
        ([at], _) => Ok(*at),
        ([], Some(number)) => Ok(number - 1),
        ([], None) => Err(ColumnError { wanted: wanted.to_owned(), columns: columns.to_vec(), is_missing: true }),
        (several, _) => {
            let columns = several.iter().map(|at| columns[*at].clone()).collect();
            Err(ColumnError { wanted: wanted.to_owned(), columns, is_missing: false })
        }
    }
}

/// A column that a table does not have, or has several times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnError {
    /// Name of the column.
    pub wanted: String,
    /// The columns of the table, or those that are called so.
    pub columns: Vec<String>,
    /// True if no column is called so.
    pub is_missing: bool,
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (wanted, columns) = (quoted(&self.wanted), list(&self.columns));
        match self.is_missing {
            true => write!(f, "no column {wanted} among {columns}"),
            false => write!(f, "{wanted} may be any of the columns {columns}"),
        }
    }
}

impl std::error::Error for ColumnError {}

impl ColumnError {
    /// Returns the error with advice, for a column that a setting names.
    pub fn advised(&self, setting: &'static str) -> Error {
        Error::new(ErrorKind::NoColumn, self).with_hint(self.way_out(setting))
    }

    pub(crate) fn way_out(&self, setting: &'static str) -> Hint {
        if !self.is_missing {
            return "give one exactly as it is written".into();
        }
        let wanted = NameProfile::new(&self.wanted);
        let alike = |column: &&String| jaro_winkler(&NameProfile::new(column), &wanted);
        match self.columns.iter().max_by(|left, right| alike(left).total_cmp(&alike(right))) {
            Some(nearest) if alike(&nearest) >= MIN_SIMILARITY => {
                hint!["did you mean ", HintPart::setting(setting).value(nearest.escape_debug()), "?"]
            }
            _ => hint!["name one with ", HintPart::setting(setting)],
        }
    }
}

/// Quotes a value of the data for a message.
pub fn quoted(value: &str) -> String {
    format!("\"{}\"", value.escape_debug())
}

/// Returns columns as a message lists them.
pub(crate) fn list(columns: &[String]) -> String {
    let shown: Vec<String> = columns.iter().take(MAX_SHOWN).map(|column| quoted(column)).collect();
    let more = columns.len().saturating_sub(MAX_SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name_and_number() {
        let found = |columns: &[&str], wanted: &str| {
            let columns: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
            column(&columns, wanted).map_err(|error| error.to_string())
        };
        assert_eq!(found(&["id", " Name "], "name"), Ok(1));
        assert_eq!(found(&["NAME", "name"], "name"), Ok(1));
        assert_eq!(found(&["id", "name"], "2"), Ok(1));
        assert_eq!(found(&["2", "name"], "2"), Ok(0));
        assert_eq!(found(&["a\u{1b}[31m"], "2"), Err("no column \"2\" among \"a\\u{1b}[31m\"".into()));
        assert_eq!(
            found(&["NAME", "Name"], "name"),
            Err("\"name\" may be any of the columns \"NAME\", \"Name\"".into())
        );
        let many: Vec<String> = (0..30).map(|number| format!("column {number}")).collect();
        assert!(list(&many).ends_with("\"column 19\" and 10 more"));
    }
}
