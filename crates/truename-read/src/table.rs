//! Tables of delimited text: the header, found below titles and comments, and the rows.

use truename_error::{ErrorKind, HintPart, hint};

use crate::column::{ColumnError, column, folded};
use crate::dialect::{Clues, DELIMITERS, said_by};
use crate::encoding::Encoding;
use crate::error::Error;
use crate::record::{Dialect, Record, Records};
use crate::source::{Source, has_extension};

/// Rows of the beginning in which a header is looked for, if the first row is none.
const TITLE_ROWS: usize = 20;
/// Rows by which the shape of a table is told.
const SHAPE_ROWS: usize = 50;

/// Options of a [`Table`].
#[derive(Clone, Debug)]
pub struct TableOptions<'a> {
    /// The byte between two cells: `,`, `;`, `|` or a tab. Told by the first rows where this is `None`.
    pub delimiter: Option<u8>,
    /// Number of rows above the header, which are not read.
    pub skip_rows: u64,
    /// False if the first row is none of column names; columns are then called by their numbers, from 1.
    pub has_header: bool,
    /// False if a quote is a character as any other.
    pub is_quoted: bool,
    /// Columns that the header is expected to have, which tell the delimiter; those in one list are alternatives.
    pub wanted: &'a [&'a [&'a str]],
}

impl Default for TableOptions<'_> {
    fn default() -> Self {
        Self { delimiter: None, skip_rows: 0, has_header: true, is_quoted: true, wanted: &[] }
    }
}

/// Returns the number of bytes of the comments at the beginning of a text.
fn comments(beginning: &[u8], is_comment: fn(&[u8]) -> bool) -> usize {
    let (mut end, mut length) = (0, 0);
    for line in beginning.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
        end += line.len();
        match line.trim_ascii().is_empty() {
            true => {}
            false if is_comment(line) => length = end,
            false => break,
        }
    }
    length
}

/// Returns the columns of a text that has the shape of a table: a header of several cells, and first rows that are as wide. No cell is empty in
/// the header or begins with a blank, as it does behind the comma of `Smith, John`.
///
/// ```
/// use std::path::Path;
/// use truename_read::{Source, SourceOptions, columns_by_shape};
///
/// let columns = |text: &'static str| {
///     let source = Source::of_reader(Path::new("names.txt"), text.as_bytes(), &SourceOptions::default());
///     columns_by_shape(&source.expect("a text"))
/// };
/// assert_eq!(columns("id;name\n1;pain\n"), Some(vec!["id".to_owned(), "name".to_owned()]));
/// assert_eq!(columns("pain, acute\ngout, chronic\n"), None);
/// ```
pub fn columns_by_shape(source: &Source) -> Option<Vec<String>> {
    let (beginning, is_whole) = (source.beginning(), source.is_whole());
    let clues = Clues { delimiter: None, usual: None, is_quoted: true, is_whole, skip_rows: 0, wanted: &[] };
    let mut records = Records::of_bytes(beginning, Some(clues.dialect(beginning)));
    let rows = std::iter::from_fn(|| records.read_filled().ok().flatten()).take(SHAPE_ROWS);
    // A row without its end may be cut off.
    let rows: Vec<Record> = rows.filter(|row| is_whole || !row.line_end.is_empty()).collect();
    let header = rows.first()?;
    let has_shape = |row: &Record| row.width() == header.width() && row.cells().all(|cell| cell.first() != Some(&b' '));
    let is_table = header.width() > 1 && header.cells().all(|cell| !cell.is_empty()) && rows.iter().all(has_shape);
    is_table.then(|| header.cells().map(|cell| decoded(source.encoding(), cell)).collect())
}

fn decoded(encoding: Encoding, cell: &[u8]) -> String {
    encoding.decode(cell).unwrap_or_else(|| String::from_utf8_lossy(cell).into_owned())
}

/// A table of delimited text: its columns, and its rows one by one.
pub struct Table {
    /// Names of the columns, or numbers from 1.
    pub columns: Vec<String>,
    /// The dialect of the rows.
    pub dialect: Dialect,
    /// The bytes above the header: empty lines, skipped rows, a line `sep=;`.
    pub leading: Vec<u8>,
    /// The row of column names, if the table has one.
    pub header: Option<Record>,
    /// For each column of a Parquet table, true if its values are numbers or booleans; empty for text.
    pub literals: Vec<bool>,
    encoding: Encoding,
    records: Records,
    first: Option<Record>,
    beginning: Vec<u8>,
}

impl Table {
    /// Reads a table up to its header.
    ///
    /// # Errors
    /// If the table is empty or cannot be read.
    pub fn open(source: Source, options: &TableOptions<'_>) -> Result<Self, Error> {
        Self::open_below(|_| false, source, options)
    }

