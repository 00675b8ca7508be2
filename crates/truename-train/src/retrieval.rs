//! Concepts near to mentions, by a retriever.

use std::path::Path;

use truename::{Concept, ConceptId, ContextRetriever, Query};
use truename_index::Hit;
use truename_infer::{MentionEncoder, RetrieverConfig};
use truename_kb::Progress;
use truename_text::Span;

use crate::Error;
use crate::nearest::ScratchIndex;

/// Texts that are encoded between two looks at the progress.
const TOGETHER: usize = 1024;

/// The vectors of concepts by a retriever.
pub(crate) struct ConceptVectors {
    index: ScratchIndex,
    /// Length of the longest before it is cut.
    pub longest: f32,
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
        Self::of_states(&states, encoder.backbone().info().hidden, longest)
    }

    /// Takes the vectors of concepts as a network makes them.
    ///
    /// # Shapes
    /// `states: [concepts, hidden]`
    pub fn of_states(states: &[f32], hidden: usize, longest: f32) -> Result<Self, Error> {
        let width = RetrieverConfig::dimensions(hidden);
        let mut config = RetrieverConfig::new();
        config.longest = longest;
        let mut vectors = vec![0.0; states.len() / hidden * width];
        for (state, vector) in states.chunks_exact(hidden).zip(vectors.chunks_exact_mut(width)) {
            config.write_concept(state, vector);
        }
        Ok(Self { index: ScratchIndex::new(&vectors, width)?, longest })
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
            found.extend(self.index.nearest(&queries, count)?);
        }
        Ok(found)
    }

    /// Returns the concepts nearest to the vectors of mentions as a network makes them, best first.
    ///
    /// # Shapes
    /// `states: [mentions, hidden]`
    pub fn nearest_to(&self, states: &[f32], count: usize) -> Result<Vec<Vec<Hit>>, Error> {
        let width = self.index.width();
        let hidden = width - 1;
        let mut queries = vec![0.0; states.len() / hidden * width];
        for (state, vector) in states.chunks_exact(hidden).zip(queries.chunks_exact_mut(width)) {
            RetrieverConfig::new().write_mention(state, vector);
        }
        self.index.nearest(&queries, count)
    }
}

/// A trained retriever of the concepts of a knowledge base, which stays as it is.
pub(crate) struct ConceptRetriever {
    encoder: MentionEncoder,
    vectors: ConceptVectors,
    ids: Vec<ConceptId>,
}

impl ConceptRetriever {
    /// Opens the folder of a retriever and encodes concepts.
    pub fn open(folder: &Path, concepts: &[Concept], progress: &Progress) -> Result<Self, Error> {
        let encoder = MentionEncoder::open(folder)?;
        let names: Vec<Vec<&str>> = concepts.iter().map(|concept| concept.names().collect()).collect();
        let vectors = ConceptVectors::new(&encoder, &names, progress)?;
        Ok(Self { encoder, vectors, ids: concepts.iter().map(|concept| concept.id.clone()).collect() })
    }

    /// Returns the numbers of the concepts nearest to mentions, best first; a mention is a text and its place in it.
    pub fn numbers(&self, mentions: &[(&str, Span)], count: usize) -> Result<Vec<Vec<Hit>>, Error> {
        self.vectors.nearest(&self.encoder, mentions, count, &Progress::default())
    }
}

impl ContextRetriever for ConceptRetriever {
    fn nearest(&self, queries: &[Query<'_>], count: usize) -> Result<Vec<Vec<(ConceptId, f64)>>, Error> {
        let with_id = |hit: Hit| (self.ids[hit.name as usize].clone(), f64::from(hit.score));
        Query::answer_in_context(queries, |mentions| {
            let found = self.numbers(mentions, count).map_err(Error::other)?;
            Ok(found.into_iter().map(|hits| hits.into_iter().map(with_id).collect()).collect())
        })
    }
}
