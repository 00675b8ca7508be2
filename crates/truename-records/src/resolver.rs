//! Resolution: candidate pairs scored, and records that match clustered.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;
use truename_kb::Progress;

use super::clusters::uncompared;
use super::{Clusters, DistinctRecords, PairScorer, RecordPair, ScoredPair, StandingClusters, Tables};
use crate::Error;

/// Default of the lowest probability of a match.
const THRESHOLD: f64 = 0.5;
/// Most rounds in which pairs within clusters are compared that were not before.
const ROUNDS: usize = 5;
/// Pairs compared between two looks at the progress.
const PIECE: usize = 16_384;

/// Compares candidate pairs and puts records that match into one cluster.
pub struct Resolver<'a> {
    /// Scorer of pairs.
    pub scorer: &'a dyn PairScorer,
    /// Lowest probability of a match.
    pub threshold: f64,
    /// True if each record matches at most one other.
    pub one_to_one: bool,
    /// Clusters of the first rows of one table by an earlier run. Pairs of two such rows are compared only where a new row links their
    /// clusters.
    pub standing: Option<&'a StandingClusters>,
    /// Number of the table that each row of one table came from, where rows of several are compared ([`Blocking::sources`]). One to one means
    /// then that a cluster has at most one row of each.
    ///
    /// [`Blocking::sources`]: crate::Blocking::sources
    pub sources: Option<&'a [u32]>,
    /// Progress of the work, for another thread to watch or stop.
    pub progress: Arc<Progress>,
}

/// The compared pairs and the clusters of all records.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Resolution {
    /// Every compared pair, by row. The first row stands for equal ones; where a table is compared with itself, the first two rows
    /// of equal ones are a pair.
    pub pairs: Vec<ScoredPair>,
    /// One pair within a cluster for each row that no pair of `pairs` names, since it is equal to an earlier one: with that row, or
    /// of two tables with its likeliest match.
    pub equal: Vec<ScoredPair>,
    /// The cluster of each record.
    pub clusters: Clusters,
    /// The distinct records.
    pub distinct: DistinctRecords,
}

impl<'a> Resolver<'a> {
    /// Creates a resolver with a threshold of one half.
    pub fn new(scorer: &'a dyn PairScorer) -> Self {
        Self {
            scorer,
            threshold: THRESHOLD,
            one_to_one: false,
            standing: None,
            sources: None,
            progress: Arc::default(),
        }
    }

    /// Compares the candidates and clusters the records. Equal rows are one record, and are in one cluster if they match each other
    /// or another record. The pairs of a cluster of up to fifty distinct records are all compared, and of a larger one some for each record,
    /// for the candidates may lack some that speak against it. With clusters that stand, the pairs have a new row each.
    ///
    /// # Panics
    /// If there are clusters that stand beside two tables.
    ///
    /// # Errors
    /// If the scorer fails, or [`Error::is_interrupted`].
    pub fn resolve(&self, tables: Tables<'_>, candidates: &[RecordPair]) -> Result<Resolution, Error> {
        let distinct = DistinctRecords::of(tables);
        let first_new = self.standing.map_or(0, StandingClusters::rows);
        let standing = self.standing.map(StandingClusters::first_rows);
        let standing = standing.as_deref();
        let is_new = |pair: &RecordPair| pair.right as usize >= first_new;
        let is_ready = |pair: &RecordPair| distinct.first(*pair) == Some(*pair) && is_new(pair);
        let mut pairs = if candidates.is_sorted_by(|one, other| one < other) && candidates.iter().all(is_ready) {
            self.scored(candidates)?
        } else {
            let firsts = candidates.iter().filter_map(|pair| distinct.first(*pair));
            let mut candidates: Vec<RecordPair> = firsts.filter(is_new).collect();
            candidates.par_sort_unstable();
            candidates.dedup();
            self.scored(&candidates)?
        };
        let is_paired = self.one_to_one && self.sources.is_none();
        for _ in 0..if is_paired { 0 } else { ROUNDS } {
            let missing = uncompared(tables, &pairs, self.threshold, standing);
            if missing.is_empty() {
                break;
            }
            pairs.extend(self.scored(&missing)?);
            pairs.par_sort_unstable_by_key(|scored| scored.pair);
        }
        pairs.extend(self.scored(&self.repeated(tables, &distinct, first_new))?);
        pairs.par_sort_unstable_by_key(|scored| scored.pair);
        let (clusters, mut equal) = if is_paired {
            Clusters::one_to_one(tables, &distinct, &pairs, self.threshold)
        } else {
            let sources = self.sources.filter(|_| self.one_to_one);
            let clusters = Clusters::by_linkage(tables, &pairs, self.threshold, standing, sources);
            let clusters = clusters.with_equal(tables, &distinct, first_new, sources);
            let equal = further(tables, &distinct, &pairs, &clusters);
            (clusters, equal)
        };
        equal.retain(|scored| pairs.binary_search_by_key(&scored.pair, |known| known.pair).is_err());
        equal.sort_by_key(|scored| scored.pair);
        pairs.retain(|scored| is_new(&scored.pair));
        equal.retain(|scored| is_new(&scored.pair));
        Ok(Resolution { pairs, equal, clusters, distinct })
    }

