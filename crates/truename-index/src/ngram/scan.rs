//! The search of one block of names for the n-grams of a query, with bounds that skip names and lists.

use std::ops::Range;

use truename_text::Gram;

use super::postings::{BLOCK, Postings};
use crate::hit::Hit;
use crate::top::Top;

/// An n-gram of a query.
pub(super) struct Term {
    pub(super) weight: f32,
    pub(super) count: u32,
    pub(super) gram: Gram,
}

/// A query against a block.
pub(super) struct BlockScan<'a> {
    pub(super) block: usize,
    pub(super) terms: &'a [Term],
    /// Weight of the terms from each on.
    pub(super) rest: &'a [f32],
    pub(super) lists: &'a [(usize, Postings<'a>)],
    pub(super) norms: &'a [u8],
    pub(super) query_norm: f32,
    /// The smallest norm in the block.
    pub(super) lightest: f32,
}

/// Guards the pruning bounds against the rounding of sums.
pub(super) const SLACK: f32 = 1.0 - 1e-5;

/// Share of the weight that a name needs at which the scan changes from whole lists to look-ups: once the remaining
/// lists weigh less, few names can still be hits. Chosen by measurement.
const LOOKUP_SHARE: f32 = 0.5;
/// Postings of a query in a block from which a first threshold is worth a pass over the sums: where most names have most of its n-grams,
/// reading all lists for each of the names themselves takes time that grows with the square of their number.
const MANY_POSTINGS: usize = 4 * BLOCK;
/// Most postings read for the first threshold, the rarest n-gram's aside.
const FIRST_POSTINGS: usize = BLOCK / 4;
/// Sums compared with their bounds at once.
const LANES: usize = 16;

impl BlockScan<'_> {
    pub(super) fn run(&self, allowed: Option<&dyn Fn(u32) -> bool>, sums: &mut Vec<f32>, top: &mut Top<'_>) {
        sums.clear();
        sums.resize(BLOCK, 0.0);
        let first = self.raise_threshold(allowed, sums, top);
        let needed = top.threshold() * self.query_norm * self.lightest * SLACK;
        // Names that have none of these cannot be hits.
        let essential = self.lists.iter().take_while(|(term, _)| self.rest[*term] >= needed).count();
        let read = self.lists.iter().take_while(|(term, _)| self.rest[*term] >= needed * LOOKUP_SHARE).count();
        if essential == 0 {
            return;
        }
        let read = read.max(first);
        self.add(first..read, sums);
        let others = &self.lists[read..];
        let rest = others.first().map_or(0.0, |(term, _)| self.rest[*term]);
        for (piece, sums) in sums.chunks_exact(LANES).enumerate() {
            let norms = self.norms(piece);
            let scale = top.threshold() * self.query_norm * SLACK;
            let reaches = |lane: usize| (sums[lane] > 0.0) & (sums[lane] + rest >= scale * norms[lane]);
            // Without a branch, so that it is done for all lanes at once.
            if !(0..LANES).fold(false, |any, lane| any | reaches(lane)) {
                continue;
            }
            for lane in (0..LANES).filter(|lane| reaches(*lane)) {
                let slot = (piece * LANES + lane) as u16;
                let name = (self.block * BLOCK) as u32 + u32::from(slot);
                if let Some(score) = self.complete(slot, norms[lane], sums[lane], others, top.threshold())
                    && allowed.is_none_or(|allowed| allowed(name))
                {
                    top.offer(Hit { name, score });
                }
            }
        }
    }

    /// Adds the weights of lists to the sums of their names.
    fn add(&self, lists: Range<usize>, sums: &mut [f32]) {
        for (term, list) in &self.lists[lists] {
            let weight = self.terms[*term].weight;
            list.for_each(|slot| sums[usize::from(slot)] += weight);
        }
    }

    /// Reads the rarest lists of a query with many postings, and raises the threshold to the least cosine of the names that are then
    /// ahead. Returns the number of lists read.
    fn raise_threshold(&self, allowed: Option<&dyn Fn(u32) -> bool>, sums: &mut [f32], top: &mut Top<'_>) -> usize {
        let postings = |term: usize| self.terms[term].count.min(BLOCK as u32) as usize;
        if self.lists.iter().map(|(term, _)| postings(*term)).sum::<usize>() < MANY_POSTINGS {
            return 0;
        }
        let read = self.lists.iter().scan(0, |sum, (term, _)| {
            *sum += postings(*term);
            (*sum <= FIRST_POSTINGS).then_some(())
        });
        let read = read.count().max(1);
        self.add(0..read, sums);
        let mut ahead = Top::new(top.limit(), f32::MIN_POSITIVE, None);
        for (piece, sums) in sums.chunks_exact(LANES).enumerate() {
            if sums.iter().all(|sum| *sum == 0.0) {
                continue;
            }
            for (lane, norm) in self.norms(piece).into_iter().enumerate() {
                let slot = (piece * LANES + lane) as u32;
                let hit = Hit { name: slot, score: sums[lane] / norm };
                if sums[lane] > 0.0 && allowed.is_none_or(|allowed| allowed((self.block * BLOCK) as u32 + slot)) {
                    ahead.offer(hit);
                }
            }
        }
        let ahead = ahead.into_sorted();
        let cosine = |hit: &Hit| {
            let (slot, sum) = (hit.name as u16, sums[hit.name as usize]);
            let norm = self.norms(usize::from(slot) / LANES)[usize::from(slot) % LANES];
            self.complete(slot, norm, sum, &self.lists[read..], 0.0)
        };
        if ahead.len() == top.limit() {
            top.raise(ahead.iter().filter_map(cosine).fold(1.0, f32::min));
        }
        read
    }

    fn norms(&self, piece: usize) -> [f32; LANES] {
        let bytes = &self.norms[4 * LANES * piece..4 * LANES * (piece + 1)];
        std::array::from_fn(|lane| f32::from_le_bytes(bytes[4 * lane..4 * lane + 4].try_into().expect("four bytes")))
    }

    /// Returns the cosine of a name with the sum `sum` so far; none if it cannot reach `threshold`.
    fn complete(
        &self,
        slot: u16,
        norm: f32,
        mut sum: f32,
        others: &[(usize, Postings<'_>)],
        threshold: f32,
    ) -> Option<f32> {
        let scale = self.query_norm * norm;
        let needed = threshold * scale * SLACK;
        for (term, list) in others {
            if sum + self.rest[*term] < needed {
                return None;
            }
            sum += if list.contains(slot) { self.terms[*term].weight } else { 0.0 };
        }
        (sum >= needed).then(|| (sum / scale).min(1.0))
    }
}
