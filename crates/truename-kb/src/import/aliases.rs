//! Joins the names of outside vocabularies to the concepts of an import.

use std::collections::{BTreeSet, HashMap};

use truename_text::{Key, NameKeys, NormalizedName};

use super::report::Import;
use crate::{Alias, Concept};

/// A vocabulary whose names are joined to the concepts of another.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Its name, which marks what it adds.
    pub source: String,
    /// Its entries.
    pub entries: Vec<Concept>,
    /// Pairs of ids that mean the same.
    pub mappings: Vec<(String, String)>,
}

/// Counts of what a vocabulary added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AliasReport {
    /// The vocabulary.
    pub source: String,
    /// Number of its entries.
    pub entries: usize,
    /// Number of entries joined to the concept with their id.
    pub by_id: usize,
    /// Number of entries joined by a cross-reference or mapping.
    pub by_xref: usize,
    /// Number of entries joined by a name.
    pub by_name: usize,
    /// Number of entries left out because they fit several concepts.
    pub ambiguous: usize,
    /// Number of names added.
    pub names: usize,
    /// Number of names left out because they are names of another concept.
    pub taken: usize,
}

impl Import {
    /// Adds the names of vocabularies to the concepts that they mean. Returns the counts of each vocabulary.
    ///
    /// An entry means the concept with its id; else the concept that a cross-reference or mapping ties it to; else the
    /// concept with a name in common, if that is the preferred name of either. An entry that fits several concepts is
    /// left out, and so is a name that another concept has.
    pub fn add_aliases(&mut self, vocabularies: Vec<Vocabulary>) -> Vec<AliasReport> {
        let mappings = vocabularies.iter().flat_map(|vocabulary| &vocabulary.mappings).chain(&self.mappings);
        let joins = Joins::new(&self.concepts, mappings);
        vocabularies.into_iter().map(|vocabulary| joins.add(vocabulary, &mut self.concepts)).collect()
    }
}

/// Concepts, by number, under everything that an entry may have in common with them.
struct Joins {
    ids: HashMap<String, usize>,
    /// Under cross-references, and ids mapped to theirs.
    xrefs: HashMap<String, BTreeSet<usize>>,
    names: HashMap<Key, BTreeSet<usize>>,
    preferred_names: Vec<Key>,
}

/// What ties an entry to its concept.
enum Join {
    Id(usize),
    Xref(usize),
    Name(usize),
    Several,
    None,
}

impl Joins {
    fn new<'a>(concepts: &[Concept], mappings: impl Iterator<Item = &'a (String, String)>) -> Self {
        let ids = concepts.iter().enumerate().map(|(at, concept)| (concept.id.to_string(), at)).collect();
        let mut joins = Self { ids, xrefs: HashMap::new(), names: HashMap::new(), preferred_names: Vec::new() };
        for (at, concept) in concepts.iter().enumerate() {
            for xref in &concept.xrefs {
                joins.xrefs.entry(xref.clone()).or_default().insert(at);
            }
            for name in concept.names() {
                joins.names.entry(key(name)).or_default().insert(at);
            }
            joins.preferred_names.push(key(&concept.name));
        }
        for (subject, object) in mappings {
            for (id, other) in [(subject, object), (object, subject)] {
                if let Some(at) = joins.ids.get(id) {
                    joins.xrefs.entry(other.clone()).or_default().insert(*at);
                }
            }
        }
        joins
    }

    fn add(&self, vocabulary: Vocabulary, concepts: &mut [Concept]) -> AliasReport {
        let Vocabulary { source, entries, .. } = vocabulary;
        let mut report = AliasReport { source: source.clone(), entries: entries.len(), ..AliasReport::default() };
        for entry in entries {
            let (at, count) = match self.join(&entry) {
                Join::Id(at) => (at, &mut report.by_id),
                Join::Xref(at) => (at, &mut report.by_xref),
                Join::Name(at) => (at, &mut report.by_name),
                Join::Several => {
                    report.ambiguous += 1;
                    continue;
                }
                Join::None => continue,
            };
            *count += 1;
            for name in entry.names() {
                let owners = self.names.get(&key(name));
                let is_known = |alias: &Alias| key(&alias.name) == key(name);
                if owners.is_some_and(|owners| owners.contains(&at)) || concepts[at].aliases.iter().any(is_known) {
                    continue;
                }
                if owners.is_some() {
                    report.taken += 1;
                    continue;
                }
                concepts[at].aliases.push(Alias { name: name.to_owned(), source: source.clone() });
                report.names += 1;
            }
        }
        report
    }

    fn join(&self, entry: &Concept) -> Join {
        if let Some(at) = self.ids.get(entry.id.as_str()) {
            return Join::Id(*at);
        }
        let mut tied: BTreeSet<usize> = entry.xrefs.iter().filter_map(|xref| self.ids.get(xref)).copied().collect();
        tied.extend(self.xrefs.get(entry.id.as_str()).into_iter().flatten());
        let named = self.named_like(entry);
        if tied.len() > 1 {
            // Of several cross-references, the one with the name is meant.
            tied.retain(|at| named.contains(at));
            return sole(&tied).map_or(Join::Several, Join::Xref);
        }
        match (sole(&tied), sole(&named)) {
            (Some(at), _) => Join::Xref(at),
            (None, Some(at)) => Join::Name(at),
            (None, None) if named.is_empty() => Join::None,
            (None, None) => Join::Several,
        }
    }

    /// Returns the concepts that have a name in common with an entry, the preferred one of either.
    fn named_like(&self, entry: &Concept) -> BTreeSet<usize> {
        let preferred = key(&entry.name);
        let mut named = BTreeSet::new();
        for name in entry.names() {
            let name = key(name);
            let owners = self.names.get(&name).into_iter().flatten();
            named.extend(owners.filter(|at| name == preferred || name == self.preferred_names[**at]));
        }
        named
    }
}

fn sole(concepts: &BTreeSet<usize>) -> Option<usize> {
    if concepts.len() == 1 { concepts.first().copied() } else { None }
}

fn key(name: &str) -> Key {
    NameKeys::of(&NormalizedName::new(name)).exact
}
