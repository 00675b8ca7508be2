//! Models of the knowledge base that read documents.

use std::sync::{Arc, OnceLock};

use crate::{ContextRetriever, Error, KnowledgeBase, Reranker, TrainedRecognizer};

/// A model that is opened when it is first needed; `None` where there is none.
type Lazy<M> = OnceLock<Option<Arc<M>>>;

/// Models of a knowledge base that read documents. A copy shares those that are open.
#[derive(Clone, Default)]
pub(super) struct Models {
    recognizer: Lazy<TrainedRecognizer>,
    retriever: Lazy<dyn ContextRetriever>,
    reranker: Lazy<dyn Reranker>,
}

/// Models that read the context of a call's queries.
#[derive(Clone, Default)]
pub(crate) struct ContextModels {
    pub(super) retriever: Option<Arc<dyn ContextRetriever>>,
    pub(super) reranker: Option<Arc<dyn Reranker>>,
}

impl Models {
    pub(super) fn recognizer(&self, kb: &KnowledgeBase) -> Result<Option<Arc<TrainedRecognizer>>, Error> {
        opened(&self.recognizer, || Ok(kb.attached_recognizer()?.map(Arc::new)))
    }

    pub(super) fn context(&self, kb: &KnowledgeBase) -> Result<ContextModels, Error> {
        Ok(ContextModels {
            retriever: opened(&self.retriever, || Ok(kb.attached_retriever()?.map(|model| Arc::new(model) as _)))?,
            reranker: opened(&self.reranker, || Ok(kb.attached_reranker()?.map(|model| Arc::new(model) as _)))?,
        })
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
        top.max(self.reranker.as_ref().map_or(0, |reranker| reranker.depth()))
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
