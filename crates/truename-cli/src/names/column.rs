//! Columns that flags name.

use std::collections::HashSet;

use truename_read::{ColumnError, Table};
pub use truename_read::{folded, quoted};

use crate::exit_code::{AdvisedError, ExitCode};

/// Minimum Jaro–Winkler similarity of a column that is suggested as a correction.
const MIN_SIMILARITY: f64 = 0.75;

/// Returns the position of the column with the names: the column asked for, else the one called `name`, else the only
/// one.
///
/// # Errors
/// If there is no such column, or several that differ only in capitals and blanks.
pub fn name_column(present: &[String], asked: Option<&str>) -> anyhow::Result<usize> {
    match asked {
        None if present.len() == 1 && present[0] != "name" => Ok(0),
        _ => column(present, asked.unwrap_or("name"), "--column"),
    }
}

/// Returns the position of the column that a flag asks for, by name or number.
///
/// # Errors
/// As [`name_column`].
pub fn column(present: &[String], wanted: &str, flag: &str) -> anyhow::Result<usize> {
    truename_read::column(present, wanted).map_err(|error| {
        let hint = way_out(&error, flag);
        AdvisedError { message: error.to_string(), hint, code: ExitCode::Usage }.into()
    })
}

/// As [`column`], for a table whose header may stand further down.
pub fn table_column(table: &Table, wanted: Option<&str>, flag: &str) -> anyhow::Result<usize> {
    if wanted.is_none() && table.columns.len() == 1 && table.title_rows("name").is_none() {
        return name_column(&table.columns, None);
    }
    let wanted = wanted.unwrap_or("name");
    table.column(wanted).map_err(|error| {
        let titles = table.title_rows(wanted).filter(|_| error.is_missing);
        let hint = match titles {
            Some(rows) => format!("the header seems to be further down: --skip-rows {rows}"),
            None if table.columns.len() == 1 => {
                format!("{}; --delimiter says what separates columns", way_out(&error, flag))
            }
            None => way_out(&error, flag),
        };
        AdvisedError { message: error.to_string(), hint, code: ExitCode::Usage }.into()
    })
}

/// Returns names for cells beyond the last column, as many as the widest row needs.
pub fn extra_columns(columns: &[String], widest: usize) -> Vec<String> {
    let taken: HashSet<String> = columns.iter().map(|column| folded(column)).collect();
    let free = (1..).map(|number| format!("extra_{number}")).filter(|name| !taken.contains(name));
    free.take(widest.saturating_sub(columns.len())).collect()
}

fn way_out(error: &ColumnError, flag: &str) -> String {
    if !error.is_missing {
        return "give one exactly as it is written".into();
    }
    let alike = |column: &&String| strsim::jaro_winkler(&folded(column), &folded(&error.wanted));
    match error.columns.iter().max_by(|left, right| alike(left).total_cmp(&alike(right))) {
        Some(nearest) if alike(&nearest) >= MIN_SIMILARITY => format!("did you mean {flag} {}?", quoted(nearest)),
        _ => format!("name one with {flag}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(present: &[&str], asked: Option<&str>) -> Result<usize, String> {
        let present: Vec<String> = present.iter().map(|column| (*column).to_owned()).collect();
        name_column(&present, asked).map_err(|error| {
            let advised = error.downcast::<AdvisedError>().unwrap();
            format!("{}; {}", advised.message, advised.hint)
        })
    }

    #[test]
    fn columns_are_found_whatever_their_capitals_and_blanks() {
        assert_eq!(found(&["id", "name"], None), Ok(1));
        assert_eq!(found(&["id", " Name "], None), Ok(1));
        assert_eq!(found(&["NAME", "name"], Some("name")), Ok(1));
        assert_eq!(found(&["term"], None), Ok(0));
        assert_eq!(found(&["id", "Product Name"], Some("product name ")), Ok(1));
    }

    #[test]
    fn a_column_that_is_not_there_is_told_with_the_nearest() {
        let cases = [
            (
                found(&["id", "products"], Some("product")),
                "no column \"product\" among \"id\", \"products\"; did you mean --column \"products\"?",
            ),
            (found(&["id", "what"], None), "no column \"name\" among \"id\", \"what\"; name one with --column"),
            (found(&["a\u{1b}[31m"], Some("x")), "no column \"x\" among \"a\\u{1b}[31m\"; name one with --column"),
            (
                found(&["NAME", "Name"], None),
                "\"name\" may be any of the columns \"NAME\", \"Name\"; give one exactly as it is written",
            ),
        ];
        for (found, message) in cases {
            assert_eq!(found, Err(message.into()));
        }
    }
}