    /// Reads a table up to its header, which stands below rows that are comments.
    ///
    /// # Errors
    /// As [`Table::open`].
    pub fn open_below(
        is_comment: fn(&[u8]) -> bool,
        source: Source,
        options: &TableOptions<'_>,
    ) -> Result<Self, Error> {
        let (path, encoding, beginning) = (source.path().to_owned(), source.encoding(), source.beginning().to_vec());
        let lines = beginning.split(|byte| matches!(byte, b'\n' | b'\r'));
        let said = lines.clone().find(|line| !line.is_empty()).and_then(said_by);
        let tabs = ["tsv", "tab"].iter().any(|extension| has_extension(&path, extension));
        let clues = Clues {
            delimiter: options.delimiter.or(said),
            usual: tabs.then_some(b'\t'),
            is_quoted: options.is_quoted,
            is_whole: source.is_whole(),
            skip_rows: options.skip_rows + u64::from(said.is_some()),
            wanted: options.wanted,
        };
        let literals = source.literals().to_vec();
        let below = &beginning[comments(&beginning, is_comment)..];
        let dialect = if source.is_parquet() { Dialect::of(b',') } else { clues.dialect(below) };
        let mut records = source.into_records(None);
        let mut leading = Vec::new();
        let mut pass = |record: Record| {
            leading.extend_from_slice(record.content());
            leading.extend_from_slice(record.line_end);
        };
        // Titles above a table are lines, whatever quotes they have.
        for _ in 0..options.skip_rows {
            records.read()?.map(&mut pass);
        }
        records.set_dialect(dialect);
        let header = loop {
            match records.read()? {
                Some(record) if record.content().is_empty() => pass(record),
                Some(record) if said.is_some() && said_by(record.content()) == said => pass(record),
                Some(record) if is_comment(record.content()) => pass(record),
                Some(record) => break record,
                None => {
                    let message = if options.has_header { "the file is empty: no header" } else { "the file is empty" };
                    return Err(Error::at(ErrorKind::Syntax, &path, None, message));
                }
            }
        };
        records.set_width(header.width());
        let (columns, header, first) = match options.has_header {
            true => (header.cells().map(|cell| decoded(encoding, cell)).collect(), Some(header), None),
            false => ((1..=header.width()).map(|number| number.to_string()).collect(), None, Some(header)),
        };
        Ok(Self { columns, dialect, leading, header, literals, encoding, records, first, beginning })
    }

    /// The encoding of cells; rows of UTF-16 are handed over as UTF-8.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the place of the column that a setting names, as [`column()`] does; without a name of the column `name`, else of the only
    /// one.
    ///
    /// # Errors
    /// If there is no such column, or several; advice tells where the header seems to be, too.
    pub fn named_column(&self, wanted: Option<&str>, setting: &'static str) -> Result<usize, Error> {
        if wanted.is_none() && self.columns.len() == 1 && self.title_rows("name").is_none() {
            return Ok(0);
        }
        let wanted = wanted.unwrap_or("name");
        self.column(wanted).map_err(|error| {
            let titles = self.title_rows(wanted).filter(|_| error.is_missing);
            let hint = match titles {
                Some(rows) => {
                    hint!["the header seems to be further down: ", HintPart::setting("skip_rows").value(rows)]
                }
                None if self.columns.len() == 1 => {
                    let delimiter = HintPart::setting("delimiter");
                    let way_out = error.way_out(setting).parts().to_vec().into_iter();
                    way_out.chain(["; ".into(), delimiter, " says what separates columns".into()]).collect()
                }
                None => error.way_out(setting),
            };
            Error::new(ErrorKind::NoColumn, error).with_hint(hint)
        })
    }

    /// Returns the place of a column, as [`column()`] does.
    ///
    /// # Errors
    /// If there is no such column, or several.
    pub fn column(&self, wanted: &str) -> Result<usize, ColumnError> {
        column(&self.columns, wanted)
    }

    /// Takes the header for a row; columns are then called by their numbers.
    pub fn header_is_row(&mut self) {
        if let Some(header) = self.header.take() {
            self.columns = (1..=header.width()).map(|number| number.to_string()).collect();
            self.first = Some(header);
        }
    }

    /// Returns the rows at the beginning of the text, which are still to be read.
    pub fn first_rows(&self) -> Vec<Record> {
        let mut records = Records::of_bytes(&self.beginning, Some(self.dialect));
        let rows = std::iter::from_fn(|| records.read().ok().flatten());
        let above = self.header.as_ref().map_or(0, |header| header.line);
        rows.filter(|row| row.line > above).collect()
    }

    /// Returns the number of rows above the one that seems to be the header, for it has this column. Where the first row has one cell,
    /// it tells nothing of the delimiter, and each is tried.
    pub fn title_rows(&self, wanted: &str) -> Option<u64> {
        let mut lines = Records::of_bytes(&self.beginning, None);
        let lines = std::iter::from_fn(|| lines.read().ok().flatten()).take(TITLE_ROWS);
        let delimiters = if self.columns.len() > 1 { vec![self.dialect.delimiter] } else { DELIMITERS.to_vec() };
        let has = |line: Record| {
            delimiters.iter().any(|delimiter| {
                let dialect = Dialect { delimiter: *delimiter, ..self.dialect };
                // A title may have a quote that is never closed.
                let row = Records::of_bytes(line.content(), Some(dialect)).read().ok().flatten().unwrap_or_default();
                row.width() > 1 && row.cells().any(|cell| folded(&String::from_utf8_lossy(cell)) == folded(wanted))
            })
        };
        let header = lines.into_iter().position(has)?;
        (header > 0).then_some(header as u64)
    }

    /// Reads the next row, which may be empty.
    ///
    /// # Errors
    /// If the row is too long, or the file cannot be read.
    pub fn read(&mut self) -> Result<Option<Record>, Error> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => self.records.read(),
        }
    }

    /// Reads the next row that is not empty.
    ///
    /// # Errors
    /// As [`Table::read`].
    pub fn read_filled(&mut self) -> Result<Option<Record>, Error> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => self.records.read_filled(),
        }
    }
}
