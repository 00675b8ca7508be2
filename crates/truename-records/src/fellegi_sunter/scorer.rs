//! The scorer of pairs.

use truename_error::ErrorKind;
use truename_read::quoted;

use super::compared_columns::ComparedColumns;
use super::explanation::Explanation;
use super::likelihood::Likelihood;
use super::model::FellegiSunterModel;
use super::table_columns::TableColumns;
use super::value_frequencies::ValueFrequencies;
use crate::{DistinctRecords, Error, PairScorer, RecordPair, Tables};

/// Lowest probability of records that have the same values in most columns.
const EQUAL: f64 = 0.99;

/// Scores pairs by a [`FellegiSunterModel`]. The records of tables of more than a million are taken apart when they are compared.
pub struct FellegiSunterScorer<'a> {
    columns: TableColumns<'a>,
    model: FellegiSunterModel,
}

impl FellegiSunterModel {
    /// Returns a scorer of pairs of the tables. Frequencies of values are those of these tables.
    ///
    /// # Errors
    /// If the tables lack a column of the model.
    pub fn scorer<'a>(&self, tables: Tables<'a>) -> Result<FellegiSunterScorer<'a>, Error> {
        let firsts = DistinctRecords::of(tables).firsts();
        self.scorer_of(TableColumns::of(tables, &firsts, |name| self.kind(name)))
    }

    /// Returns a scorer of pairs of a part of tables, by the frequencies of the whole ones. A pair has the same probability in any part.
    ///
    /// # Errors
    /// As [`Self::scorer`].
    pub fn scorer_of_part(
        &self,
        tables: Tables<'_>,
        frequencies: &ValueFrequencies,
    ) -> Result<FellegiSunterScorer<'static>, Error> {
        let columns = ComparedColumns::of_part(tables, |name| self.kind(name), frequencies);
        self.scorer_of(TableColumns::Whole(columns))
    }

    pub(super) fn scorer_of<'a>(&self, columns: TableColumns<'a>) -> Result<FellegiSunterScorer<'a>, Error> {
        let mut model = self.clone();
        let kinds = columns.kinds();
        let place = |name: &str| kinds.iter().position(|(column, _)| *column == name);
        if let Some(missing) = model.columns.iter().find(|column| place(&column.name).is_none()) {
            let message = format!("the tables do not share the column {} of the model", quoted(&missing.name));
            return Err(Error::new(ErrorKind::NoColumn, message));
        }
        model.columns.sort_by_key(|column| place(&column.name));
        Ok(FellegiSunterScorer { columns, model })
    }
}

impl FellegiSunterScorer<'_> {
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
        let explained = |columns: &ComparedColumns, pair| {
            let probability = probability(columns, &likelihood, pair);
            Explanation::of(&self.model, &likelihood, &columns.agreements(pair), probability)
        };
        self.columns.map(&[pair], explained).remove(0)
    }

    /// Returns the logit of the probability of a pair by its columns, and its levels of agreement.
    pub(super) fn observe(&self, pair: RecordPair) -> (f64, Vec<Option<u8>>) {
        let agreements = self.columns.map(&[pair], ComparedColumns::agreements).remove(0);
        let levels = agreements.iter().map(|agreement| agreement.map(|agreement| agreement.level)).collect();
        (self.likelihood().logit(&agreements), levels)
    }

    fn likelihood(&self) -> Likelihood<'_> {
        let (records, pairs) = self.columns.sizes();
        Likelihood::new(&self.model, records, pairs)
    }
}

/// Returns the probability of a pair of rows of columns.
fn probability(columns: &ComparedColumns, likelihood: &Likelihood<'_>, pair: RecordPair) -> f64 {
    let probability = likelihood.probability(&columns.agreements(pair));
    if columns.are_equal(pair) { probability.max(EQUAL) } else { probability }
}

impl PairScorer for FellegiSunterScorer<'_> {
    fn score(&self, pairs: &[RecordPair]) -> Result<Vec<f64>, Error> {
        let likelihood = self.likelihood();
        Ok(self.columns.map(pairs, |columns, pair| probability(columns, &likelihood, pair)))
    }
}
