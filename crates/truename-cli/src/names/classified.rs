//! Tables of texts that gain labels and probabilities, or values.

use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use serde_json::Value;
use truename::Problem;
use truename_eval::TextFormat;
use truename_infer::{Classified, Classifier, ClassifyText};

use super::PIECE;
use super::added::free_names;
use super::column::{column, quoted};
use super::dialect::delimiter;
use super::encoding::Codec;
use super::record::{Cells, Dialect, Record, Records, without_formulas, written};
use super::rows::object;
use super::source::{Source, by_extension};
use crate::arguments::{Classify, InputFormat};
use crate::command::classify::{check_pair, columns};
use crate::count::{counted, grouped};
use crate::exit_code::{Advised, ExitCode, UsageError};
use crate::output::Output;
use crate::{interrupt, problems};

/// Classifies the texts of a file and writes its rows with the answers.
pub fn run(arguments: &Classify, classifier: &Classifier, quiet: bool) -> anyhow::Result<Tally> {
    let path = &arguments.file;
    let source = Source::open(path, quiet)?;
    let codec = Codec::of(arguments.encoding.as_deref(), &source.beginning)?;
    let beginning = codec.preview(&source.beginning);
    let format = format(arguments, &beginning)?;
    check_out(arguments, format)?;
    source.check_text(path, codec)?;
    let shape = Shape::of(format, arguments, classifier, &beginning, source.is_whole);
    let (bar, longest) = (source.bar.clone(), usize::try_from(arguments.max_line_bytes).unwrap_or(usize::MAX));
    let text = source.into_text(codec).with_context(|| failed(path))?;
    let mut records = Records::new(text, shape.dialect(), longest);
    let mut table = Table::begin(arguments, classifier, shape, codec, &mut records)?;
    loop {
        interrupt::check()?;
        let mut piece = table.first.take().into_iter().collect::<Vec<_>>();
        while piece.len() < PIECE
            && let Some(record) = records.next().with_context(|| failed(path))?
        {
            piece.push(record);
        }
        if piece.is_empty() {
            break;
        }
        table.answer(piece)?;
        bar.set_message(counted(table.tally.texts, "text"));
    }
    bar.finish_and_clear();
    table.output.finish()?;
    Ok(table.tally)
}

fn failed(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

/// Returns the format of the user, else that which the file tells.
fn format(arguments: &Classify, beginning: &[u8]) -> Result<TextFormat, UsageError> {
    if by_extension(&arguments.file) == Some(InputFormat::Parquet) && arguments.texts.input_format.is_none() {
        return Err(UsageError("classify reads CSV, TSV and JSONL; convert the Parquet table to one of them".into()));
    }
    let detected = || TextFormat::detect(&arguments.file, &String::from_utf8_lossy(beginning));
    Ok(arguments.texts.input_format.unwrap_or_else(detected))
}

/// Refuses an output of another format than the input.
fn check_out(arguments: &Classify, format: TextFormat) -> Result<(), UsageError> {
    let Some((out, asked)) = arguments.out.as_ref().and_then(|out| Some((out, by_extension(out)?))) else {
        return Ok(());
    };
    let own = match format {
        TextFormat::Csv => InputFormat::Csv,
        TextFormat::Jsonl => InputFormat::Jsonl,
        _ => InputFormat::Tsv,
    };
    if asked == own {
        return Ok(());
    }
    let extension = match own {
        InputFormat::Csv => "csv",
        InputFormat::Jsonl => "jsonl",
        _ => "tsv",
    };
    let message =
        format!("rows are written in the format of the input, and {} is another; call it .{extension}", out.display());
    Err(UsageError(message))
}

/// Form of the rows.
enum Shape {
    /// With the columns of the texts, by name or, without a header, by number.
    Table {
        dialect: Dialect,
        first: String,
        second: Option<String>,
        has_header: bool,
    },
    /// Records of Ditto in the first two cells.
    Pairs,
    Objects {
        first: String,
        second: Option<String>,
    },
}

impl Shape {
    fn of(format: TextFormat, arguments: &Classify, classifier: &Classifier, beginning: &[u8], is_whole: bool) -> Self {
        let (first, second) = columns(&arguments.texts, classifier.config());
        let has_header = !arguments.texts.no_header;
        let table = |dialect: Dialect, first, second| Self::Table { dialect, first, second, has_header };
        match format {
            TextFormat::Csv => table(Dialect::quoted(delimiter(beginning, is_whole, Some(&first))), first, second),
            TextFormat::Jsonl => Self::Objects { first, second },
            TextFormat::Pairs => Self::Pairs,
            _ if arguments.texts.quoted => table(Dialect::quoted(b'\t'), first, second),
            _ => table(Dialect::TSV, first, second),
        }
    }

    fn dialect(&self) -> Option<Dialect> {
        match self {
            Self::Table { dialect, .. } => Some(*dialect),
            Self::Pairs => Some(Dialect::TSV),
            Self::Objects { .. } => None,
        }
    }

    fn is_pair(&self) -> bool {
        match self {
            Self::Table { second, .. } | Self::Objects { second, .. } => second.is_some(),
            Self::Pairs => true,
        }
    }
}

/// Where the texts of a row are.
enum Places {
    Cells { cells: Box<Cells>, dialect: Dialect, first: usize, second: Option<usize>, width: usize },
    Fields { first: String, second: Option<String> },
}

/// A row with its texts; none where it cannot be read.
struct Row {
    record: Record,
    texts: Option<(String, Option<String>)>,
    /// Number of cells or fields.
    width: usize,
}

struct Table<'a> {
    arguments: &'a Classify,
    classifier: &'a Classifier,
    codec: Codec,
    places: Places,
    /// Names of the added columns.
    added: Vec<String>,
    /// First row, where it was read to find the columns.
    first: Option<Record>,
    output: Output,
    tally: Tally,
}

