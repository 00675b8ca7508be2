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
    entity: Option<Range<usize>>,
}

impl Input {
    /// Creates a sequence in which every token attends to every other, all in segment 0, at positions from 0 on.
    pub fn new(ids: Vec<u32>) -> Self {
        Self { ids, segments: None, positions: None, visibility: None, entity: None }
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
        assert!(entity.start <= entity.end && entity.end <= self.ids.len(), "the entity is of the tokens");
        Self { entity: Some(entity), ..self }
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

    /// The tokens of the entity, its markers included.
    pub fn entity(&self) -> Option<Range<usize>> {
        self.entity.clone()
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
