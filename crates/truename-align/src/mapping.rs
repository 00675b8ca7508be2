//! A mapping between two concepts, with its evidence.

use truename_kb::SynonymScope;
use truename_text::KeyMatch;

use crate::Predicate;

/// Field of a concept that a name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// The preferred name.
    Label,
    /// A synonym, with its scope if it does not mean exactly the concept.
    Synonym(Option<SynonymScope>),
    /// A name that an outside vocabulary or a judgement gives.
    Alias,
}

impl Field {
    /// Returns the relation of two concepts that have a name in common, by the scopes of it on both sides; `None` if it means exactly both.
    pub(crate) fn relation(source: Self, target: Self) -> Option<Predicate> {
        let scope = |field| if let Self::Synonym(scope) = field { scope } else { None };
        match (scope(source), scope(target)) {
            (None, None) => None,
            (Some(SynonymScope::Broad), None) | (None, Some(SynonymScope::Narrow)) => Some(Predicate::Broad),
            (Some(SynonymScope::Narrow), None) | (None, Some(SynonymScope::Broad)) => Some(Predicate::Narrow),
            _ => Some(Predicate::Related),
        }
    }
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

/// A mapping that was removed, since it contradicts a likelier one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RemovedMapping {
    /// The mapping.
    pub mapping: Mapping,
    /// Places of the source and the target of the likelier mapping; the likeliest one of a cycle.
    pub conflict: (usize, usize),
    /// Why both cannot hold.
    pub reason: Contradiction,
}

/// Why two mappings cannot hold together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Contradiction {
    /// They close a cycle in the merged hierarchy, so that a concept is its own ancestor.
    Cycle,
    /// One vocabulary has a concept of one mapping below that of the other; in the other vocabulary both are disjoint.
    Disjoint,
}
