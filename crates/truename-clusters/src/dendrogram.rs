//! Dendrograms: hierarchical clusters of names, cut at a distance.

use truename_kb::Progress;

use super::merge::Merge;
use super::options::ClusterOptions;
use super::space::{NEAR, NameSpace};
use super::{graph, matrix};
use crate::Error;

/// Merges of names into ever larger clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct Dendrogram {
    names: usize,
    /// By ascending distance.
    merges: Vec<Merge>,
    is_exact: bool,
}

impl Dendrogram {
    /// Clusters names: over the distances of all pairs, or over a nearest-neighbour graph above
    /// [`ClusterOptions::max_exact`] names, which is merged up to a distance of 0.8.
    ///
    /// # Errors
    /// If the indexes of the graph fail, or the work is stopped.
    pub fn new(space: &NameSpace, options: &ClusterOptions, progress: &Progress) -> Result<Self, Error> {
        let (names, is_exact) = (space.len(), space.len() <= options.max_exact.max(1));
        let merges = if is_exact {
            matrix::agglomerate(space, options.linkage, progress)?
        } else {
            graph::agglomerate(space, options, NEAR, progress)?
        };
        Ok(Self { names, merges, is_exact })
    }

    /// Returns the cluster of each name if all clusters up to a distance are merged. Clusters are numbered by their first name.
    pub fn cut(&self, threshold: f32) -> Vec<usize> {
        let merged = self.merges.partition_point(|merge| merge.distance <= threshold);
        // A part of a merge is merged before it, so that the cluster of a part is found going down.
        let mut cluster: Vec<usize> = (0..self.names + merged).collect();
        for (number, merge) in self.merges[..merged].iter().enumerate().rev() {
            let of = cluster[self.names + number];
            (cluster[merge.left], cluster[merge.right]) = (of, of);
        }
        let mut numbers = vec![usize::MAX; cluster.len()];
        let mut next = 0;
        let number = |cluster: &usize| {
            if numbers[*cluster] == usize::MAX {
                numbers[*cluster] = next;
                next += 1;
            }
            numbers[*cluster]
        };
        cluster[..self.names].iter().map(number).collect()
    }

    /// Number of names.
    pub fn names(&self) -> usize {
        self.names
    }

    /// Returns whether all pairs of names were compared.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Returns the distance of the last merge; 0 if there is none.
    pub fn largest_distance(&self) -> f32 {
        self.merges.last().map_or(0.0, |merge| merge.distance)
    }
}
