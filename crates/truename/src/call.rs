//! Reads one version of the store during a whole call, whatever is committed meanwhile.

use rayon::prelude::*;
use truename_kb::Snapshot;

use crate::{Error, KnowledgeBase};

/// A call that reads one version of a knowledge base on all threads.
///
/// A read transaction belongs to one thread at a time, so each thread opens its own. If its transaction has a later
/// version, the work is repeated with the call's transaction.
pub(crate) struct Call<'kb> {
    kb: &'kb KnowledgeBase,
    snapshot: Snapshot<'kb>,
}

impl<'kb> Call<'kb> {
    /// Begins a call at the last committed version.
    pub(crate) fn begin(kb: &'kb KnowledgeBase) -> Result<Self, Error> {
        Ok(Self { kb, snapshot: kb.store.snapshot()? })
    }

    /// Returns the call's own snapshot.
    pub(crate) fn snapshot(&self) -> &Snapshot<'kb> {
        &self.snapshot
    }

    /// Returns the version that the call reads.
    pub(crate) fn version(&self) -> u64 {
        self.snapshot.version()
    }

    /// Works on each item with a snapshot of the call's version, on all threads of the current rayon pool.
    ///
    /// # Errors
    /// If `work` or the storage fails; the first error is returned.
    pub(crate) fn each<I: Send, A: Send>(
        &self,
        items: &mut [I],
        work: impl Fn(&Snapshot<'_>, &mut I) -> Result<A, Error> + Sync,
    ) -> Result<Vec<A>, Error> {
        let (kb, version) = (self.kb, self.version());
        let in_parallel = |item: &mut I| -> Result<Option<A>, Error> {
            let snapshot = kb.store.snapshot()?;
            if snapshot.version() == version { work(&snapshot, item).map(Some) } else { Ok(None) }
        };
        let answers: Vec<Option<A>> = items.par_iter_mut().map(in_parallel).collect::<Result<_, _>>()?;
        let at_this_version = |(answer, item): (Option<A>, &mut I)| match answer {
            Some(answer) => Ok(answer),
            None => work(&self.snapshot, item),
        };
        answers.into_iter().zip(items).map(at_this_version).collect()
    }

    /// Works on pieces of at most `size` queries as [`Call::each`] does. `work` gets the index of a piece's first query
    /// and returns one answer a query.
    ///
    /// # Errors
    /// As [`Call::each`].
    pub(crate) fn in_pieces<Q: Sync, A: Send>(
        &self,
        queries: &[Q],
        size: usize,
        work: impl Fn(&Snapshot<'_>, usize, &[Q]) -> Result<Vec<A>, Error> + Sync,
    ) -> Result<Vec<A>, Error> {
        let mut pieces: Vec<(usize, &[Q])> =
            queries.chunks(size).enumerate().map(|(number, piece)| (number * size, piece)).collect();
        let answers = self.each(&mut pieces, |snapshot, (first, piece)| work(snapshot, *first, piece))?;
        Ok(answers.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Concept, ConceptId, ImportOptions};

    #[test]
    fn a_call_sees_one_version_while_another_is_committed() {
        let folder = tempfile::tempdir().unwrap();
        let concept = |id: &str| Concept::new(id.parse().unwrap(), "asthma");
        let kb = KnowledgeBase::create(vec![concept("A:1")], &folder.path().join("kb")).unwrap();
        let call = Call::begin(&kb).unwrap();
        let removed: ConceptId = "A:1".parse().unwrap();
        let more = folder.path().join("more.jsonl");
        std::fs::write(&more, "{\"id\": \"A:2\", \"name\": \"asthma\"}\n").unwrap();
        kb.update(&[more], std::slice::from_ref(&removed), &ImportOptions::default()).unwrap();
        let is_there = |snapshot: &Snapshot<'_>, id: &mut ConceptId| Ok(snapshot.index_of(id)?.is_some());
        let mut ids: Vec<ConceptId> = (0..64).map(|_| removed.clone()).collect();
        assert_eq!(call.each(&mut ids, is_there).unwrap(), [true; 64]);
        assert_eq!(Call::begin(&kb).unwrap().each(&mut ids, is_there).unwrap(), [false; 64]);
        let places: Vec<usize> = call.in_pieces(&[(); 10], 4, |_, first, piece| Ok(vec![first; piece.len()])).unwrap();
        assert_eq!(places, [0, 0, 0, 0, 4, 4, 4, 4, 8, 8]);
    }
}
