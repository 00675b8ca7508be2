//! A search in three passes: the signs of all rows, the codes of a thousand, the 16-bit vectors of fifty.

use rayon::prelude::*;
use truename_storage::Transaction;

use super::VectorIndex;
use super::block::{BLOCK, Block, Codes, Layout, RowBuffer, dot, place, query_codes, signs};
use super::kernels::{Kernel, prefetch};
use super::nearest::{Near, Nearest};
use super::options::VectorSearch;
use crate::top::{Top, rank_of};
use crate::{Error, Hit, Rank};

/// Fewest candidates by sign, whose codes are compared. Among 51,200 names of MeSH (MiniLM-L6, 384 dimensions; queries
/// with one edit) 99.97 % of the ten nearest are in the first 1,000 by sign, 99.7 % in the first 500, 98 % in the first
/// 100.
const MIN_SIGN_CANDIDATES: usize = 1000;
/// Candidates by sign for each hit asked for, where that is more.
const SIGN_CANDIDATES_PER_HIT: usize = 20;
/// Fewest candidates by codes, whose cosines are computed.
const MIN_CODE_CANDIDATES: usize = 50;
/// Candidates by codes for each hit asked for, where that is more.
const CODE_CANDIDATES_PER_HIT: usize = 2;
/// Rows whose codes are prefetched: they are scattered over memory, and loading one takes longer than comparing it.
const PREFETCH_ROWS: usize = 8;
/// Queries that share one pass over the blocks.
const BATCH: usize = 256;
/// Fewest blocks of a thread.
const MIN_BLOCKS_PER_THREAD: usize = 8;

/// Memory reused by searches, one for each caller.
#[derive(Default)]
pub struct VectorScratch {
    passes: Vec<Pass>,
}

/// Scratch memory of one thread for the first pass.
#[derive(Default)]
struct Pass {
    distances: Vec<u16>,
    nearest: Vec<Nearest>,
}

/// A query in the three forms that the passes need.
struct Query<'a> {
    bits: Vec<u64>,
    codes: Vec<i16>,
    scale: f32,
    vector: &'a [f32],
}

impl<'a> Query<'a> {
    fn new(vector: &'a [f32]) -> Self {
        let (scale, codes) = query_codes(vector);
        Self { bits: signs(vector).collect(), codes, scale, vector }
    }
}

/// The vectors of a transaction, ready to be searched. Opening reads the head of each block.
pub struct VectorReader<'txn> {
    layout: Option<Layout>,
    blocks: Vec<Block<'txn>>,
}

impl VectorIndex {
    /// Opens the vectors that `read` sees.
    ///
    /// # Errors
    /// If the storage fails or is damaged.
    pub fn reader<'txn>(&self, read: &'txn impl Transaction) -> Result<VectorReader<'txn>, Error> {
        let layout = self.layout(read)?;
        let blocks = layout.map(|layout| self.blocks(read, layout)).transpose()?.unwrap_or_default();
        Ok(VectorReader { layout, blocks })
    }
}

