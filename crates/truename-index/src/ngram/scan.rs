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
/// Sums compared with their bounds at once.
const LANES: usize = 16;

impl BlockScan<'_> {
    pub(super) fn run(&self, allowed: Option<&dyn Fn(u32) -> bool>, sums: &mut Vec<f32>, top: &mut Top<'_>) {
        let needed = top.threshold() * self.query_norm * self.lightest * SLACK;
        // Names that have none of these cannot be hits.
        let essential = self.lists.iter().take_while(|(term, _)| self.rest[*term] >= needed).count();
        let read = self.lists.iter().take_while(|(term, _)| self.rest[*term] >= needed * LOOKUP_SHARE).count();
        if essential == 0 {
            return;
        }
        sums.clear();
        sums.resize(BLOCK, 0.0);
        for (term, list) in &self.lists[..read] {
            let weight = self.terms[*term].weight;
            list.for_each(|slot| sums[usize::from(slot)] += weight);
        }
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
