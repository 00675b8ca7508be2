//! Best hits of a search.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::hit::{Hit, Rank};

/// Keeps the best hits, equal ones by rank: a heap with the worst on top.
pub(crate) struct Top<'a> {
    limit: usize,
    threshold: f32,
    rank: Option<Rank<'a>>,
    heap: BinaryHeap<Worst>,
}

struct Worst {
    hit: Hit,
    rank: u32,
}

impl<'a> Top<'a> {
    /// Keeps at most `limit` hits, none below `threshold`.
    pub(crate) fn new(limit: usize, threshold: f32, rank: Option<Rank<'a>>) -> Self {
        Self { limit, threshold, rank, heap: BinaryHeap::new() }
    }

    /// Returns the lowest score of a hit that is kept.
    pub(crate) fn threshold(&self) -> f32 {
        self.threshold
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Raises the threshold to a score that as many names as are kept are known to have.
    pub(crate) fn raise(&mut self, threshold: f32) {
        self.threshold = self.threshold.max(threshold);
    }

    pub(crate) fn offer(&mut self, hit: Hit) {
        if hit.score < self.threshold || self.limit == 0 {
            return;
        }
        self.heap.push(Worst { hit, rank: rank_of(self.rank, hit.name) });
        if self.heap.len() > self.limit {
            self.heap.pop();
        }
        if self.heap.len() == self.limit {
            self.threshold = self.threshold.max(self.heap.peek().map_or(0.0, |worst| worst.hit.score));
        }
    }

    /// Returns the hits, best first.
    pub(crate) fn into_sorted(self) -> Vec<Hit> {
        self.heap.into_sorted_vec().into_iter().map(|worst| worst.hit).collect()
    }
}

/// Returns the rank of a name among names of the same score.
pub(crate) fn rank_of(rank: Option<Rank<'_>>, name: u32) -> u32 {
    rank.map_or(name, |rank| rank(name))
}

impl Ord for Worst {
    fn cmp(&self, other: &Self) -> Ordering {
        other.hit.score.total_cmp(&self.hit.score).then(self.rank.cmp(&other.rank))
    }
}

impl PartialOrd for Worst {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Worst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Worst {}
