//! Gold judgements in, scores out.
//!
//! Read in this order: [`read_gold`] reads names with their right ids; a [`JudgedName`] name holds a gold judgement
//! beside the system's ranked answers; [`NameScores`] are the scores of many, [`NameErrors`] tell what went wrong, and
//! [`NilTradeOff`] what another NIL threshold would change;
//! [`read_judgement_table`] reads judgements that a knowledge base learns;
//! [`plot`] draws scores, and [`compare`] tests for a difference between two systems; [`linked`] scores whole documents,
//! and [`mentions`] the mentions that a recognizer finds in them. [`read_texts`] reads texts with labels or values, which
//! [`ClassScores`] and [`ValueScores`] score; [`pairs`] scores decisions about pairs of records, [`clusters`] names that were clustered,
//! [`MappingScores`] mappings between vocabularies, and [`substitutes`] simpler words for words in sentences.
//!
//! A report runs an evaluation and serialises to the JSON of the command: [`LinkedGold::report`], [`linked::LinkEvaluation`],
//! [`mentions::MentionReport`], [`ClassReport`], [`PairReport`], [`clusters::ClusterReport`], [`substitutes::SubstituteScores`], [`AssertionScores`],
//! [`MappingReport`].
//!
//! ```
//! use truename_eval::{Answer, JudgedName, NameScores};
//!
//! let answer = |id: &str, probability| Answer { id: id.into(), probability };
//! let judged = [
//!     JudgedName::new("heart attack", &["A"], vec![answer("A", 0.9), answer("B", 0.1)], false),
//!     JudgedName::new("no such thing", &[], vec![answer("B", 0.2)], true),
//! ];
//! let scores = NameScores::of(&judged);
//! assert_eq!((scores.accuracy_at_1, scores.nil_auc), (1.0, Some(1.0)));
//! ```

mod assertions;
mod bootstrap;
mod class_report;
mod classes;
pub mod clusters;
mod gold;
mod judged;
mod judgement_table;
pub mod linked;
mod mapping_report;
mod mappings;
pub mod mentions;
mod name_error;
mod name_report;
mod overlap;
mod pair_labelling;
mod pair_report;
pub mod pairs;
pub mod plot;
mod scores;
pub mod substitutes;
mod table;
mod texts;
mod trade_off;

pub use assertions::{AssertionScores, GoldAssertions, read_assertions};
pub use bootstrap::{Comparison, Difference, compare};
pub use class_report::{ClassReport, TextScores, check_pair};
pub use classes::{ClassScores, ValueScores};
pub use gold::{read_gold, read_gold_from};
pub use judged::{Answer, JudgedName, check_same_names, read_judged, read_judged_from, write_judged};
pub use judgement_table::read_judgement_table;
pub use mapping_report::{MappingReport, RankingScores};
pub use mappings::{JudgedScores, MappingScores, MappingScoring, SimilarityScores, calibration_error};
pub use name_error::{NameError, NameErrorKind, NameErrors};
pub use name_report::{LinkedGold, NameReport};
pub use pair_labelling::{PairLabelling, Question};
pub use pair_report::{ComparedPairs, FittedPairModel, LabelFile, PairError, PairModelSource, PairReport, pair_tables};
pub use scores::{Bin, NameScores, RocPoint, TypeScores};
pub use texts::{LabelledText, TextFormat, TextLayout, malformed_text, read_texts};
pub use trade_off::NilTradeOff;
pub use truename_error::Error;
pub use truename_text::GoldName;
