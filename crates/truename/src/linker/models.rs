//! Models of the knowledge base that read documents.

use std::sync::{Arc, OnceLock};

use truename_infer::{ContextMapping, InContextConfig};

use crate::{ContextRetriever, Error, KnowledgeBase, Reranker, TrainedRecognizer};

/// A model that is opened when it is first needed; `None` where there is none.
type Lazy<M> = OnceLock<Option<Arc<M>>>;

/// Models of a knowledge base that read documents. A copy shares those that are open.
#[derive(Clone, Default)]
pub(super) struct Models {
    recognizer: Lazy<TrainedRecognizer>,
    retriever: Lazy<dyn ContextRetriever>,
    reranker: Lazy<dyn Reranker>,
    /// True where the encoder reads names alone, whatever it learnt.
    without_sentences: bool,
}

/// Models that read the context of a call's queries.
#[derive(Clone, Default)]
pub(crate) struct ContextModels {
    pub(super) retriever: Option<Arc<dyn ContextRetriever>>,
    pub(super) reranker: Option<Arc<dyn Reranker>>,
    /// From the ranker's logit and the cosine in context to a logit, of an encoder that learnt to read mentions in their sentences.
    pub(super) mapping: Option<ContextMapping>,
}

impl Models {
    pub(super) fn recognizer(&self, kb: &KnowledgeBase) -> Result<Option<Arc<TrainedRecognizer>>, Error> {
        opened(&self.recognizer, || Ok(kb.attached_recognizer()?.map(Arc::new)))
    }

    pub(super) fn context(&self, kb: &KnowledgeBase) -> Result<ContextModels, Error> {
        Ok(ContextModels {
            retriever: opened(&self.retriever, || Ok(kb.attached_retriever()?.map(|model| Arc::new(model) as _)))?,
            reranker: opened(&self.reranker, || Ok(kb.attached_reranker()?.map(|model| Arc::new(model) as _)))?,
            mapping: if self.without_sentences { None } else { kb.encoder_mapping()? },
        })
    }

    /// Leaves out all models that read the context of names.
    pub(super) fn without_context(&mut self) {
        self.set_retriever(None);
        self.set_reranker(None);
        self.without_sentences = true;
    }

    pub(super) fn set_retriever(&mut self, retriever: Option<Arc<dyn ContextRetriever>>) {
        self.retriever = OnceLock::from(retriever);
    }

    pub(super) fn set_reranker(&mut self, reranker: Option<Arc<dyn Reranker>>) {
        self.reranker = OnceLock::from(reranker);
    }
}

impl ContextModels {
    /// Returns the number of candidates that they need, of which `top` are asked for.
    pub(super) fn depth(&self, top: usize) -> usize {
        let weighed = if self.mapping.is_some() { InContextConfig::CANDIDATES } else { 0 };
        top.max(self.reranker.as_ref().map_or(weighed, |reranker| reranker.depth()))
    }

    /// Returns whether a model reads the context of queries.
    pub(super) fn are_there(&self) -> bool {
        self.retriever.is_some() || self.reranker.is_some() || self.mapping.is_some()
    }
}

fn opened<M: ?Sized>(
    model: &Lazy<M>,
    open: impl FnOnce() -> Result<Option<Arc<M>>, Error>,
) -> Result<Option<Arc<M>>, Error> {
    match model.get() {
        Some(model) => Ok(model.clone()),
        None => {
            let found = open()?;
            Ok(model.get_or_init(|| found).clone())
        }
    }
}
