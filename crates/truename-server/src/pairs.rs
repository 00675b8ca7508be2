//! Pairs of records that people label, and the file of their labels.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use truename_eval::{PairLabelling, PairModelSource, Question};
use truename_records::{ComparedTables, RecordPair, RecordTables};

use crate::{Error, PairSource, error};

/// Pairs of records to label, with the file of their labels.
pub(crate) struct Pairs {
    pub tables: RecordTables,
    pairs: Vec<RecordPair>,
    labelling: Mutex<PairLabelling>,
    labels: PathBuf,
}

/// The next pairs to label.
pub(crate) struct NextPairs {
    pub questions: Vec<Question>,
    /// Number of labels.
    pub labels: usize,
    /// Number of labels that say that both records stand for the same thing.
    pub matches: usize,
}

impl Pairs {
    /// Takes pairs, with the labels that their file has.
    ///
    /// # Errors
    /// If the file of the labels is malformed or cannot be read.
    pub fn open(source: PairSource) -> Result<Self, Error> {
        let PairSource { tables, pairs, labels, threshold } = source;
        let model = PairModelSource::open(None, labels.exists().then_some(&*labels), None)?;
        let labelling = PairLabelling::new(model, ComparedTables { tables: &tables, pairs: &pairs }, threshold)?;
        Ok(Self { tables, pairs, labelling: Mutex::new(labelling), labels })
    }

    /// Returns the next pairs to label, at most so many, doubtful ones sooner.
    ///
    /// # Errors
    /// If the scorer fails.
    pub fn next(&self, most: usize) -> Result<NextPairs, Error> {
        let mut labelling = self.labelling();
        let compared = ComparedTables { tables: &self.tables, pairs: &self.pairs };
        let questions = labelling.questions(compared, most)?.to_vec();
        let (labels, matches) = labelling.counts();
        Ok(NextPairs { questions, labels, matches })
    }

    /// Keeps the label of a pair that was asked for, by the ids or rows of its records, and returns once the file has it; `None` takes it
    /// back. Returns false if the pair was not asked for.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn label(&self, left: &str, right: &str, is_same: Option<bool>) -> Result<bool, Error> {
        let mut labelling = self.labelling();
        let Some(question) = labelling.asked(&self.tables, left, right) else { return Ok(false) };
        labelling.answer(&self.tables, question, is_same);
        let written = truename_files::write(&self.labels, labelling.to_csv());
        written.map_err(|source| {
            labelling.answer(&self.tables, question, None);
            error::io("write", &self.labels, source)
        })?;
        Ok(true)
    }

    /// Returns the labels as a table with the columns `left`, `right`, `label` and `chance`.
    pub fn csv(&self) -> String {
        self.labelling().to_csv()
    }

    fn labelling(&self) -> MutexGuard<'_, PairLabelling> {
        self.labelling.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
