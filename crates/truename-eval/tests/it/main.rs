//! Tests of `truename-eval` from outside, in one binary, so that it is linked once.

mod linked;
mod mentions;
mod names;
mod pictures;
mod reports;
