//! Work in parts: a folder with a record of the plan, and processes that make the parts that are missing.

mod folder;
mod plan;
mod workers;

pub use folder::BatchFolder;
pub use plan::{Part, Plan, parts};
pub use workers::run;