    /// Returns the first row of each record of one table that stands in several, with the next one that is new and of another source; no
    /// records of one of two tables are compared.
    fn repeated(&self, tables: Tables<'_>, distinct: &DistinctRecords, first_new: usize) -> Vec<RecordPair> {
        let Tables::One(_) = tables else { return Vec::new() };
        let is_compared = |(row, first): &(u32, u32)| {
            let [row, first] = [*row as usize, *first as usize];
            row >= first_new && self.sources.is_none_or(|sources| sources[row] != sources[first])
        };
        let mut seen = HashSet::new();
        let further = distinct.left().further().filter(is_compared).filter(|(_, first)| seen.insert(*first));
        further.map(|(row, first)| RecordPair { left: first, right: row }).collect()
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

impl Resolution {
    /// Returns the compared pairs and one pair for each further row of equal ones, by row.
    pub fn all_pairs(&self) -> impl Iterator<Item = ScoredPair> {
        let (mut pairs, mut equal) = (self.pairs.iter().peekable(), self.equal.iter().peekable());
        std::iter::from_fn(move || {
            let is_equal_next = match (pairs.peek(), equal.peek()) {
                (Some(one), Some(other)) => other.pair < one.pair,
                (one, _) => one.is_none(),
            };
            if is_equal_next { equal.next() } else { pairs.next() }.copied()
        })
    }

    /// Returns the probability of the likeliest match of each row within its cluster, for the rows of each table.
    pub fn best(&self, tables: Tables<'_>) -> Vec<Vec<Option<f64>>> {
        let mut best = vec![vec![None; tables.left().len()]];
        if let Tables::Two(_, right) = tables {
            best.push(vec![None; right.len()]);
        }
        let right = best.len() - 1;
        for ScoredPair { pair, probability } in self.pairs.iter().chain(&self.equal) {
            if self.clusters.has(*pair) {
                for (table, row) in [(0, pair.left), (right, pair.right)] {
                    let known = &mut best[table][row as usize];
                    *known = Some(known.map_or(*probability, |known: f64| known.max(*probability)));
                }
            }
        }
        best
    }
}

/// Returns a pair within a cluster for each row that is equal to an earlier one.
fn further(
    tables: Tables<'_>,
    distinct: &DistinctRecords,
    pairs: &[ScoredPair],
    clusters: &Clusters,
) -> Vec<ScoredPair> {
    let is_one = matches!(tables, Tables::One(_));
    let (mut of_left, mut of_right) = (HashMap::new(), HashMap::new());
    let keep = |best: &mut HashMap<u32, ScoredPair>, row: u32, scored: &ScoredPair| {
        let known = best.entry(row).or_insert(*scored);
        if scored.probability > known.probability {
            *known = *scored;
        }
    };
    for scored in pairs.iter().filter(|scored| clusters.has(scored.pair)) {
        if !is_one {
            keep(&mut of_left, scored.pair.left, scored);
            keep(&mut of_right, scored.pair.right, scored);
        } else if distinct.first(scored.pair).is_none() {
            of_left.insert(scored.pair.left, *scored);
        }
    }
    let left = distinct.left().further().filter_map(|(row, first)| {
        let ScoredPair { pair, probability } = *of_left.get(&first)?;
        let pair = if is_one { RecordPair { right: row, ..pair } } else { RecordPair { left: row, ..pair } };
        Some(ScoredPair { pair, probability })
    });
    let right = distinct.right().further().filter_map(|(row, first)| {
        let ScoredPair { pair, probability } = *of_right.get(&first)?;
        Some(ScoredPair { pair: RecordPair { right: row, ..pair }, probability })
    });
    left.chain(right).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blocking, LexicalScorer, Record};

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
        let resolver = Resolver { progress: stopped, ..Resolver::new(&scorer) };
        assert!(resolver.resolve(Tables::One(&records), &[pair(0, 1)]).unwrap_err().is_interrupted());
    }

