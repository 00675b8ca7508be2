//! Records: rows by the names of their columns, serialised as `COL name VAL value …` (Ditto).

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use truename_read::folded;

use crate::Cells;

/// A row of a table, by the names of its columns. It refers to the cells of its table.
#[derive(Clone)]
pub struct Record {
    source: Arc<RecordSource>,
    row: u32,
}

/// The columns of a table that its records have.
pub(crate) struct RecordSource {
    /// Names of the columns, and the same folded.
    columns: Arc<[String]>,
    folded: Vec<String>,
    /// Places of the columns among the cells of a row.
    places: Vec<usize>,
    cells: Arc<Cells>,
}

/// Words before the name and the value of a column in a serialised record (Ditto, Li et al. 2020).
const COLUMN: &str = "COL";
const VALUE: &str = "VAL";

impl RecordSource {
    fn new(columns: Arc<[String]>, places: Vec<usize>, cells: Arc<Cells>) -> Self {
        let folded = columns.iter().map(|name| folded(name)).collect();
        Self { columns, folded, places, cells }
    }

    /// Returns the records of all rows, of columns with their places among the cells.
    ///
    /// # Panics
    /// If there are 2³² rows.
    pub(crate) fn records(columns: Arc<[String]>, places: Vec<usize>, cells: &Arc<Cells>) -> Vec<Record> {
        let rows = u32::try_from(cells.rows()).expect("a table has less than 2³² rows");
        let source = Arc::new(Self::new(columns, places, Arc::clone(cells)));
        (0..rows).map(|row| Record { source: Arc::clone(&source), row }).collect()
    }
}

impl Record {
    /// Creates a record. Missing values are empty.
    ///
    /// # Panics
    /// If there are more values than columns.
    pub fn new(columns: &Arc<[String]>, values: Vec<String>) -> Self {
        assert!(values.len() <= columns.len(), "a record of {} columns has {} values", columns.len(), values.len());
        let (places, cells) = ((0..columns.len()).collect(), Arc::new([values].into_iter().collect()));
        Self { source: Arc::new(RecordSource::new(Arc::clone(columns), places, cells)), row: 0 }
    }

    /// Reads a record of the form `COL name VAL value COL name VAL value …`; `None` if the text has another form.
    pub fn parse(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        // A word COL of a value begins no column unless VAL follows before the next COL.
        let begins_column = |at: usize| {
            let name = words[at + 1..].iter().take_while(|word| **word != COLUMN).position(|word| *word == VALUE);
            words[at] == COLUMN && name.is_some_and(|length| length > 0)
        };
        let starts: Vec<usize> = (0..words.len()).filter(|at| begins_column(*at)).collect();
        if starts.first() != Some(&0) {
            return None;
        }
        let ends = starts[1..].iter().copied().chain([words.len()]);
        let field = |(start, end): (&usize, usize)| {
            let value = start + words[*start..end].iter().position(|word| *word == VALUE)?;
            Some((words[start + 1..value].join(" "), words[value + 1..end].join(" ")))
        };
        let (columns, values): (Vec<String>, Vec<String>) = starts.iter().zip(ends).filter_map(field).unzip();
        Some(Self::new(&columns.into(), values))
    }

    /// Returns each column's name and value.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.columns().iter().map(String::as_str).zip(self.values())
    }

    /// Returns each column's folded name and value.
    pub(crate) fn folded_fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.source.folded.iter().map(String::as_str).zip(self.values())
    }

    fn values(&self) -> impl ExactSizeIterator<Item = &str> {
        let RecordSource { places, cells, .. } = &*self.source;
        places.iter().map(|place| cells.cell(self.row as usize, *place))
    }

    /// Returns the names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.source.columns
    }

    /// Returns the record as `COL name VAL value COL name VAL value …`, on one line, with single spaces.
    pub fn serialized(&self) -> String {
        let fields = self.fields().flat_map(|(name, value)| {
            [COLUMN].into_iter().chain(name.split_whitespace()).chain([VALUE]).chain(value.split_whitespace())
        });
        fields.collect::<Vec<_>>().join(" ")
    }

    /// Returns the values alone, separated by spaces.
    pub fn text(&self) -> String {
        self.values().filter(|value| !value.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        let have_same_columns = Arc::ptr_eq(&self.source, &other.source) || self.columns() == other.columns();
        have_same_columns && self.values().eq(other.values())
    }
}

impl Eq for Record {}

impl Hash for Record {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.values().for_each(|value| value.hash(state));
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.fields()).finish()
    }
}

/// Returns the columns of two records with their values, those of one name together.
pub fn side_by_side<'a>(left: &'a Record, right: &'a Record) -> Vec<(&'a str, &'a str, &'a str)> {
    let mut further: Vec<(&str, &str)> = right.fields().collect();
    let mut rows = Vec::new();
    for (name, value) in left.fields() {
        let same = further.iter().position(|(other, _)| folded(other) == folded(name));
        rows.push((name, value, same.map_or("", |at| further.remove(at).1)));
    }
    rows.extend(further.into_iter().map(|(name, value)| (name, "", value)));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_is_written() {
        let columns = ["title".to_owned(), "list price".to_owned(), "year".to_owned()].into();
        let record = Record::new(&columns, vec!["a\ttitle\nVAL of  COL".into(), String::new(), "1997".into()]);
        let text = record.serialized();
        assert_eq!(text, "COL title VAL a title VAL of COL COL list price VAL COL year VAL 1997");
        let parsed = Record::parse(&format!(" {text} ")).unwrap();
        let fields: Vec<(&str, &str)> = parsed.fields().collect();
        assert_eq!(fields, [("title", "a title VAL of COL"), ("list price", ""), ("year", "1997")]);
        assert_eq!(Record::parse(&parsed.serialized()), Some(parsed));
    }

    #[test]
    fn other_texts_are_no_records() {
        for text in ["", "title VAL a", "COL VAL a", "COL title a", "a COL title VAL b", "COL"] {
            assert_eq!(Record::parse(text), None, "{text}");
        }
    }

    #[test]
    fn missing_values_are_empty() {
        let columns = ["a".to_owned(), "b".to_owned()].into();
        let record = Record::new(&columns, vec!["x".into()]);
        assert_eq!((record.text(), record.fields().last()), ("x".into(), Some(("b", ""))));
    }
}
