//! Clusters of names at a threshold that is given or chosen.

use std::collections::HashMap;

use truename_infer::Encoder;
use truename_kb::Progress;

use super::{ChosenThreshold, ClusterOptions, Dendrogram, NameSpace, choose_by, choose_by_silhouette};
use crate::Error;

/// Scores the cluster of each name; higher is better.
pub type ClusterScore<'a> = Box<dyn Fn(&[usize]) -> f64 + 'a>;

/// The largest distance of clusters that are merged.
pub enum Threshold<'a> {
    /// This distance.
    Given(f32),
    /// The distance with nearly the best silhouette ([`choose_by_silhouette`]).
    Silhouette,
    /// The distance with the best score of labelled names: in the clusters of all names if these are among them, else in clusters of
    /// their own.
    Labelled {
        /// The labelled names, each once.
        names: &'a [String],
        /// Score of their clusters.
        score: ClusterScore<'a>,
    },
}

/// The labelled names by which a threshold was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelledNames {
    /// Number of names.
    pub names: usize,
    /// True if they were scored in the clusters of all names.
    pub are_among: bool,
}

/// Names in clusters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NameClusters {
    /// Cluster of each name, from 0.
    pub labels: Vec<usize>,
    /// Largest distance of clusters that were merged.
    pub threshold: f32,
    /// Score of the threshold; none of one that was given.
    pub score: Option<f64>,
    /// The labelled names by which the threshold was chosen.
    pub labelled: Option<LabelledNames>,
    /// True if all pairs of names were compared, false if those of a nearest-neighbour graph were.
    pub is_exact: bool,
    /// Number of names longer than the encoder's window.
    pub truncated: usize,
}

impl NameClusters {
    /// Clusters distinct names.
    ///
    /// # Errors
    /// If the encoder fails, or the work is stopped.
    pub fn new(
        names: &[String],
        encoder: Option<&Encoder>,
        options: &ClusterOptions,
        threshold: &Threshold<'_>,
        progress: &Progress,
    ) -> Result<Self, Error> {
        let cluster = |names: &[String]| -> Result<(NameSpace, Dendrogram), Error> {
            let space = NameSpace::new(names, encoder, options, progress)?;
            let dendrogram = Dendrogram::new(&space, options, progress)?;
            Ok((space, dendrogram))
        };
        let (space, dendrogram) = cluster(names)?;
        let mut labelled_names = None;
        let with_score = |chosen: ChosenThreshold| (chosen.threshold, Some(chosen.score));
        let (threshold, score) = match threshold {
            Threshold::Given(threshold) => (*threshold, None),
            Threshold::Silhouette => with_score(choose_by_silhouette(&space, &dendrogram, progress)?),
            Threshold::Labelled { names: labelled, score } => {
                let numbers: HashMap<&String, usize> = names.iter().zip(0..).collect();
                let places: Option<Vec<usize>> = labelled.iter().map(|name| numbers.get(name).copied()).collect();
                labelled_names = Some(LabelledNames { names: labelled.len(), are_among: places.is_some() });
                with_score(match places {
                    Some(places) => choose_by(&dendrogram, progress, |labels| {
                        score(&places.iter().map(|place| labels[*place]).collect::<Vec<_>>())
                    })?,
                    None => choose_by(&cluster(labelled)?.1, progress, score)?,
                })
            }
        };
        Ok(Self {
            labels: dendrogram.cut(threshold),
            threshold,
            score,
            labelled: labelled_names,
            is_exact: dendrogram.is_exact(),
            truncated: space.truncated(),
        })
    }
}