    #[test]
    fn a_long_chain_falls_apart() {
        let names: Vec<String> = (0..200).map(|row| format!("row {row}")).collect();
        let records = rows(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let chain: Vec<(u32, u32, f64)> = (0..199).map(|row| (row, row + 1, 0.9)).collect();
        let candidates: Vec<RecordPair> =
            chain.iter().map(|(left, right, _)| RecordPair { left: *left, right: *right }).collect();
        let scorer = Fixed(chain);
        let found = Resolver::new(&scorer).resolve(Tables::One(&records), &candidates).unwrap();
        let mut sizes = vec![0; found.clusters.count()];
        (0..200).for_each(|row| sizes[found.clusters.of_left(row) as usize] += 1);
        assert!(sizes.iter().all(|size| *size <= 3), "{sizes:?}");
    }

    #[test]
    fn equal_rows_are_compared_once_and_share_their_cluster() {
        let records = rows(&["a", "b", "a", "c", "a", "b", ""]);
        let of = |found: &Resolution| (0..7).map(|row| found.clusters.of_left(row)).collect::<Vec<_>>();
        let listed =
            |pairs: &[ScoredPair]| pairs.iter().map(|scored| (scored.pair.left, scored.pair.right)).collect::<Vec<_>>();
        let candidates = [RecordPair { left: 2, right: 3 }];
        let resolve = |scorer: &Fixed| Resolver::new(scorer).resolve(Tables::One(&records), &candidates).unwrap();
        let found = resolve(&Fixed(vec![(0, 2, 0.99), (1, 5, 0.99), (0, 3, 0.2)]));
        assert_eq!((of(&found), found.distinct.count()), (vec![0, 1, 0, 2, 0, 1, 3], 4));
        assert_eq!((listed(&found.pairs), listed(&found.equal)), (vec![(0, 2), (0, 3), (1, 5)], vec![(0, 4)]));
        // Equal rows that say too little to match each other are alone, unless they match another record.
        let found = resolve(&Fixed(vec![(0, 2, 0.4), (1, 5, 0.4), (0, 3, 0.2)]));
        assert_eq!((of(&found), listed(&found.equal)), (vec![0, 1, 2, 3, 4, 5, 6], Vec::new()));
        let found = resolve(&Fixed(vec![(0, 2, 0.4), (1, 5, 0.4), (0, 3, 0.9)]));
        assert_eq!((of(&found), listed(&found.equal)), (vec![0, 1, 0, 0, 0, 2, 3], vec![(0, 4)]));
    }

    #[test]
    fn equal_rows_of_two_tables_share_the_match_of_the_first() {
        let (left, right) = (rows(&["a", "b", "a"]), rows(&["x", "c", "x"]));
        let scorer = Fixed(vec![(0, 0, 0.9), (1, 1, 0.1)]);
        let candidates = [RecordPair { left: 2, right: 2 }, RecordPair { left: 1, right: 1 }];
        let found = Resolver::new(&scorer).resolve(Tables::Two(&left, &right), &candidates).unwrap();
        let listed =
            |pairs: &[ScoredPair]| pairs.iter().map(|scored| (scored.pair.left, scored.pair.right)).collect::<Vec<_>>();
        assert_eq!((listed(&found.pairs), listed(&found.equal)), (vec![(0, 0), (1, 1)], vec![(0, 2), (2, 0)]));
        assert!(found.clusters.has(RecordPair { left: 2, right: 2 }) && found.clusters.count() == 3);
    }

    #[test]
    fn rows_of_several_tables_are_compared_with_those_of_others() {
        let records = rows(&["migraine", "migraines", "migraine", "heart attack", "heart attacks", "heart attac"]);
        let (tables, sources) = (Tables::One(&records), [0, 0, 1, 1, 2, 1]);
        let candidates = Blocking { sources: Some(&sources), ..Blocking::default() }.pairs(tables).unwrap().pairs;
        let pair = |left, right| RecordPair { left, right };
        // The record of rows 0 and 2 is of two tables; rows 3 and 5 are of one.
        assert_eq!(candidates, [pair(0, 1), pair(3, 4), pair(4, 5)]);
        let scorer = Fixed(vec![(0, 1, 0.9), (0, 2, 0.99), (3, 4, 0.9), (4, 5, 0.8), (3, 5, 0.7)]);
        let clusters = |one_to_one| {
            let resolver = Resolver { sources: Some(&sources), one_to_one, ..Resolver::new(&scorer) };
            let found = resolver.resolve(tables, &candidates).unwrap();
            (0..6).map(|row| found.clusters.of_left(row)).collect::<Vec<_>>()
        };
        assert_eq!(clusters(false), [0, 0, 0, 1, 1, 1]);
        assert_eq!(clusters(true), [0, 1, 0, 2, 2, 3]);
    }

    #[test]
    fn the_answer_does_not_depend_on_the_number_of_threads() {
        let names: Vec<String> = (0..600).map(|row| format!("product {} mk{} blue", row % 300, row % 7)).collect();
        let records = rows(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let resolved = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let tables = Tables::One(&records);
                let candidates = Blocking { neighbours: 5, ..Blocking::default() }.pairs(tables).unwrap().pairs;
                Resolver::new(&LexicalScorer::new(tables)).resolve(tables, &candidates).unwrap()
            })
        };
        assert_eq!(resolved(1), resolved(3));
    }
}
