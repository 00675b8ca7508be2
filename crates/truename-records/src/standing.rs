//! Clusters that stand: those that an earlier run gave the first rows of a table.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use truename_read::{column, folded};

use super::{Clusters, RecordTable};
use crate::Error;

/// Name of the column of probabilities.
const PROBABILITY: &str = "probability";

/// The clusters of the first rows of a table by an earlier run. They may grow and be joined, and never part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingClusters {
    /// Number of the cluster of each row.
    rows: Vec<u32>,
    /// Ids of the clusters, by their first rows.
    ids: Vec<String>,
}

/// A table with the clusters that an earlier run gave its rows.
#[derive(Clone, Debug)]
pub struct ClusteredTable {
    /// The rows without the columns of the clusters and the probabilities.
    pub table: RecordTable,
    /// The clusters of the rows.
    pub clusters: StandingClusters,
    /// Probability of the likeliest match of each row as it is written; none if the table has no such column.
    pub probabilities: Vec<String>,
}

impl ClusteredTable {
    /// Takes the column of the clusters and that of the probabilities behind it out of a table.
    ///
    /// # Errors
    /// If there is no such column.
    pub fn new(mut table: RecordTable, cluster_column: &str) -> Result<Self, Error> {
        let place = column(&table.columns, cluster_column).map_err(|error| error.advised("cluster_column"))?;
        let is_probability = |name: &String| folded(name).starts_with(PROBABILITY);
        let has_probabilities = table.columns.get(place + 1).is_some_and(is_probability);
        let probabilities = if has_probabilities { table.take_column(place + 1) } else { Vec::new() };
        let ids = table.take_column(place);
        Ok(Self { table, clusters: StandingClusters::new(ids.iter().map(String::as_str)), probabilities })
    }

    /// Puts new rows behind those of the table.
    #[must_use]
    pub fn with(self, new: RecordTable) -> Self {
        let name = format!("{} and {}", self.table.name, new.name);
        Self { table: RecordTable::union(name, &[self.table, new]), ..self }
    }
}

/// The ids of clusters, and those that were joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClusterIds {
    /// Id of each cluster, by number; none where they are numbered.
    ids: Option<Vec<String>>,
    /// Ids of clusters that stood and are a part of another one now, each with the id of that.
    pub joined: Vec<(String, String)>,
}

impl ClusterIds {
    /// Returns the id of a cluster: that of an earlier run, else its number from 1.
    ///
    /// # Panics
    /// If ids are given and there is no such cluster.
    pub fn id(&self, cluster: u32) -> Cow<'_, str> {
        match &self.ids {
            Some(ids) => ids[cluster as usize].as_str().into(),
            None => (u64::from(cluster) + 1).to_string().into(),
        }
    }
}

