//! Numbers and nouns in words.

pub use truename_error::{counted, grouped};