impl VectorReader<'_> {
    /// Returns the names nearest to each query, best first, ties by rank; none where the index is empty.
    ///
    /// The signs of all rows are compared. A row is missed only if a thousand others precede it by sign but not
    /// by cosine. Cosines are computed from the stored 16-bit vectors. The threads of the pool
    /// share the blocks; their number does not change the answer.
    ///
    /// # Shapes
    /// `queries`: `[queries][dimensions]`, each of unit length; output: `[queries][≤ limit]`.
    ///
    /// # Errors
    /// If the vector has other dimensions than those in the index, or is not finite and of unit length.
    pub fn search(
        &self,
        queries: &[&[f32]],
        search: &VectorSearch<'_>,
        scratch: &mut VectorScratch,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        let Some(layout) = self.layout else { return Ok(vec![Vec::new(); queries.len()]) };
        check_queries(layout, queries)?;
        let searcher = Searcher { kernel: Kernel::best(), blocks: &self.blocks, search };
        let mut hits = Vec::with_capacity(queries.len());
        for batch in queries.chunks(BATCH) {
            hits.extend(searcher.batch(batch, scratch));
        }
        Ok(hits)
    }

    /// As [`VectorReader::search`], by comparing every stored vector: the reference for recall.
    ///
    /// # Errors
    /// As [`VectorReader::search`].
    pub fn search_exactly(&self, queries: &[&[f32]], search: &VectorSearch<'_>) -> Result<Vec<Vec<Hit>>, Error> {
        let Some(layout) = self.layout else { return Ok(vec![Vec::new(); queries.len()]) };
        check_queries(layout, queries)?;
        let found: Vec<Vec<Vec<Hit>>> =
            self.blocks.par_iter().map(|block| scan_exactly(block, queries, search)).collect();
        let best = |query: usize| {
            let mut top = Top::new(search.limit, search.min_score, search.rank);
            found.iter().flat_map(|block| &block[query]).for_each(|hit| top.offer(*hit));
            top.into_sorted()
        };
        Ok((0..queries.len()).map(best).collect())
    }

    /// Returns true if a name has a vector.
    pub fn contains(&self, number: u32) -> bool {
        block_of(&self.blocks, number).is_some_and(|(block, slot)| block.present.contains(slot))
    }

    /// Returns the cosine of a query to each of some names; `None` where a name has no vector.
    ///
    /// # Shapes
    /// `query`: `[dimensions]`, of unit length; `numbers` and output: `[names]`.
    ///
    /// # Errors
    /// As [`VectorReader::search`].
    pub fn cosines(&self, query: &[f32], numbers: &[u32]) -> Result<Vec<Option<f32>>, Error> {
        let Some(layout) = self.layout else { return Ok(vec![None; numbers.len()]) };
        check_queries(layout, &[query])?;
        let mut row = RowBuffer::default();
        let mut of_name = |number: &u32| {
            let (block, slot) = block_of(&self.blocks, *number)?;
            block.present.contains(slot).then(|| cosine(block, slot, query, &mut row))
        };
        Ok(numbers.iter().map(&mut of_name).collect())
    }
}

/// Returns the block with a row, and the row's place there; none where there is no such block.
fn block_of<'a, 'txn>(blocks: &'a [Block<'txn>], row: u32) -> Option<(&'a Block<'txn>, usize)> {
    let (number, slot) = place(row);
    let at = blocks.binary_search_by_key(&number, |block| place(block.first).0).ok()?;
    Some((&blocks[at], slot))
}

fn check_queries(layout: Layout, queries: &[&[f32]]) -> Result<(), Error> {
    queries.iter().try_for_each(|query| super::check(Some(layout), None, query))
}

/// Returns the best of one block for each query.
fn scan_exactly(block: &Block<'_>, queries: &[&[f32]], search: &VectorSearch<'_>) -> Vec<Vec<Hit>> {
    let mut tops: Vec<Top<'_>> =
        queries.iter().map(|_| Top::new(search.limit, search.min_score, search.rank)).collect();
    let mut row = RowBuffer::default();
    for slot in block.present.slots() {
        let name = block.first + slot as u32;
        if search.allowed.is_none_or(|allowed| allowed(name)) {
            block.read(slot, &mut row);
            for (query, top) in queries.iter().zip(&mut tops) {
                top.offer(Hit { name, score: dot(query, &row.vector).clamp(-1.0, 1.0) });
            }
        }
    }
    tops.into_iter().map(Top::into_sorted).collect()
}

fn cosine(block: &Block<'_>, slot: usize, query: &[f32], row: &mut RowBuffer) -> f32 {
    block.read(slot, row);
    dot(query, &row.vector).clamp(-1.0, 1.0)
}

/// Query and data of a search, shared by its passes.
struct Searcher<'a> {
    kernel: Kernel,
    blocks: &'a [Block<'a>],
    search: &'a VectorSearch<'a>,
}

