//! Clusters of records, from the pairs that match.

use std::collections::{HashSet, VecDeque};

use rayon::prelude::*;
use truename_text::SplitMix64;

use super::linkage::{average_linkage, root};
use super::{DistinctRecords, RecordPair, ScoredPair, Tables};

/// Most records of a component or cluster whose pairs are all compared.
const MOST_COMPARED: usize = 50;
/// Pairs drawn for each record of a larger cluster, and the seed of the draws.
const SAMPLED: u64 = 20;
const SEED: u64 = 1;

/// The cluster of each record. Clusters are numbered from 0 by their first record; a record without a match is a cluster of
/// its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clusters {
    /// Cluster by row of the first table.
    left: Vec<u32>,
    /// Cluster by row of the second table; none for one table.
    right: Option<Vec<u32>>,
    count: u32,
}

impl Clusters {
    /// Clusters records by pairs, each of which is given once: takes the connected components over the pairs with at least the
    /// threshold, and within a component clusters by average linkage over all pairs given, so that one wrong pair does not
    /// join two clusters.
    ///
    /// Records of clusters that stand, by the first row of the cluster of each of the first rows, are in one whatever the pairs say. With `sources` of the rows a cluster has one row of each at most.
    pub(super) fn by_linkage(
        tables: Tables<'_>,
        pairs: &[ScoredPair],
        threshold: f64,
        standing: Option<&[u32]>,
        sources: Option<&[u32]>,
    ) -> Self {
        let nodes = Nodes::of(tables);
        let groups = nodes.groups(standing);
        let components = nodes.components(pairs, threshold, &groups);
        // Pairs of groups within a component, behind that.
        let within = |ScoredPair { pair, probability }: &ScoredPair| {
            let (left, right) = nodes.of_pair(*pair);
            let [left_group, right_group] = [left, right].map(|node| groups[node as usize]);
            let component = components[left as usize];
            let is_within = component == components[right as usize] && left_group != right_group;
            is_within.then_some((component, left_group, right_group, *probability))
        };
        let mut inner: Vec<(u32, u32, u32, f64)> = pairs.iter().filter_map(within).collect();
        inner.par_sort_by_key(|(component, ..)| *component);
        drop(components);
        let mut clusters = groups.clone();
        for pairs in inner.chunk_by(|one, other| one.0 == other.0) {
            let mut members: Vec<u32> = pairs.iter().flat_map(|(_, left, right, _)| [*left, *right]).collect();
            members.sort_unstable();
            members.dedup();
            let place = |node: u32| members.partition_point(|member| *member < node);
            let local: Vec<(usize, usize, f64)> =
                pairs.iter().map(|(_, left, right, probability)| (place(*left), place(*right), *probability)).collect();
            let sources: Option<Vec<u32>> =
                sources.map(|of| members.iter().map(|member| of[*member as usize]).collect());
            let found = average_linkage(members.len(), &local, threshold, sources.as_deref());
            for (member, cluster) in members.iter().zip(found) {
                clusters[*member as usize] = members[cluster];
            }
        }
        drop(inner);
        let of_groups: Vec<u32> = groups.iter().map(|group| clusters[*group as usize]).collect();
        nodes.numbered(&of_groups)
    }

