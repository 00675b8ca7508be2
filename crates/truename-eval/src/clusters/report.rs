//! The evaluation of clusters of names.

use std::path::Path;

use serde::Serialize;
use truename_clusters::Threshold;
use truename_error::ErrorKind;

use super::read::Clusters;
use super::scores::ClusterScores;
use crate::Error;

/// Scores of clusters.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ClusterReport {
    /// The scores.
    #[serde(flatten)]
    pub scores: ClusterScores,
    /// Threshold of the clusters; none where they were read.
    pub threshold: Option<f32>,
}

impl ClusterReport {
    /// Scores the cluster of each name of gold.
    ///
    /// # Panics
    /// If there is not one label a name.
    pub fn of(gold: &Clusters, labels: &[usize], threshold: f32) -> Self {
        Self { scores: ClusterScores::of(gold, &some(labels)), threshold: Some(threshold) }
    }

    /// Scores the clusters of a file, which has each name once.
    ///
    /// # Errors
    /// Those of [`Clusters::read`]; if a name of gold is in several clusters there, or none is in any.
    pub fn of_file(gold: &Clusters, found: &Path) -> Result<Self, Error> {
        let refused = |reason: String, hint: &str| {
            Err(Error::new(ErrorKind::Syntax, format!("{}{reason}", found.display())).with_hint(hint))
        };
        let labels = match Clusters::read(found)?.labels(gold) {
            Ok(labels) => labels,
            Err(name) => {
                return refused(
                    format!(": \"{name}\" is in several clusters"),
                    "clusters to score have each name once",
                );
            }
        };
        if let (Some(first), true) = (gold.names().first(), labels.iter().all(Option::is_none)) {
            let reason = format!(" has no name of the gold clusters, such as \"{first}\"");
            return refused(reason, "cluster the names that gold has, written alike");
        }
        Ok(Self { scores: ClusterScores::of(gold, &labels), threshold: None })
    }
}

impl Clusters {
    /// Returns the threshold that gives these names the highest mean F1.
    pub fn best_threshold(&self) -> Threshold<'_> {
        let score = |labels: &[usize]| ClusterScores::of(self, &some(labels)).mean_f1;
        Threshold::Labelled { names: self.names(), score: Box::new(score) }
    }
}

fn some(labels: &[usize]) -> Vec<Option<usize>> {
    labels.iter().copied().map(Some).collect()
}
