//! Names to cluster, read whole: of lists, tables and triples.

use std::collections::HashMap;
use std::path::Path;

use truename_read::{Problem, Record, RowFormat, folded};

use super::cells::{Cells, undecodable, without_nul};
use super::column::{column, name_column};
use super::input::{Input, InputOptions, NO_OBJECT, first_fields, layout, told};
use crate::arguments::{Cluster, ClusterFormat, InputFormat};
use crate::exit_code::UsageError;
use crate::interrupt;
use crate::problems::MAX_SHOWN;

/// Columns of triples whose cells are names.
const SUBJECT: &str = "subject";
const OBJECT: &str = "object";

/// Distinct names in the order of their first appearance.
#[derive(Default)]
pub struct Phrases {
    pub names: Vec<String>,
    /// Appearances of each name.
    pub counts: Vec<u64>,
    /// Triples read; 0 where the input has names.
    pub triples: u64,
    /// Cells without a name.
    pub empty: u64,
    /// The table, where its rows are asked for.
    pub table: Option<PhraseTable>,
    /// Faults of rows that were read all the same, the first of them listed.
    pub faults: Vec<Problem>,
    pub fault_count: u64,
    numbers: HashMap<String, usize>,
}

/// A table with a column of names.
#[derive(Default)]
pub struct PhraseTable {
    pub columns: Vec<String>,
    /// The cells of each row, with the number of its name.
    pub rows: Vec<(Vec<String>, Option<usize>)>,
}

impl Phrases {
    /// Counts a name; returns its number unless it is empty.
    fn add(&mut self, name: &str) -> Option<usize> {
        let name = name.trim();
        if name.is_empty() {
            self.empty += 1;
            return None;
        }
        if let Some(number) = self.numbers.get(name) {
            self.counts[*number] += 1;
            return Some(*number);
        }
        let number = self.names.len();
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        self.counts.push(1);
        Some(number)
    }

    /// Counts the fault of a row that is read all the same.
    fn add_fault(&mut self, record: &Record, path: &Path) {
        if let Some(fault) = record.fault() {
            self.fault_count += 1;
            if self.faults.len() < MAX_SHOWN {
                self.faults.push(Problem::new(path, record.line, fault));
            }
        }
    }

    /// Adds the names of a triple.
    fn add_triple(&mut self, subject: &str, object: &str, subjects_alone: bool) {
        self.triples += 1;
        self.add(subject);
        if !subjects_alone {
            self.add(object);
        }
    }
}

/// Reads the names of files.
///
/// # Errors
/// If a file cannot be read to its end, is not text in the expected encoding, or lacks a column, or a row lacks a cell.
pub fn read(arguments: &Cluster, quiet: bool) -> anyhow::Result<Phrases> {
    let Cluster { files, column, encoding, max_line_bytes, table, input_format, .. } = arguments;
    let options =
        InputOptions { encoding: encoding.as_deref(), max_line_bytes: *max_line_bytes, row_range: None, quiet };
    let is_table = column.is_some() || table.delimiter.is_some();
    let other = if is_table { InputFormat::Csv } else { InputFormat::Text };
    let wanted = [&[column.as_deref().unwrap_or("name")][..]];
    let told = |source: &_, first: Option<_>| told(source, *input_format, first.unwrap_or(other));
    let mut input = Input::open(files, options, told, |format| Ok(layout(format, table, &wanted)?))?;
    if !quiet {
        input.header_note(column.as_deref().as_slice()).iter().for_each(|note| crate::say!("{note}"));
    }
    let mut phrases = Phrases::default();
    if arguments.format == Some(ClusterFormat::Table) {
        if input.rows.format() != RowFormat::Table {
            let message = format!("{} is no table: rows are those of CSV, TSV and Parquet", input.files[0].display());
            return Err(UsageError(message).into());
        }
        phrases.table = Some(PhraseTable::default());
    }
    let read = match input.rows.format() {
        RowFormat::Lines => phrases.add_lines(&mut input, arguments),
        RowFormat::Table | RowFormat::Objects => phrases.add_rows(&mut input, arguments),
    };
    input.bar.finish_and_clear();
    read?;
    if !quiet && input_format.is_none() && !is_table && phrases.triples == 0 {
        input.say_shape();
    }
    anyhow::ensure!(!phrases.names.is_empty(), "{} has no names", input.files[0].display());
    Ok(phrases)
}

/// Returns the next row that is not empty.
fn next(input: &mut Input<'_>) -> anyhow::Result<Option<Record>> {
    loop {
        interrupt::check()?;
        match input.rows.read()? {
            Some(record) if record.is_blank() => {}
            record => return Ok(record),
        }
    }
}

