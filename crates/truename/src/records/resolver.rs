use std::sync::Arc;

use truename_kb::Progress;

use super::clusters::uncompared;
use super::{Clusters, PairScorer, RecordPair, ScoredPair, Tables};
use crate::Error;

/// Default of the lowest probability of a match.
const THRESHOLD: f64 = 0.5;
/// Pairs compared between two looks at the progress.
const PIECE: usize = 4096;

/// Compares candidate pairs and puts records that match into one cluster.
pub struct Resolver<'a> {
    scorer: &'a dyn PairScorer,
    threshold: f64,
    one_to_one: bool,
    progress: Arc<Progress>,
}

/// The compared pairs and the clusters of all records.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Resolution {
    /// Every compared pair, by row.
    pub pairs: Vec<ScoredPair>,
    /// The cluster of each record.
    pub clusters: Clusters,
}

impl<'a> Resolver<'a> {
    /// Creates a resolver with a threshold of one half.
    pub fn new(scorer: &'a dyn PairScorer) -> Self {
        Self { scorer, threshold: THRESHOLD, one_to_one: false, progress: Arc::default() }
    }

    /// Sets the lowest probability of a match.
    #[must_use]
    pub fn threshold(self, threshold: f64) -> Self {
        Self { threshold, ..self }
    }

    /// Matches each record with at most one other.
    #[must_use]
    pub fn one_to_one(self, one_to_one: bool) -> Self {
        Self { one_to_one, ..self }
    }

    /// Reports to a progress, and stops when it says so.
    #[must_use]
    pub fn progress(self, progress: Arc<Progress>) -> Self {
        Self { progress, ..self }
    }

    /// Compares the candidates, each given once, and clusters the records. The pairs of a cluster of up to fifty records are
    /// all compared, for the candidates may lack some that speak against it.
    ///
    /// # Errors
    /// If the scorer fails, or [`Error::is_interrupted`].
    pub fn resolve(&self, tables: Tables<'_>, candidates: &[RecordPair]) -> Result<Resolution, Error> {
        let mut pairs = self.scored(candidates)?;
        if self.one_to_one {
            let clusters = Clusters::one_to_one(tables, &pairs, self.threshold);
            return Ok(Resolution { pairs, clusters });
        }
        let further = uncompared(tables, &pairs, self.threshold);
        pairs.extend(self.scored(&further)?);
        pairs.sort_by_key(|scored| scored.pair);
        let clusters = Clusters::by_linkage(tables, &pairs, self.threshold);
        Ok(Resolution { pairs, clusters })
    }

    fn scored(&self, pairs: &[RecordPair]) -> Result<Vec<ScoredPair>, Error> {
        self.progress.begin("comparing", pairs.len() as u64);
        let mut scored = Vec::with_capacity(pairs.len());
        for piece in pairs.chunks(PIECE) {
            self.progress.check()?;
            let probabilities = self.scorer.score(piece)?;
            let together = piece.iter().zip(probabilities);
            scored.extend(together.map(|(pair, probability)| ScoredPair { pair: *pair, probability }));
            self.progress.advance(piece.len() as u64);
        }
        Ok(scored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{Blocking, LexicalScorer, Record};

    struct Fixed(Vec<(u32, u32, f64)>);

    impl PairScorer for Fixed {
        fn score(&self, pairs: &[RecordPair]) -> Result<Vec<f64>, Error> {
            let of =
                |pair: &RecordPair| self.0.iter().find(|(left, right, _)| (*left, *right) == (pair.left, pair.right));
            Ok(pairs.iter().map(|pair| of(pair).map_or(0.0, |(.., probability)| *probability)).collect())
        }
    }

    fn rows(names: &[&str]) -> Vec<Record> {
        let columns = ["name".to_owned()].into();
        names.iter().map(|name| Record::new(&columns, vec![(*name).to_owned()])).collect()
    }

    #[test]
    fn a_chain_is_compared_whole_before_it_is_a_cluster() {
        let records = rows(&["a", "b", "c"]);
        let scorer = Fixed(vec![(0, 1, 0.9), (1, 2, 0.8), (0, 2, 0.05)]);
        let pair = |left, right| RecordPair { left, right };
        let found = Resolver::new(&scorer).resolve(Tables::One(&records), &[pair(0, 1), pair(1, 2)]).unwrap();
        assert_eq!(
            found.pairs.iter().map(|scored| scored.pair).collect::<Vec<_>>(),
            [pair(0, 1), pair(0, 2), pair(1, 2)]
        );
        assert!(found.clusters.has(pair(0, 1)) && !found.clusters.has(pair(1, 2)));
        let stopped = Arc::new(Progress::default());
        stopped.stop();
        let resolver = Resolver::new(&scorer).progress(stopped);
        assert!(resolver.resolve(Tables::One(&records), &[pair(0, 1)]).unwrap_err().is_interrupted());
    }

    #[test]
    fn the_answer_does_not_depend_on_the_number_of_threads() {
        let names: Vec<String> = (0..600).map(|row| format!("product {} mk{} blue", row % 300, row % 7)).collect();
        let records = rows(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let resolved = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let tables = Tables::One(&records);
                let candidates = Blocking::new().neighbours(5).pairs(tables).unwrap().pairs;
                Resolver::new(&LexicalScorer::new(tables)).resolve(tables, &candidates).unwrap()
            })
        };
        assert_eq!(resolved(1), resolved(3));
    }
}
