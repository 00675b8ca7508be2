//! Tests of `truename-kb` from outside, in one binary, so that it is linked once.

mod aliases;
mod import;
mod limits;
mod store;
mod tables;
mod vocabularies;
