//! Concepts proposed for one name, before they are ranked.

use std::collections::BTreeMap;

use truename_kb::{ConceptIndex, NameIndex};
use truename_text::KeyMatch;

/// What the generators said of one name of the knowledge base.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Proposal {
    /// How the lookup keys meet.
    pub(crate) key: KeyMatch,
    /// TF-IDF cosine of the character n-grams.
    pub(crate) ngram: f32,
    /// Cosine of the vectors, where there are any; computed for all proposed names alike.
    pub(crate) dense: f32,
}

/// The proposed names by concept, in the order in which the generators proposed them.
#[derive(Debug, Default)]
pub(crate) struct Proposals(BTreeMap<ConceptIndex, Vec<(NameIndex, Proposal)>>);

impl Proposals {
    /// The proposal for a name, made where there is none yet.
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

    /// Returns the proposed names of a concept that have the same normal form as the query.
    pub(crate) fn exact_names(&self, concept: ConceptIndex) -> Vec<NameIndex> {
        let names = self.0.get(&concept).map_or(&[][..], Vec::as_slice);
        let is_exact = |(_, proposal): &&(NameIndex, Proposal)| proposal.key == KeyMatch::Exact;
        names.iter().filter(is_exact).map(|(name, _)| *name).collect()
    }

    /// The concept that alone has a name with the same normal form.
    pub(crate) fn sole_exact(&self) -> Option<ConceptIndex> {
        let is_exact = |names: &[(NameIndex, Proposal)]| names.iter().any(|(_, p)| p.key == KeyMatch::Exact);
        let mut exact = self.iter().filter(|(_, names)| is_exact(names)).map(|(concept, _)| concept);
        exact.next().filter(|_| exact.next().is_none())
    }
}