impl StandingClusters {
    /// Collects clusters by the id that each row has; a row with an empty one is in a cluster of its own that has no id yet.
    pub fn new<'a>(ids: impl IntoIterator<Item = &'a str>) -> Self {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let (mut rows, mut known) = (Vec::new(), Vec::new());
        for id in ids.into_iter().map(str::trim) {
            let next = known.len() as u32;
            let number = if id.is_empty() { next } else { *numbers.entry(id).or_insert(next) };
            if number == next {
                known.push(id.to_owned());
            }
            rows.push(number);
        }
        Self { rows, ids: known }
    }

    /// Returns the number of rows that an earlier run clustered; new ones are behind them.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Returns the first row of the cluster of each row.
    pub(super) fn first_rows(&self) -> Vec<u32> {
        let mut firsts: HashMap<u32, u32> = HashMap::new();
        (0..).zip(&self.rows).map(|(row, number)| *firsts.entry(*number).or_insert(row)).collect()
    }

    /// Returns the id of each cluster of all rows. One that stood keeps its id, of several the oldest: the least number, of others that of
    /// the first row. New ones are numbered behind the greatest number.
    pub fn ids(&self, clusters: &Clusters) -> ClusterIds {
        let age = |number: u32| (self.ids[number as usize].parse().unwrap_or(u64::MAX), number);
        let mut standing: BTreeMap<u32, Vec<(u64, u32)>> = BTreeMap::new();
        for (row, number) in (0..).zip(&self.rows).filter(|(_, number)| !self.ids[**number as usize].is_empty()) {
            standing.entry(clusters.of_left(row)).or_default().push(age(*number));
        }
        let mut next = self.ids.iter().filter_map(|id| id.parse::<u64>().ok()).max().unwrap_or_default();
        let (mut ids, mut all_joined) = (Vec::new(), Vec::new());
        for cluster in 0..clusters.count() as u32 {
            let mut joined = standing.remove(&cluster).unwrap_or_default();
            joined.sort_unstable();
            joined.dedup();
            let mut joined = joined.into_iter().map(|(_, number)| self.ids[number as usize].clone());
            let id = joined.next().unwrap_or_else(|| {
                next += 1;
                next.to_string()
            });
            all_joined.extend(joined.map(|gone| (gone, id.clone())));
            ids.push(id);
        }
        ClusterIds { ids: Some(ids), joined: all_joined }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PairScorer, Record, RecordPair, Resolver, Tables};

    struct Fixed(Vec<(u32, u32, f64)>);

    impl PairScorer for Fixed {
        fn score(&self, pairs: &[RecordPair]) -> Result<Vec<f64>, Error> {
            let of = |pair: &RecordPair| self.0.iter().find(|known| (known.0, known.1) == (pair.left, pair.right));
            Ok(pairs.iter().map(|pair| of(pair).map_or(0.0, |known| known.2)).collect())
        }
    }

    fn extended(
        rows: &[&str],
        ids: &[&str],
        scores: &[(u32, u32, f64)],
    ) -> (Vec<String>, Vec<(String, String)>, Vec<RecordPair>) {
        let columns = ["name".to_owned()].into();
        let records: Vec<Record> = rows.iter().map(|row| Record::new(&columns, vec![(*row).to_owned()])).collect();
        let standing = StandingClusters::new(ids.iter().copied());
        let scorer = Fixed(scores.to_vec());
        let candidates: Vec<RecordPair> =
            scores.iter().map(|(left, right, _)| RecordPair { left: *left, right: *right }).collect();
        let resolver = Resolver { standing: Some(&standing), ..Resolver::new(&scorer) };
        let found = resolver.resolve(Tables::One(&records), &candidates).unwrap();
        let ids = standing.ids(&found.clusters);
        let joined = ids.joined.clone();
        let of = |row| ids.id(found.clusters.of_left(row)).into_owned();
        ((0..rows.len() as u32).map(of).collect(), joined, found.pairs.iter().map(|scored| scored.pair).collect())
    }

    #[test]
    fn clusters_and_probabilities_are_no_values() {
        let strings = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let rows = [["a", "4", "0.9"], ["b", "", ""]];
        let done = RecordTable::new("done", strings(&["name", "Cluster", "probability"]), rows);
        let refused = ClusteredTable::new(done.clone(), "clusters").unwrap_err();
        assert_eq!(refused.hint().unwrap().to_string(), "did you mean `cluster_column = Cluster`?");
        let done = ClusteredTable::new(done, "cluster").unwrap();
        assert_eq!(
            (&done.table.columns[..], &done.probabilities[..]),
            (&strings(&["name"])[..], &strings(&["0.9", ""])[..])
        );
        let new = RecordTable::new("new", strings(&["city", "name"]), [["c", "d"]]);
        let both = done.with(new);
        assert_eq!((both.table.name.as_str(), both.clusters.rows()), ("done and new", 2));
        let rows: Vec<Vec<&str>> = (0..3).map(|row| both.table.row(row).collect()).collect();
        assert_eq!(rows, [["a", ""], ["b", ""], ["d", "c"]]);
    }

    #[test]
    fn new_rows_join_the_clusters_that_stand_or_make_new_ones() {
        // Rows 0 and 1 are one, whatever their pair says; 4 joins them, 5 and 6 are new.
        let scores = [(0, 1, 0.1), (0, 4, 0.9), (1, 4, 0.6), (2, 4, 0.2), (5, 6, 0.8), (2, 3, 0.9)];
        let (ids, joined, pairs) = extended(&["a", "b", "c", "d", "e", "f", "g"], &["7", "7", "2", "9"], &scores);
        assert_eq!((ids, joined), (["7", "7", "2", "9", "7", "10", "10"].map(str::to_owned).to_vec(), Vec::new()));
        assert!(pairs.iter().all(|pair| pair.right >= 4), "{pairs:?}");
    }

    #[test]
    fn a_new_row_joins_two_clusters_only_if_their_pairs_agree() {
        let with = |others: f64| extended(&["a", "b", "c"], &["8", "3"], &[(0, 2, 0.9), (1, 2, 0.8), (0, 1, others)]);
        let (ids, joined, _) = with(0.7);
        assert_eq!((ids, joined), (vec!["3".to_owned(); 3], vec![("8".to_owned(), "3".to_owned())]));
        let (ids, joined, _) = with(0.1);
        assert_eq!((ids, joined), (["8", "3", "8"].map(str::to_owned).to_vec(), Vec::new()));
    }

    #[test]
    fn a_row_that_is_there_already_follows_it_and_equal_rows_that_stand_apart_stay() {
        let scores = [(0, 2, 0.99), (3, 4, 0.4)];
        let (ids, ..) = extended(&["a", "a", "a", "b", "b"], &["x", "y"], &scores);
        assert_eq!(ids, ["x", "y", "x", "1", "2"]);
        // Names of clusters that are no numbers are as old as their first rows; a row without one gets a new id.
        let (ids, joined, _) =
            extended(&["a", "b", "c", "d"], &["z", "c", ""], &[(0, 3, 0.9), (1, 3, 0.9), (0, 1, 0.9)]);
        assert_eq!((ids, joined), (["z", "z", "1", "z"].map(str::to_owned).to_vec(), vec![("c".into(), "z".into())]));
    }
}
