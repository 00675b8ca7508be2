//! Concepts of a knowledge base, their ids and numbers.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use truename_error::{ErrorKind, excerpt};

use crate::Error;

/// The identifier of a concept, kept as the user wrote it: `MESH:D009203`, `Q42`, `1017`.
///
/// Not empty, at most [`ConceptId::MAX_BYTES`] long, without control characters and outer white space.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ConceptId(String);

impl ConceptId {
    /// The longest id a store takes (LMDB's longest key, less room for a mark).
    pub const MAX_BYTES: usize = 500;

    /// Returns the id as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ConceptId {
    type Err = Error;

    fn from_str(value: &str) -> Result<Self, Error> {
        let trimmed = value.trim();
        let reason = match trimmed {
            "" => "it is empty",
            _ if trimmed.len() > Self::MAX_BYTES => "it is longer than 500 bytes",
            _ if trimmed.contains(char::is_control) => "it holds a control character",
            _ => return Ok(Self(trimmed.to_owned())),
        };
        Err(Error::new(ErrorKind::Syntax, format_args!("\"{}\" is no concept id: {reason}", excerpt(value))))
    }
}

impl TryFrom<String> for ConceptId {
    type Error = Error;

    fn try_from(value: String) -> Result<Self, Error> {
        value.parse()
    }
}

impl AsRef<str> for ConceptId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ConceptId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for ConceptId {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for ConceptId {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl From<ConceptId> for String {
    fn from(id: ConceptId) -> Self {
        id.0
    }
}

impl fmt::Display for ConceptId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

/// An entry of a knowledge base.
///
/// As JSON it is one line of Truename's own format (`docs/concept.schema.json`):
/// ```
/// let line = r#"{"id": "MESH:D003924", "name": "Diabetes Mellitus, Type 2", "synonyms": ["NIDDM"], "types": ["disease"]}"#;
/// let concept: truename_kb::Concept = serde_json::from_str(line)?;
/// assert_eq!(concept.synonyms, ["NIDDM"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Concept {
    /// Id.
    pub id: ConceptId,
    /// The preferred name.
    pub name: String,
    /// Further names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<String>,
    /// Scopes of the synonyms that do not mean exactly the concept.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scopes: BTreeMap<String, SynonymScope>,
    /// Names that outside vocabularies and judgements give it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<Alias>,
    /// Types (`disease`), for `--type`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// Ids of broader concepts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<ConceptId>,
    /// Ids of the concepts that it is a part of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub part_of: Vec<ConceptId>,
    /// Ids of the concepts with which it has no narrower one in common, by its vocabulary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disjoint_from: Vec<ConceptId>,
    /// The same concept elsewhere, as CURIEs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub xrefs: Vec<String>,
    /// Definition, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
}

/// A name that an outside vocabulary or a judgement gives a concept.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alias {
    /// The name.
    pub name: String,
    /// The vocabulary, or `judged` with the day of the judgement.
    pub source: String,
}

/// Scope of a synonym that does not mean exactly its concept (OBO 1.4, section "synonym scope").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SynonymScope {
    /// It means more than the concept.
    Broad,
    /// It means less than the concept.
    Narrow,
    /// It is related in some other way, or of unknown scope.
    Related,
}

impl Concept {
    /// Returns a concept with a preferred name and nothing else.
    pub fn new(id: ConceptId, name: impl Into<String>) -> Self {
        Self {
            id,
            name: name.into(),
            synonyms: Vec::new(),
            scopes: BTreeMap::new(),
            aliases: Vec::new(),
            types: Vec::new(),
            parents: Vec::new(),
            part_of: Vec::new(),
            disjoint_from: Vec::new(),
            xrefs: Vec::new(),
            definition: None,
        }
    }

    /// Returns all its names: the preferred one, its synonyms, its aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let own = std::iter::once(&self.name).chain(&self.synonyms);
        own.map(String::as_str).chain(self.aliases.iter().map(|alias| alias.name.as_str()))
    }

    /// Returns the number of its names.
    pub fn name_count(&self) -> usize {
        1 + self.synonyms.len() + self.aliases.len()
    }

    /// Adds the names, types, relations and cross-references of another entry with the same id.
    pub(crate) fn merge(&mut self, other: Concept) {
        // What one entry has as an exact name is one.
        let scopes: Vec<_> = other.scopes.iter().filter(|(name, _)| !self.has_exact(name)).collect();
        let scopes: Vec<_> = scopes.into_iter().map(|(name, scope)| (name.clone(), *scope)).collect();
        self.scopes.retain(|name, _| !other.has_exact(name));
        self.scopes.extend(scopes);
        if self.name.is_empty() {
            self.name = other.name;
        } else if self.name != other.name && !other.name.is_empty() {
            self.synonyms.push(other.name);
        }
        self.synonyms.extend(other.synonyms);
        self.aliases.extend(other.aliases);
        self.types.extend(other.types);
        self.parents.extend(other.parents);
        self.part_of.extend(other.part_of);
        self.disjoint_from.extend(other.disjoint_from);
        self.xrefs.extend(other.xrefs);
        self.definition = self.definition.take().or(other.definition);
    }

    /// Returns whether it has a name that means exactly the concept.
    fn has_exact(&self, name: &String) -> bool {
        self.name == *name || self.synonyms.contains(name) && !self.scopes.contains_key(name)
    }

    /// Removes duplicates; a concept without a preferred name takes its first synonym. A judged name may be another name too.
    pub(crate) fn tidy(&mut self) {
        if self.name.is_empty() && !self.synonyms.is_empty() {
            self.name = self.synonyms.remove(0);
        }
        let name = &self.name;
        self.synonyms.retain(|synonym| synonym != name);
        keep_first(&mut self.synonyms);
        let synonyms = &self.synonyms;
        self.scopes.retain(|name, _| synonyms.contains(name));
        let own: HashSet<&String> = std::iter::once(&self.name).chain(&self.synonyms).collect();
        let mut seen = HashSet::new();
        self.aliases.retain(|alias| {
            let is_judged = alias.judged_on().is_some();
            (is_judged || !own.contains(&alias.name)) && seen.insert((alias.name.clone(), is_judged))
        });
        keep_first(&mut self.types);
        keep_first(&mut self.parents);
        keep_first(&mut self.part_of);
        keep_first(&mut self.disjoint_from);
        keep_first(&mut self.xrefs);
    }
}

fn keep_first<T: Clone + Eq + Hash>(values: &mut Vec<T>) {
    let mut seen = HashSet::new();
    values.retain(|value| seen.insert(value.clone()));
}

/// Number of a concept in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConceptIndex(pub u32);

/// Number of a name in a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameIndex(pub u32);
