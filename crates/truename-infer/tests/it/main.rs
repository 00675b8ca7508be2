//! Tests of `truename-infer` from outside, in one binary, so that it is linked once.

mod checkpoint;
mod cloze;
mod dense;
mod encode;
mod errors;
mod masked_language;
mod models;
mod quantize;
mod reference;
mod states;
mod tokens;
