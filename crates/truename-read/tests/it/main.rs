//! Tests of `truename-read` from outside, in one binary, so that it is linked once.

mod one_way;
mod pipe;
mod records;
mod rows;
mod source;
