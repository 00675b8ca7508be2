//! Relations between two concepts.

use serde::Serialize;

/// Relation of a subject to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum Predicate {
    /// Both are the same.
    #[serde(rename = "skos:exactMatch")]
    Exact,
    /// The object is broader.
    #[serde(rename = "skos:broadMatch")]
    Broad,
    /// The object is narrower.
    #[serde(rename = "skos:narrowMatch")]
    Narrow,
    /// Both are related in some other way.
    #[serde(rename = "skos:relatedMatch")]
    Related,
}

impl Predicate {
    /// Returns the CURIE.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "skos:exactMatch",
            Self::Broad => "skos:broadMatch",
            Self::Narrow => "skos:narrowMatch",
            Self::Related => "skos:relatedMatch",
        }
    }

    /// Returns the predicate of a CURIE or IRI of SKOS or OWL, or of a relation of the OAEI; an empty text says that both are the same.
    pub fn of(text: &str) -> Option<Self> {
        let local = text.rsplit(['#', ':', '/']).next().unwrap_or_default();
        match local {
            ""
            | "="
            | "exactMatch"
            | "closeMatch"
            | "equivalentClass"
            | "sameAs"
            | "hasDbXref"
            | "crossSpeciesExactMatch" => Some(Self::Exact),
            "<" | "broadMatch" | "subClassOf" => Some(Self::Broad),
            ">" | "narrowMatch" => Some(Self::Narrow),
            "~" | "relatedMatch" => Some(Self::Related),
            _ => None,
        }
    }
}
