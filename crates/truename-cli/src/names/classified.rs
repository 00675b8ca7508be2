//! Tables of texts that gain labels and probabilities, or values.

use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use serde_json::Value;
use truename_error::{counted, grouped};
use truename_eval::{TextFormat, TextLayout, check_pair};
use truename_infer::{Classification, Classifier, ClassifyText};
use truename_read::{Encoding, Record, RowFormat, Source, TableOptions};

use super::added::free_names;
use super::cells::Cells;
use super::input::{Input, InputOptions, by_extension, first_fields, layout, refused};
use super::row_writer::RowWriter;
use super::walk::{Answerer, walk};
use crate::arguments::{Classify, InputFormat, TableArguments, TextArguments};
use crate::bars::is_in_the_way;
use crate::exit_code::UsageError;
use crate::output::Output;
use crate::problems::{Fault, MalformedRows};

/// Classifies the texts of files and writes their rows with the answers.
pub fn run(arguments: &Classify, classifier: &Classifier, quiet: bool) -> anyhow::Result<(Tally, MalformedRows)> {
    let Classify { encoding, max_line_bytes, .. } = arguments;
    let options = InputOptions {
        encoding: encoding.as_deref(),
        max_line_bytes: *max_line_bytes,
        row_range: None,
        quiet: quiet || is_in_the_way(arguments.out.as_ref()),
    };
    let TextArguments { first, second, .. } = &arguments.texts;
    let TextLayout { first, second, .. } =
        TextLayout::of_model(classifier.config(), first.clone(), second.clone(), None);
    let wanted = [&[&*first][..]];
    let mut input = Input::open(
        &arguments.files,
        options,
        |source, first| told(arguments, source, first),
        |format| {
            check_out(arguments, format)?;
            Ok(texts_layout(arguments, format, &wanted)?)
        },
    )?;
    let is_ditto = input.format == InputFormat::Text;
    let (first, second) = if is_ditto { ("1".to_owned(), Some("2".to_owned())) } else { (first.clone(), second) };
    let header_note = input.header_note(arguments.texts.first.as_deref().as_slice());
    let mut texts = Texts::open(arguments, classifier, (first, second), &mut input)?;
    if !quiet {
        header_note.iter().for_each(|note| crate::say!("{note}"));
    }
    let mut malformed = MalformedRows::new(arguments.strict);
    walk(input, &mut texts, &mut malformed, "text")?;
    texts.writer.finish()?;
    Ok((texts.tally, malformed))
}

/// Returns the format of the user, else that which the file tells. The lines of Ditto are told as text.
fn told(arguments: &Classify, source: &Source, first: Option<InputFormat>) -> InputFormat {
    if source.is_parquet() && arguments.texts.input_format.is_none() {
        return InputFormat::Parquet;
    }
    let detected = || TextFormat::detect(source.path(), &source.beginning_text());
    match arguments.texts.input_format.unwrap_or_else(detected) {
        TextFormat::Csv => InputFormat::Csv,
        TextFormat::Jsonl => InputFormat::Jsonl,
        TextFormat::Pairs => InputFormat::Text,
        _ if by_extension(source.path()).is_some() => InputFormat::Tsv,
        _ => first.unwrap_or(InputFormat::Tsv),
    }
}

/// Returns the form of the rows of a format. The lines of Ditto are a table without a header.
fn texts_layout<'a>(
    arguments: &Classify,
    format: InputFormat,
    wanted: &'a [&'a [&'a str]],
) -> Result<(RowFormat, TableOptions<'a>), UsageError> {
    let TableArguments { no_header, .. } = arguments.texts.table;
    let (format, no_header) = if format == InputFormat::Text { (InputFormat::Tsv, true) } else { (format, no_header) };
    let (form, options) = layout(format, &TableArguments { no_header, ..arguments.texts.table }, wanted)?;
    let is_quoted = format != InputFormat::Tsv || arguments.texts.quoted;
    Ok((form, TableOptions { is_quoted, ..options }))
}

/// Refuses an output of another format than the input; the rows of Parquet are written as CSV.
fn check_out(arguments: &Classify, format: InputFormat) -> Result<(), UsageError> {
    let Some((out, asked)) = arguments.out.as_ref().and_then(|out| Some((out, by_extension(out)?))) else {
        return Ok(());
    };
    let (own, extension) = match format {
        InputFormat::Csv | InputFormat::Parquet => (InputFormat::Csv, "csv"),
        InputFormat::Jsonl => (InputFormat::Jsonl, "jsonl"),
        _ => (InputFormat::Tsv, "tsv"),
    };
    if asked == own {
        return Ok(());
    }
    let message =
        format!("rows are written in the format of the input, and {} is another; call it .{extension}", out.display());
    Err(UsageError(message))
}

/// Texts that are classified.
struct Texts<'a> {
    classifier: &'a Classifier,
    format: RowFormat,
    encoding: Encoding,
    /// Columns of the table, or the fields that are read.
    columns: Vec<String>,
    first: usize,
    second: Option<usize>,
    writer: RowWriter,
    /// Number of columns that rows gain.
    added: usize,
    tally: Tally,
}