    /// Pairs records one to one: takes the pairs with at least the threshold, the likeliest first, and of each record one. A pair
    /// of distinct records is taken once for each two of their rows that are left. Returns the pairs taken, too.
    pub(super) fn one_to_one(
        tables: Tables<'_>,
        distinct: &DistinctRecords,
        pairs: &[ScoredPair],
        threshold: f64,
    ) -> (Self, Vec<ScoredPair>) {
        let nodes = Nodes::of(tables);
        let mut likely: Vec<&ScoredPair> = pairs.iter().filter(|scored| scored.probability >= threshold).collect();
        likely.sort_by(|one, other| {
            other.probability.total_cmp(&one.probability).then_with(|| one.pair.cmp(&other.pair))
        });
        let firsts = nodes.firsts(distinct);
        let mut free: Vec<VecDeque<u32>> = vec![VecDeque::new(); nodes.count as usize];
        (0..).zip(&firsts).for_each(|(node, first)| free[*first as usize].push_back(node));
        let mut clusters: Vec<u32> = (0..nodes.count).collect();
        let mut taken = Vec::new();
        for ScoredPair { pair, probability } in likely {
            let (left, right) = nodes.of_pair(*pair);
            let [left, right] = [left, right].map(|node| firsts[node as usize] as usize);
            let least = if left == right { 2 } else { 1 };
            while free[left].len() >= least
                && !free[right].is_empty()
                && let (Some(one), Some(other)) = (free[left].pop_front(), free[right].pop_front())
            {
                let (one, other) = (one.min(other), one.max(other));
                clusters[other as usize] = one;
                taken.extend(nodes.pair(one, other).map(|pair| ScoredPair { pair, probability: *probability }));
            }
        }
        (nodes.numbered(&clusters), taken)
    }

    /// Puts rows that are equal to the first row of a cluster's record into that cluster; a record alone in its cluster has one row
    /// in each. Rows before `first_new` stay where they are. With `sources` of the rows no cluster gets a second row of one.
    pub(super) fn with_equal(
        self,
        tables: Tables<'_>,
        distinct: &DistinctRecords,
        first_new: usize,
        sources: Option<&[u32]>,
    ) -> Self {
        let nodes = Nodes::of(tables);
        let mut clusters = nodes.clusters(&self);
        let sizes = self.sizes();
        let mut taken: HashSet<(u32, u32)> =
            sources.into_iter().flatten().zip(&clusters).map(|(source, cluster)| (*cluster, *source)).collect();
        for (node, first) in nodes.firsts(distinct).into_iter().enumerate().skip(first_new) {
            let of_first = clusters[first as usize];
            let is_free =
                clusters[node] == of_first || sources.is_none_or(|sources| taken.insert((of_first, sources[node])));
            if sizes[of_first as usize] > 1 && is_free {
                clusters[node] = of_first;
            }
        }
        nodes.numbered(&clusters)
    }

    /// Returns the cluster of a row of the first table.
    ///
    /// # Panics
    /// If the table has no such row.
    pub fn of_left(&self, row: u32) -> u32 {
        self.left[row as usize]
    }

    /// Returns the cluster of a row that `right` of a pair counts.
    ///
    /// # Panics
    /// If the table has no such row.
    pub fn of_right(&self, row: u32) -> u32 {
        self.right.as_ref().unwrap_or(&self.left)[row as usize]
    }

    /// Returns whether both records of a pair are in one cluster.
    pub fn has(&self, pair: RecordPair) -> bool {
        self.of_left(pair.left) == self.of_right(pair.right)
    }

    /// Returns the number of clusters, those of one record among them.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Returns the number of clusters with more than one record.
    pub fn count_of_several(&self) -> usize {
        self.sizes().into_iter().filter(|size| *size > 1).count()
    }

    /// Returns the number of records of each cluster.
    fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.count()];
        let all = self.left.iter().chain(self.right.iter().flatten());
        all.for_each(|cluster| sizes[*cluster as usize] += 1);
        sizes
    }
}

