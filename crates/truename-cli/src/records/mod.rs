//! Entity resolution: tables of records read, compared, written.

mod gold;
mod input;
mod output;
mod page;
mod scorer;

pub use gold::{Coverage, Gold};
pub use input::Input;
pub use output::{check, write};
pub use scorer::{LabelReport, pair_model, say_gain, say_truncated};
