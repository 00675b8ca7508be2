//! Agglomerative clustering of sparse pairs by average linkage.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashSet};

/// Returns the cluster of each of `count` items: clusters are merged, the likeliest two first, while the mean probability of
/// the pairs between two of them is at least `threshold`. Pairs that are not given do not count in the mean; items that are groups have
/// several pairs.
///
/// Equally likely merges go by the smallest items of the clusters. A cluster has the number of one of its items, and with `sources` of
/// the items at most one item of each source.
pub(super) fn average_linkage(
    count: usize,
    pairs: &[(usize, usize, f64)],
    threshold: f64,
    sources: Option<&[u32]>,
) -> Vec<usize> {
    let mut sources: Vec<HashSet<u32>> = sources.into_iter().flatten().map(|source| HashSet::from([*source])).collect();
    let mut links: Vec<BTreeMap<usize, Link>> = vec![BTreeMap::new(); count];
    // Smallest item of each cluster, and the cluster that each was merged into.
    let (mut firsts, mut parents): (Vec<usize>, Vec<u32>) = ((0..count).collect(), (0..count as u32).collect());
    let mut heap = BinaryHeap::new();
    for (left, right, probability) in pairs {
        for (one, other) in [(*left, *right), (*right, *left)] {
            let link = links[one].entry(other).or_default();
            *link = Link { sum: link.sum + probability, pairs: link.pairs + 1 };
        }
    }
    for (left, others) in links.iter().enumerate() {
        let after = others.range(left + 1..);
        heap.extend(after.map(|(right, link)| Merge::new(left, *right, *link, &firsts)));
    }
    while let Some(Merge { mean, left, right, link, .. }) = heap.pop() {
        if links[left].get(&right) != Some(&link) {
            // The clusters have grown since.
            continue;
        }
        if mean < threshold {
            break;
        }
        if !sources.is_empty() {
            if !sources[left].is_disjoint(&sources[right]) {
                continue;
            }
            let both: HashSet<u32> = sources[left].union(&sources[right]).copied().collect();
            (sources[left], sources[right]) = (both.clone(), both);
        }
        let (kept, gone) = if links[left].len() >= links[right].len() { (left, right) } else { (right, left) };
        let moved = std::mem::take(&mut links[gone]);
        links[kept].remove(&gone);
        firsts[kept] = firsts[kept].min(firsts[gone]);
        parents[gone] = kept as u32;
        for (other, further) in moved.into_iter().filter(|(other, _)| *other != kept) {
            links[other].remove(&gone);
            let link = links[kept].get(&other).copied().unwrap_or_default();
            let link = Link { sum: link.sum + further.sum, pairs: link.pairs + further.pairs };
            links[kept].insert(other, link);
            links[other].insert(kept, link);
            heap.push(Merge::new(kept, other, link, &firsts));
        }
    }
    (0..count as u32).map(|item| root(&mut parents, item) as usize).collect()
}

/// Returns the root of a node, and shortens the way to it.
pub(super) fn root(parents: &mut [u32], mut node: u32) -> u32 {
    while parents[node as usize] != node {
        parents[node as usize] = parents[parents[node as usize] as usize];
        node = parents[node as usize];
    }
    node
}

/// The pairs between two clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Link {
    sum: f64,
    pairs: u32,
}

/// A possible merge. The greatest is done first.
struct Merge {
    mean: f64,
    /// Smallest items of the clusters, the smaller first.
    firsts: (usize, usize),
    left: usize,
    right: usize,
    link: Link,
}

impl Merge {
    fn new(left: usize, right: usize, link: Link, firsts: &[usize]) -> Self {
        let (one, other) = (firsts[left], firsts[right]);
        let firsts = (one.min(other), one.max(other));
        Self { mean: link.sum / f64::from(link.pairs), firsts, left, right, link }
    }
}

impl Ord for Merge {
    fn cmp(&self, other: &Self) -> Ordering {
        self.mean.total_cmp(&other.mean).then_with(|| other.firsts.cmp(&self.firsts))
    }
}

impl PartialOrd for Merge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Merge {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Merge {}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(count: usize, pairs: &[(usize, usize, f64)]) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (item, cluster) in average_linkage(count, pairs, 0.5, None).into_iter().enumerate() {
            groups.entry(cluster).or_default().push(item);
        }
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        groups.sort();
        groups
    }

    #[test]
    fn one_wrong_pair_does_not_chain() {
        let two_groups = [
            (0, 1, 0.9),
            (0, 2, 0.9),
            (1, 2, 0.9),
            (3, 4, 0.9),
            (3, 5, 0.9),
            (4, 5, 0.9),
            // The wrong pair, and what is known against it.
            (2, 3, 0.8),
            (0, 3, 0.0),
            (1, 3, 0.0),
            (2, 4, 0.1),
            (2, 5, 0.1),
        ];
        assert_eq!(grouped(7, &two_groups), [vec![0, 1, 2], vec![3, 4, 5], vec![6]]);
    }

    #[test]
    fn pairs_that_were_not_compared_do_not_count() {
        assert_eq!(grouped(4, &[(0, 1, 0.9), (1, 2, 0.8), (2, 3, 0.4)]), [vec![0, 1, 2], vec![3]]);
    }

    #[test]
    fn means_are_those_of_all_pairs_between_two_clusters() {
        // (0.6 + 0.3) / 2 is below a half, whatever was merged first.
        assert_eq!(grouped(3, &[(0, 1, 0.9), (0, 2, 0.6), (1, 2, 0.3)]), [vec![0, 1], vec![2]]);
        assert_eq!(grouped(3, &[(0, 1, 0.9), (0, 2, 0.6), (1, 2, 0.4)]), [vec![0, 1, 2]]);
    }

    #[test]
    fn a_cluster_has_one_item_of_a_source() {
        let pairs = [(0, 2, 0.9), (1, 2, 0.8), (2, 4, 0.7), (0, 4, 0.7), (1, 3, 0.6), (3, 4, 0.9)];
        // Items 0 and 1 are of one table, 2 and 3 of another, 4 of a third.
        let clusters = average_linkage(5, &pairs, 0.5, Some(&[7, 7, 8, 8, 9]));
        assert!(clusters[0] == clusters[2] && clusters[0] != clusters[1], "{clusters:?}");
        assert!(clusters[1] == clusters[3] && clusters[3] == clusters[4], "{clusters:?}");
        let whole = average_linkage(5, &pairs, 0.5, None);
        assert!(whole.iter().all(|cluster| *cluster == whole[0]), "{whole:?}");
    }

    #[test]
    fn equally_likely_merges_go_by_the_smallest_items() {
        assert_eq!(grouped(3, &[(1, 2, 0.7), (0, 1, 0.7), (0, 2, 0.1)]), [vec![0, 1], vec![2]]);
    }
}