impl<'a> Table<'a> {
    /// Finds the columns, opens the output and writes the header.
    fn begin(
        arguments: &'a Classify,
        classifier: &'a Classifier,
        shape: Shape,
        codec: Codec,
        records: &mut Records<Box<dyn BufRead>>,
    ) -> anyhow::Result<Self> {
        check_pair(shape.is_pair(), classifier.config())?;
        let mut leading = Vec::new();
        let first = loop {
            let record = records.next().with_context(|| failed(&arguments.file))?;
            let record = record.with_context(|| format!("{} is empty", arguments.file.display()))?;
            if !record.content.trim_ascii().is_empty() {
                break record;
            }
            leading.extend([record.content, record.line_end].concat());
        };
        let plain: &[&str] = if classifier.config().is_regression() { &["value"] } else { &["label", "probability"] };
        let (places, present, has_header) = places(shape, &first, codec)?;
        let (added, tally) = (free_names(&present, plain), Tally::of(classifier.labels()));
        let output = Output::open(arguments.out.as_deref())?;
        let mut table = Self { arguments, classifier, codec, places, added, first: None, output, tally };
        table.output.put(codec.mark())?;
        table.output.put(&codec.finish(leading)?)?;
        if has_header {
            let names = table.added.clone();
            let width = present.len();
            table.put_cells(Row { record: first, texts: None, width }, &names)?;
        } else {
            table.first = Some(first);
        }
        Ok(table)
    }

    /// Classifies the texts of some rows and writes these in order.
    fn answer(&mut self, piece: Vec<Record>) -> anyhow::Result<()> {
        let rows: Vec<Row> = piece.into_iter().map(|record| self.read(record)).collect::<Result<_, _>>()?;
        let asked = rows.iter().filter_map(|row| row.texts.as_ref());
        let asked: Vec<ClassifyText<'_>> =
            asked.map(|(first, second)| ClassifyText { first, second: second.as_deref() }).collect();
        let Classified { scores, truncated, .. } = self.classifier.classify(&asked)?;
        self.tally.texts += scores.len() as u64;
        self.tally.truncated += truncated.len() as u64;
        let mut scores = scores.into_iter();
        for mut row in rows {
            let values = match row.texts.take().and_then(|_| scores.next()) {
                Some(scores) => self.values(&scores),
                None => vec![Value::Null; self.added.len()],
            };
            self.put(row, &values)?;
        }
        Ok(self.output.flush()?)
    }

