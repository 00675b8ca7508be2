//! Rows of text that pass through byte for byte: names one a line, delimited tables, JSON objects.

use std::collections::HashSet;

use serde_json::Value;
use truename::{LONGEST_NAME_BYTES, Link, Linker};
use truename_read::{Encoding, Record};

use super::added::Added;
use super::column::{column, folded, name_column, quoted, table_column};
use super::context::InContext;
use super::converter::Converter;
use super::input::{Form, Input, Rows, object, table_options, text_of};
use super::row_writer::RowWriter;
use super::tally::{Fate, Tally};
use super::{PIECE, Target, input_options, json_line};
use crate::arguments::{InputFormat, Match};
use crate::count::counted;
use crate::exit_code::{Advised, ExitCode};
use crate::interrupt;
use crate::output::Output;

/// Maximum bytes of rows linked together; no further row is read beyond it.
const PIECE_BYTES: usize = 16 << 20;

/// Links the names of a table or list and writes the results.
pub fn run(
    input: Input,
    format: InputFormat,
    target: Target,
    arguments: &Match,
    linker: &Linker,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    let (bar, is_file) = (input.bar.clone(), input.source.is_file());
    let mut rows = open(input, format, arguments)?;
    let survey = if is_file { Survey::of(format, arguments)? } else { Survey::default() };
    let mut beginning = Beginning::of(&mut rows, arguments, survey)?;
    let mut first = beginning.first.take();
    let mut table = Table::begin(arguments, &rows, target, beginning, linker)?;
    loop {
        anyhow::ensure!(!interrupt::asked(), "interrupted");
        let (mut piece, mut bytes) = (Vec::new(), 0);
        while piece.len() < PIECE && bytes < PIECE_BYTES {
            let record = if let Some(first) = first.take() { Some(first) } else { rows.next()? };
            let Some(record) = record else { break };
            bytes += record.content().len();
            piece.push(record);
        }
        if piece.is_empty() {
            break;
        }
        table.answer(piece, tally)?;
        bar.set_message(counted(table.answered, "name"));
    }
    bar.finish_and_clear();
    table.finish()
}

fn open(input: Input, format: InputFormat, arguments: &Match) -> anyhow::Result<Rows> {
    let name = arguments.column.as_deref().unwrap_or("name");
    Ok(input.into_rows(format, &table_options(&arguments.table, format, &[&[name]]))?)
}

fn advised(message: String, hint: &str) -> anyhow::Error {
    Advised { message, hint: hint.into(), code: ExitCode::Failure }.into()
}

/// Findings of a first pass over the whole file.
#[derive(Default)]
struct Survey {
    /// Number of cells of the longest row.
    widest: usize,
    /// Fields of all objects.
    fields: Vec<String>,
}

impl Survey {
    /// Reads the whole file once, before any name is linked.
    ///
    /// # Errors
    /// If the file cannot be read to its end.
    fn of(format: InputFormat, arguments: &Match) -> anyhow::Result<Self> {
        let mut found = Self::default();
        if format == InputFormat::Text {
            return Ok(found);
        }
        let mut rows = open(Input::open(&arguments.file, input_options(arguments, true))?, format, arguments)?;
        let mut seen = HashSet::new();
        while let Some(record) = rows.next()? {
            anyhow::ensure!(!interrupt::asked(), "interrupted");
            found.widest = found.widest.max(record.width());
            if let Form::Objects(_) = rows.form {
                let fields = object(&record, rows.encoding).unwrap_or_default().into_iter().map(|(field, _)| field);
                found.fields.extend(fields.filter(|field| seen.insert(field.clone())));
            }
        }
        Ok(found)
    }
}

/// The columns, with the rows already read to find them.
#[derive(Default)]
struct Beginning {
    /// Lines above the header.
    leading: Vec<u8>,
    header: Option<Record>,
    /// First row after the header, if already read.
    first: Option<Record>,
    columns: Vec<String>,
    /// Names for cells beyond the last column.
    extra: Vec<String>,
    column: usize,
    /// Column with the contexts.
    context: Option<usize>,
}

