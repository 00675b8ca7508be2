//! Concepts proposed for one name, before they are ranked.

use std::collections::BTreeMap;

use truename_kb::{ConceptIndex, NameIndex};
use truename_text::KeyMatch;

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
pub(crate) struct Proposals(BTreeMap<ConceptIndex, Vec<(NameIndex, Proposal)>>);

impl Proposals {
    /// Returns the proposal for a name; adds an empty one if there is none yet.
    pub(crate) fn entry(&mut self, concept: ConceptIndex, name: NameIndex) -> &mut Proposal {
        let names = self.0.entry(concept).or_default();
        let at = names.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            names.push((name, Proposal::default()));
            names.len() - 1
        });
        &mut names[at].1
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ConceptIndex, &[(NameIndex, Proposal)])> {
        self.0.iter().map(|(concept, names)| (*concept, names.as_slice()))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the proposed names of a concept that share the query's normal form.
    pub(crate) fn exact_names(&self, concept: ConceptIndex) -> Vec<NameIndex> {
        let names = self.0.get(&concept).map_or(&[][..], Vec::as_slice);
        let is_exact = |(_, proposal): &&(NameIndex, Proposal)| proposal.key == KeyMatch::Exact;
        names.iter().filter(is_exact).map(|(name, _)| *name).collect()
    }

    /// Returns the only concept with a name of the query's normal form; `None` if there is none or several.
    pub(crate) fn sole_exact(&self) -> Option<ConceptIndex> {
        let is_exact = |names: &[(NameIndex, Proposal)]| names.iter().any(|(_, p)| p.key == KeyMatch::Exact);
        let mut exact = self.iter().filter(|(_, names)| is_exact(names)).map(|(concept, _)| concept);
        exact.next().filter(|_| exact.next().is_none())
    }
}
