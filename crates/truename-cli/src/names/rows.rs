//! The rows of `match`: names that gain their concepts.

use std::path::Path;

use serde_json::Value;
use truename::{LONGEST_NAME_BYTES, Link, Linker};
use truename_error::counted;
use truename_read::{Encoding, Record, RowFormat, is_stream, json};

use super::added::{AddedColumns, AnswerOptions};
use super::cells::Cells;
use super::column::{column, extra_columns, name_column};
use super::context::InContext;
use super::input::{Input, NO_OBJECT, first_fields, refused};
use super::match_run::MatchRun;
use super::sink::{Sink, Target};
use super::tally::Tally;
use super::walk::Answerer;
use crate::arguments::Match;
use crate::problems::Fault;
use crate::resumable_file::ResumableFile;

/// The columns of a table or the fields of objects.
#[derive(Default)]
struct Columns {
    own: Vec<String>,
    /// Names for cells beyond the last column.
    extra: Vec<String>,
    name: usize,
    /// Column with the contexts.
    context: Option<usize>,
}

impl Columns {
    /// Finds the columns. A file is read through before, since rows may have more cells or other fields than the first.
    fn find(input: &mut Input<'_>, arguments: &Match) -> anyhow::Result<Self> {
        let mut columns = match input.rows.format() {
            RowFormat::Lines => Self { own: vec!["name".into()], ..Self::default() },
            RowFormat::Table => Self::of_table(input, arguments)?,
            RowFormat::Objects => Self::of_objects(input, arguments)?,
        };
        if let Some(wanted) = arguments.context_column.as_deref().filter(|_| !columns.own.is_empty()) {
            columns.context = Some(column(&columns.own, wanted, "context_column")?);
        }
        Ok(columns)
    }

    fn of_table(input: &Input<'_>, arguments: &Match) -> anyhow::Result<Self> {
        let mut widest = 0;
        input.survey(|record| widest = widest.max(record.width()))?;
        let Some(table) = input.rows.table() else { return Ok(Self::default()) };
        let name = table.named_column(arguments.column.as_deref(), "column")?;
        let (own, extra) = (table.columns.clone(), extra_columns(&table.columns, widest));
        Ok(Self { own, extra, name, context: None })
    }

    /// Finds the fields: of all objects in files, of the first object in a pipe.
    fn of_objects(input: &mut Input<'_>, arguments: &Match) -> anyhow::Result<Self> {
        let (encoding, mut own) = (input.rows.encoding(), Vec::new());
        let mut seen = std::collections::HashSet::new();
        input.survey(|record| {
            let fields = encoding.decode(record.content()).map(|text| json::fields(&text)).unwrap_or_default();
            for field in fields {
                if !seen.contains(&field) {
                    seen.insert(field.clone());
                    own.push(field);
                }
            }
        })?;
        let Some(first) = input.rows.peek()? else { return Ok(Self::default()) };
        if own.is_empty() {
            let (line, fields) = (first.line, first_fields(first, encoding));
            own = match fields {
                // Its next objects are still to come.
                Err(_) if is_stream(input.rows.path()) => {
                    vec![arguments.column.as_deref().unwrap_or("name").to_owned()]
                }
                fields => fields.map_err(|message| input.refused(line, &message, NO_OBJECT))?,
            };
        }
        let name = name_column(&own, arguments.column.as_deref())?;
        Ok(Self { own, name, ..Self::default() })
    }
}

/// Names that are linked.
pub struct Names<'a> {
    linker: &'a Linker,
    tally: &'a mut Tally,
    format: RowFormat,
    encoding: Encoding,
    /// For each column of a Parquet table, true if its values are numbers or booleans.
    literals: Vec<bool>,
    columns: Columns,
    added: AddedColumns,
    sink: Sink,
    resumable: Option<ResumableFile>,
}

/// A name, and the values of its row where that is converted.
pub struct Name {
    name: InContext,
    values: Vec<Value>,
}

impl<'a> Names<'a> {
    pub fn open(
        input: &mut Input<'_>,
        target: Target,
        run: MatchRun<'_>,
        linker: &'a Linker,
        tally: &'a mut Tally,
    ) -> anyhow::Result<Self> {
        let MatchRun { arguments, resumable } = run;
        let columns = Columns::find(input, arguments)?;
        let answers = AnswerOptions {
            top: arguments.top.unwrap_or(1) as usize,
            suggest: arguments.suggest,
            explain: arguments.explain,
        };
        let added = AddedColumns::beside(columns.own.iter().chain(&columns.extra), answers);
        let sink = Sink::open(target, input, (&columns.own, &columns.extra), &added, run)?;
        let resumable = resumable.cloned();
        tally.counts = resumable.as_ref().map(ResumableFile::counts).unwrap_or_default();
        let (format, encoding) = (input.rows.format(), input.rows.encoding());
        let literals = input.rows.table().map(|table| table.literals.clone()).unwrap_or_default();
        Ok(Self { linker, tally, format, encoding, literals, columns, added, sink, resumable })
    }

    pub fn finish(self) -> anyhow::Result<()> {
        self.sink.finish()
    }