/// Returns pairs that were not compared although they may speak against a cluster, in order: all pairs of the components over the
/// threshold of up to fifty records; of larger components those of the clusters that they fall into, in clusters of more than fifty some
/// for each record. No pair of a cluster that stands is named. The pairs are in order.
pub(super) fn uncompared(
    tables: Tables<'_>,
    pairs: &[ScoredPair],
    threshold: f64,
    standing: Option<&[u32]>,
) -> Vec<RecordPair> {
    let nodes = Nodes::of(tables);
    let groups = nodes.groups(standing);
    let components = nodes.components(pairs, threshold, &groups);
    let of_components = members(&components);
    let is_large = |members: &&[(u32, u32)]| members.len() > MOST_COMPARED;
    let of_several = || of_components.chunk_by(|one, other| one.0 == other.0);
    let large: HashSet<u32> = of_several().filter(is_large).map(|members| members[0].0).collect();
    let of_clusters = match large.is_empty() {
        true => Vec::new(),
        false => members(&nodes.clusters(&Clusters::by_linkage(tables, pairs, threshold, standing, None))),
    };
    let in_large = |members: &&[(u32, u32)]| large.contains(&components[members[0].1 as usize]);
    let clusters = of_clusters.chunk_by(|one, other| one.0 == other.0).filter(in_large);
    let is_known = |pair: &RecordPair| pairs.binary_search_by_key(pair, |scored| scored.pair).is_ok();
    let mut missing: Vec<RecordPair> = of_several()
        .filter(|members| !is_large(members))
        .chain(clusters)
        .map(|members| members.iter().map(|(_, node)| *node).collect::<Vec<u32>>())
        .filter(|members| members.iter().any(|node| groups[*node as usize] != groups[members[0] as usize]))
        .flat_map(|members| cross_pairs(&members))
        .filter(|(left, right)| groups[*left as usize] != groups[*right as usize])
        .filter_map(|(left, right)| nodes.pair(left, right))
        .filter(|pair| !is_known(pair))
        .collect();
    missing.sort_unstable();
    missing.dedup();
    missing
}

/// Returns the nodes of clusters of more than two, ascending, behind their clusters: pairs of two are compared.
fn members(clusters: &[u32]) -> Vec<(u32, u32)> {
    let mut sizes = vec![0_u32; clusters.len()];
    clusters.iter().for_each(|cluster| sizes[*cluster as usize] += 1);
    let of_several = clusters.iter().zip(0..).filter(|(cluster, _)| sizes[**cluster as usize] > 2);
    let mut members: Vec<(u32, u32)> = of_several.map(|(cluster, node)| (*cluster, node)).collect();
    members.par_sort_unstable();
    members
}

/// Returns all pairs of few members, and of many some random ones for each.
fn cross_pairs(members: &[u32]) -> Vec<(u32, u32)> {
    if members.len() <= MOST_COMPARED {
        let after = |at: usize| members[at + 1..].iter().map(move |right| (members[at], *right));
        return (0..members.len()).flat_map(after).collect();
    }
    // By places among the members, so that the pairs are those of the cluster in any table.
    let drawn = |place: usize, draw: u64| {
        let random = SplitMix64::at(SEED, place as u64 * SAMPLED + draw) % members.len() as u64;
        (members[place], members[random as usize])
    };
    let pairs = (0..members.len()).flat_map(|place| (0..SAMPLED).map(move |draw| drawn(place, draw)));
    pairs.filter(|(one, other)| one != other).map(|(one, other)| (one.min(other), one.max(other))).collect()
}

/// Numbers of all records: those of the first table, then those of the second.
struct Nodes {
    left: u32,
    count: u32,
    is_one: bool,
}

impl Nodes {
    /// # Panics
    /// If the tables have 2³² rows.
    fn of(tables: Tables<'_>) -> Self {
        let count = |records: usize| u32::try_from(records).expect("tables have less than 2³² rows");
        let left = tables.left().len();
        match tables {
            Tables::One(_) => Self { left: count(left), count: count(left), is_one: true },
            Tables::Two(_, right) => Self { left: count(left), count: count(left + right.len()), is_one: false },
        }
    }

    fn of_pair(&self, pair: RecordPair) -> (u32, u32) {
        let offset = if self.is_one { 0 } else { self.left };
        (pair.left, pair.right + offset)
    }

    /// Returns the cluster of each node.
    fn clusters(&self, clusters: &Clusters) -> Vec<u32> {
        clusters.left.iter().chain(clusters.right.iter().flatten()).copied().collect()
    }

