//! Agglomeration over the edges of a graph.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

use rayon::prelude::*;
use truename_infer::kernels::dot;
use truename_kb::Progress;

use super::merge::Merge;
use super::neighbours;
use super::options::{ClusterOptions, Linkage};
use super::space::{APART, FARTHEST, LANES, NameSpace, distance};
use super::sparse::{self, Terms};
use crate::Error;

/// Merges between two looks at the progress.
const TOGETHER: usize = 256;
/// Fewest edges of a new cluster that are worth more than one thread.
const MIN_PARALLEL: usize = 64;

/// Returns the merges of clusters that an edge joins, by ascending distance, up to `limit`.
///
/// The average distance of two joined clusters is over all pairs of their names, with an edge or without, so that a complete
/// graph has the merges of the matrix; of names that are told apart, those with an edge keep clusters apart. The smallest
/// and the largest distance are over the edges; without one for each pair there is no largest.
pub(super) fn agglomerate(
    space: &NameSpace,
    options: &ClusterOptions,
    limit: f32,
    progress: &Progress,
) -> Result<Vec<Merge>, Error> {
    let pairs = neighbours::pairs(space, options.neighbours, progress)?;
    let mut forest = Forest::new(space, options.linkage, limit, &pairs);
    progress.begin("clustering", 0);
    while forest.merge() {
        if forest.merges.len().is_multiple_of(TOGETHER) {
            progress.check()?;
        }
    }
    Ok(forest.merges)
}

/// Distances of another cluster to the two parts of a new one, where edges have them.
type Parts = (Option<f32>, Option<f32>);

/// Clusters with their edges.
struct Forest<'a> {
    space: &'a NameSpace,
    linkage: Linkage,
    limit: f32,
    /// Clusters by number, as in a dendrogram; `None` once merged.
    clusters: Vec<Option<Cluster>>,
    /// Edges, the shortest first, of clusters that may be merged by now.
    queue: BinaryHeap<Reverse<Edge>>,
    merges: Vec<Merge>,
}

struct Cluster {
    size: usize,
    /// Sums over the names; `None` for a name alone.
    sums: Option<Sums>,
    /// Distances to the clusters that an edge joins it with.
    near: BTreeMap<u32, f32>,
}

struct Sums {
    dense: Vec<f32>,
    terms: Terms,
}

/// Edge of two clusters, in the order in which edges are taken: by distance, then by number.
#[derive(Clone, Copy, PartialEq)]
struct Edge {
    distance: f32,
    left: u32,
    right: u32,
}

impl Eq for Edge {}

impl Ord for Edge {
    fn cmp(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then((self.left, self.right).cmp(&(other.left, other.right)))
    }
}

impl PartialOrd for Edge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<'a> Forest<'a> {
    fn new(space: &'a NameSpace, linkage: Linkage, limit: f32, pairs: &[(u32, u32)]) -> Self {
        let clusters = (0..space.len()).map(|_| Some(Cluster { size: 1, sums: None, near: BTreeMap::new() })).collect();
        let mut forest = Self { space, linkage, limit, clusters, queue: BinaryHeap::new(), merges: Vec::new() };
        let distance = |(left, right): &(u32, u32)| space.distance(*left as usize, *right as usize);
        let distances: Vec<f32> = pairs.par_iter().map(distance).collect();
        for ((left, right), distance) in pairs.iter().zip(distances) {
            forest.join(*left, *right, distance);
        }
        forest
    }

    fn join(&mut self, left: u32, right: u32, distance: f32) {
        for (one, other) in [(left, right), (right, left)] {
            if let Some(cluster) = &mut self.clusters[one as usize] {
                cluster.near.insert(other, distance);
            }
        }
        if distance <= self.limit {
            self.queue.push(Reverse(Edge { distance, left, right }));
        }
    }

    /// Merges the nearest two clusters; returns whether there were any.
    fn merge(&mut self) -> bool {
        while let Some(Reverse(Edge { distance, left, right })) = self.queue.pop() {
            let is_there = |cluster: u32| self.clusters[cluster as usize].is_some();
            if is_there(left) && is_there(right) {
                self.unite(left, right, distance);
                return true;
            }
        }
        false
    }