impl Searcher<'_> {
    fn batch(&self, queries: &[&[f32]], scratch: &mut VectorScratch) -> Vec<Vec<Hit>> {
        let queries: Vec<Query<'_>> = queries.iter().map(|query| Query::new(query)).collect();
        let nearest = self.scan(&queries, scratch);
        let rank = |(query, nearest): (&Query<'_>, &mut Nearest)| self.ranked(query, nearest.settle(self.search.rank));
        if queries.len() == 1 {
            return queries.iter().zip(nearest).map(rank).collect();
        }
        queries.par_iter().zip(nearest).map(rank).collect()
    }

    /// Returns the nearest rows by sign for each query.
    fn scan<'s>(&self, queries: &[Query<'_>], scratch: &'s mut VectorScratch) -> &'s mut [Nearest] {
        let threads = rayon::current_num_threads().min(self.blocks.len() / MIN_BLOCKS_PER_THREAD).max(1);
        let passes = &mut scratch.passes;
        passes.resize_with(threads.max(passes.len()), Pass::default);
        let share = self.blocks.len().div_ceil(threads).max(1);
        let shares = (0..threads).map(|thread| self.blocks.chunks(share).nth(thread).unwrap_or_default());
        if threads == 1 {
            self.pass(queries, self.blocks, &mut passes[0]);
        } else {
            let shares: Vec<_> = passes.iter_mut().zip(shares).collect();
            shares.into_par_iter().for_each(|(pass, blocks)| self.pass(queries, blocks, pass));
        }
        let (first, later) = passes[..threads].split_first_mut().expect("at least one thread");
        for (at, nearest) in first.nearest.iter_mut().enumerate() {
            later.iter().for_each(|pass| nearest.append(&pass.nearest[at]));
        }
        &mut first.nearest
    }

    /// Compares the signs of some blocks with those of every query.
    fn pass(&self, queries: &[Query<'_>], blocks: &[Block<'_>], pass: &mut Pass) {
        let keep = MIN_SIGN_CANDIDATES.max(self.search.limit.saturating_mul(SIGN_CANDIDATES_PER_HIT));
        pass.nearest.resize_with(queries.len(), Nearest::default);
        pass.nearest.iter_mut().for_each(|nearest| nearest.reset(keep));
        pass.distances.resize(BLOCK, 0);
        for block in blocks {
            let distances = &mut pass.distances[..block.room()];
            for (query, nearest) in queries.iter().zip(&mut pass.nearest) {
                self.kernel.distances(&query.bits, block.bits, distances);
                nearest.offer(block, distances, self.search);
            }
        }
    }

    /// Ranks the nearest rows by codes, and the best of them by 16-bit vectors.
    fn ranked(&self, query: &Query<'_>, nearest: &[Near]) -> Vec<Hit> {
        let mut close = self.by_codes(query, nearest);
        keep_best(
            &mut close,
            MIN_CODE_CANDIDATES.max(self.search.limit.saturating_mul(CODE_CANDIDATES_PER_HIT)),
            self.search.rank,
        );
        let mut top = Top::new(self.search.limit, self.search.min_score, self.search.rank);
        let mut row = RowBuffer::default();
        for Hit { name, .. } in close {
            let (block, slot) = self.row(name);
            top.offer(Hit { name, score: cosine(block, slot, query.vector, &mut row) });
        }
        top.into_sorted()
    }

    /// Returns the rows with their cosines according to the codes.
    fn by_codes(&self, query: &Query<'_>, nearest: &[Near]) -> Vec<Hit> {
        let rows: Vec<Codes<'_>> = self.codes(nearest);
        rows.iter().take(PREFETCH_ROWS).for_each(|codes| prefetch(codes.0));
        let score = |(at, near): (usize, &Near)| {
            rows.get(at + PREFETCH_ROWS).inspect(|codes| prefetch(codes.0));
            let (scale, codes) = rows[at].parts();
            Hit { name: near.row, score: self.kernel.dot(&query.codes, codes) as f32 * scale * query.scale }
        };
        nearest.iter().enumerate().map(score).collect()
    }

    /// Returns references to the codes of some rows, without reading them.
    fn codes(&self, nearest: &[Near]) -> Vec<Codes<'_>> {
        let mut codes = Vec::with_capacity(nearest.len());
        for rows in nearest.chunk_by(|left, right| place(left.row).0 == place(right.row).0) {
            let block = self.row(rows[0].row).0;
            codes.extend(rows.iter().map(|near| block.codes(place(near.row).1)));
        }
        codes
    }

    /// Returns the block of a candidate, and its place there.
    fn row(&self, row: u32) -> (&Block<'_>, usize) {
        block_of(self.blocks, row).expect("the row came from one of these blocks")
    }
}

/// Drops all but the best, equal ones by rank.
fn keep_best(hits: &mut Vec<Hit>, keep: usize, rank: Option<Rank<'_>>) {
    if hits.len() > keep {
        hits.select_nth_unstable_by(keep, |left, right| {
            let by_rank = || rank_of(rank, left.name).cmp(&rank_of(rank, right.name));
            right.score.total_cmp(&left.score).then_with(by_rank)
        });
        hits.truncate(keep);
    }
}