impl<'a> Texts<'a> {
    /// Finds the columns, opens the output and writes the header.
    fn open(
        arguments: &Classify,
        classifier: &'a Classifier,
        (first, second): (String, Option<String>),
        input: &mut Input<'_>,
    ) -> anyhow::Result<Self> {
        check_pair(second.is_some(), classifier.config())?;
        let encoding = input.rows.encoding();
        let (columns, present, places) = match input.rows.table() {
            Some(table) => {
                let place = |name: &str, setting| table.named_column(Some(name), setting);
                let second = second.map(|second| place(&second, "second")).transpose()?;
                let first = place(&first, "first")?;
                (table.columns.clone(), table.columns.clone(), (first, second))
            }
            None => {
                let record = input.rows.peek()?.with_context(|| format!("{} is empty", input.files[0].display()))?;
                let present = first_fields(record, encoding).unwrap_or_default();
                let places = (0, second.as_ref().map(|_| 1));
                (std::iter::once(first).chain(second).collect(), present, places)
            }
        };
        let plain: &[&str] = if classifier.config().is_regression() { &["value"] } else { &["label", "probability"] };
        let names = free_names(&present, plain);
        let (tally, added) = (Tally::of(classifier.labels()), names.len());
        let output = Output::open(arguments.out.as_deref())?;
        let mut writer = RowWriter::new(output, &input.rows, present.len(), &names);
        writer = writer.csv_safe(arguments.csv_safe).encoded(arguments.output_encoding.as_deref());
        writer.begin(&mut input.rows, &[])?;
        let (format, (first, second)) = (input.rows.format(), places);
        Ok(Self { classifier, format, encoding, columns, first, second, writer, added, tally })
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

    /// Finds the texts of a row, or why there are none.
    fn texts(&self, record: &Record, path: &Path) -> anyhow::Result<Result<Text, String>> {
        let (line, width) = (record.line, self.columns.len());
        if self.format == RowFormat::Table && record.width() > width {
            let message = format!("row has {}, the first row has {width}", counted(record.width() as u64, "cell"));
            return Err(refused(path, line, &message, "quote cells that hold the delimiter"));
        }
        let cells = match Cells::of(record, self.format, self.encoding) {
            Ok(cells) => cells,
            Err(message) => return Ok(Err(message)),
        };
        if let Some(fields) = cells.fields() {
            self.writer.check_fields(fields, path, line)?;
        }
        let text = |at| cells.text(&self.columns, at);
        Ok(text(self.first).and_then(|first| Ok((first, self.second.map(text).transpose()?))))
    }
}

/// A text, or a pair of texts.
type Text = (String, Option<String>);

impl Answerer for Texts<'_> {
    type Text = Text;
    type Answer = Vec<f32>;

    fn read(&self, record: &Record, path: &Path, faults: &mut Vec<Fault>) -> anyhow::Result<Option<Text>> {
        if record.is_blank() {
            return Ok(None);
        }
        Ok(self.texts(record, path)?.map_err(|message| faults.push(Fault::unanswered(message))).ok())
    }

    fn answer(&mut self, texts: &[Text]) -> anyhow::Result<Vec<Vec<f32>>> {
        let texts: Vec<ClassifyText<'_>> =
            texts.iter().map(|(first, second)| ClassifyText { first, second: second.as_deref() }).collect();
        let Classification { scores, truncated, .. } = self.classifier.classify(&texts)?;
        self.tally.texts += scores.len() as u64;
        self.tally.truncated += truncated.len() as u64;
        Ok(scores)
    }

    fn write(&mut self, record: Record, _: Text, scores: &Vec<f32>) -> anyhow::Result<()> {
        let values = self.values(scores);
        self.writer.put(record, &values)
    }

    /// Writes a row of a table with as many cells as the others, an object with all fields, and an empty line as it is.
    fn pass(&mut self, record: Record, fault: Option<&str>) -> anyhow::Result<()> {
        match self.format {
            RowFormat::Table if !record.is_blank() => self.writer.put(record, &vec![Value::Null; self.added]),
            RowFormat::Objects if Cells::of(&record, self.format, self.encoding).is_ok() => {
                self.writer.put(record, &vec![Value::Null; self.added])
            }
            _ => self.writer.pass(&record, fault),
        }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        Ok(self.writer.flush()?)
    }
}

/// Counts of a run.
#[derive(Default)]
pub struct Tally {
    texts: u64,
    truncated: u64,
    /// Names of the labels, and the number of texts with each.
    names: Vec<String>,
    labels: Vec<u64>,
}

impl Tally {
    fn of(labels: &[String]) -> Self {
        Self { names: labels.to_vec(), labels: vec![0; labels.len()], ..Self::default() }
    }

    pub fn report(&self, start: Instant) {
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
