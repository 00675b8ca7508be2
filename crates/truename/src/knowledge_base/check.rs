//! Checks a knowledge base for damage and frees unused space.

use std::path::Path;

use truename_kb::{Comparison, Store};

use super::KnowledgeBase;
use super::import::read_provenance;
use super::pack::{folder_of, is_pack, not_written};
use super::vector_sets::VectorSets;
use crate::{Error, FeatureSet, Ranker};

impl KnowledgeBase {
    /// Checks for damage by comparing the file with its checksums, without trusting its contents. Also reads every
    /// record if checksums are missing or `deep` is set.
    ///
    /// # Errors
    /// If anything is damaged ([`Error::is_damaged`]); the first damage found is reported.
    pub fn check(path: &Path, deep: bool) -> Result<Comparison, Error> {
        let path = &folder_of(path)?;
        let compared = Store::compare(path)?;
        let all_compared = matches!(compared, Comparison::Intact | Comparison::UnusedDiffers);
        if deep || !all_compared {
            Self::open(path)?.check_records()?;
        }
        let kb = Self::open(path)?;
        kb.attached_encoder()?;
        kb.attached_recognizer()?;
        kb.attached_retriever()?;
        kb.attached_reranker()?;
        drop(kb);
        Ok(compared)
    }

    fn check_records(&self) -> Result<(), Error> {
        let snapshot = self.store.snapshot()?;
        snapshot.check()?;
        self.indexes.ngrams.check(snapshot.transaction(), snapshot.next_name()?.0)?;
        for set in VectorSets::read(&snapshot)?.all() {
            self.indexes.vectors.set(set.number).check(snapshot.transaction())?;
        }
        read_provenance(&snapshot)?;
        for features in FeatureSet::ALL {
            if let Some(bytes) = snapshot.meta(features.meta_key())? {
                Ranker::from_bytes(bytes, features)?;
            }
        }
        Ok(())
    }

    /// Rewrites a knowledge base without the bytes that updates left unused. Returns the file sizes before and after.
    ///
    /// # Errors
    /// If it is damaged or a pack, or another process or another [`KnowledgeBase`] has it open; it then stays as it was.
    pub fn compact(path: &Path) -> Result<(u64, u64), Error> {
        if is_pack(path) { Err(not_written(path)) } else { truename_kb::compact(path) }
    }
}
