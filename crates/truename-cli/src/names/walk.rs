//! The walk over the rows of an input: their texts are read, answered together, and the rows written in order.
//!
//! A pipe that is idle gets the answers to all that it sent.

use std::path::Path;

use truename_error::counted;
use truename_read::{Record, Rows};

use super::input::Input;
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

    /// Writes a row that has no text.
    fn pass(&mut self, record: Record) -> anyhow::Result<()>;

    /// Flushes what the reader of a pipe waits for.
    fn flush(&mut self) -> anyhow::Result<()>;
}

/// Walks over the rows of an input; `noun` is what a text is called.
///
/// # Errors
/// If a file cannot be read to its end, or the results cannot be written.
pub fn walk(
    mut input: Input<'_>,
    answerer: &mut impl Answerer,
    malformed: &mut MalformedRows,
    noun: &str,
) -> anyhow::Result<()> {
    let mut answered = 0;
    // The header is written already.
    answerer.flush()?;
    while let Some((records, texts)) = read(&mut input.rows, &*answerer, malformed)? {
        let answers = answerer.answer(&texts)?;
        answered += answers.len() as u64;
        let mut answers = texts.into_iter().zip(answers);
        for (record, is_text) in records {
            match is_text.then(|| answers.next()).flatten() {
                Some((text, answer)) => answerer.write(record, text, &answer)?,
                None => answerer.pass(record)?,
            }
        }
        answerer.flush()?;
        input.bar.set_message(counted(answered, noun));
    }
    input.bar.finish_and_clear();
    Ok(())
}

/// Rows, each with true if it has a text, and these texts.
type Piece<T> = (Vec<(Record, bool)>, Vec<T>);

fn read<T: Answerer>(
    rows: &mut Rows<'_>,
    answerer: &T,
    malformed: &mut MalformedRows,
) -> anyhow::Result<Option<Piece<T::Text>>> {
    interrupt::check()?;
    let (mut records, mut texts, mut bytes, mut faults) = (Vec::new(), Vec::new(), 0, Vec::new());
    while records.len() < PIECE && bytes < PIECE_BYTES {
        if !records.is_empty() && rows.is_idle()? {
            break;
        }
        let Some(record) = rows.read()? else { break };
        let text = answerer.read(&record, rows.path(), &mut faults)?;
        faults.drain(..).try_for_each(|fault| malformed.add(rows.path(), record.line, fault))?;
        bytes += record.content().len();
        records.push((record, text.is_some()));
        texts.extend(text);
    }
    Ok((!records.is_empty()).then_some((records, texts)))
}