    /// Returns the values of the added columns.
    fn values(&mut self, scores: &[f32]) -> Vec<Value> {
        let rounded = |value: f32| Value::from((f64::from(value) * 1e6).round() / 1e6);
        let config = self.classifier.config();
        if config.is_regression() {
            return vec![rounded(scores[0])];
        }
        let (label, probability) = config.best(scores);
        let number = config.labels.iter().position(|known| known == label).unwrap_or_default();
        self.tally.labels[number] += 1;
        vec![label.into(), rounded(probability)]
    }

    /// Finds the texts of a row.
    fn read(&mut self, record: Record) -> anyhow::Result<Row> {
        if record.content.trim_ascii().is_empty() {
            return Ok(Row { record, texts: None, width: 0 });
        }
        let (line, path) = (record.line, &self.arguments.file);
        let (texts, width) = match &mut self.places {
            Places::Cells { cells, first, second, width, .. } => {
                let cells = cells.of(&record.content);
                if cells.len() > *width {
                    let message = format!(
                        "{}:{line}: row has {}, the first row has {width}",
                        path.display(),
                        counted(cells.len() as u64, "cell")
                    );
                    let hint = "quote cells that hold the delimiter".into();
                    return Err(Advised { message, hint, code: ExitCode::Failure }.into());
                }
                let text = |place: usize| {
                    let cell = cells.get(place).ok_or_else(|| format!("row has {} of {width} cells", cells.len()))?;
                    self.codec.decode(cell).ok_or_else(|| "not in the expected encoding (say --encoding)".to_owned())
                };
                (texts(text(*first), second.map(text)), cells.len())
            }
            Places::Fields { first, second } => match object(&record, self.codec) {
                Err(message) => (Err(message), 0),
                Ok(object) => {
                    if let Some(taken) = self.added.iter().find(|name| object.contains_key(*name)) {
                        let message = format!("{}:{line}: the object has a field \"{taken}\" already", path.display());
                        let hint = "give all objects the same fields: the added ones then get other names".into();
                        return Err(Advised { message, hint, code: ExitCode::Failure }.into());
                    }
                    let text = |field: &String| match object.get(field) {
                        Some(Value::String(text)) => Ok(text.clone()),
                        Some(Value::Null) => Ok(String::new()),
                        Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(value.to_string()),
                        Some(_) => Err(format!("field {} holds no text", quoted(field))),
                        None => Err(format!("no field {}", quoted(field))),
                    };
                    (texts(text(first), second.as_ref().map(text)), object.len())
                }
            },
        };
        let texts = match texts {
            Ok(texts) => Some(texts),
            Err(message) => {
                self.tally.problem(Problem::new(path, line, message), self.arguments.strict)?;
                None
            }
        };
        Ok(Row { record, texts, width })
    }

    /// Writes a row with its answer; an empty line as it is.
    fn put(&mut self, row: Row, values: &[Value]) -> anyhow::Result<()> {
        if row.record.content.trim_ascii().is_empty() {
            return self.output.put(&self.codec.finish([row.record.content, row.record.line_end].concat())?);
        }
        match &self.places {
            Places::Cells { .. } => {
                let cell = |value: &Value| match value {
                    Value::String(text) => text.clone(),
                    Value::Null => String::new(),
                    number => format!("{:.4}", number.as_f64().unwrap_or_default()),
                };
                self.put_cells(row, &values.iter().map(cell).collect::<Vec<_>>())
            }
            Places::Fields { .. } => self.put_fields(row, values),
        }
    }

    /// Writes a row with cells added, behind as many cells as the first row has.
    fn put_cells(&mut self, row: Row, added: &[String]) -> anyhow::Result<()> {
        let Places::Cells { dialect, width, .. } = &self.places else { return Ok(()) };
        let missing = vec![String::new(); width.saturating_sub(row.width)];
        let Record { content: mut line, line_end, .. } = row.record;
        for cell in missing.iter().chain(added) {
            line.push(dialect.delimiter);
            line.extend(self.codec.encode(&written(cell, *dialect))?);
        }
        if self.arguments.csv_safe {
            line = without_formulas(&line, *dialect);
        }
        line.extend(line_end);
        self.output.put(&self.codec.finish(line)?)
    }

