//! The walk over the rows of an input: their texts are read, answered together, and the rows written in order.
//!
//! A pipe that is idle gets the answers to all that it sent.

use std::path::Path;

use anyhow::Context;
use truename_error::counted;
use truename_read::{Record, RowFormat, Rows};

use super::input::{Input, NO_OBJECT};
use crate::interrupt;
use crate::problems::{Fault, MalformedRows};

/// Rows answered together.
const PIECE: usize = 4096;
/// Maximum bytes of rows answered together; no further row is read beyond it.
const PIECE_BYTES: usize = 16 << 20;

/// Reads the texts of rows, answers them, and writes the rows.
pub trait Answerer {
    /// The text of a row.
    type Text;
    type Answer;

    /// Returns the text of a row, if it has one; what is wrong with the row is added to `faults`.
    fn read(&self, record: &Record, path: &Path, faults: &mut Vec<Fault>) -> anyhow::Result<Option<Self::Text>>;

    fn answer(&mut self, texts: &[Self::Text]) -> anyhow::Result<Vec<Self::Answer>>;

    /// Writes a row with its answer.
    fn write(&mut self, record: Record, text: Self::Text, answer: &Self::Answer) -> anyhow::Result<()>;

    /// Writes a row that has no text: it is empty, or has a fault.
    fn pass(&mut self, record: Record, fault: Option<&str>) -> anyhow::Result<()>;

    /// Flushes what the reader of a pipe waits for.
    fn flush(&mut self) -> anyhow::Result<()>;

    /// Returns the number of rows that an earlier run answered, which are passed over.
    fn answered_before(&self) -> u64 {
        0
    }

    /// Begins to write, behind the rows of an earlier run.
    fn go_on(&mut self) {}

    /// Records that so many rows are answered.
    fn save(&mut self, _rows: u64) -> anyhow::Result<()> {
        Ok(())
    }
}

/// Walks over the rows of an input; `noun` is what a text is called.
///
/// # Errors
/// If a file cannot be read to its end, no row has a text and some are malformed, or the results cannot be written.
pub fn walk(
    mut input: Input<'_>,
    answerer: &mut impl Answerer,
    malformed: &mut MalformedRows,
    noun: &str,
) -> anyhow::Result<()> {
    let (mut rows, mut answered) = (answerer.answered_before(), 0);
    for _ in 0..rows {
        interrupt::check()?;
        let Some(record) = input.rows.read()? else { break };
        answered += u64::from(text(&record, &input.rows, &*answerer, malformed)?.is_ok());
    }
    answerer.go_on();
    // The header is written already.
    answerer.flush()?;
    while let Some((records, texts)) = read(&mut input.rows, &*answerer, malformed)? {
        let answers = answerer.answer(&texts)?;
        (rows, answered) = (rows + records.len() as u64, answered + answers.len() as u64);
        let mut answers = texts.into_iter().zip(answers);
        for (record, state) in records {
            match state {
                Ok(()) => {
                    let (text, answer) = answers.next().context("a row has no answer")?;
                    answerer.write(record, text, &answer)?;
                }
                Err(fault) => answerer.pass(record, fault.as_deref())?,
            }
        }
        answerer.flush()?;
        answerer.save(rows)?;
        input.bar.set_message(counted(answered, noun));
    }
    input.bar.finish_and_clear();
    let hint = match input.rows.format() {
        RowFormat::Objects => NO_OBJECT,
        RowFormat::Lines | RowFormat::Table => "say the encoding and the format of the file, or mend it",
    };
    Ok(malformed.check(answered, hint)?)
}

/// A row that has a text; else its fault, which an empty row lacks.
type State<T> = Result<T, Option<String>>;

/// Rows with their states, and the texts of those that have one.
type Piece<T> = (Vec<(Record, State<()>)>, Vec<T>);

fn read<T: Answerer>(
    rows: &mut Rows<'_>,
    answerer: &T,
    malformed: &mut MalformedRows,
) -> anyhow::Result<Option<Piece<T::Text>>> {
    interrupt::check()?;
    let (mut records, mut texts, mut bytes) = (Vec::new(), Vec::new(), 0);
    while records.len() < PIECE && bytes < PIECE_BYTES {
        if !records.is_empty() && rows.is_idle()? {
            break;
        }
        let Some(record) = rows.read()? else { break };
        let state = text(&record, rows, answerer, malformed)?.map(|text| texts.push(text));
        bytes += record.content().len();
        records.push((record, state));
    }
    Ok((!records.is_empty()).then_some((records, texts)))
}

/// Returns the text of a row, and counts its faults.
fn text<T: Answerer>(
    record: &Record,
    rows: &Rows<'_>,
    answerer: &T,
    malformed: &mut MalformedRows,
) -> anyhow::Result<State<T::Text>> {
    let mut faults = Vec::new();
    let text = answerer.read(record, rows.path(), &mut faults)?;
    let last = faults.last().map(|fault| fault.message.clone());
    faults.into_iter().try_for_each(|fault| malformed.add(rows.path(), record.line, fault))?;
    Ok(text.ok_or(last))
}
