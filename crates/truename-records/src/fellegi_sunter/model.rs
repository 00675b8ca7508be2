//! The parameters of the model.

use std::path::Path;

use serde::{Deserialize, Serialize};
use truename_error::ErrorKind;
use truename_read::{Source, SourceOptions, quoted};

use super::column_type::ColumnType;
use super::column_weights::{ColumnWeights, rounded};
use super::household::{MOST_RELATIVES, RELATIVES_PER_MATCH, has_persons};
use crate::Error;

/// Format of the file of a model.
const FORMAT: &str = "truename fellegi-sunter 1";
/// Matches of each record with the others before a table is seen.
pub(super) const MATCHES_PER_RECORD: f64 = 0.5;

/// The parameters of a Fellegi–Sunter model of the columns of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FellegiSunterModel {
    format: String,
    /// Matching pairs for each distinct record of the tables.
    pub matches_per_record: f64,
    /// Pairs of relatives for each match; 0 for tables without persons.
    pub relatives_per_match: f64,
    /// The columns, in their order.
    pub columns: Vec<ColumnWeights>,
}

impl FellegiSunterModel {
    /// Reads a model from a file.
    ///
    /// # Errors
    /// If the file cannot be read or holds no model.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let text = Source::open(path, &SourceOptions::default())?.into_string()?;
        Self::from_json(&text, &path.display().to_string())
    }

    /// Reads a model as [`Self::to_json`] writes it; `name` names it in the error.
    ///
    /// # Errors
    /// If the text is no model.
    pub fn from_json(text: &str, name: &str) -> Result<Self, Error> {
        let refused =
            |reason: String| Error::new(ErrorKind::Syntax, format!("{name} is no Fellegi–Sunter model: {reason}"));
        let model: Self = truename_read::json::from_str(text).map_err(|error| refused(error.to_string()))?;
        model.check().map_err(refused)?;
        Ok(model)
    }

    /// Returns the model of whole tables, where this one was fitted to a share of their records that was drawn by chance: each record has more
    /// matches among all records.
    #[must_use]
    pub fn of_sample(self, share: f64) -> Self {
        Self { matches_per_record: rounded(self.matches_per_record / share), ..self }
    }

    fn check(&self) -> Result<(), String> {
        if self.format != FORMAT {
            return Err(format!("its format is {}, and not {}", quoted(&self.format), quoted(FORMAT)));
        }
        let is_probability = |number: &f64| *number > 0.0 && *number < 1.0;
        for column in &self.columns {
            let levels = column.kind.levels().len();
            let mut all = [&column.m, &column.u].into_iter().chain(column.given.iter().map(|given| &given.u));
            let name = quoted(&column.name);
            let corrections = &column.correction;
            if !corrections.is_empty() && corrections.len() != levels
                || !corrections.iter().all(|bits| bits.is_finite())
            {
                return Err(format!(
                    "correction of column {name} is not {levels} numbers, one for each level of {}",
                    column.kind
                ));
            }
            if all.any(|numbers| numbers.len() != levels || !numbers.iter().all(is_probability)) {
                return Err(format!(
                    "m and u of column {name} are not {levels} probabilities, one for each level of {}",
                    column.kind
                ));
            }
        }
        let is_rate = self.matches_per_record > 0.0 && self.matches_per_record.is_finite();
        is_rate.then_some(()).ok_or_else(|| format!("matches_per_record is {}", self.matches_per_record))?;
        let is_rate = (0.0..=MOST_RELATIVES).contains(&self.relatives_per_match);
        is_rate.then_some(()).ok_or_else(|| format!("relatives_per_match is {}", self.relatives_per_match))
    }

    /// Returns the model as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("strings and numbers can be written") + "\n"
    }

    pub(super) fn new(matches_per_record: f64, relatives_per_match: f64, columns: Vec<ColumnWeights>) -> Self {
        Self { format: FORMAT.to_owned(), matches_per_record, relatives_per_match, columns }
    }

    /// Rounds the parameters to nine digits, which a file keeps.
    pub(super) fn rounded(mut self) -> Self {
        self.matches_per_record = rounded(self.matches_per_record);
        self.relatives_per_match = rounded(self.relatives_per_match);
        self.columns.iter_mut().for_each(ColumnWeights::round);
        self
    }

    /// Creates the parameters before a table is seen.
    pub(super) fn standard<'a>(columns: impl Iterator<Item = (&'a str, ColumnType)>) -> Self {
        let columns: Vec<ColumnWeights> = columns.map(|(name, kind)| ColumnWeights::standard(name, kind)).collect();
        let relatives = if has_persons(columns.iter().map(|column| column.kind)) { RELATIVES_PER_MATCH } else { 0.0 };
        Self::new(MATCHES_PER_RECORD, relatives, columns)
    }
}
