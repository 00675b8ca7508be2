//! Configuration of encoders that read mentions in their sentences.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::ContextMapping;

/// Configuration of an [`Encoder`](crate::Encoder) that learnt to place mentions in their sentences near names, kept in the model folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InContextConfig {
    /// From the ranker's logit and the cosine in context to a logit.
    pub mapping: ContextMapping,
    /// Hashes of the documents that it learnt from.
    #[serde(default)]
    pub learnt: BTreeSet<u64>,
}

impl InContextConfig {
    /// Name of the head in the manifest.
    pub const HEAD: &'static str = "in-context";
    /// Likeliest candidates of a mention that the mapping weighs; more only where more are asked for.
    pub const CANDIDATES: usize = 8;
}

impl Default for InContextConfig {
    /// The ranker's logit alone, and no documents.
    fn default() -> Self {
        Self { mapping: ContextMapping::of_ranker(), learnt: BTreeSet::new() }
    }
}