    /// Writes an object with fields added before its last brace; what is no object as it is.
    fn put_fields(&mut self, row: Row, values: &[Value]) -> anyhow::Result<()> {
        let Record { content: mut line, line_end, .. } = row.record;
        let brace = line.iter().rposition(|byte| *byte == b'}').filter(|_| values.iter().all(|value| !value.is_null()));
        if let Some(brace) = brace {
            let behind = line.split_off(brace);
            let fields = self.added.iter().zip(values).map(|(name, value)| format!("\"{name}\":{value}"));
            let comma = if row.width == 0 { "" } else { "," };
            line.extend(self.codec.encode(&format!("{comma}{}", fields.collect::<Vec<_>>().join(",")))?);
            line.extend(behind);
        }
        line.extend(line_end);
        self.output.put(&self.codec.finish(line)?)
    }
}

/// The texts of a row, or why there are none.
fn texts(
    first: Result<String, String>,
    second: Option<Result<String, String>>,
) -> Result<(String, Option<String>), String> {
    Ok((first?, second.transpose()?))
}

/// Returns the places of the texts, the columns that there are, and whether the first row is a header.
fn places(shape: Shape, row: &Record, codec: Codec) -> anyhow::Result<(Places, Vec<String>, bool)> {
    let (dialect, first, second, has_header) = match shape {
        Shape::Table { dialect, first, second, has_header } => (dialect, first, second, has_header),
        Shape::Pairs => (Dialect::TSV, "1".to_owned(), Some("2".to_owned()), false),
        Shape::Objects { first, second } => {
            let present = object(row, codec).unwrap_or_default().into_iter().map(|(field, _)| field).collect();
            return Ok((Places::Fields { first, second }, present, false));
        }
    };
    let mut cells = Box::new(Cells::new(dialect));
    let decoded = |cell| codec.decode(cell).unwrap_or_else(|| String::from_utf8_lossy(cell).into_owned());
    let present: Vec<String> = cells.of(&row.content).into_iter().map(decoded).collect();
    let width = present.len();
    let place = |name: &str, flag: &str| match has_header {
        true => column(&present, name, flag),
        false => match name.parse::<usize>() {
            Ok(number) if (1..=width).contains(&number) => Ok(number - 1),
            _ => {
                let message = format!("{flag} {name}: without a header a column is a number from 1 to {width}");
                Err(UsageError(message).into())
            }
        },
    };
    let second = second.map(|second| place(&second, "--second")).transpose()?;
    let first = place(&first, "--first")?;
    Ok((Places::Cells { cells, dialect, first, second, width }, present, has_header))
}

/// Counts of a run, with its malformed rows.
#[derive(Default)]
pub struct Tally {
    texts: u64,
    truncated: u64,
    /// Names of the labels, and the number of texts with each.
    names: Vec<String>,
    labels: Vec<u64>,
    problems: Vec<Problem>,
    problem_count: u64,
}

impl Tally {
    fn of(labels: &[String]) -> Self {
        Self { names: labels.to_vec(), labels: vec![0; labels.len()], ..Self::default() }
    }

    fn problem(&mut self, problem: Problem, is_strict: bool) -> anyhow::Result<()> {
        anyhow::ensure!(!is_strict, "{problem}");
        self.problem_count += 1;
        if self.problems.len() < problems::MAX_SHOWN {
            self.problems.push(problem);
        }
        Ok(())
    }

    pub fn report(&self, start: Instant) {
        problems::list(&self.problems, self.problem_count, "malformed rows left without an answer");
        if self.truncated > 0 {
            let texts = counted(self.truncated, "text");
            crate::say!("{texts} cut to the window of the model");
        }
        let seconds = start.elapsed().as_secs_f64().max(1e-6);
        let counts = self.names.iter().zip(&self.labels).map(|(name, count)| format!("{} {name}", grouped(*count)));
        let counts: Vec<String> = counts.collect();
        let counts = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
        let rate = counted((self.texts as f64 / seconds) as u64, "text");
        crate::say!("{}{counts} ({seconds:.1} s, {rate}/s)", counted(self.texts, "text"));
    }
}
