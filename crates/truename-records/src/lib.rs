//! Entity resolution: the records of one table, or of several, that stand for the same thing.
//!
//! Read in this order: a [`Record`] is a row by the names of its columns, and [`Tables`] are one table or two;
//! [`RecordTables`] makes both of tables of [`Cells`];
//! [`identifier_columns`] are those not worth comparing; equal rows are one of the [`DistinctRecords`]; [`Blocking`]
//! proposes the [`RecordPair`]s worth comparing, by n-grams, vectors and [`BlockRule`]s, [`SuitedBlocking`] says which suit the tables; a
//! [`PairScorer`] gives each a probability:
//! [`FellegiSunterScorer`] by the types of the columns, fitted without labels, [`LexicalScorer`] by letters and words,
//! [`ClassifierScorer`] by a trained classifier; a [`Resolver`] compares the pairs and puts the
//! records into [`Clusters`], whose rows [`MergeRules`] make one. New rows join the [`StandingClusters`] of an earlier run.
//!
//! ```
//! use truename_records::{Blocking, LexicalScorer, Record, Resolver, Tables};
//!
//! # fn main() -> Result<(), truename_records::Error> {
//! let columns = ["title".to_owned(), "year".to_owned()].into();
//! let row = |title: &str, year: &str| Record::new(&columns, vec![title.into(), year.into()]);
//! let records =
//!     [row("Mining association rules", "1993"), row("The R*-tree", "1990"), row("mining asociation rules", "1993")];
//! let tables = Tables::One(&records);
//! let candidates = Blocking::default().pairs(tables)?.pairs;
//! let scorer = LexicalScorer::new(tables);
//! let resolution = Resolver::new(&scorer).resolve(tables, &candidates)?;
//! assert_eq!(resolution.clusters.of_left(0), resolution.clusters.of_left(2));
//! assert_ne!(resolution.clusters.of_left(0), resolution.clusters.of_left(1));
//! # Ok(())
//! # }
//! ```

mod block_rule;
mod blocking;
mod cells;
mod classifier;
mod clusters;
mod columns;
mod compared_tables;
mod date;
mod distinct;
mod distinct_texts;
mod fellegi_sunter;
mod header;
mod identifier;
mod keyed_rows;
mod label_fit;
mod label_gain;
mod layout;
mod lexical;
mod linkage;
mod merge_rules;
mod missing;
mod number;
mod pair_label;
mod pair_model;
mod pair_tables;
mod record;
mod record_tables;
mod resolver;
mod row_names;
mod scorer;
mod standing;
mod suited_blocking;
mod tables;
#[cfg(test)]
mod tests;
mod thing_name;

pub use block_rule::BlockRule;
pub use blocking::{Blocking, CandidatePairs};
pub use cells::Cells;
pub use classifier::{ClassifierScorer, PairClassifier};
pub use clusters::Clusters;
pub use compared_tables::ComparedTables;
pub use distinct::DistinctRecords;
pub use fellegi_sunter::{
    ColumnType, ColumnTypes, ColumnWeights, Contribution, Dependence, Explanation, FellegiSunterModel,
    FellegiSunterScorer, ValueFrequencies, ValueText,
};
pub use identifier::identifier_columns;
pub use label_fit::Sample;
pub use label_gain::LabelGain;
pub use layout::ColumnLayout;
pub use lexical::{FEATURES, Features, LexicalScorer, LexicalWeights};
pub use merge_rules::{MergeRule, MergeRules};
pub use pair_label::{PairLabel, PairLabels};
pub use pair_model::{PairModel, ScorerChoice, UnsupervisedScorer};
pub use pair_tables::PairTables;
pub use record::{Record, side_by_side};
pub use record_tables::{ColumnChoice, RecordTable, RecordTables};
pub use resolver::{Resolution, Resolver};
pub use row_names::RowNames;
pub use scorer::{PairScorer, ScoredPair};
pub use standing::{ClusterIds, ClusteredTable, StandingClusters};
pub use suited_blocking::{SuitedBlocking, found_rules};
pub use tables::{RecordPair, Tables};
pub use truename_error::Error;
pub use truename_kb::Progress;
