//! A mapping between two concepts, with its evidence.

use truename_text::KeyMatch;

use crate::Predicate;

/// Field of a concept that a name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// The preferred name.
    Label,
    /// A synonym.
    Synonym,
    /// A name that an outside vocabulary or a judgement gives.
    Alias,
}

/// A mapping of a concept of the source onto one of the target.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Mapping {
    /// Place of the concept among those of the source.
    pub source: usize,
    /// Place of the concept among those of the target.
    pub target: usize,
    /// Relation of the concept of the source to that of the target.
    pub predicate: Predicate,
    /// Probability of the relation, from 0 to 1.
    pub confidence: f64,
    /// The names that are most alike; none if the relation follows from that of other concepts.
    pub names: Option<NameEvidence>,
    /// True if a person judged that both are the same.
    pub is_judged: bool,
    /// Share of the concepts around that are mapped alike; 0 if none is mapped.
    pub structure: f64,
}

/// Names that speak for a mapping.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NameEvidence {
    /// The name of each side.
    pub names: [MatchedName; 2],
    /// Form in which they are equal.
    pub equal: KeyMatch,
    /// True if synonym rules make one the other.
    pub is_rewritten: bool,
    /// Likeness, from 0 to 1.
    pub similarity: f64,
}

/// A name that speaks for a mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatchedName {
    /// The name as it is written.
    pub name: String,
    /// Its normal form.
    pub normalized: String,
    /// Its field.
    pub field: Field,
}

/// A mapping that was removed, since it makes a concept its own ancestor by way of a likelier one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RemovedMapping {
    /// The mapping.
    pub mapping: Mapping,
    /// Places of the source and the target of the likeliest mapping of the cycle.
    pub conflict: (usize, usize),
}
