//! Concepts proposed for one name, before they are ranked.

use std::collections::BTreeMap;

use truename_kb::{ConceptIndex, NameIndex, Snapshot, judged_on};
use truename_text::KeyMatch;

use crate::Error;

/// Scores that the generators gave one name of the knowledge base.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Proposal {
    /// Match of the lookup keys.
    pub(crate) key: KeyMatch,
    /// TF-IDF cosine of the character n-grams.
    pub(crate) ngram: f32,
    /// Cosine of the vectors, if there are any; computed for every proposed name.
    pub(crate) dense: f32,
}

/// Proposed names by concept, in the order in which the generators proposed them.
#[derive(Debug, Default)]
pub(crate) struct Proposals {
    names: BTreeMap<ConceptIndex, Vec<(NameIndex, Proposal)>>,
    /// Names that were not proposed because too many share their lookup key.
    pub(crate) crowd: Vec<NameIndex>,
}

impl Proposals {
    /// Returns the proposal for a name; adds an empty one if there is none yet.
    pub(crate) fn entry(&mut self, concept: ConceptIndex, name: NameIndex) -> &mut Proposal {
        let names = self.names.entry(concept).or_default();
        let at = names.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            names.push((name, Proposal::default()));
            names.len() - 1
        });
        &mut names[at].1
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ConceptIndex, &[(NameIndex, Proposal)])> {
        self.names.iter().map(|(concept, names)| (*concept, names.as_slice()))
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the proposed names of a concept that share the query's normal form.
    pub(crate) fn exact_names(&self, concept: ConceptIndex) -> Vec<NameIndex> {
        let names = self.names.get(&concept).map_or(&[][..], Vec::as_slice);
        let is_exact = |(_, proposal): &&(NameIndex, Proposal)| proposal.key == KeyMatch::Exact;
        names.iter().filter(is_exact).map(|(name, _)| *name).collect()
    }

    /// Returns the concept that the query's normal form decides for: the only one with such a name or, of several, the only one that a
    /// person judged to have it. `None` if there is none.
    pub(crate) fn sole_exact(&self, snapshot: &Snapshot<'_>) -> Result<Option<ConceptIndex>, Error> {
        let is_exact = |names: &[(NameIndex, Proposal)]| names.iter().any(|(_, p)| p.key == KeyMatch::Exact);
        let mut exact: Vec<ConceptIndex> =
            self.iter().filter(|(_, names)| is_exact(names)).map(|(concept, _)| concept).collect();
        if exact.len() > 1 {
            let mut judged = Vec::new();
            for concept in exact {
                let (aliases, names) = (snapshot.aliases(concept)?, self.exact_names(concept));
                if aliases.iter().any(|(name, source)| judged_on(source).is_some() && names.contains(name)) {
                    judged.push(concept);
                }
            }
            exact = judged;
        }
        Ok(if let [sole] = exact[..] { Some(sole) } else { None })
    }
}
