//! Sequences of tokens as a model reads them: segments, positions, visibility, entity.

use std::ops::Range;

use crate::Visibility;

/// A sequence of tokens as a model reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    ids: Vec<u32>,
    segments: Option<Vec<u32>>,
    positions: Option<Vec<u32>>,
    visibility: Option<Visibility>,
    entities: Vec<Range<usize>>,
}

impl Input {
    /// Creates a sequence in which every token attends to every other, all in segment 0, at positions from 0 on.
    pub fn new(ids: Vec<u32>) -> Self {
        Self { ids, segments: None, positions: None, visibility: None, entities: Vec::new() }
    }

    /// Sets the segment of each token. Models without segments ignore them.
    ///
    /// # Panics
    /// Where there are not as many segments as tokens.
    #[must_use]
    pub fn with_segments(self, segments: Vec<u32>) -> Self {
        assert_eq!(segments.len(), self.ids.len(), "a segment for each token");
        // Segments of 0 are what a model takes anyway, and without them it has less to do.
        let segments = segments.iter().any(|segment| *segment != 0).then_some(segments);
        Self { segments, ..self }
    }

    /// Sets the position of each token, from 0. Biases by distance count places in the sequence as before.
    ///
    /// # Panics
    /// Where there are not as many positions as tokens.
    #[must_use]
    pub fn with_positions(self, positions: Vec<u32>) -> Self {
        assert_eq!(positions.len(), self.ids.len(), "a position for each token");
        Self { positions: Some(positions), ..self }
    }

    /// Sets the tokens that each token attends to.
    ///
    /// # Panics
    /// Where it is not a visibility of as many tokens.
    #[must_use]
    pub fn with_visibility(self, visibility: Visibility) -> Self {
        assert_eq!(visibility.len(), self.ids.len(), "a block for each token");
        Self { visibility: Some(visibility), ..self }
    }

    /// Sets the tokens of the entity that adapters look at, its markers included. Models without adapters ignore it.
    ///
    /// # Panics
    /// Where the range is not of the tokens.
    #[must_use]
    pub fn with_entity(self, entity: Range<usize>) -> Self {
        self.with_entities(vec![entity])
    }

    /// As [`Input::with_entity`], for several entities, each apart from the others.
    ///
    /// # Panics
    /// Where a range is not of the tokens.
    #[must_use]
    pub fn with_entities(self, entities: Vec<Range<usize>>) -> Self {
        let is_within = |entity: &Range<usize>| entity.start <= entity.end && entity.end <= self.ids.len();
        assert!(entities.iter().all(is_within), "entities are of the tokens");
        Self { entities, ..self }
    }

    /// Adds a token before the one at a place, in the segment of the token before it.
    ///
    /// # Panics
    /// Where the sequence has positions or a visibility of its own, or no token before the place.
    pub(crate) fn insert(&mut self, at: usize, id: u32) {
        assert!(self.positions.is_none() && self.visibility.is_none(), "tokens have places of their own");
        self.ids.insert(at, id);
        if let Some(segments) = &mut self.segments {
            segments.insert(at, segments[at - 1]);
        }
    }

    /// Puts another token in a place.
    pub(crate) fn replace(&mut self, at: usize, id: u32) {
        self.ids[at] = id;
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Numbers of the tokens.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The segment of each token; all 0 where there is nothing.
    pub fn segments(&self) -> Option<&[u32]> {
        self.segments.as_deref()
    }

    /// The position of each token; from 0 on where there is nothing.
    pub fn positions(&self) -> Option<&[u32]> {
        self.positions.as_deref()
    }

    /// The tokens of the first entity, its markers included.
    pub fn entity(&self) -> Option<Range<usize>> {
        self.entities.first().cloned()
    }

    /// The tokens of each entity, its markers included.
    pub fn entities(&self) -> &[Range<usize>] {
        &self.entities
    }

    /// The tokens that each token attends to; all where there is nothing.
    pub fn visibility(&self) -> Option<&Visibility> {
        self.visibility.as_ref()
    }
}

impl From<Vec<u32>> for Input {
    fn from(ids: Vec<u32>) -> Self {
        Self::new(ids)
    }
}
