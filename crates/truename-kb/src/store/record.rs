//! Concepts and names as the bytes that a store keeps.

use serde::{Deserialize, Serialize};

use crate::{Concept, ConceptId, ConceptIndex, Error, NameIndex, error};

/// A concept as it is stored, without the text of its names.
#[derive(Serialize, Deserialize)]
pub(super) struct Record<'a> {
    pub(super) id: &'a str,
    /// Name numbers: of the preferred name, the synonyms, the aliases.
    pub(super) names: Vec<u32>,
    /// Sources of the aliases, the last names.
    #[serde(borrow)]
    pub(super) alias_sources: Vec<&'a str>,
    #[serde(borrow)]
    pub(super) types: Vec<&'a str>,
    #[serde(borrow)]
    pub(super) parents: Vec<&'a str>,
    #[serde(borrow)]
    pub(super) xrefs: Vec<&'a str>,
    pub(super) definition: Option<&'a str>,
}

impl<'a> Record<'a> {
    /// Returns the record of a concept whose names have these numbers, as it is stored.
    pub(super) fn encode(concept: &'a Concept, names: Vec<u32>) -> Result<Vec<u8>, Error> {
        fn borrowed(values: &[String]) -> Vec<&str> {
            values.iter().map(String::as_str).collect()
        }
        let record = Record {
            id: concept.id.as_str(),
            names,
            alias_sources: concept.aliases.iter().map(|alias| alias.source.as_str()).collect(),
            types: borrowed(&concept.types),
            parents: concept.parents.iter().map(ConceptId::as_str).collect(),
            xrefs: borrowed(&concept.xrefs),
            definition: concept.definition.as_deref(),
        };
        postcard::to_stdvec(&record).map_err(error::record)
    }

    /// Returns the numbers of the aliases with their sources.
    pub(super) fn aliases(&self) -> impl Iterator<Item = (NameIndex, &'a str)> {
        let first = self.names.len().saturating_sub(self.alias_sources.len());
        self.names[first..].iter().map(|name| NameIndex(*name)).zip(self.alias_sources.iter().copied())
    }

    /// Reads a stored record.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        postcard::from_bytes(bytes).map_err(error::record)
    }
}

/// Returns a name of a concept as it is stored.
pub(super) fn encode_name(concept: ConceptIndex, name: &str) -> Vec<u8> {
    [&concept.0.to_le_bytes(), name.as_bytes()].concat()
}

/// Reads a stored name and the number of its concept.
pub(super) fn parse_name(bytes: &[u8]) -> Result<(ConceptIndex, &str), Error> {
    let damaged = || error::record(postcard::Error::DeserializeUnexpectedEnd);
    let (concept, name) = bytes.split_first_chunk::<4>().ok_or_else(damaged)?;
    let name = std::str::from_utf8(name).map_err(|_| error::record(postcard::Error::DeserializeBadUtf8))?;
    Ok((ConceptIndex(u32::from_le_bytes(*concept)), name))
}