impl Phrases {
    /// Adds names, or triples where the first line has three cells between tabs. A first line that only counts the triples, as in
    /// CUVA's files, is passed over.
    fn add_lines(&mut self, input: &mut Input<'_>, arguments: &Cluster) -> anyhow::Result<()> {
        let (mut are_triples, mut count_line) = (None, None);
        while let Some(record) = next(input)? {
            let line = record.line;
            self.add_fault(&record, input.rows.path());
            let text = input.rows.encoding().decode(record.content());
            let text =
                text.map(without_nul).ok_or_else(|| input.refused(line, &undecodable(record.content()), NO_CELL))?;
            let cells: Vec<&str> = text.split('\t').collect();
            let is_count =
                line == 1 && are_triples != Some(false) && text.trim().bytes().all(|byte| byte.is_ascii_digit());
            if is_count && count_line.is_none() {
                count_line = Some(text);
                continue;
            }
            let is_triple = *are_triples.get_or_insert(cells.len() == 3);
            if let Some(count) = count_line.take().filter(|_| !is_triple) {
                self.add(&count);
            }
            match (is_triple, &cells[..]) {
                (true, [subject, _, object]) => self.add_triple(subject, object, arguments.subjects),
                (true, _) => {
                    let message = format!("{} of the 3 cells of a triple", cells.len());
                    let hint = "separate subject, relation and object by tabs, or name the columns of a table";
                    return Err(input.refused(line, &message, hint));
                }
                (false, _) => {
                    self.add(&text);
                }
            }
        }
        count_line.iter().for_each(|count| {
            self.add(count);
        });
        Ok(no_triples(self, arguments)?)
    }

    fn add_rows(&mut self, input: &mut Input<'_>, arguments: &Cluster) -> anyhow::Result<()> {
        let Some((present, columns)) = Columns::find(input, arguments)? else { return Ok(()) };
        if let (Some(table), Columns::Names(_)) = (&mut self.table, &columns) {
            table.columns.clone_from(&present);
        }
        while let Some(record) = next(input)? {
            let refused = |message: String| {
                let hint = if input.format == InputFormat::Jsonl { NO_NAME } else { NO_CELL };
                input.refused(record.line, &message, hint)
            };
            self.add_fault(&record, input.rows.path());
            let cells = Cells::of(&record, input.rows.format(), input.rows.encoding());
            let cells = cells.map_err(|message| input.refused(record.line, &message, NO_OBJECT))?;
            let text = |at| cells.text(&present, at).map_err(refused);
            match columns {
                Columns::Names(at) => {
                    let number = self.add(&text(at)?);
                    if let Some(table) = &mut self.table {
                        if record.width() > present.len() {
                            return Err(refused(format!("row has {} of {} cells", record.width(), present.len())));
                        }
                        let cells = (0..present.len()).map(text).collect::<Result<_, _>>()?;
                        table.rows.push((cells, number));
                    }
                }
                Columns::Triples { subject, object } => {
                    self.add_triple(&text(subject)?, &text(object)?, arguments.subjects);
                }
            }
        }
        Ok(())
    }
}

/// Advice on malformed rows.
const NO_CELL: &str = "fill the row up, leave it out, or convert it to UTF-8";
const NO_NAME: &str = "each object needs the field of the first one";

/// Refuses `--subjects` where the input has names.
fn no_triples(phrases: &Phrases, arguments: &Cluster) -> Result<(), UsageError> {
    if arguments.subjects && phrases.triples == 0 {
        return Err(UsageError(
            "--subjects is for triples: lines of three cells, or columns subject and object".into(),
        ));
    }
    Ok(())
}

/// Columns with names.
enum Columns {
    Names(usize),
    Triples { subject: usize, object: usize },
}

impl Columns {
    /// Returns the names of all columns, or of the fields of the first object, and those with names; none of an empty file.
    fn find(input: &mut Input<'_>, arguments: &Cluster) -> anyhow::Result<Option<(Vec<String>, Self)>> {
        if let Some(table) = input.rows.table() {
            let columns = Self::of(&table.columns, arguments, |asked| table.named_column(asked, "column"))?;
            return Ok(Some((table.columns.clone(), columns)));
        }
        let encoding = input.rows.encoding();
        while input.rows.peek()?.is_some_and(Record::is_blank) {
            input.rows.read()?;
        }
        let Some(first) = input.rows.peek()? else { return Ok(None) };
        let (line, fields) = (first.line, first_fields(first, encoding));
        let fields = fields.map_err(|message| input.refused(line, &message, NO_OBJECT))?;
        let columns = Self::of(&fields, arguments, |asked| name_column(&fields, asked))?;
        Ok(Some((fields, columns)))
    }

    fn of(
        header: &[String],
        arguments: &Cluster,
        names: impl FnOnce(Option<&str>) -> Result<usize, truename::Error>,
    ) -> Result<Self, truename::Error> {
        let has = |wanted: &str| header.iter().any(|column| folded(column) == wanted);
        let are_triples = has(SUBJECT) && has(OBJECT) && !has("name");
        if arguments.column.is_none() && (are_triples || arguments.subjects) {
            let at = |wanted: &str| column(header, wanted, "column");
            return Ok(Self::Triples { subject: at(SUBJECT)?, object: at(OBJECT)? });
        }
        Ok(Self::Names(names(arguments.column.as_deref())?))
    }
}
