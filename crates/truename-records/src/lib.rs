//! Entity resolution: the records of one table, or of two, that stand for the same thing.
//!
//! Read in this order: a [`Record`] is a row by the names of its columns, and [`Tables`] are one table or two;
//! [`RecordTables`] makes both of tables of values;
//! [`identifier_columns`] are those not worth comparing; equal rows are one of the [`DistinctRecords`]; [`Blocking`]
//! proposes the [`RecordPair`]s worth comparing, by n-grams and vectors; a [`PairScorer`] gives each a probability:
//! [`LexicalScorer`] without training or fitted to labelled pairs ([`LabelGain`]), [`ClassifierScorer`] by a trained classifier; a [`Resolver`] compares the pairs and
//! puts the records into [`Clusters`].
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

mod blocking;
mod classifier;
mod clusters;
mod columns;
mod distinct;
mod identifier;
mod lexical;
mod linkage;
mod pair_model;
mod pair_tables;
mod record;
mod record_tables;
mod resolver;
mod row_names;
mod scorer;
mod tables;

pub use blocking::{Blocking, CandidatePairs};
pub use classifier::{ClassifierScorer, PairClassifier};
pub use clusters::Clusters;
pub use distinct::DistinctRecords;
pub use identifier::identifier_columns;
pub use lexical::{ComparedTables, FEATURES, Features, LabelGain, LexicalScorer, LexicalWeights, PairLabel, Sample};
pub use pair_model::PairModel;
pub use pair_tables::PairTables;
pub use record::Record;
pub use record_tables::{ColumnChoice, RecordTable, RecordTables};
pub use resolver::{Resolution, Resolver};
pub use row_names::RowNames;
pub use scorer::{PairScorer, ScoredPair};
pub use tables::{RecordPair, Tables};
pub use truename_error::Error;
pub use truename_kb::Progress;
