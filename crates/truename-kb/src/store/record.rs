//! Concepts and names as the bytes that a store keeps.

use serde::{Deserialize, Serialize};

use crate::{Concept, ConceptId, ConceptIndex, Error, NameIndex, SynonymScope, error};

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
    /// Behind the other fields, the scope of each synonym, a byte each ([`SCOPES`]); nothing if all are exact, and in older stores.
    #[serde(skip)]
    scopes: &'a [u8],
    /// Behind the scopes, which are then as many as the synonyms and aliases; older stores lack it.
    #[serde(skip)]
    pub(super) part_of: Vec<&'a str>,
    /// Behind the wholes; older stores lack it.
    #[serde(skip)]
    pub(super) disjoint_from: Vec<&'a str>,
}

/// Scopes of synonyms by the byte that stands for them.
const SCOPES: [Option<SynonymScope>; 4] =
    [None, Some(SynonymScope::Broad), Some(SynonymScope::Narrow), Some(SynonymScope::Related)];

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
            scopes: &[],
            part_of: Vec::new(),
            disjoint_from: Vec::new(),
        };
        let mut bytes = postcard::to_stdvec(&record).map_err(error::record)?;
        if !concept.scopes.is_empty() {
            let byte =
                |scope: Option<SynonymScope>| SCOPES.iter().position(|known| *known == scope).unwrap_or_default();
            bytes.extend(concept.synonyms.iter().map(|name| byte(concept.scopes.get(name).copied()) as u8));
        }
        let ids = |ids: &'a [ConceptId]| ids.iter().map(ConceptId::as_str).collect::<Vec<_>>();
        let (part_of, disjoint_from) = (ids(&concept.part_of), ids(&concept.disjoint_from));
        if !part_of.is_empty() || !disjoint_from.is_empty() {
            let scoped = if concept.scopes.is_empty() { 0 } else { concept.synonyms.len() };
            bytes.resize(bytes.len() + concept.name_count() - 1 - scoped, 0);
            bytes.extend(postcard::to_stdvec(&part_of).map_err(error::record)?);
        }
        if !disjoint_from.is_empty() {
            bytes.extend(postcard::to_stdvec(&disjoint_from).map_err(error::record)?);
        }
        Ok(bytes)
    }

    /// Returns the numbers of the synonyms that do not mean exactly the concept, with their scopes.
    pub(super) fn scopes(&self) -> impl Iterator<Item = (NameIndex, SynonymScope)> {
        let scope = |byte: &u8| SCOPES.get(usize::from(*byte)).copied().flatten();
        let synonyms = self.names.iter().skip(1).zip(self.scopes);
        synonyms.filter_map(move |(name, byte)| Some((NameIndex(*name), scope(byte)?)))
    }

    /// Returns the numbers of the aliases with their sources.
    pub(super) fn aliases(&self) -> impl Iterator<Item = (NameIndex, &'a str)> {
        let first = self.names.len().saturating_sub(self.alias_sources.len());
        self.names[first..].iter().map(|name| NameIndex(*name)).zip(self.alias_sources.iter().copied())
    }

    /// Reads a stored record.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let (record, behind): (Self, &[u8]) = postcard::take_from_bytes(bytes).map_err(error::record)?;
        let (scopes, behind) = behind.split_at(behind.len().min(record.names.len().saturating_sub(1)));
        let ids = |bytes: &'a [u8]| match bytes {
            [] => Ok((Vec::new(), bytes)),
            bytes => postcard::take_from_bytes(bytes).map_err(error::record),
        };
        let (part_of, behind) = ids(behind)?;
        let (disjoint_from, _) = ids(behind)?;
        Ok(Self { scopes, part_of, disjoint_from, ..record })
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
