//! Agglomeration over the distances of all pairs.

use rayon::prelude::*;
use truename_kb::Progress;

use super::merge::Merge;
use super::options::Linkage;
use super::space::{FARTHEST, NameSpace};
use crate::Error;

/// Names whose distances are computed together.
const ROWS: usize = 128;

/// Returns the merges of clusters that nothing tells apart, by ascending distance. Holds half of the distance matrix: four bytes a pair.
pub(super) fn agglomerate(space: &NameSpace, linkage: Linkage, progress: &Progress) -> Result<Vec<Merge>, Error> {
    let names = space.len();
    let mut condensed = condensed(space, progress)?;
    progress.begin("clustering", 0);
    progress.check()?;
    let method = match linkage {
        Linkage::Average => kodama::Method::Average,
        Linkage::Complete => kodama::Method::Complete,
        Linkage::Single => kodama::Method::Single,
    };
    let dendrogram = kodama::linkage(&mut condensed, names, method);
    let merge =
        |step: &kodama::Step<f32>| Merge { left: step.cluster1, right: step.cluster2, distance: step.dissimilarity };
    Ok(dendrogram.steps().iter().map(merge).take_while(|merge| merge.distance <= FARTHEST).collect())
}

/// Returns the distances of each name to those after it, name by name.
fn condensed(space: &NameSpace, progress: &Progress) -> Result<Vec<f32>, Error> {
    let names = space.len();
    progress.begin("comparing names", names as u64);
    let mut condensed = vec![0.0; names * names.saturating_sub(1) / 2];
    let (mut rest, mut block) = (condensed.as_mut_slice(), Vec::new());
    for rows in space.blocks(ROWS) {
        progress.check()?;
        let columns = names - rows.start;
        block.resize(rows.len() * columns, 0.0);
        space.distances(&rows.clone().collect::<Vec<_>>(), rows.start, &mut block);
        let mut targets = Vec::with_capacity(rows.len());
        for name in rows.clone() {
            let (row, after) = rest.split_at_mut(names - name - 1);
            targets.push(row);
            rest = after;
        }
        targets.into_par_iter().zip(block.par_chunks(columns)).enumerate().for_each(|(at, (target, row))| {
            target.copy_from_slice(&row[at + 1..]);
        });
        progress.advance(rows.len() as u64);
    }
    Ok(condensed)
}
