//! A retriever with the vectors of a knowledge base's concepts.

use truename_kb::ConceptId;

use super::{ContextRetriever, TrainedRetriever};
use crate::{Error, KnowledgeBase, Query};

/// A retriever with the vectors that it made of a knowledge base's concepts.
pub struct AttachedRetriever {
    retriever: TrainedRetriever,
    kb: KnowledgeBase,
}

impl AttachedRetriever {
    /// Joins a retriever with the knowledge base that has its vectors.
    ///
    /// # Errors
    /// If the knowledge base has no vectors of concepts, or those of another retriever
    /// ([`EncoderMismatch`](crate::ErrorKind::EncoderMismatch)).
    pub fn new(retriever: TrainedRetriever, kb: KnowledgeBase) -> Result<Self, Error> {
        kb.check_retriever(&retriever)?;
        Ok(Self { retriever, kb })
    }

    /// Returns the retriever.
    pub(crate) fn model(&self) -> &TrainedRetriever {
        &self.retriever
    }

    /// Returns whether the retriever learnt from a document.
    pub fn has_learnt(&self, text: &str) -> bool {
        self.retriever.has_learnt(text)
    }
}

impl ContextRetriever for AttachedRetriever {
    fn nearest(&self, queries: &[Query<'_>], count: usize) -> Result<Vec<Vec<(ConceptId, f64)>>, Error> {
        Query::answer_in_context(queries, |mentions| {
            let vectors = self.retriever.mentions(mentions)?;
            self.kb.nearest_concepts(&self.retriever, &vectors, count)
        })
    }

    fn reads(&self, query: &Query<'_>) -> bool {
        query.context.is_none() || self.retriever.holds_mention(query.name)
    }
}
