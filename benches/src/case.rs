//! A knowledge base with names whose concepts are known.

use std::collections::BTreeSet;

use truename::Concept;

/// Names asked for, and what may be known while answering them.
pub struct Case {
    pub concepts: Vec<Concept>,
    pub queries: Vec<Query>,
}

pub struct Query {
    pub name: String,
    /// Ids any of which is right.
    pub gold: BTreeSet<String>,
}
