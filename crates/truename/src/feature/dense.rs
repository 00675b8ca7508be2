//! Cosines between the vectors of the query and of a candidate's names.

use truename_kb::NameIndex;

use crate::Error;
use crate::generator::Dense;

pub(super) const NAMES: [&str; 3] = ["dense", "mean-dense", "dense-and-ngram"];

/// Cosines of a candidate's names; names without a vector are left out.
pub(super) struct Cosines(Vec<(NameIndex, f32)>);

impl Cosines {
    pub(super) fn of(dense: &Dense<'_>, names: &[NameIndex]) -> Result<Self, Error> {
        let numbers: Vec<u32> = names.iter().map(|name| name.0).collect();
        let cosines = dense.reader.cosines(dense.vector, &numbers)?;
        let known = names.iter().zip(cosines).filter_map(|(name, cosine)| Some((*name, cosine?)));
        Ok(Self(known.collect()))
    }

    /// Returns the cosine of one name; 0 if it has no vector.
    pub(super) fn get(&self, name: NameIndex) -> f32 {
        self.0.iter().find(|(known, _)| *known == name).map_or(0.0, |(_, cosine)| *cosine)
    }

    /// Returns the highest cosine; 0 if no name has a vector.
    pub(super) fn best(&self) -> f32 {
        self.0.iter().map(|(_, cosine)| *cosine).reduce(f32::max).unwrap_or_default()
    }

    pub(super) fn features(&self, best_ngram: f32) -> [f32; NAMES.len()] {
        let mean = self.0.iter().map(|(_, cosine)| *cosine).sum::<f32>() / self.0.len().max(1) as f32;
        [self.best(), mean, self.best() + best_ngram]
    }
}
