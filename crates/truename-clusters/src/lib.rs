//! Clusters of names that stand for one thing: canonicalization of noun phrases, without a knowledge base.
//!
//! A [`NameSpace`] holds the distances of distinct names, by the vectors of an encoder and by weighted words, or by letters
//! alone. A [`Dendrogram`] is their hierarchical agglomerative clustering: of all pairs for a few names, of the pairs of a
//! nearest-neighbour graph for many. It is cut at a distance, the threshold, which [`choose_by_silhouette`] finds without
//! labels and [`choose_by`] with a score of one's own; [`NameClusters`] are all of that in one. A [`KeyMethod`] clusters names with
//! equal keys instead. [`canonical_names`] picks the name of each cluster.
//!
//! ```
//! use truename_clusters::{ClusterOptions, Dendrogram, NameSpace, Progress, canonical_names};
//!
//! # fn main() -> Result<(), truename_clusters::Error> {
//! let names = ["harvard university", "university of harvard", "harvard", "yale university", "susquehanna county"];
//! let (options, progress) = (ClusterOptions::default(), Progress::default());
//! let space = NameSpace::new(&names, None, &options, &progress)?;
//! let dendrogram = Dendrogram::new(&space, &options, &progress)?;
//! let labels = dendrogram.cut(0.5);
//! assert_eq!(labels, [0, 0, 1, 2, 3]);
//! assert_eq!(canonical_names(&names, &[1, 3, 7, 1, 1], &labels), [1, 2, 3, 4]);
//! # Ok(())
//! # }
//! ```

mod canonical;
mod dendrogram;
mod graph;
mod key;
mod matrix;
mod merge;
mod name_clusters;
mod neighbours;
mod options;
mod silhouette;
mod space;
mod sparse;
#[cfg(test)]
mod tests;
mod threshold;

pub use self::canonical::canonical_names;
pub use self::dendrogram::Dendrogram;
pub use self::key::KeyMethod;
pub use self::name_clusters::{ClusterScore, LabelledNames, NameClusters, Threshold};
pub use self::options::{ClusterOptions, Linkage};
pub use self::space::NameSpace;
pub use self::threshold::{ChosenThreshold, choose_by, choose_by_silhouette};
pub use truename_error::Error;
pub use truename_kb::Progress;
