//! Columns that flags name.

use std::collections::HashSet;

use truename_read::folded;

/// Returns the position of the column with the names: the column asked for, else the one called `name`, else the only
/// one.
///
/// # Errors
/// If there is no such column, or several that differ only in capitals and blanks.
pub fn name_column(present: &[String], asked: Option<&str>) -> Result<usize, truename::Error> {
    match asked {
        None if present.len() == 1 => Ok(0),
        _ => column(present, asked.unwrap_or("name"), "column"),
    }
}

/// Returns the position of the column that a setting names, by name or number.
///
/// # Errors
/// As [`name_column`].
pub fn column(present: &[String], wanted: &str, setting: &'static str) -> Result<usize, truename::Error> {
    truename_read::column(present, wanted).map_err(|error| error.advised(setting))
}

/// Returns names for cells beyond the last column, as many as the widest row needs.
pub fn extra_columns(columns: &[String], widest: usize) -> Vec<String> {
    let taken: HashSet<String> = columns.iter().map(|column| folded(column)).collect();
    let free = (1..).map(|number| format!("extra_{number}")).filter(|name| !taken.contains(name));
    free.take(widest.saturating_sub(columns.len())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(present: &[&str], asked: Option<&str>) -> Result<usize, String> {
        let present: Vec<String> = present.iter().map(|column| (*column).to_owned()).collect();
        name_column(&present, asked).map_err(|error| format!("{error}; {}", error.hint().unwrap()))
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
                "no column \"product\" among \"id\", \"products\"; did you mean `column = products`?",
            ),
            (found(&["id", "what"], None), "no column \"name\" among \"id\", \"what\"; name one with `column`"),
            (found(&["a\u{1b}[31m"], Some("x")), "no column \"x\" among \"a\\u{1b}[31m\"; name one with `column`"),
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
