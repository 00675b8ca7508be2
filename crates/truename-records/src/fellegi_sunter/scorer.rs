//! The scorer of pairs.

use rayon::prelude::*;
use truename_error::ErrorKind;
use truename_read::quoted;

use super::compared_columns::ComparedColumns;
use super::explanation::Explanation;
use super::likelihood::Likelihood;
use super::model::FellegiSunterModel;
use super::value_frequencies::ValueFrequencies;
use crate::{Error, PairScorer, RecordPair, Tables};

/// Lowest probability of records that have the same values in most columns.
const EQUAL: f64 = 0.99;

/// Scores pairs by a [`FellegiSunterModel`].
pub struct FellegiSunterScorer {
    columns: ComparedColumns,
    model: FellegiSunterModel,
}

impl FellegiSunterModel {
    /// Returns a scorer of pairs of the tables. Frequencies of values are those of these tables.
    ///
    /// # Errors
    /// If the tables lack a column of the model.
    pub fn scorer(&self, tables: Tables<'_>) -> Result<FellegiSunterScorer, Error> {
        self.scorer_of(ComparedColumns::of(tables, |name| self.kind(name)))
    }

    /// Returns a scorer of pairs of a part of tables, by the frequencies of the whole ones. A pair has the same probability in any part.
    ///
    /// # Errors
    /// As [`Self::scorer`].
    pub fn scorer_of_part(
        &self,
        tables: Tables<'_>,
        frequencies: &ValueFrequencies,
    ) -> Result<FellegiSunterScorer, Error> {
        self.scorer_of(ComparedColumns::of_part(tables, |name| self.kind(name), frequencies))
    }

    fn scorer_of(&self, columns: ComparedColumns) -> Result<FellegiSunterScorer, Error> {
        let mut model = self.clone();
        let place = |name: &str| columns.columns.iter().position(|column| column.name == name);
        if let Some(missing) = model.columns.iter().find(|column| place(&column.name).is_none()) {
            let message = format!("the tables do not share the column {} of the model", quoted(&missing.name));
            return Err(Error::new(ErrorKind::NoColumn, message));
        }
        model.columns.sort_by_key(|column| place(&column.name));
        Ok(FellegiSunterScorer { columns, model })
    }
}

impl FellegiSunterScorer {
    /// Returns the model.
    pub fn model(&self) -> &FellegiSunterModel {
        &self.model
    }

    /// Returns the weight of each column in the probability of a pair.
    ///
    /// # Panics
    /// If the tables have no such row.
    pub fn explain(&self, pair: RecordPair) -> Explanation {
        let likelihood = self.likelihood();
        Explanation::of(&self.model, &likelihood, &self.columns.agreements(pair), self.probability(&likelihood, pair))
    }

    /// Returns the logit of the probability of a pair by its columns, and its levels of agreement.
    pub(super) fn observe(&self, pair: RecordPair) -> (f64, Vec<Option<u8>>) {
        let agreements = self.columns.agreements(pair);
        let levels = agreements.iter().map(|agreement| agreement.map(|agreement| agreement.level)).collect();
        (self.likelihood().logit(&agreements), levels)
    }

    fn likelihood(&self) -> Likelihood<'_> {
        Likelihood::new(&self.model, self.columns.records, self.columns.pairs)
    }

    fn probability(&self, likelihood: &Likelihood<'_>, pair: RecordPair) -> f64 {
        let probability = likelihood.probability(&self.columns.agreements(pair));
        if self.columns.are_equal(pair) { probability.max(EQUAL) } else { probability }
    }
}

impl PairScorer for FellegiSunterScorer {
    fn score(&self, pairs: &[RecordPair]) -> Result<Vec<f64>, Error> {
        let likelihood = self.likelihood();
        let probability = |pair: &RecordPair| self.probability(&likelihood, *pair);
        Ok(pairs.par_iter().map(probability).collect())
    }
}