    /// Finds the name of a row with its context. A name that cannot be read is empty, and so NIL.
    fn name(&self, cells: &Cells<'_>, faults: &mut Vec<Fault>) -> InContext {
        let Columns { own, name, context, .. } = &self.columns;
        let name = match cells {
            // The width of the row is checked; an empty row of a table with one column has one empty cell.
            Cells::Row { record, .. } if record.width() <= *name => String::new(),
            _ => cells.text(own, *name).unwrap_or_else(|message| {
                faults.push(Fault::unanswered(message));
                String::new()
            }),
        };
        if name.len() > LONGEST_NAME_BYTES {
            let message = format!("a name of {} bytes (at most {LONGEST_NAME_BYTES})", name.len());
            faults.push(Fault::unanswered(message));
        }
        match context.and_then(|at| self.context(cells, at, faults)) {
            Some(text) => InContext::new(name, text),
            None => InContext::alone(name),
        }
    }

    fn context(&self, cells: &Cells<'_>, at: usize, faults: &mut Vec<Fault>) -> Option<String> {
        match cells {
            Cells::Object(fields) => fields.get(&self.columns.own[at])?.as_str().map(str::to_owned),
            Cells::Row { record, encoding } => {
                let text = encoding.decode(record.cell(at).unwrap_or_default());
                if text.is_none() {
                    let message = "the context is not in the expected encoding, so the name is linked without";
                    faults.push(Fault::answered(message.into()));
                }
                text
            }
        }
    }

    /// Finds cells too few or too many.
    fn check_width(&self, record: &Record, path: &Path, faults: &mut Vec<Fault>) -> anyhow::Result<()> {
        let (width, columns, extra) = (record.width(), self.columns.own.len(), &self.columns.extra);
        if width == columns {
            return Ok(());
        }
        let is_written = self.sink.needs_columns();
        let cells = |count: usize| counted(count as u64, "cell");
        let message = match (width < columns, extra.get(width.saturating_sub(columns + 1))) {
            (true, _) => {
                format!("row has {width} of {}{}", cells(columns), if is_written { "; filled up" } else { "" })
            }
            (false, last) => {
                let place = match last.filter(|_| is_written) {
                    Some(last) if width == columns + 1 => format!("; the last stands under \"{last}\""),
                    Some(last) => format!("; the rest stands under \"{}\" to \"{last}\"", extra[0]),
                    None => String::new(),
                };
                format!("row has {}, the header has {columns}{place}", cells(width))
            }
        };
        if is_written && width > columns + extra.len() {
            let hint = "quote cells that hold the delimiter, or give the table as a file: extra cells then get columns";
            return Err(refused(path, record.line, &message, hint));
        }
        let is_answered = self.columns.name < width;
        faults.push(Fault { message, is_answered });
        Ok(())
    }

    /// Returns the cells of a row as values, one a column.
    fn values(&self, record: &Record, faults: &mut Vec<Fault>) -> Vec<Value> {
        let width = self.columns.own.len() + self.columns.extra.len();
        let mut values = Vec::with_capacity(width);
        for (at, cell) in record.cells().enumerate() {
            let text = self.encoding.decode(cell).unwrap_or_else(|| {
                let message = "a cell that is not in the expected encoding; written with U+FFFD";
                faults.push(Fault::answered(message.into()));
                String::from_utf8_lossy(cell).into_owned()
            });
            values.push(match self.literals.get(at) {
                Some(_) if record.is_null(at) => Value::Null,
                // Numbers that JSON lacks, such as NaN, stay text.
                Some(true) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
                _ => Value::String(text),
            });
        }
        values.resize(width, Value::from(""));
        values
    }
}

impl Answerer for Names<'_> {
    type Text = Name;
    type Answer = Link;

    fn read(&self, record: &Record, path: &Path, faults: &mut Vec<Fault>) -> anyhow::Result<Option<Name>> {
        let is_empty = match self.format {
            RowFormat::Lines => false,
            // An empty line is no row of a table with several columns.
            RowFormat::Table => record.content().is_empty() && self.columns.own.len() > 1,
            RowFormat::Objects => record.is_blank(),
        };
        if is_empty {
            return Ok(None);
        }
        faults.extend(record.fault().map(|fault| Fault::answered(fault.into())));
        if self.format == RowFormat::Table {
            self.check_width(record, path, faults)?;
        }
        let cells = match Cells::of(record, self.format, self.encoding) {
            Ok(cells) => cells,
            Err(message) => {
                faults.push(Fault::unanswered(message));
                return Ok(None);
            }
        };
        if let Some(fields) = cells.fields() {
            self.sink.check_fields(fields, path, record.line)?;
        }
        let name = self.name(&cells, faults);
        let values = if self.sink.needs_values() { self.values(record, faults) } else { Vec::new() };
        Ok(Some(Name { name, values }))
    }

    fn answer(&mut self, names: &[Name]) -> anyhow::Result<Vec<Link>> {
        let links = self.linker.link_queries(&names.iter().map(|name| name.name.query()).collect::<Vec<_>>())?;
        self.tally.count(&links);
        Ok(links)
    }

    fn write(&mut self, record: Record, name: Name, link: &Link) -> anyhow::Result<()> {
        self.sink.write(record, name.values, link, &self.added)
    }

    fn pass(&mut self, record: Record, fault: Option<&str>) -> anyhow::Result<()> {
        self.sink.pass(&record, fault, self.encoding)
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        self.sink.flush()
    }

    fn answered_before(&self) -> u64 {
        self.resumable.as_ref().map_or(0, ResumableFile::items)
    }

    fn go_on(&mut self) {
        self.resumable.iter().for_each(ResumableFile::go_on);
    }

    fn save(&mut self, rows: u64) -> anyhow::Result<()> {
        self.resumable.iter().try_for_each(|file| file.save(rows, &self.tally.counts))
    }
}
