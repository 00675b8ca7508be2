//! Tests of `truename-train` from outside, in one binary, so that it is linked once.

mod classify;
mod corpus;
mod distil;
mod recognize;
mod training;
