//! Nearest rows by sign, kept over all blocks.

use super::block::Block;
use super::options::VectorSearch;
use crate::Rank;
use crate::top::rank_of;

/// Distances compared with the bound at once.
const LANES: usize = 8;

/// A row and the Hamming distance of its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Near {
    pub(crate) distance: u16,
    pub(crate) row: u32,
}

/// Keeps the `keep` nearest rows, equally near ones by rank; rows come in ascending order.
///
/// Rows are gathered until there are twice as many as are kept. Then the worse half is dropped, and from then on only rows
/// nearer than the worst kept are gathered, or as near where a later row may rank before an earlier one. Of a million
/// rows in any old order some ten thousand are.
#[derive(Default)]
pub(crate) struct Nearest {
    keep: usize,
    /// Only rows below this distance can still be among the kept.
    bound: u16,
    /// In ascending order of rows.
    found: Vec<Near>,
}

impl Nearest {
    pub(crate) fn reset(&mut self, keep: usize) {
        self.keep = keep;
        self.bound = u16::MAX;
        self.found.clear();
    }

    /// Offers the present and allowed rows of a block.
    pub(crate) fn offer(&mut self, block: &Block<'_>, distances: &[u16], search: &VectorSearch<'_>) {
        for (piece, distances) in distances.as_chunks::<LANES>().0.iter().enumerate() {
            let mut nearer = lanes_below(distances, self.bound);
            while nearer != 0 {
                let lane = nearer.trailing_zeros() as usize;
                nearer &= nearer - 1;
                let (slot, distance) = (piece * LANES + lane, distances[lane]);
                let row = block.first + slot as u32;
                if distance < self.bound
                    && block.present.contains(slot)
                    && search.allowed.is_none_or(|allowed| allowed(row))
                {
                    self.push(Near { distance, row }, search.rank);
                }
            }
        }
    }

    fn push(&mut self, near: Near, rank: Option<Rank<'_>>) {
        self.found.push(near);
        if self.found.len() >= self.keep.saturating_mul(2) {
            self.settle(rank);
        }
    }

    /// Adds a row, which must come after the rows so far.
    pub(crate) fn append(&mut self, later: &Self) {
        self.found.extend_from_slice(&later.found);
    }

    /// Drops all but the nearest, and returns them in ascending order of rows.
    pub(crate) fn settle(&mut self, rank: Option<Rank<'_>>) -> &[Near] {
        if self.found.len() > self.keep {
            let (worst, ties) = self.worst();
            let last = self.last_rank(worst, ties, rank);
            let mut kept = 0;
            // Without a branch: which rows stay cannot be foretold.
            for at in 0..self.found.len() {
                let near = self.found[at];
                let ties_in = near.distance == worst && rank_of(rank, near.row) <= last;
                self.found[kept] = near;
                kept += usize::from(near.distance < worst || ties_in);
            }
            self.found.truncate(kept);
            self.bound = if rank.is_some() { worst.saturating_add(1) } else { worst };
        }
        &self.found
    }

    /// Returns the highest rank of the first `ties` rows at a distance.
    fn last_rank(&self, distance: u16, ties: usize, rank: Option<Rank<'_>>) -> u32 {
        let tied = self.found.iter().filter(|near| near.distance == distance);
        let mut ranks: Vec<u32> = tied.map(|near| rank_of(rank, near.row)).collect();
        *ranks.select_nth_unstable(ties - 1).1
    }

    /// Returns the distance of the worst row to keep, and the number of rows of that distance to keep.
    fn worst(&self) -> (u16, usize) {
        let farthest = self.found.iter().map(|near| near.distance).max().unwrap_or(0);
        let mut counts = vec![0; usize::from(farthest) + 1];
        self.found.iter().for_each(|near| counts[usize::from(near.distance)] += 1);
        let mut left = self.keep;
        for (distance, count) in counts.into_iter().enumerate() {
            if count >= left {
                return (distance as u16, left);
            }
            left -= count;
        }
        (u16::MAX, left)
    }
}

/// Returns a bit for each distance below `bound`.
fn lanes_below(distances: &[u16; LANES], bound: u16) -> u8 {
    let lane = |mask: u8, (lane, distance): (usize, &u16)| mask | u8::from(*distance < bound) << lane;
    distances.iter().enumerate().fold(0, lane)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_nearest_are_those_of_a_sort(distances in prop::collection::vec(0u16..40, 0..900), keep in 1usize..50, cut in 0usize..900, turned: bool) {
            let turn = |row: u32| 1000 - row;
            let rank: Option<Rank<'_>> = if turned { Some(&turn) } else { None };
            let mut rows: Vec<Near> =
                distances.iter().enumerate().map(|(row, distance)| Near { distance: *distance, row: row as u32 }).collect();
            let (early, late) = rows.split_at(cut.min(rows.len()));
            let gathered = |rows: &[Near]| {
                let mut nearest = Nearest::default();
                nearest.reset(keep);
                for near in rows {
                    if near.distance < nearest.bound {
                        nearest.push(*near, rank);
                    }
                }
                nearest
            };
            let mut nearest = gathered(early);
            nearest.append(&gathered(late));
            let found = nearest.settle(rank).to_vec();
            rows.sort_by_key(|near| (near.distance, rank_of(rank, near.row)));
            rows.truncate(keep);
            rows.sort_by_key(|near| near.row);
            prop_assert_eq!(found, rows);
        }
    }
}
