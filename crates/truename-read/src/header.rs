//! Tables whose first row may be no header.

use truename_error::{Hint, HintPart, hint};

use crate::column::{folded, list};
use crate::record::Record;
use crate::table::Table;

/// Names of columns of identifiers, in small letters, `_` for blanks and hyphens.
pub const ID_COLUMNS: &[&str] =
    &["id", "concept_id", "identifier", "curie", "class_id", "code", "cui", "uri", "iri", "entity_id"];
/// Names of columns of names, likewise.
pub const NAME_COLUMNS: &[&str] = &[
    "name",
    "preferred_name",
    "label",
    "preferred_label",
    "term",
    "canonical_name",
    "text",
    "title",
    "entity_name",
    "preflabel",
    "pref_label",
];

/// Rows below the first one that are compared with it.
const COMPARED_ROWS: usize = 500;

/// Numbers that are years, which are names of columns too.
const YEARS: std::ops::RangeInclusive<u32> = 1800..=2100;

/// A note that the first row is read as the header though it may be none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderNote {
    /// The note.
    pub message: String,
    /// The way to read the row otherwise.
    pub hint: Hint,
}

impl HeaderNote {
    /// Creates the note on a header that may be a row.
    pub fn new(columns: &[String]) -> Self {
        let hint = hint![HintPart::setting("no_header"), " takes it for a row"];
        Self { message: format!("the first row is read as the header ({})", list(columns)), hint }
    }
}

impl Table {
    /// Returns a note where the first row, read as the header, looks like a row or like a title; `asked` are the columns that the caller
    /// names.
    ///
    /// It looks like a title where half of its cells are empty and most rows have more. It looks like a row where it has numbers or dates
    /// above each column of them, or a value that its column has again. Where it has no usual name of a column and the columns are
    /// asked for by number, or there is only one, nothing tells, so it is noted as well.
    pub fn header_note(&self, asked: &[&str]) -> Option<HeaderNote> {
        let header = self.header.as_ref().filter(|_| self.literals.is_empty())?;
        let is_named = |name: &&str| self.columns.iter().any(|column| folded(column) == folded(name));
        if self.has_usual_column() || asked.iter().any(is_named) {
            return None;
        }
        let rows = self.first_rows().into_iter().filter(|row| !row.is_blank()).take(COMPARED_ROWS);
        let rows: Vec<Record> = rows.collect();
        let note = HeaderNote::new(&self.columns);
        if let Some(below) = header_below(header, &rows) {
            let skipped = HintPart::setting("skip_rows").value(below.line - 1);
            return Some(HeaderNote { hint: hint!["the header seems to be further down: ", skipped], ..note });
        }
        let tells_nothing = !rows.is_empty() && (!asked.is_empty() || self.columns.len() == 1);
        (has_values(header, &rows) || recurs(header, &rows) || tells_nothing).then_some(note)
    }

    /// Returns true if a column has a usual name of identifiers or names.
    pub fn has_usual_column(&self) -> bool {
        let plain = |column: &String| folded(column).trim_matches('"').replace([' ', '-'], "_");
        self.columns.iter().map(plain).any(|column| [ID_COLUMNS, NAME_COLUMNS].concat().contains(&&*column))
    }
}

/// Returns the first row with the most cells, if half of the cells of the header are empty and most rows have more than it.
fn header_below<'a>(header: &Record, rows: &'a [Record]) -> Option<&'a Record> {
    let filled = |row: &Record| row.cells().filter(|cell| !cell.trim_ascii().is_empty()).count();
    let most = rows.iter().map(filled).max()?;
    let fuller = rows.iter().filter(|row| filled(row) > filled(header)).count();
    let is_title = header.width() > 1 && 2 * filled(header) <= header.width() && 2 * fuller > rows.len();
    rows.iter().find(|row| is_title && filled(row) == most)
}

/// Returns true if the columns of numbers, dates and addresses have such a value in their first row too, and others are there.
fn has_values(header: &Record, rows: &[Record]) -> bool {
    let values: Vec<usize> = (0..header.width()).filter(|at| is_value(header, *at)).collect();
    let is_of_values = |at: usize| rows.iter().filter(|row| is_value(row, at)).count() * 2 > rows.len();
    let of_words =
        |at: &usize| header.cell(*at).is_some_and(|cell| !cell.trim_ascii().is_empty()) && !values.contains(at);
    let mut words = (0..header.width()).filter(of_words).peekable();
    !values.is_empty() && words.peek().is_some() && !words.any(is_of_values)
}

