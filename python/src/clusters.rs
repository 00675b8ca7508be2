//! Clusters of names.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use truename_clusters::{ClusterOptions, KeyMethod, Linkage, NameClusters, Threshold, canonical_names};

use crate::call::Call;
use crate::column::Column;
use crate::encoder::Encoder;
use crate::error::raised;

/// Groups the names of a column that stand for one thing: a list, or any Arrow array of strings. Returns for each row the number of its
/// cluster, from 0, and the canonical name of the cluster; None for a row without a name.
///
/// `threshold`: largest distance of names of one cluster; chosen by the silhouette where it is None. `linkage`: "average", "complete" or
/// "single". `words`: weight of the words in the distance, from 0 to 1. `key`: "fingerprint", "ngram-fingerprint", "metaphone" or "cologne"
/// puts names with equal keys into one cluster, in place of near ones.
#[pyfunction]
#[pyo3(signature = (column, *, encoder=None, threshold=None, linkage="average", words=None, key=None, progress=None))]
#[allow(clippy::too_many_arguments, reason = "they are the arguments of a function of Python")]
pub fn cluster(
    py: Python<'_>,
    column: &Bound<'_, PyAny>,
    encoder: Option<PyRef<'_, Encoder>>,
    threshold: Option<f32>,
    linkage: &str,
    words: Option<f32>,
    key: Option<&str>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Vec<Option<(usize, String)>>> {
    let (Column { names, rows }, options) = (Column::read(column)?, options(linkage, words)?);
    let key: Option<KeyMethod> = key.map(|key| key.parse().map_err(raised)).transpose()?;
    if key.is_some() && (encoder.is_some() || threshold.is_some()) {
        return Err(PyValueError::new_err("names are clustered by a key, or by an encoder or a threshold"));
    }
    let call = Call::watched(progress.as_ref())?;
    let (progress, encoder) = (Arc::clone(&call.progress), encoder.map(|encoder| encoder.shared()));
    let mut counts = vec![0; names.len()];
    rows.iter().flatten().for_each(|name| counts[*name] += 1);
    let clustered = call.run(py, move || {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let threshold = threshold.map_or(Threshold::Silhouette, Threshold::Given);
        let labels = match key {
            Some(key) => key.clusters(&names),
            None => NameClusters::new(&names, encoder.as_deref(), &options, &threshold, &progress)?.labels,
        };
        let canonical = canonical_names(&names, &counts, &labels);
        Ok(labels.iter().map(|label| (*label, names[canonical[*label]].clone())).collect())
    })?;
    Ok(rows.into_iter().map(|row| row.map(|name| clustered[name].clone())).collect())
}

/// Returns the options of a clustering.
pub fn options(linkage: &str, words: Option<f32>) -> PyResult<ClusterOptions> {
    let linkage = match linkage {
        "average" => Linkage::Average,
        "complete" => Linkage::Complete,
        "single" => Linkage::Single,
        other => return Err(PyValueError::new_err(format!("linkage is \"{other}\"; use average, complete or single"))),
    };
    words.map_or(Ok(()), |words| crate::options::probability("words", words.into()))?;
    Ok(ClusterOptions { linkage, word_weight: words, ..ClusterOptions::default() })
}