impl Beginning {
    fn of(rows: &mut Rows, arguments: &Match, survey: Survey) -> anyhow::Result<Self> {
        let mut beginning = Self::default();
        let encoding = rows.encoding;
        match &mut rows.form {
            Form::Lines(records) => beginning.text(records.read()?),
            Form::Table(table) => {
                beginning.leading = std::mem::take(&mut table.leading);
                beginning.header = table.header.take();
                beginning.columns = table.columns.clone();
                beginning.column = table_column(table, arguments.column.as_deref(), "--column")?;
                let taken: HashSet<String> = beginning.columns.iter().map(|column| folded(column)).collect();
                let free = (1..).map(|number| format!("extra_{number}")).filter(|name| !taken.contains(name));
                beginning.extra = free.take(survey.widest.saturating_sub(beginning.columns.len())).collect();
            }
            Form::Objects(objects) => {
                beginning.objects(objects.read_blank_too()?, arguments, encoding, survey.fields)?
            }
        }
        if let Some(wanted) = arguments.context_column.as_deref().filter(|_| !beginning.columns.is_empty()) {
            beginning.context = Some(column(&beginning.columns, wanted, "--context-column")?);
        }
        Ok(beginning)
    }

    /// Adds a header to a list, with the line end of its first row.
    fn text(&mut self, first: Option<Record>) {
        let line_end = first.as_ref().map(|first| first.line_end).filter(|line_end| !line_end.is_empty());
        self.header = Some(Record::of_bytes(b"name".to_vec(), line_end.unwrap_or(b"\n"), 0));
        self.columns = vec!["name".into()];
        self.first = first;
    }

    /// Finds the fields: of all objects in a file, of the first object in a pipe.
    fn objects(
        &mut self,
        first: Option<Record>,
        arguments: &Match,
        encoding: Encoding,
        fields: Vec<String>,
    ) -> anyhow::Result<()> {
        let Some(record) = &first else { return Ok(()) };
        self.columns = fields;
        if self.columns.is_empty() {
            let object = object(record, encoding).map_err(|message| {
                let path = arguments.file.display();
                advised(
                    format!("{path}:{}: {message}", record.line),
                    "JSONL has one object a line; `jq -c .` writes it so",
                )
            })?;
            self.columns = object.into_iter().map(|(field, _)| field).collect();
        }
        self.column = name_column(&self.columns, arguments.column.as_deref())?;
        self.first = first;
        Ok(())
    }
}

fn in_context(name: String, text: Option<String>) -> InContext {
    match text {
        Some(text) => InContext::new(name, text),
        None => InContext::alone(name),
    }
}

/// Output of the results.
enum Sink {
    Rows(RowWriter),
    Candidates(Output),
    Converted(Converter),
}

struct Table<'a> {
    arguments: &'a Match,
    linker: &'a Linker,
    is_table: bool,
    are_objects: bool,
    encoding: Encoding,
    columns: Vec<String>,
    extra: Vec<String>,
    column: usize,
    context: Option<usize>,
    added: Added,
    sink: Sink,
    answered: u64,
}

/// A row with its name; `None` for an empty or malformed row.
struct Row {
    record: Record,
    name: Option<InContext>,
}

impl<'a> Table<'a> {
    /// Opens the output and writes the header.
    fn begin(
        arguments: &'a Match,
        rows: &Rows,
        target: Target,
        beginning: Beginning,
        linker: &'a Linker,
    ) -> anyhow::Result<Self> {
        let encoding = rows.encoding;
        let Beginning { leading, header, columns, extra, column, context, .. } = beginning;
        let added = Added::beside(columns.iter().chain(&extra), arguments);
        let sink = match target {
            Target::Rows => {
                let width = columns.len() + extra.len();
                let mut writer = RowWriter::open(arguments.out.as_deref(), rows, width, added.names.clone())?
                    .csv_safe(arguments.csv_safe);
                writer.begin(leading, header, &extra)?;
                Sink::Rows(writer)
            }
            Target::Candidates => Sink::Candidates(Output::open(arguments.out.as_deref())?),
            Target::Converted(format) => {
                let columns: Vec<String> = columns.iter().chain(&extra).cloned().collect();
                Sink::Converted(Converter::open(format, arguments, &columns, &added, encoding)?)
            }
        };
        let is_table = rows.dialect().is_some();
        let are_objects = matches!(rows.form, Form::Objects(_));
        let answered = 0;
        Ok(Self {
            arguments,
            linker,
            is_table,
            are_objects,
            encoding,
            columns,
            extra,
            column,
            context,
            added,
            sink,
            answered,
        })
    }

