//! Kinds of tasks that recipes can name: each a file with its keys, and a row in `KINDS`.

mod chain;
mod classify;
mod distil;
mod groups;
mod in_context;
mod joint;
mod kind;
mod pairs;
mod pretrain;
mod recipe;
mod recognize;
mod rerank;
mod retrieve;
mod synonyms;
mod tag;

pub use classify::Classify;
pub use distil::Distil;
pub use groups::Groups;
pub use in_context::InContext;
pub use joint::Joint;
pub(crate) use kind::learns_from_names;
pub use kind::{Kind, begin, begin_on};
pub use pairs::Pairs;
pub use pretrain::Pretrain;
pub use recognize::Recognize;
pub use rerank::Rerank;
pub use retrieve::Retrieve;
pub use synonyms::Synonyms;
pub use tag::Tag;

/// The row of each kind of task.
static KINDS: &[Kind] = &[
    chain::KIND,
    classify::KIND,
    distil::KIND,
    groups::KIND,
    in_context::KIND,
    joint::KIND,
    pairs::KIND,
    pretrain::KIND,
    recognize::KIND,
    rerank::KIND,
    retrieve::KIND,
    synonyms::KIND,
    tag::KIND,
];
