//! Column with the names.

use crate::exit_code::{Advised, ExitCode};

/// Maximum number of columns listed in a message.
const MAX_SHOWN: usize = 20;
/// Minimum Jaro–Winkler similarity of a column that is suggested as a correction.
const MIN_SIMILARITY: f64 = 0.75;

/// Normalizes a column's name: ignores capitals and surrounding blanks.
pub fn folded(column: &str) -> String {
    column.trim().to_lowercase()
}

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

/// Returns the position of the column that a flag asks for.
///
/// # Errors
/// As [`name_column`].
pub fn column(present: &[String], wanted: &str, flag: &str) -> anyhow::Result<usize> {
    if let Some(at) = present.iter().position(|column| column == wanted) {
        return Ok(at);
    }
    let alike: Vec<usize> = (0..present.len()).filter(|at| folded(&present[*at]) == folded(wanted)).collect();
    match &alike[..] {
        [at] => Ok(*at),
        [] => {
            let message = format!("no column {} among {}", quoted(wanted), list(present));
            Err(refused(message, way_out(present, wanted, flag)))
        }
        several => {
            let several: Vec<String> = several.iter().map(|at| present[*at].clone()).collect();
            let hint = "give one exactly as it is written".into();
            Err(refused(format!("{} may be any of the columns {}", quoted(wanted), list(&several)), hint))
        }
    }
}

fn refused(message: String, hint: String) -> anyhow::Error {
    Advised { message, hint, code: ExitCode::Usage }.into()
}

fn way_out(present: &[String], wanted: &str, flag: &str) -> String {
    let alike = |column: &&String| strsim::jaro_winkler(&folded(column), &folded(wanted));
    match present.iter().max_by(|left, right| alike(left).total_cmp(&alike(right))) {
        Some(nearest) if alike(&nearest) >= MIN_SIMILARITY => format!("did you mean {flag} {}?", quoted(nearest)),
        _ => format!("name one with {flag}"),
    }
}

/// Quotes a value of the data for a message.
pub fn quoted(value: &str) -> String {
    format!("\"{}\"", value.escape_debug())
}

fn list(columns: &[String]) -> String {
    let shown: Vec<String> = columns.iter().take(MAX_SHOWN).map(|column| quoted(column)).collect();
    let more = columns.len().saturating_sub(MAX_SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(present: &[&str], asked: Option<&str>) -> Result<usize, String> {
        let present: Vec<String> = present.iter().map(|column| (*column).to_owned()).collect();
        name_column(&present, asked).map_err(|error| {
            let advised = error.downcast::<Advised>().unwrap();
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
        let many: Vec<String> = (0..30).map(|number| format!("column {number}")).collect();
        assert!(list(&many).ends_with("\"column 19\" and 10 more"));
    }
}
