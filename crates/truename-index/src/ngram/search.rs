//! Searches by n-grams: the terms of a query from the rarest on, over all blocks that can have a hit.

use truename_storage::Transaction;
use truename_text::Gram;

use super::NgramIndex;
use super::keys::{BLOCKS, DIRECTORY, norms_key, parse_key};
use super::postings::{BLOCK, Postings};
use super::scan::{BlockScan, SLACK, Term};
use super::weight::{count_of, weight};
use crate::hit::{Hit, Rank};
use crate::top::Top;
use crate::{Error, error};

/// Options of a search by n-grams.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// Largest number of hits.
    pub limit: usize,
    /// Lowest cosine of a hit.
    pub min_score: f32,
    /// Filter of the names; every name is allowed where this is `None`.
    pub allowed: Option<&'a dyn Fn(u32) -> bool>,
    /// Order of names with the same cosine; by number where this is `None`.
    pub rank: Option<Rank<'a>>,
}

impl Default for Search<'_> {
    fn default() -> Self {
        Self { limit: 64, min_score: 0.1, allowed: None, rank: None }
    }
}

/// Memory reused by searches, one for each thread.
#[derive(Default)]
pub struct SearchScratch {
    sums: Vec<f32>,
}

impl NgramIndex {
    /// Returns the names nearest to the distinct n-grams of a query, best first, ties by rank.
    ///
    /// # Errors
    /// If the storage fails or is damaged.
    pub fn search(
        &self,
        read: &impl Transaction,
        grams: &[Gram],
        search: &Search<'_>,
        scratch: &mut SearchScratch,
    ) -> Result<Vec<Hit>, Error> {
        let Some(table) = self.tables.get(read, BLOCKS)? else { return Ok(Vec::new()) };
        let (names, ranges) = table.split_first_chunk::<4>().ok_or_else(|| error::damaged("no block table"))?;
        let terms = self.terms(read, grams, u32::from_le_bytes(*names))?;
        let query_norm = terms.iter().map(|term| f64::from(term.weight)).sum::<f64>().sqrt() as f32;
        let lists = self.lists(read, &terms)?;
        let mut rest: Vec<f32> = terms.iter().rev().scan(0.0, |sum, term| Some(add(sum, term.weight))).collect();
        rest.reverse();
        rest.push(0.0);

        let mut order: Vec<(f32, usize)> = lists
            .iter()
            .enumerate()
            .filter(|(_, lists)| !lists.is_empty())
            .map(|(block, _)| (block_bound(query_norm, ranges, block), block))
            .collect();
        order.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        let mut top = Top::new(search.limit, search.min_score, search.rank);
        for (bound, block) in order {
            if bound < top.threshold() {
                break;
            }
            let norms = self.norms(read, block as u16)?;
            let lightest = range(ranges, block).0;
            let scan =
                BlockScan { block, terms: &terms, rest: &rest, lists: &lists[block], norms, query_norm, lightest };
            scan.run(search.allowed, &mut scratch.sums, &mut top);
        }
        Ok(top.into_sorted())
    }

    /// Returns the norms of a block, one `f32` a name.
    pub(super) fn norms<'txn>(&self, read: &'txn impl Transaction, block: u16) -> Result<&'txn [u8], Error> {
        let norms = self.tables.get(read, &norms_key(block))?.ok_or_else(|| error::damaged("no norms"))?;
        if norms.len() != 4 * BLOCK { Err(error::damaged("a block of norms has the wrong size")) } else { Ok(norms) }
    }

    /// Returns the terms of a query from the rarest to the commonest.
    fn terms(&self, read: &impl Transaction, grams: &[Gram], names: u32) -> Result<Vec<Term>, Error> {
        let directory = self.tables.get(read, DIRECTORY)?.ok_or_else(|| error::damaged("no directory"))?;
        let mut terms: Vec<Term> = grams
            .iter()
            .map(|&gram| {
                let count = count_of(directory, gram);
                Term { gram, count, weight: weight(names, count) }
            })
            .collect();
        terms.sort_by_key(|term| (term.count, term.gram));
        Ok(terms)
    }

    /// Returns for each block the postings of its terms, in term order.
    fn lists<'txn>(
        &self,
        read: &'txn impl Transaction,
        terms: &[Term],
    ) -> Result<Vec<Vec<(usize, Postings<'txn>)>>, Error> {
        let mut lists: Vec<Vec<(usize, Postings<'txn>)>> = Vec::new();
        for (at, term) in terms.iter().enumerate().filter(|(_, term)| term.count > 0) {
            for entry in self.postings.prefix_iter(read, &term.gram.0.to_be_bytes())? {
                let (key, list) = entry?;
                let block = usize::from(parse_key(key)?.1);
                if lists.len() <= block {
                    lists.resize_with(block + 1, Vec::new);
                }
                lists[block].push((at, Postings::new(list)));
            }
        }
        Ok(lists)
    }
}

fn range(ranges: &[u8], block: usize) -> (f32, f32) {
    let number = |at: usize| ranges.get(at..at + 4).map_or(0.0, |b| f32::from_le_bytes(b.try_into().expect("four")));
    (number(8 * block), number(8 * block + 4))
}

/// Returns the highest cosine a name of the block can have: by Cauchy–Schwarz the ratio of the norms.
fn block_bound(query_norm: f32, ranges: &[u8], block: usize) -> f32 {
    let (lightest, heaviest) = range(ranges, block);
    (heaviest / query_norm).min(query_norm / lightest).min(1.0) / SLACK
}

fn add(sum: &mut f32, weight: f32) -> f32 {
    *sum += weight;
    *sum
}
