//! A pair scorer that needs no labels: the model of Fellegi and Sunter (1969), by expectation maximisation.
//!
//! Each column is compared by its type ([`ColumnType`]), which gives a level of agreement. A level speaks for a match by the ratio of
//! its probability among matches (m) to that among other pairs (u). Equality of a rare value has a smaller u than equality of a common
//! one: its frequency in the table. A missing value says nothing.

mod column_type;
mod column_types;
mod column_weights;
mod compared_column;
mod compared_columns;
mod comparison;
mod dependence;
mod explanation;
mod fit;
mod household;
mod label_fit;
mod likelihood;
mod model;
mod name_suffix;
mod numbered_columns;
mod person_column;
mod scorer;
mod short_names;
mod table_columns;
mod table_frequencies;
#[cfg(test)]
mod tests;
mod value_frequencies;
mod value_terms;

pub use self::column_type::ColumnType;
pub use self::column_types::ColumnTypes;
pub use self::column_weights::ColumnWeights;
pub use self::dependence::Dependence;
pub use self::explanation::{Contribution, Explanation};
pub use self::model::FellegiSunterModel;
pub use self::scorer::FellegiSunterScorer;
pub use self::value_frequencies::ValueFrequencies;
pub use self::value_terms::ValueText;
