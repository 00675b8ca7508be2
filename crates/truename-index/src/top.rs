//! The best hits so far.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::Hit;

/// Keeps the best hits, equal ones by number: a heap with the worst on top.
pub(crate) struct Top {
    limit: usize,
    threshold: f32,
    heap: BinaryHeap<Worst>,
}

struct Worst(Hit);

impl Top {
    /// Keeps at most `limit` hits, none below `threshold`.
    pub(crate) fn new(limit: usize, threshold: f32) -> Self {
        Self { limit, threshold, heap: BinaryHeap::new() }
    }

    /// Below this no hit is kept.
    pub(crate) fn threshold(&self) -> f32 {
        self.threshold
    }

    pub(crate) fn offer(&mut self, hit: Hit) {
        if hit.score < self.threshold || self.limit == 0 {
            return;
        }
        self.heap.push(Worst(hit));
        if self.heap.len() > self.limit {
            self.heap.pop();
        }
        if self.heap.len() == self.limit {
            self.threshold = self.threshold.max(self.heap.peek().map_or(0.0, |worst| worst.0.score));
        }
    }

    /// The hits, best first.
    pub(crate) fn into_sorted(self) -> Vec<Hit> {
        self.heap.into_sorted_vec().into_iter().map(|Worst(hit)| hit).collect()
    }
}

impl Ord for Worst {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.score.total_cmp(&self.0.score).then(self.0.name.cmp(&other.0.name))
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