    /// Links the names of some rows and writes them in order.
    fn answer(&mut self, piece: Vec<Record>, tally: &mut Tally) -> anyhow::Result<()> {
        let mut rows: Vec<Row> = piece.into_iter().map(|record| self.read(record, tally)).collect::<Result<_, _>>()?;
        let is_named: Vec<bool> = rows.iter().map(|row| row.name.is_some()).collect();
        let names: Vec<InContext> = rows.iter_mut().filter_map(|row| row.name.take()).collect();
        let links = tally.link(self.linker, &names)?;
        self.answered += links.len() as u64;
        let mut links = links.into_iter();
        for (row, is_named) in rows.into_iter().zip(is_named) {
            match is_named.then(|| links.next()).flatten() {
                Some(link) => self.write(row, &link, tally)?,
                None => self.pass(&row)?,
            }
        }
        match &mut self.sink {
            Sink::Rows(writer) => Ok(writer.flush()?),
            Sink::Candidates(output) => Ok(std::io::Write::flush(output)?),
            Sink::Converted(_) => Ok(()),
        }
    }

    fn finish(self) -> anyhow::Result<()> {
        match self.sink {
            Sink::Rows(writer) => writer.finish(),
            Sink::Candidates(output) => output.finish(),
            Sink::Converted(converter) => converter.finish(),
        }
    }

    /// Finds the name in a row; an unreadable one is empty, and so NIL.
    fn read(&mut self, record: Record, tally: &mut Tally) -> anyhow::Result<Row> {
        let is_empty = record.content().is_empty();
        if self.are_objects {
            return match record.is_blank() {
                true => Ok(Row { record, name: None }),
                false => self.read_object(record, tally),
            };
        }
        // An empty line is no row of a table with several columns.
        if self.is_table && is_empty && self.columns.len() > 1 {
            return Ok(Row { record, name: None });
        }
        if self.is_table {
            self.check_width(&record, tally)?;
        }
        // An empty row of a table with one column has one empty cell.
        let cell = |at: usize| record.cell(at).unwrap_or_default();
        let name = self.decoded(cell(self.column), record.line, tally)?;
        let text = self.context.and_then(|at| self.encoding.decode(cell(at)));
        if self.context.is_some() && text.is_none() {
            let message = "the context is not in the expected encoding, so the name is linked without";
            tally.problem(&self.arguments.file, record.line, message, Fate::Answered)?;
        }
        Ok(Row { record, name: Some(in_context(name, text)) })
    }

    fn check_width(&self, record: &Record, tally: &mut Tally) -> anyhow::Result<()> {
        let (file, columns) = (&self.arguments.file, self.columns.len());
        let (width, line) = (record.width(), record.line);
        if record.has_open_quote {
            tally.problem(file, line, "a quote that is never closed, so taken for a character", Fate::Answered)?;
        }
        let is_written = !matches!(self.sink, Sink::Candidates(_));
        let cells = counted(width as u64, "cell");
        if is_written && width > columns + self.extra.len() {
            let message = format!("{}:{line}: row has {cells}, the header has {columns}", file.display());
            let hint = "quote cells that hold the delimiter, or give the table as a file: extra cells then get columns";
            return Err(advised(message, hint));
        }
        let fate = if self.column < width { Fate::Answered } else { Fate::Unanswered };
        match width.cmp(&columns) {
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Less => {
                let filled = if is_written { "; filled up" } else { "" };
                let cells = counted(columns as u64, "cell");
                tally.problem(file, line, &format!("row has {width} of {cells}{filled}"), fate)
            }
            std::cmp::Ordering::Greater => {
                let place = match self.extra.get(width - columns - 1) {
                    Some(last) if is_written && width == columns + 1 => format!("; the last stands under \"{last}\""),
                    Some(last) if is_written => format!("; the rest stands under \"{}\" to \"{last}\"", self.extra[0]),
                    _ => String::new(),
                };
                tally.problem(file, line, &format!("row has {cells}, the header has {columns}{place}"), fate)
            }
        }
    }

