//! Names in, links out.

mod call;
mod fitted;
mod options;
mod session;
mod vectors;
mod vote;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use call::LinkCall;
use fitted::Fitted;
pub use options::LinkOptions;
pub(crate) use session::{is_nil, sort};

use crate::call::Call;
use crate::name_filter::NameFilter;
use crate::{Context, ContextRetriever, Error, KnowledgeBase, Link, Query, Reranker};

/// Links names to the concepts of one knowledge base.
///
/// A link depends only on the query, the knowledge base and the options. All answers of a call come from one version of
/// the knowledge base: the last one committed when the call begins.
pub struct Linker {
    kb: KnowledgeBase,
    options: LinkOptions,
    retriever: Option<Box<dyn ContextRetriever>>,
    reranker: Option<Box<dyn Reranker>>,
    /// Rankers and names of the version read last.
    fitted: Mutex<Arc<Fitted>>,
}

/// Longest name in bytes; longer input is answered NIL.
pub const LONGEST_NAME_BYTES: usize = 4096;

impl Linker {
    /// Opens a knowledge base with its models, to link with.
    ///
    /// # Errors
    /// If there is no knowledge base, or it or one of its models is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let kb = KnowledgeBase::open(path.as_ref())?.with_models()?;
        Self::new(kb)?.with_context()
    }

    /// Adds the retriever and the re-ranker in the knowledge base's folder; without them nothing changes.
    ///
    /// # Errors
    /// If a model is missing or was changed, or cannot be read.
    pub fn with_context(mut self) -> Result<Self, Error> {
        if let Some(retriever) = self.kb.attached_retriever()? {
            self = self.with_retriever(Box::new(retriever));
        }
        if let Some(reranker) = self.kb.attached_reranker()? {
            self = self.with_reranker(Box::new(reranker));
        }
        Ok(self)
    }

    /// Links to the knowledge base that comes with Truename.
    ///
    /// # Errors
    /// If the user's cache cannot be written.
    pub fn bundled() -> Result<Self, Error> {
        Self::new(KnowledgeBase::bundled()?)
    }

    /// Links to a knowledge base.
    ///
    /// # Errors
    /// If its ranker cannot be read.
    pub fn new(kb: KnowledgeBase) -> Result<Self, Error> {
        let options = LinkOptions::default();
        let fitted = Fitted::read(&kb, &kb.store.snapshot()?, &options)?;
        Ok(Self { kb, options, retriever: None, reranker: None, fitted: Mutex::new(Arc::new(fitted)) })
    }

    /// Sets the options.
    ///
    /// # Errors
    /// If no concept has one of the types asked for, or no alias one of the sources left out.
    pub fn with_options(mut self, options: LinkOptions) -> Result<Self, Error> {
        let snapshot = self.kb.store.snapshot()?;
        NameFilter::new(&options).check(&snapshot)?;
        let fitted = Fitted::read(&self.kb, &snapshot, &options)?;
        drop(snapshot);
        self.fitted = Mutex::new(Arc::new(fitted));
        self.options = options;
        Ok(self)
    }

    /// Adds a retriever, whose concepts the ranker ranks with the candidates of the names.
    #[must_use]
    pub fn with_retriever(mut self, retriever: Box<dyn ContextRetriever>) -> Self {
        self.retriever = Some(retriever);
        self
    }

    /// Adds a re-ranker between the ranker and the NIL threshold.
    #[must_use]
    pub fn with_reranker(mut self, reranker: Box<dyn Reranker>) -> Self {
        self.reranker = Some(reranker);
        self
    }

    /// Returns the knowledge base.
    pub fn knowledge_base(&self) -> &KnowledgeBase {
        &self.kb
    }

    /// Returns the probability below which an answer is NIL.
    pub fn threshold(&self) -> f64 {
        self.threshold_of(&self.known())
    }

    /// Links names without context, on all threads of the current rayon pool.
    ///
    /// # Errors
    /// As [`Linker::link`].
    pub fn link_names<S: AsRef<str> + Sync>(&self, names: &[S]) -> Result<Vec<Link>, Error> {
        self.link(&names.iter().map(|name| Query::new(name.as_ref())).collect::<Vec<_>>())
    }

    /// Links one name without context.
    ///
    /// # Errors
    /// As [`Linker::link`].
    pub fn link_name(&self, name: &str) -> Result<Link, Error> {
        Ok(self.link(&[Query::new(name)])?.remove(0))
    }

    /// Links queries, on all threads of the current rayon pool.
    ///
    /// # Errors
    /// If a context's span is no part of its document, or the storage, the encoder or the re-ranker fails.
    pub fn link(&self, queries: &[Query<'_>]) -> Result<Vec<Link>, Error> {
        Ok(self.link_versioned(queries)?.1)
    }

    /// Links queries, and returns the version of the knowledge base ([`KnowledgeBase::version`]) that all answers come from.
    ///
    /// # Errors
    /// As [`Linker::link`].
    #[tracing::instrument(skip_all, fields(names = queries.len()))]
    pub fn link_versioned(&self, queries: &[Query<'_>]) -> Result<(u64, Vec<Link>), Error> {
        for Query { name, context } in queries {
            if let Some(Context { document, span }) = context.filter(|all| all.span.of(&all.document.text).is_none()) {
                return Err(Error::span_outside(name, span, document.text.len()));
            }
        }
        let call = self.begin()?;
        let names: Vec<&str> = queries.iter().map(|query| query.name).collect();
        let mut links = call.rank(&names)?;
        let mut in_context: Vec<&mut Link> = links.iter_mut().collect();
        call.rank_in_context(queries, &mut in_context)?;
        call.rerank(queries, &mut in_context)?;
        links.iter_mut().for_each(|link| link.candidates.truncate(self.options.top));
        Ok((call.version(), links))
    }

    pub(crate) fn options(&self) -> &LinkOptions {
        &self.options
    }

    /// Returns whether a retriever, a re-ranker or the encoder reads the context of queries.
    pub fn reads_context(&self) -> bool {
        self.retriever.is_some() || self.reranker.is_some() || self.options.encode_in_context
    }

    /// Begins a call at the last committed version of the knowledge base.
    pub(crate) fn begin(&self) -> Result<LinkCall<'_>, Error> {
        let call = Call::begin(&self.kb)?;
        let mut fitted = self.known();
        if fitted.version != call.version() {
            fitted = Arc::new(Fitted::read(&self.kb, call.snapshot(), &self.options)?);
            *self.fitted.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&fitted);
        }
        Ok(LinkCall { linker: self, call, fitted })
    }

    fn known(&self) -> Arc<Fitted> {
        Arc::clone(&self.fitted.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn threshold_of(&self, fitted: &Fitted) -> f64 {
        self.options.min_probability.unwrap_or(fitted.threshold)
    }

    /// Returns the number of candidates that the stages after the ranker need.
    fn ranked_depth(&self) -> usize {
        self.options.top.max(self.reranker.as_ref().map_or(0, |reranker| reranker.depth()))
    }
}
