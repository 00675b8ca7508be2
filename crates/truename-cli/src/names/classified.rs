//! Tables of texts that gain labels and probabilities, or values.

use std::time::Instant;

use anyhow::Context;
use serde_json::Value;
use truename::Problem;
use truename_eval::TextFormat;
use truename_infer::{Classified, Classifier, ClassifyText};
use truename_read::{Encoding, Record, TableOptions};

use super::PIECE;
use super::added::free_names;
use super::column::table_column;
use super::input::{Form, Input, InputOptions, Rows, by_extension, object, text_of};
use super::row_writer::RowWriter;
use crate::arguments::{Classify, InputFormat, TableArguments};
use crate::command::classify::{check_pair, columns};
use crate::count::{counted, grouped};
use crate::exit_code::{Advised, ExitCode, UsageError};
use crate::{interrupt, problems};

/// Classifies the texts of a file and writes its rows with the answers.
pub fn run(arguments: &Classify, classifier: &Classifier, quiet: bool) -> anyhow::Result<Tally> {
    let Classify { encoding, max_line_bytes, .. } = arguments;
    let options = InputOptions { encoding: encoding.as_deref(), max_line_bytes: *max_line_bytes, quiet };
    let input = Input::open(&arguments.file, options)?;
    let format = format(arguments, &input.source.beginning_text())?;
    check_out(arguments, format)?;
    let bar = input.bar.clone();
    let (first, second) = columns(&arguments.texts, classifier.config());
    let wanted = [&[&*first][..]];
    let TableArguments { delimiter: said, skip_rows, no_header } = arguments.texts.table;
    let tables = TableOptions {
        delimiter: said.map(|said| said.0).or((format != TextFormat::Csv).then_some(b'\t')),
        skip_rows,
        has_header: format != TextFormat::Pairs && !no_header,
        is_quoted: format == TextFormat::Csv || arguments.texts.quoted,
        wanted: &wanted,
    };
    let is_json = format == TextFormat::Jsonl;
    let mut rows = input.into_rows(if is_json { InputFormat::Jsonl } else { InputFormat::Csv }, &tables)?;
    let columns = if format == TextFormat::Pairs { ("1".to_owned(), Some("2".to_owned())) } else { (first, second) };
    let mut table = Table::begin(arguments, classifier, columns, &mut rows)?;
    loop {
        interrupt::check()?;
        let mut piece = table.first.take().into_iter().collect::<Vec<_>>();
        while piece.len() < PIECE
            && let Some(record) = rows.next()?
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
    table.writer.finish()?;
    Ok(table.tally)
}

/// Returns the format of the user, else that which the file tells.
fn format(arguments: &Classify, beginning: &str) -> Result<TextFormat, UsageError> {
    if by_extension(&arguments.file) == Some(InputFormat::Parquet) && arguments.texts.input_format.is_none() {
        return Err(UsageError("classify reads CSV, TSV and JSONL; convert the Parquet table to one of them".into()));
    }
    let detected = || TextFormat::detect(&arguments.file, beginning);
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

/// Where the texts of a row are.
enum Places {
    Cells { first: usize, second: Option<usize>, width: usize },
    Fields { first: String, second: Option<String> },
}

/// A row with its texts; none where it cannot be read.
struct Row {
    record: Record,
    texts: Option<(String, Option<String>)>,
}

struct Table<'a> {
    arguments: &'a Classify,
    classifier: &'a Classifier,
    encoding: Encoding,
    places: Places,
    /// First row, where it was read to find the columns.
    first: Option<Record>,
    writer: RowWriter,
    /// Number of columns that rows gain.
    added: usize,
    tally: Tally,
}

impl<'a> Table<'a> {
    /// Finds the columns, opens the output and writes the header.
    fn begin(
        arguments: &'a Classify,
        classifier: &'a Classifier,
        (first, second): (String, Option<String>),
        rows: &mut Rows,
    ) -> anyhow::Result<Self> {
        check_pair(second.is_some(), classifier.config())?;
        let encoding = rows.encoding;
        let (places, present, leading, header, first) = match &mut rows.form {
            Form::Table(table) => {
                let place = |name: &str, flag: &str| table_column(table, Some(name), flag);
                let second = second.map(|second| place(&second, "--second")).transpose()?;
                let places = Places::Cells { first: place(&first, "--first")?, second, width: table.columns.len() };
                (places, table.columns.clone(), std::mem::take(&mut table.leading), table.header.take(), None)
            }
            _ => {
                let record = rows.next()?.with_context(|| format!("{} is empty", arguments.file.display()))?;
                let present = object(&record, encoding).unwrap_or_default().into_iter().map(|(field, _)| field);
                (Places::Fields { first, second }, present.collect(), Vec::new(), None, Some(record))
            }
        };
        let plain: &[&str] = if classifier.config().is_regression() { &["value"] } else { &["label", "probability"] };
        let added = free_names(&present, plain);
        let (tally, gained) = (Tally::of(classifier.labels()), added.len());
        let mut writer =
            RowWriter::open(arguments.out.as_deref(), rows, present.len(), added)?.csv_safe(arguments.csv_safe);
        writer.begin(leading, header, &[])?;
        Ok(Self { arguments, classifier, encoding, places, first, writer, added: gained, tally })
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
            match row.texts.take().and_then(|_| scores.next()) {
                Some(scores) => {
                    let values = self.values(&scores);
                    self.writer.put(row.record, &values)?;
                }
                None => self.pass(row.record)?,
            }
        }
        Ok(self.writer.flush()?)
    }

    /// Writes a row without an answer: one of a table with as many cells as the others, an empty line and what is no object as it is.
    fn pass(&mut self, record: Record) -> anyhow::Result<()> {
        match self.places {
            Places::Cells { .. } if !record.is_blank() => self.writer.put(record, &vec![Value::Null; self.added]),
            _ => self.writer.pass(&record),
        }
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
        if record.is_blank() {
            return Ok(Row { record, texts: None });
        }
        let (line, path) = (record.line, &self.arguments.file);
        let texts = match &self.places {
            Places::Cells { first, second, width, .. } => {
                if record.width() > *width {
                    let message = format!(
                        "{}:{line}: row has {}, the first row has {width}",
                        path.display(),
                        counted(record.width() as u64, "cell")
                    );
                    let hint = "quote cells that hold the delimiter".into();
                    return Err(Advised { message, hint, code: ExitCode::Failure }.into());
                }
                let text = |place: usize| {
                    let missing = || format!("row has {} of {width} cells", record.width());
                    let cell = record.cell(place).ok_or_else(missing)?;
                    self.encoding.decode(cell).ok_or_else(|| "not in the expected encoding (say --encoding)".to_owned())
                };
                texts(text(*first), second.map(text))
            }
            Places::Fields { first, second } => match object(&record, self.encoding) {
                Err(message) => Err(message),
                Ok(object) => {
                    self.writer.check_fields(&object, path, line)?;
                    let text = |field: &String| text_of(&object, field);
                    texts(text(first), second.as_ref().map(text))
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
        Ok(Row { record, texts })
    }
}

/// The texts of a row, or why there are none.
fn texts(
    first: Result<String, String>,
    second: Option<Result<String, String>>,
) -> Result<(String, Option<String>), String> {
    Ok((first?, second.transpose()?))
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
