//! Concepts near to mentions, by a retriever.

use truename_index::Hit;
use truename_infer::{MentionEncoder, RetrieverConfig};
use truename_kb::Progress;
use truename_text::Span;

use crate::Error;
use crate::nearest::nearest_among;

/// Texts that are encoded between two looks at the progress.
const TOGETHER: usize = 1024;

/// The vectors of concepts by a retriever.
pub(crate) struct ConceptVectors {
    vectors: Vec<f32>,
    /// Length of the longest before it is cut.
    pub longest: f32,
    width: usize,
}

impl ConceptVectors {
    /// Encodes concepts, each given by its names.
    pub fn new(encoder: &MentionEncoder, concepts: &[Vec<&str>], progress: &Progress) -> Result<Self, Error> {
        let (mut states, mut longest) = (Vec::new(), 0.0f32);
        for concepts in concepts.chunks(TOGETHER) {
            progress.check()?;
            let (piece, length) = encoder.concept_states(concepts)?;
            states.extend(piece);
            longest = longest.max(length);
        }
        Ok(Self::of_states(&states, encoder.backbone().info().hidden, longest))
    }

    /// Takes the vectors of concepts as a network makes them.
    ///
    /// # Shapes
    /// `states: [concepts, hidden]`
    pub fn of_states(states: &[f32], hidden: usize, longest: f32) -> Self {
        let width = RetrieverConfig::dimensions(hidden);
        let mut config = RetrieverConfig::new();
        config.longest = longest;
        let mut vectors = vec![0.0; states.len() / hidden * width];
        for (state, vector) in states.chunks_exact(hidden).zip(vectors.chunks_exact_mut(width)) {
            config.write_concept(state, vector);
        }
        Self { vectors, longest, width }
    }

    /// Returns the concepts nearest to mentions, best first; a mention is a text and its place in it.
    pub fn nearest(
        &self,
        encoder: &MentionEncoder,
        mentions: &[(&str, Span)],
        count: usize,
        progress: &Progress,
    ) -> Result<Vec<Vec<Hit>>, Error> {
        let mut found = Vec::with_capacity(mentions.len());
        for mentions in mentions.chunks(TOGETHER) {
            progress.check()?;
            let queries = encoder.mentions(mentions)?.into_vec();
            found.extend(nearest_among(&self.vectors, &queries, self.width, count)?);
        }
        Ok(found)
    }

    /// Returns the concepts nearest to the vectors of mentions as a network makes them, best first.
    ///
    /// # Shapes
    /// `states: [mentions, hidden]`
    pub fn nearest_to(&self, states: &[f32], count: usize) -> Result<Vec<Vec<Hit>>, Error> {
        let hidden = self.width - 1;
        let mut queries = vec![0.0; states.len() / hidden * self.width];
        for (state, vector) in states.chunks_exact(hidden).zip(queries.chunks_exact_mut(self.width)) {
            RetrieverConfig::new().write_mention(state, vector);
        }
        nearest_among(&self.vectors, &queries, self.width, count)
    }
}