    fn read_object(&mut self, record: Record, tally: &mut Tally) -> anyhow::Result<Row> {
        let (file, line, field) = (&self.arguments.file, record.line, &self.columns[self.column]);
        let mut unanswered = |message: &str| tally.problem(file, line, message, Fate::Unanswered);
        let object = match object(&record, self.encoding) {
            Ok(object) => object,
            Err(message) => {
                unanswered(&message)?;
                return Ok(Row { record, name: None });
            }
        };
        if let Sink::Rows(writer) = &self.sink {
            writer.check_fields(&object, file, line)?;
        }
        let name = match text_of(&object, field) {
            Ok(name) => name,
            Err(message) => {
                unanswered(&message)?;
                String::new()
            }
        };
        self.check_length(&name, line, tally)?;
        let text = self.context.and_then(|at| object.get(&self.columns[at])?.as_str()).map(str::to_owned);
        Ok(Row { record, name: Some(in_context(name, text)) })
    }

    fn decoded(&self, cell: &[u8], line: u64, tally: &mut Tally) -> anyhow::Result<String> {
        let Some(name) = self.encoding.decode(cell) else {
            let shown: String = String::from_utf8_lossy(cell).chars().take(60).collect();
            let message = "not in the expected encoding (say --encoding, as in --encoding windows-1252)";
            let message = format!("{message}: {}", quoted(&shown));
            tally.problem(&self.arguments.file, line, &message, Fate::Unanswered)?;
            return Ok(String::new());
        };
        self.check_length(&name, line, tally)?;
        Ok(name)
    }

    fn check_length(&self, name: &str, line: u64, tally: &mut Tally) -> anyhow::Result<()> {
        if name.len() <= LONGEST_NAME_BYTES {
            return Ok(());
        }
        let message = format!("a name of {} bytes (at most {LONGEST_NAME_BYTES})", name.len());
        tally.problem(&self.arguments.file, line, &message, Fate::Unanswered)
    }

    fn write(&mut self, row: Row, link: &Link, tally: &mut Tally) -> anyhow::Result<()> {
        let values = self.added.values(link);
        let own = if matches!(self.sink, Sink::Converted(_)) { self.values(&row.record, tally)? } else { Vec::new() };
        match &mut self.sink {
            Sink::Rows(writer) => writer.put(row.record, &values),
            Sink::Candidates(output) => output.put(&json_line(link, self.arguments.suggest)?),
            Sink::Converted(converter) => converter.write(own, values),
        }
    }

    /// Writes a row without a name unchanged.
    fn pass(&mut self, row: &Row) -> anyhow::Result<()> {
        match &mut self.sink {
            Sink::Rows(writer) => writer.pass(&row.record),
            Sink::Candidates(_) | Sink::Converted(_) => Ok(()),
        }
    }

    /// Returns the cells of a row as values, one a column.
    fn values(&mut self, record: &Record, tally: &mut Tally) -> anyhow::Result<Vec<Value>> {
        let width = self.columns.len() + self.extra.len();
        let mut values = Vec::with_capacity(width);
        for cell in record.cells() {
            values.push(Value::from(match self.encoding.decode(cell) {
                Some(text) => text,
                None => {
                    let message = "a cell that is not in the expected encoding; written with U+FFFD";
                    tally.problem(&self.arguments.file, record.line, message, Fate::Answered)?;
                    String::from_utf8_lossy(cell).into_owned()
                }
            }));
        }
        values.resize(width, Value::from(""));
        Ok(values)
    }
}
