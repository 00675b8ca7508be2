//! Tests of `truename-corpus` from outside, in one binary, so that it is linked once.

mod conll;
mod forms;
mod round_trip;
mod tools;
mod whole;
