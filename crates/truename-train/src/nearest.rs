use std::path::Path;

use truename_index::{VectorIndex, VectorScratch, VectorSearch};

use crate::Error;

/// Rows that are stored and searched together.
const TOGETHER: usize = 4096;

/// Returns the numbers of the vectors nearest to each, best first, itself among them; by the approximate index, in a temporary
/// folder.
///
/// # Shapes
/// `vectors: [names, width]`, each of unit length; output: `[names][≤ count]`
pub(crate) fn nearest(vectors: &[f32], width: usize, count: usize) -> Result<Vec<Vec<u32>>, Error> {
    let folder = tempfile::tempdir().map_err(|source| Error::io("make", &std::env::temp_dir(), source))?;
    let failed = |source: heed::Error| Error::state(folder.path(), source);
    let env = open(folder.path(), vectors.len()).map_err(failed)?;
    let mut write = env.write_txn().map_err(failed)?;
    let index = VectorIndex::create(&env, &mut write).map_err(Error::index)?;
    let rows: Vec<(u32, &[f32])> = (0..).zip(vectors.chunks_exact(width)).collect();
    for rows in rows.chunks(TOGETHER) {
        index.put(&mut write, rows).map_err(Error::index)?;
    }
    write.commit().map_err(failed)?;
    let read = env.read_txn().map_err(failed)?;
    let reader = index.reader(&read).map_err(Error::index)?;
    let search = VectorSearch { limit: count, ..VectorSearch::default() };
    let mut scratch = VectorScratch::default();
    let mut found = Vec::with_capacity(rows.len());
    for rows in rows.chunks(TOGETHER) {
        let queries: Vec<&[f32]> = rows.iter().map(|(_, vector)| *vector).collect();
        let hits = reader.search(&queries, &search, &mut scratch).map_err(Error::index)?;
        found.extend(hits.into_iter().map(|hits| hits.into_iter().map(|hit| hit.name).collect()));
    }
    Ok(found)
}

fn open(folder: &Path, numbers: usize) -> Result<heed::Env<heed::WithoutTls>, heed::Error> {
    // Signs, bytes and halves of each number, and pages that are half full.
    let size = (numbers * 8).next_multiple_of(1 << 20) + (64 << 20);
    let mut options = heed::EnvOpenOptions::new().read_txn_without_tls();
    // SAFETY: nobody else knows the folder, so nothing changes the map but this environment.
    #[allow(unsafe_code)]
    unsafe {
        options.max_dbs(2).map_size(size).open(folder)
    }
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
