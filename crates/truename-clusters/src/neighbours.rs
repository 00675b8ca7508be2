//! The nearest-neighbour graph: by vectors where there is an encoder, by n-grams else.

use std::collections::BTreeSet;

use rayon::prelude::*;
use truename_index::{Hit, NgramIndex, Search, SearchScratch, VectorIndex, VectorScratch, VectorSearch};
use truename_infer::kernels::dot;
use truename_kb::{Environment, Progress};

use super::space::{LANES, NameSpace};
use crate::Error;

/// Names searched for between two looks at the progress.
const TOGETHER: usize = 4096;
/// Largest deviation of a vector's length from 1; a vector of zeros is no point of the index.
const LENGTH_TOLERANCE: f32 = 1e-3;

/// Returns the pairs of names of which one is among the `count` nearest of the other, ascending, the lower name first.
pub(super) fn pairs(space: &NameSpace, count: usize, progress: &Progress) -> Result<Vec<(u32, u32)>, Error> {
    progress.begin("searching neighbours", space.len() as u64);
    let found = if space.dense(0).is_empty() {
        by_ngrams(space, count, progress)?
    } else {
        by_vectors(space, count, progress)?
    };
    let ordered = |(name, other): (u32, u32)| (name.min(other), name.max(other));
    let hits = (0..).zip(&found).flat_map(|(name, hits)| hits.iter().map(move |hit| (name, hit.name)));
    Ok(hits.filter(|(name, other)| name != other).map(ordered).collect::<BTreeSet<_>>().into_iter().collect())
}

/// Searches one more, since a name is its own nearest.
fn by_vectors(space: &NameSpace, count: usize, progress: &Progress) -> Result<Vec<Vec<Hit>>, Error> {
    let names = space.len();
    // Signs, bytes and halves of each number, and pages that are half full.
    let environment = scratch(8 * (names * space.dense(0).len()) as u64)?;
    let mut write = environment.write()?;
    let index = VectorIndex::create(&environment, &mut write)?;
    let rows: Vec<(u32, &[f32])> =
        (0..).zip((0..names).map(|name| space.dense(name))).filter(|(_, row)| is_unit(row)).collect();
    for rows in rows.chunks(TOGETHER) {
        progress.check()?;
        index.put(&mut write, rows)?;
    }
    write.commit()?;
    let read = environment.read()?;
    let (reader, mut scratch) = (index.reader(&read)?, VectorScratch::default());
    let search = VectorSearch { limit: count + 1, ..VectorSearch::default() };
    let mut found = vec![Vec::new(); names];
    for rows in rows.chunks(TOGETHER) {
        progress.check()?;
        let queries: Vec<&[f32]> = rows.iter().map(|(_, row)| *row).collect();
        for ((name, _), hits) in rows.iter().zip(reader.search(&queries, &search, &mut scratch)?) {
            found[*name as usize] = hits;
        }
        progress.advance(rows.len() as u64);
    }
    Ok(found)
}

fn by_ngrams(space: &NameSpace, count: usize, progress: &Progress) -> Result<Vec<Vec<Hit>>, Error> {
    let names = space.len() as u32;
    let grams: usize = (0..space.len()).map(|name| space.ngrams(name).len()).sum();
    let environment = scratch(64 * grams as u64)?;
    let mut write = environment.write()?;
    let index = NgramIndex::create(&environment, &mut write)?;
    index.build(&mut write, names, |name| space.ngrams(name as usize))?;
    write.commit()?;
    let mut found = Vec::with_capacity(space.len());
    for first in (0..names).step_by(TOGETHER) {
        progress.check()?;
        let piece = first..names.min(first + TOGETHER as u32);
        let hits = piece.clone().into_par_iter().map_init(SearchScratch::default, |scratch, name| {
            let read = environment.read()?;
            let search = Search { limit: count + 1, ..Search::default() };
            index.search(&read, &space.ngrams(name as usize), &search, scratch)
        });
        found.extend(hits.collect::<Result<Vec<_>, _>>()?);
        progress.advance(u64::from(piece.end - piece.start));
    }
    Ok(found)
}

fn is_unit(row: &[f32]) -> bool {
    (dot::<LANES>(row, row).sqrt() - 1.0).abs() < LENGTH_TOLERANCE
}

fn scratch(bytes: u64) -> Result<Environment, Error> {
    Environment::scratch(bytes + (64 << 20))
}