    fn unite(&mut self, left: u32, right: u32, distance: f32) {
        let sums = (self.linkage == Linkage::Average).then(|| self.sums(left, right));
        let number = self.clusters.len() as u32;
        let [one, other] =
            [left, right].map(|cluster| self.clusters[cluster as usize].take().expect("a cluster is merged once"));
        let size = one.size + other.size;
        self.clusters.push(Some(Cluster { size, sums, near: BTreeMap::new() }));
        let mut near: BTreeMap<u32, Parts> = BTreeMap::new();
        one.near.iter().for_each(|(cluster, distance)| near.entry(*cluster).or_default().0 = Some(*distance));
        other.near.iter().for_each(|(cluster, distance)| near.entry(*cluster).or_default().1 = Some(*distance));
        near.retain(|cluster, _| *cluster != left && *cluster != right);
        let near: Vec<(u32, Parts)> = near.into_iter().collect();
        let linked = |(cluster, known): &(u32, Parts)| (*cluster, self.linked(number, *cluster, *known));
        let linked: Vec<(u32, Option<f32>)> = if near.len() < MIN_PARALLEL {
            near.iter().map(linked).collect()
        } else {
            near.par_iter().map(linked).collect()
        };
        for (cluster, distance) in linked {
            let near = &mut self.clusters[cluster as usize].as_mut().expect("edges end at clusters").near;
            near.remove(&left);
            near.remove(&right);
            if let Some(distance) = distance {
                self.join(cluster, number, distance);
            }
        }
        // A pair without an edge may be nearer than what was merged before.
        let distance = self.merges.last().map_or(distance, |last| distance.max(last.distance));
        self.merges.push(Merge { left: left as usize, right: right as usize, distance });
    }

    /// Returns the distance of a new cluster to another, from the distances of its parts where an edge has them.
    fn linked(&self, new: u32, other: u32, parts: Parts) -> Option<f32> {
        let is_apart = |distance: Option<f32>| distance.is_some_and(|distance| distance > FARTHEST);
        match (self.linkage, parts) {
            (Linkage::Average, (one, other)) if is_apart(one) || is_apart(other) => Some(APART),
            (Linkage::Average, _) => Some(self.average(new, other)),
            (Linkage::Complete, (Some(one), Some(other))) => Some(one.max(other)),
            (Linkage::Complete, _) => None,
            (Linkage::Single, (Some(one), Some(other))) => Some(one.min(other)),
            (Linkage::Single, (one, other)) => one.or(other),
        }
    }

    /// Returns the mean distance of all pairs: the similarities add up to the dot product of the sums.
    fn average(&self, left: u32, right: u32) -> f32 {
        let ((left_dense, left_terms), (right_dense, right_terms)) = (self.point(left), self.point(right));
        let sum =
            self.space.dense_weight() * dot::<LANES>(left_dense, right_dense) + sparse::dot(left_terms, right_terms);
        distance(sum / (self.size(left) * self.size(right)) as f32)
    }

    fn point(&self, cluster: u32) -> (&[f32], &Terms) {
        match self.clusters[cluster as usize].as_ref().and_then(|cluster| cluster.sums.as_ref()) {
            Some(sums) => (&sums.dense, &sums.terms),
            None => (self.space.dense(cluster as usize), self.space.terms(cluster as usize)),
        }
    }

    fn size(&self, cluster: u32) -> usize {
        self.clusters[cluster as usize].as_ref().map_or(0, |cluster| cluster.size)
    }

    fn sums(&self, left: u32, right: u32) -> Sums {
        let ((left_dense, left_terms), (right_dense, right_terms)) = (self.point(left), self.point(right));
        let dense = left_dense.iter().zip(right_dense).map(|(one, other)| one + other).collect();
        Sums { dense, terms: sparse::sum(left_terms, right_terms) }
    }
}
