//! Entity resolution: tables of records read, compared, written.

mod explain;
mod gold;
mod input;
mod label;
mod output;
pub mod page;
mod scorer;

pub use explain::{Explained, Explanations};
pub use gold::{Coverage, Gold, RuleReport};
pub use input::{Input, block_rules, short_name};
pub use label::ask;
pub use output::{Answers, check, write};
pub use scorer::{LabelReport, pair_model, say_gain, say_truncated, say_weights};
