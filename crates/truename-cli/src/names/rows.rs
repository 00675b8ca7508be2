//! Rows of text that pass through byte for byte: names one a line, delimited tables, JSON objects.

use std::collections::HashSet;
use std::io::BufRead;
use std::path::Path;

use anyhow::Context;
use serde_json::{Map, Value};
use truename::{LONGEST_NAME_BYTES, Link, Linker};

use super::added::{Added, cell};
use super::column::{column, folded, name_column, quoted};
use super::context::InContext;
use super::converter::Converter;
use super::dialect::delimiter;
use super::encoding::Codec;
use super::record::{Cells, Dialect, Record, Records, without_formulas, written};
use super::source::Source;
use super::tally::{Fate, Tally};
use super::{PIECE, Target, json_line};
use crate::arguments::{InputFormat, Match};
use crate::count::counted;
use crate::exit_code::{Advised, ExitCode};
use crate::interrupt;
use crate::output::Output;

/// Maximum bytes of rows linked together; no further row is read beyond it.
const PIECE_BYTES: usize = 16 << 20;

type TextRecords = Records<Box<dyn BufRead>>;

/// Links the names of a table or list and writes the results.
pub fn run(
    source: Source,
    format: InputFormat,
    target: Target,
    arguments: &Match,
    linker: &Linker,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    let codec = Codec::of(arguments.encoding.as_deref(), &source.beginning)?;
    source.check_text(&arguments.file, codec)?;
    let shape = Shape::of(format, arguments, &codec.preview(&source.beginning), source.is_whole);
    let survey = if source.is_file { Survey::of(shape, arguments, codec)? } else { Survey::default() };
    let bar = source.bar.clone();
    let mut records = records(source, shape, arguments, codec)?;
    let mut beginning = Beginning::of(&mut records, shape, arguments, codec, survey)?;
    let mut first = beginning.first.take();
    let mut table = Table::begin(arguments, shape, target, codec, beginning, linker)?;
    loop {
        anyhow::ensure!(!interrupt::asked(), "interrupted");
        let (mut piece, mut bytes) = (Vec::new(), 0);
        while piece.len() < PIECE && bytes < PIECE_BYTES {
            let record = if let Some(first) = first.take() { Some(first) } else { next(&mut records, arguments)? };
            let Some(record) = record else { break };
            bytes += record.content.len();
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

fn records(source: Source, shape: Shape, arguments: &Match, codec: Codec) -> anyhow::Result<TextRecords> {
    let text = source.into_text(codec).with_context(|| failed(&arguments.file))?;
    let longest = usize::try_from(arguments.max_line_bytes).unwrap_or(usize::MAX);
    Ok(Records::new(text, shape.dialect(), longest))
}

fn next(records: &mut TextRecords, arguments: &Match) -> anyhow::Result<Option<Record>> {
    records.next().with_context(|| failed(&arguments.file))
}

fn failed(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

fn advised(message: String, hint: &str) -> anyhow::Error {
    Advised { message, hint: hint.into(), code: ExitCode::Failure }.into()
}

/// Form of the rows.
#[derive(Clone, Copy)]
enum Shape {
    Text,
    Table(Dialect),
    Objects,
}

impl Shape {
    fn of(format: InputFormat, arguments: &Match, beginning: &[u8], is_whole: bool) -> Self {
        let said = arguments.delimiter.map(|said| said.0);
        match (format, said) {
            (InputFormat::Jsonl, _) => Self::Objects,
            (InputFormat::Tsv, None | Some(b'\t')) => Self::Table(Dialect::TSV),
            (InputFormat::Csv | InputFormat::Tsv, Some(said)) => Self::Table(Dialect::quoted(said)),
            (InputFormat::Csv, None) => {
                Self::Table(Dialect::quoted(delimiter(beginning, is_whole, arguments.column.as_deref())))
            }
            (InputFormat::Text | InputFormat::Parquet, _) => Self::Text,
        }
    }

    fn dialect(self) -> Option<Dialect> {
        match self {
            Self::Table(dialect) => Some(dialect),
            Self::Text | Self::Objects => None,
        }
    }
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
    fn of(shape: Shape, arguments: &Match, codec: Codec) -> anyhow::Result<Self> {
        let mut found = Self::default();
        if matches!(shape, Shape::Text) {
            return Ok(found);
        }
        let mut records = records(Source::open(&arguments.file, true)?, shape, arguments, codec)?;
        let (mut cells, mut seen) = (shape.dialect().map(Cells::new), HashSet::new());
        while let Some(record) = next(&mut records, arguments)? {
            anyhow::ensure!(!interrupt::asked(), "interrupted");
            match &mut cells {
                Some(cells) => found.widest = found.widest.max(cells.of(&record.content).len()),
                None => {
                    let fields = object(&record, codec).unwrap_or_default().into_iter().map(|(field, _)| field);
                    found.fields.extend(fields.filter(|field| seen.insert(field.clone())));
                }
            }
        }
        Ok(found)
    }
}

/// Returns the object in a line, or the reason why there is none.
pub(super) fn object(record: &Record, codec: Codec) -> Result<Map<String, Value>, String> {
    let text = codec.decode(&record.content).ok_or("not in the expected encoding")?;
    let found = match serde_json::from_str(&text) {
        Ok(Value::Object(object)) => return Ok(object),
        Ok(Value::Array(_)) => "a list",
        Ok(Value::String(_)) => "a string",
        Ok(_) => "a single value",
        Err(error) => {
            // The parser's line number is always 1.
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            return Err(format!("not JSON at column {}: {message}", error.column()));
        }
    };
    Err(format!("expected an object, found {found}"))
}

/// The columns, with the rows already read to find them.
struct Beginning {
    /// Empty lines before the header.
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
    fn of(
        records: &mut TextRecords,
        shape: Shape,
        arguments: &Match,
        codec: Codec,
        survey: Survey,
    ) -> anyhow::Result<Self> {
        let mut beginning = Self {
            leading: Vec::new(),
            header: None,
            first: None,
            columns: Vec::new(),
            extra: Vec::new(),
            column: 0,
            context: None,
        };
        match shape {
            Shape::Text => beginning.text(records, arguments)?,
            Shape::Table(dialect) => beginning.table(records, dialect, arguments, codec, survey.widest)?,
            Shape::Objects => beginning.objects(records, arguments, codec, survey.fields)?,
        }
        if let Some(wanted) = arguments.context_column.as_deref().filter(|_| !beginning.columns.is_empty()) {
            beginning.context = Some(column(&beginning.columns, wanted, "--context-column")?);
        }
        Ok(beginning)
    }

    /// Adds a header to a list, with the line end of its first row.
    fn text(&mut self, records: &mut TextRecords, arguments: &Match) -> anyhow::Result<()> {
        self.first = next(records, arguments)?;
        let line_end = self.first.as_ref().map(|first| first.line_end.clone()).filter(|line_end| !line_end.is_empty());
        let line_end = line_end.unwrap_or_else(|| b"\n".to_vec());
        self.header = Some(Record { content: b"name".to_vec(), line_end, line: 0 });
        self.columns = vec!["name".into()];
        Ok(())
    }

    fn table(
        &mut self,
        records: &mut TextRecords,
        dialect: Dialect,
        arguments: &Match,
        codec: Codec,
        widest: usize,
    ) -> anyhow::Result<()> {
        let header = loop {
            let record = next(records, arguments)?;
            let record = record.with_context(|| format!("{} is empty: no header", arguments.file.display()))?;
            if !record.content.is_empty() {
                break record;
            }
            self.leading.extend(record.line_end);
        };
        let decoded = |cell| codec.decode(cell).unwrap_or_else(|| String::from_utf8_lossy(cell).into_owned());
        self.columns = Cells::new(dialect).of(&header.content).into_iter().map(decoded).collect();
        self.column = name_column(&self.columns, arguments.column.as_deref())?;
        let taken: HashSet<String> = self.columns.iter().map(|column| folded(column)).collect();
        let free = (1..).map(|number| format!("extra_{number}")).filter(|name| !taken.contains(name));
        self.extra = free.take(widest.saturating_sub(self.columns.len())).collect();
        self.header = Some(header);
        Ok(())
    }

    /// Finds the fields: of all objects in a file, of the first object in a pipe.
    fn objects(
        &mut self,
        records: &mut TextRecords,
        arguments: &Match,
        codec: Codec,
        fields: Vec<String>,
    ) -> anyhow::Result<()> {
        self.first = next(records, arguments)?;
        let Some(first) = &self.first else { return Ok(()) };
        self.columns = fields;
        if self.columns.is_empty() {
            let object = object(first, codec).map_err(|message| {
                let path = arguments.file.display();
                advised(
                    format!("{path}:{}: {message}", first.line),
                    "JSONL has one object a line; `jq -c .` writes it so",
                )
            })?;
            self.columns = object.into_iter().map(|(field, _)| field).collect();
        }
        self.column = name_column(&self.columns, arguments.column.as_deref())?;
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
    Rows(Output),
    Candidates(Output),
    Converted(Converter),
}

struct Table<'a> {
    arguments: &'a Match,
    linker: &'a Linker,
    shape: Shape,
    cells: Option<Cells>,
    codec: Codec,
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
    /// Number of cells in a delimited table.
    width: usize,
}

impl<'a> Table<'a> {
    /// Opens the output and writes the header.
    fn begin(
        arguments: &'a Match,
        shape: Shape,
        target: Target,
        codec: Codec,
        beginning: Beginning,
        linker: &'a Linker,
    ) -> anyhow::Result<Self> {
        let Beginning { leading, header, columns, extra, column, context, .. } = beginning;
        let added = Added::beside(columns.iter().chain(&extra), arguments);
        let sink = match target {
            Target::Rows => Sink::Rows(Output::open(arguments.out.as_deref())?),
            Target::Candidates => Sink::Candidates(Output::open(arguments.out.as_deref())?),
            Target::Converted(format) => {
                let columns: Vec<String> = columns.iter().chain(&extra).cloned().collect();
                Sink::Converted(Converter::open(format, arguments, &columns, &added, codec)?)
            }
        };
        let cells = shape.dialect().map(Cells::new);
        let mut table =
            Self { arguments, linker, shape, cells, codec, columns, extra, column, context, added, sink, answered: 0 };
        let header = header.map(|header| table.header(header)).transpose()?;
        if let Sink::Rows(output) = &mut table.sink {
            output.put(codec.mark())?;
            output.put(&codec.finish(leading)?)?;
            output.put(&header.unwrap_or_default())?;
        }
        Ok(table)
    }

    fn header(&self, header: Record) -> anyhow::Result<Vec<u8>> {
        let names = self.extra.iter().chain(&self.added.names).cloned();
        self.with_cells(header.content, names, header.line_end)
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
                None => self.pass(row)?,
            }
        }
        match &mut self.sink {
            Sink::Rows(output) | Sink::Candidates(output) => Ok(std::io::Write::flush(output)?),
            Sink::Converted(_) => Ok(()),
        }
    }

    fn finish(self) -> anyhow::Result<()> {
        match self.sink {
            Sink::Rows(output) | Sink::Candidates(output) => output.finish(),
            Sink::Converted(converter) => converter.finish(),
        }
    }

    /// Finds the name in a row; an unreadable one is empty, and so NIL.
    fn read(&mut self, record: Record, tally: &mut Tally) -> anyhow::Result<Row> {
        match self.shape {
            Shape::Text => {
                let name = InContext::alone(self.decoded(&record.content, record.line, tally)?);
                Ok(Row { record, name: Some(name), width: 1 })
            }
            // An empty line is no row of a table with several columns.
            Shape::Table(_) if record.content.is_empty() && self.columns.len() > 1 => {
                Ok(Row { record, name: None, width: 0 })
            }
            Shape::Table(_) => self.read_cells(record, tally),
            Shape::Objects if record.content.trim_ascii().is_empty() => Ok(Row { record, name: None, width: 0 }),
            Shape::Objects => self.read_object(record, tally),
        }
    }

    fn read_cells(&mut self, record: Record, tally: &mut Tally) -> anyhow::Result<Row> {
        let cells = self.cells.as_mut().map(|cells| cells.of(&record.content)).unwrap_or_default();
        // An empty row of a table with one column has one empty cell.
        let cell = |at: usize| cells.get(at).copied().unwrap_or_default().to_vec();
        let (width, name, context) = (cells.len().max(1), cell(self.column), self.context.map(cell));
        self.check_width(width, record.line, tally)?;
        let name = self.decoded(&name, record.line, tally)?;
        let text = context.and_then(|cell| self.codec.decode(&cell));
        if self.context.is_some() && text.is_none() {
            let message = "the context is not in the expected encoding, so the name is linked without";
            tally.problem(&self.arguments.file, record.line, message, Fate::Answered)?;
        }
        Ok(Row { record, name: Some(in_context(name, text)), width })
    }

    fn check_width(&self, width: usize, line: u64, tally: &mut Tally) -> anyhow::Result<()> {
        let (file, columns) = (&self.arguments.file, self.columns.len());
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
        let object = match object(&record, self.codec) {
            Ok(object) => object,
            Err(message) => {
                unanswered(&message)?;
                return Ok(Row { record, name: None, width: 0 });
            }
        };
        if matches!(self.sink, Sink::Rows(_))
            && let Some(taken) = self.added.names.iter().find(|name| object.contains_key(*name))
        {
            let message = format!("{}:{line}: the object has a field \"{taken}\" already", file.display());
            return Err(advised(message, "give the objects as a file: the added fields then get other names"));
        }
        let name = match object.get(field) {
            Some(Value::String(name)) => name.clone(),
            Some(Value::Null) => String::new(),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
            Some(_) => {
                unanswered(&format!("field {} holds no text", quoted(field)))?;
                String::new()
            }
            None => {
                unanswered(&format!("no field {}", quoted(field)))?;
                String::new()
            }
        };
        self.check_length(&name, line, tally)?;
        let text = self.context.and_then(|at| object.get(&self.columns[at])?.as_str()).map(str::to_owned);
        Ok(Row { record, name: Some(in_context(name, text)), width: object.len() })
    }

    fn decoded(&self, cell: &[u8], line: u64, tally: &mut Tally) -> anyhow::Result<String> {
        let Some(name) = self.codec.decode(cell) else {
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
        let with_added = if matches!(self.sink, Sink::Rows(_)) { self.with_added(row, &values)? } else { Vec::new() };
        match &mut self.sink {
            Sink::Rows(output) => output.put(&with_added),
            Sink::Candidates(output) => output.put(&json_line(link, self.arguments.suggest)?),
            Sink::Converted(converter) => converter.write(own, values),
        }
    }

    /// Writes a row without a name.
    fn pass(&mut self, row: Row) -> anyhow::Result<()> {
        let Sink::Rows(output) = &mut self.sink else { return Ok(()) };
        let Record { mut content, line_end, .. } = row.record;
        if let Some(dialect) = self.shape.dialect().filter(|_| self.arguments.csv_safe) {
            content = without_formulas(&content, dialect);
        }
        output.put(&self.codec.finish([content, line_end].concat())?)
    }

    fn with_added(&self, row: Row, values: &[Value]) -> anyhow::Result<Vec<u8>> {
        let Record { content, line_end, .. } = row.record;
        if matches!(self.shape, Shape::Objects) {
            return self.with_fields(content, values, line_end, row.width == 0);
        }
        let missing = (self.columns.len() + self.extra.len()).saturating_sub(row.width);
        let cells = std::iter::repeat_n(String::new(), missing).chain(values.iter().map(cell));
        self.with_cells(content, cells, line_end)
    }

    fn with_cells(
        &self,
        mut row: Vec<u8>,
        cells: impl Iterator<Item = String>,
        line_end: Vec<u8>,
    ) -> anyhow::Result<Vec<u8>> {
        let dialect = self.shape.dialect().unwrap_or_else(|| {
            // The list becomes a table, in which a tab would begin a new cell.
            row.iter_mut().filter(|byte| **byte == b'\t').for_each(|byte| *byte = b' ');
            Dialect::TSV
        });
        for cell in cells {
            row.push(dialect.delimiter);
            row.extend(self.codec.encode(&written(&cell, dialect))?);
        }
        if self.arguments.csv_safe {
            row = without_formulas(&row, dialect);
        }
        row.extend(line_end);
        self.codec.finish(row)
    }

    /// Inserts fields before the object's last brace.
    fn with_fields(
        &self,
        mut row: Vec<u8>,
        values: &[Value],
        line_end: Vec<u8>,
        is_empty: bool,
    ) -> anyhow::Result<Vec<u8>> {
        let brace = row.iter().rposition(|byte| *byte == b'}').unwrap_or(row.len());
        let behind = row.split_off(brace);
        let fields = self.added.names.iter().zip(values);
        let fields: Vec<String> = fields.map(|(name, value)| format!("\"{name}\":{value}")).collect();
        let comma = if is_empty { "" } else { "," };
        row.extend(self.codec.encode(&format!("{comma}{}", fields.join(",")))?);
        row.extend(behind);
        row.extend(line_end);
        self.codec.finish(row)
    }

    /// Returns the cells of a row as values, one a column.
    fn values(&mut self, record: &Record, tally: &mut Tally) -> anyhow::Result<Vec<Value>> {
        let width = self.columns.len() + self.extra.len();
        let cells = self.cells.as_mut().map_or_else(|| vec![&record.content[..]], |cells| cells.of(&record.content));
        let mut values = Vec::with_capacity(width);
        for cell in cells {
            values.push(Value::from(match self.codec.decode(cell) {
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
