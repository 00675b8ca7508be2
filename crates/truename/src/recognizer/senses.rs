//! The concepts that a piece of text may refer to, and the types on which they agree.

use truename_kb::{ConceptId, ConceptIndex, Snapshot};
use truename_text::Mention;

use crate::Error;

/// The concepts that a piece of text may refer to.
#[derive(Default)]
pub(super) struct Senses {
    /// Numbers of the concepts in the store.
    concepts: Vec<ConceptIndex>,
    ids: Vec<ConceptId>,
    /// Types of each concept, sorted.
    types: Vec<Vec<String>>,
}

impl Senses {
    /// Adds a concept, unless it is there.
    pub(super) fn add(&mut self, concept: ConceptIndex, snapshot: &Snapshot<'_>) -> Result<(), Error> {
        if self.concepts.contains(&concept) {
            return Ok(());
        }
        let mut types: Vec<String> = snapshot.concept_types(concept)?.into_iter().map(str::to_owned).collect();
        types.sort_unstable();
        types.dedup();
        self.concepts.push(concept);
        self.ids.push(snapshot.concept_names(concept)?.0.parse()?);
        self.types.push(types);
        Ok(())
    }

    /// Returns the numbers of the concepts in the store.
    pub(super) fn concepts(&self) -> &[ConceptIndex] {
        &self.concepts
    }

    pub(super) fn ids(&self) -> &[ConceptId] {
        &self.ids
    }

    /// Returns the id, if there is only one concept.
    pub(super) fn id(&self) -> Option<&ConceptId> {
        if let [id] = &self.ids[..] { Some(id) } else { None }
    }

    /// Returns the types of all concepts.
    pub(super) fn types(&self) -> Vec<String> {
        let mut types: Vec<String> = self.types.iter().flatten().cloned().collect();
        types.sort_unstable();
        types.dedup();
        types
    }

    /// Returns whether a concept has the type [`Mention::UNKNOWN`].
    pub(super) fn has_unknown(&self) -> bool {
        self.types.iter().flatten().any(|concept_type| concept_type == Mention::UNKNOWN)
    }

    /// Returns the types if all concepts have the same ones and none is unknown; else none.
    pub(super) fn agreed_types(&self) -> &[String] {
        let is_agreed = self.types.windows(2).all(|pair| pair[0] == pair[1]) && !self.has_unknown();
        self.types.first().filter(|_| is_agreed).map_or(&[], Vec::as_slice)
    }
}