    /// Returns the pair of two nodes; none for two records of one of two tables.
    fn pair(&self, left: u32, right: u32) -> Option<RecordPair> {
        match self.is_one {
            true => Some(RecordPair { left, right }),
            false => (left < self.left && right >= self.left).then(|| RecordPair { left, right: right - self.left }),
        }
    }

    /// Returns the node that stands for the record of each node.
    fn firsts(&self, distinct: &DistinctRecords) -> Vec<u32> {
        let left = (0..self.left).map(|row| distinct.left().first(row));
        let right = (0..self.count - self.left).map(|row| self.left + distinct.right().first(row));
        left.chain(right).collect()
    }

    /// Returns the smallest node of each node's cluster that stands; the node itself if it is in none.
    fn groups(&self, standing: Option<&[u32]>) -> Vec<u32> {
        let standing = standing.unwrap_or_default();
        standing.iter().copied().chain(standing.len() as u32..self.count).collect()
    }

    /// Returns the smallest node of each node's connected component, in which each group is connected.
    fn components(&self, pairs: &[ScoredPair], threshold: f64, groups: &[u32]) -> Vec<u32> {
        let mut parents = groups.to_vec();
        for scored in pairs.iter().filter(|scored| scored.probability >= threshold) {
            let (left, right) = self.of_pair(scored.pair);
            let (left, right) = (root(&mut parents, left), root(&mut parents, right));
            parents[left.max(right) as usize] = left.min(right);
        }
        (0..self.count).map(|node| root(&mut parents, node)).collect()
    }

