//! Tests of the library from outside, in one binary, so that it is linked once.

mod aliases;
mod annotator;
mod companies;
mod composites;
#[cfg(feature = "models")]
mod coverage;
mod distinctions;
mod documents;
mod everyday;
#[cfg(feature = "models")]
mod general;
mod judgements;
mod link;
mod shards;
mod update;
mod vectors;