/// Returns true if a cell has a number, date, phone number or e-mail address, and is no year.
fn is_value(row: &Record, at: usize) -> bool {
    let cell = row.cell(at).unwrap_or_default().trim_ascii();
    let has_digit = cell.iter().any(u8::is_ascii_digit);
    let is_number = has_digit && cell.iter().all(|byte| byte.is_ascii_digit() || b"+-.,:/() ".contains(byte));
    let is_address = cell.iter().position(|byte| *byte == b'@').is_some_and(|at| at > 0 && at + 1 < cell.len());
    (is_number || is_address) && !is_year(cell)
}

/// Returns true for `2026`, `2025/26` and `2026-11`.
fn is_year(cell: &[u8]) -> bool {
    let (year, rest) = cell.split_at(cell.len().min(4));
    let year = std::str::from_utf8(year).ok().and_then(|year| year.parse::<u32>().ok());
    let is_short = matches!(rest, [] | [b'/' | b'-', _, _] | [b'/' | b'-', _, _, _, _]);
    is_short && year.is_some_and(|year| YEARS.contains(&year))
}

/// Returns true if a value of the first row stands in its column again, in a row that does not repeat the whole of it.
fn recurs(header: &Record, rows: &[Record]) -> bool {
    let is_again = |row: &Record| {
        let same = (0..header.width()).filter(|at| header.cell(*at) == row.cell(*at));
        let has_value = |at: usize| header.cell(at).is_some_and(|cell| !cell.trim_ascii().is_empty());
        (1..header.width()).contains(&same.filter(|at| has_value(*at)).count())
    };
    rows.iter().any(is_again)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{Source, SourceOptions, TableOptions};

    fn note(text: &'static str, asked: &[&str]) -> Option<(String, String)> {
        let source = Source::of_reader(Path::new("a.csv"), text.as_bytes(), &SourceOptions::default()).unwrap();
        let note = Table::open(source, &TableOptions::default()).unwrap().header_note(asked)?;
        Some((note.message, note.hint.to_string()))
    }

    #[test]
    fn rows_and_titles_read_as_the_header_are_told() {
        let row = "`no_header` takes it for a row";
        for (text, hint) in [
            ("7,Oak Works,Kiel\n8,Oak-Works,Kiel\n9,Elm,Ulm\n", row),
            ("Oak Works,Kiel\nOak-Works,Ulm\nElm,Kiel\n", row),
            ("Ann,ann@a.example,1980-01-01\nBob,bob@a.example,1981-02-02\n", row),
            (
                "Lamps of 2026,,\n,,\nno,product,count\n1,lamp,3\n",
                "the header seems to be further down: `skip_rows = 2`",
            ),
            ("desk lamp\nink\n", row),
            ("Oak Works,Kiel,,\nElm,Kiel,,\nAsh,Ulm,c,d\n", row),
        ] {
            let (message, advice) = note(text, &[]).expect(text);
            assert!(message.starts_with("the first row is read as the header (\""), "{message}");
            assert_eq!(advice, hint, "{text}");
        }
        assert!(note("Oak Works,Kiel\nElm,Ulm\n", &["1"]).is_some(), "columns are asked for by number");
    }

    #[test]
    fn headers_are_not_doubted() {
        for (text, asked) in [
            ("id,name\n1,Oak\n2,Elm\n", &[][..]),
            ("firm,2019,2020\nOak,1,2\nElm,3,4\n", &[]),
            ("team,2019/20,2020/21\nOak,1,2\nElm,3,4\n", &[]),
            (",firm,town\n0,Oak,Kiel\n1,Elm,Ulm\n", &[]),
            ("0,1,2\nOak,Kiel,7\nElm,Ulm,8\n", &[]),
            ("given,family\nAnn,Oak\ngiven,family\nBob,Elm\n", &[]),
            ("no,24\n1,Oak\n2,Elm\n", &[]),
            ("firm\nOak\n", &["firm"]),
            ("firm\n", &[]),
        ] {
            assert_eq!(note(text, asked), None, "{text}");
        }
    }
}