    /// Numbers clusters by their first record.
    fn numbered(&self, clusters: &[u32]) -> Clusters {
        const NONE: u32 = u32::MAX;
        let mut numbers = vec![NONE; self.count as usize];
        let mut count = 0;
        let mut number = |cluster: &u32| {
            let number = &mut numbers[*cluster as usize];
            if *number == NONE {
                *number = count;
                count += 1;
            }
            *number
        };
        let (left, right) = clusters.split_at(self.left as usize);
        let left = left.iter().map(&mut number).collect();
        let right = (!self.is_one).then(|| right.iter().map(&mut number).collect());
        Clusters { left, right, count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;

    fn records(count: usize) -> Vec<Record> {
        vec![Record::new(&["name".to_owned()].into(), Vec::new()); count]
    }

    fn scored(pairs: &[(u32, u32, f64)]) -> Vec<ScoredPair> {
        let scored = |(left, right, probability): &(u32, u32, f64)| ScoredPair {
            pair: RecordPair { left: *left, right: *right },
            probability: *probability,
        };
        pairs.iter().map(scored).collect()
    }

    #[test]
    fn components_are_clusters_unless_their_pairs_speak_against_it() {
        let records = records(6);
        let tables = Tables::One(&records);
        let pairs = scored(&[(0, 2, 0.9), (2, 4, 0.8), (0, 4, 0.1), (1, 5, 0.6), (3, 5, 0.4)]);
        let clusters = Clusters::by_linkage(tables, &pairs, 0.5, None, None);
        let of: Vec<u32> = (0..6).map(|row| clusters.of_left(row)).collect();
        assert_eq!(of, [0, 1, 0, 2, 3, 1]);
        assert_eq!((clusters.count(), clusters.count_of_several()), (4, 2));
        assert!(clusters.has(pairs[0].pair) && !clusters.has(pairs[1].pair));
    }

    #[test]
    fn records_of_two_tables_share_clusters() {
        let (left, right) = (records(2), records(3));
        let tables = Tables::Two(&left, &right);
        let pairs = scored(&[(0, 0, 0.9), (0, 1, 0.8), (1, 2, 0.3)]);
        let clusters = Clusters::by_linkage(tables, &pairs, 0.5, None, None);
        let of = |clusters: &Clusters| {
            let right: Vec<u32> = (0..3).map(|row| clusters.of_right(row)).collect();
            ([clusters.of_left(0), clusters.of_left(1)], right)
        };
        assert_eq!(of(&clusters), ([0, 1], vec![0, 0, 2]));
        let distinct = DistinctRecords::of(tables);
        assert_eq!(of(&Clusters::one_to_one(tables, &distinct, &pairs, 0.2).0), ([0, 1], vec![0, 2, 1]));
    }

    #[test]
    fn the_likeliest_pair_is_taken_first_and_ties_go_by_row() {
        let (left, right) = (records(2), records(2));
        let tables = Tables::Two(&left, &right);
        let of = |pairs: &[(u32, u32, f64)]| {
            let (clusters, _) = Clusters::one_to_one(tables, &DistinctRecords::of(tables), &scored(pairs), 0.5);
            [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(left, right)| clusters.has(RecordPair { left, right }))
        };
        assert_eq!(of(&[(0, 0, 0.6), (0, 1, 0.9), (1, 1, 0.95)]), [true, false, false, true]);
        assert_eq!(of(&[(1, 0, 0.9), (0, 0, 0.9)]), [true, false, false, false]);
    }

    #[test]
    fn each_of_equal_rows_is_paired_once() {
        let columns = ["name".to_owned()].into();
        let rows = |names: &[&str]| -> Vec<Record> {
            names.iter().map(|name| Record::new(&columns, vec![(*name).to_owned()])).collect()
        };
        let (left, right) = (rows(&["a", "a", "b", "a"]), rows(&["c", "a", "a"]));
        let tables = Tables::Two(&left, &right);
        let pairs = scored(&[(0, 0, 0.6), (0, 1, 0.99), (2, 0, 0.4)]);
        let (clusters, taken) = Clusters::one_to_one(tables, &DistinctRecords::of(tables), &pairs, 0.5);
        assert_eq!(taken, scored(&[(0, 1, 0.99), (1, 2, 0.99), (3, 0, 0.6)]));
        assert!(taken.iter().all(|scored| clusters.has(scored.pair)) && clusters.count() == 4);
        let one = Tables::One(&left);
        let (_, taken) = Clusters::one_to_one(one, &DistinctRecords::of(one), &scored(&[(0, 1, 0.99)]), 0.5);
        assert_eq!(taken, scored(&[(0, 1, 0.99)]));
    }

    #[test]
    fn pairs_of_small_components_that_are_missing_are_named() {
        let all = records(60);
        let pairs = scored(&[(0, 1, 0.9), (1, 2, 0.9), (2, 3, 0.1), (4, 5, 0.9)]);
        assert_eq!(uncompared(Tables::One(&all), &pairs, 0.5, None), [RecordPair { left: 0, right: 2 }]);
        // Of a long chain that is one cluster some pairs for each record.
        let chain: Vec<(u32, u32, f64)> = (0..59).map(|row| (row, row + 1, 0.9)).collect();
        let missing = uncompared(Tables::One(&all), &scored(&chain), 0.5, None);
        assert!((600..1200).contains(&missing.len()), "{}", missing.len());
        // Of one that falls apart all pairs of its clusters.
        let mut apart = chain.clone();
        apart.extend((0..30).map(|row| (row, row + 30, 0.0)));
        apart.sort_by_key(|(left, right, _)| (*left, *right));
        let missing = uncompared(Tables::One(&all), &scored(&apart), 0.5, None);
        assert!(!missing.is_empty() && missing.iter().all(|pair| pair.right - pair.left < 50), "{missing:?}");
        let two = Tables::Two(&all[..2], &all[..2]);
        let pairs = scored(&[(0, 0, 0.9), (0, 1, 0.9), (1, 1, 0.9)]);
        assert_eq!(uncompared(two, &pairs, 0.5, None), [RecordPair { left: 1, right: 0 }]);
    }
}
