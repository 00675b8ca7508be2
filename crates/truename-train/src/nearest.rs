//! Nearest vectors among all of a data set, by the approximate index in a temporary folder.

use truename_index::{Hit, VectorIndex, VectorScratch, VectorSearch};
use truename_storage::Environment;

use crate::{Error, error};

/// Rows that are stored and searched together.
const TOGETHER: usize = 4096;

/// Returns the numbers of the vectors nearest to each, best first, itself among them.
///
/// # Shapes
/// `vectors: [names, width]`, each of unit length; output: `[names][≤ count]`
pub(crate) fn nearest(vectors: &[f32], width: usize, count: usize) -> Result<Vec<Vec<u32>>, Error> {
    let hits = ScratchIndex::new(vectors, width)?.nearest(vectors, count)?;
    Ok(hits.into_iter().map(|hits| hits.into_iter().map(|hit| hit.name).collect()).collect())
}

/// The approximate index of vectors, in a temporary folder.
pub(crate) struct ScratchIndex {
    environment: Environment,
    index: VectorIndex,
    width: usize,
}

impl ScratchIndex {
    /// Indexes vectors by their numbers.
    ///
    /// # Shapes
    /// `vectors: [names, width]`, each of unit length
    pub fn new(vectors: &[f32], width: usize) -> Result<Self, Error> {
        let environment = scratch(vectors.len())?;
        let failed = |source: Error| error::state(environment.folder(), source);
        let mut write = environment.write().map_err(failed)?;
        let index = VectorIndex::create(&environment, &mut write)?;
        let rows: Vec<(u32, &[f32])> = (0..).zip(vectors.chunks_exact(width)).collect();
        for rows in rows.chunks(TOGETHER) {
            index.put(&mut write, rows)?;
        }
        write.commit().map_err(failed)?;
        Ok(Self { environment, index, width })
    }

    /// Returns the vectors nearest to each query, best first.
    ///
    /// # Shapes
    /// `queries: [queries, width]`, each of unit length; output: `[queries][≤ count]`
    pub fn nearest(&self, queries: &[f32], count: usize) -> Result<Vec<Vec<Hit>>, Error> {
        let read = self.environment.read().map_err(|source| error::state(self.environment.folder(), source))?;
        let reader = self.index.reader(&read)?;
        let search = VectorSearch { limit: count, ..VectorSearch::default() };
        let mut scratch = VectorScratch::default();
        let mut found = Vec::with_capacity(queries.len() / self.width);
        for queries in queries.chunks(TOGETHER * self.width) {
            let queries: Vec<&[f32]> = queries.chunks_exact(self.width).collect();
            found.extend(reader.search(&queries, &search, &mut scratch)?);
        }
        Ok(found)
    }

    /// Number of dimensions.
    pub fn width(&self) -> usize {
        self.width
    }
}

/// Makes an environment with room for the vectors of that many numbers.
fn scratch(numbers: usize) -> Result<Environment, Error> {
    // Signs, bytes and halves of each number, and pages that are half full.
    let map_bytes = numbers as u64 * 8 + (64 << 20);
    Environment::scratch(map_bytes).map_err(|source| error::state(&std::env::temp_dir(), source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_comes_first() {
        let angles = [0.0f32, 0.1, 0.3, 2.0, 2.05];
        let vectors: Vec<f32> = angles.iter().flat_map(|angle| [angle.cos(), angle.sin()]).collect();
        let found = nearest(&vectors, 2, 2).unwrap();
        assert_eq!(found, [[0, 1], [1, 0], [2, 1], [3, 4], [4, 3]]);
    }
}
