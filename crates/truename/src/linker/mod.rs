//! Names and documents in, links out.
//!
//! The stages in their order: a text that is the id of a concept, or a retired id, is answered by it; a placeholder
//! is NIL unless a concept has that very name; the others go through generators, features and the ranker. Names
//! that no concept alone has are ranked anew in context (`LinkCall::rank_in_context`), with the concepts of a
//! retriever or, where the encoder learnt it or is asked to, the vector of the mention in its sentence. A mapping of
//! the encoder, or a re-ranker, replaces the logits of the best candidates, and the NIL threshold comes after it. Ties break by concept id.
//!
//! A call encodes together the names that are not resolved lexically; each piece of them then shares one pass over
//! the signs of the vectors. Rankers, types and memos belong to a version of the store.

mod answers;
mod call;
mod composite_names;
mod contradiction;
mod documents;
mod fitted_rankers;
mod models;
mod options;
mod session;
mod stream;
mod vectors;
mod vote;

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use answers::Answers;
pub(crate) use call::LinkCall;
use fitted_rankers::FittedRankers;
use models::{ContextModels, Models};
pub use options::{Ambiguous, LinkOptions};
pub(crate) use session::{id_of, is_nil, sort};
pub use stream::{DocumentBatches, LinkStream, StreamItem};

use truename_error::ErrorKind;
use truename_infer::Encoder;
use truename_text::stable_hash;

use crate::call::Call;
use crate::name_filter::NameFilter;
use crate::recognizer::{CompositeRecognizer, Recognizer, RecognizerOptions, TrainedRecognizer};
use crate::{Context, ContextRetriever, Error, KnowledgeBase, Link, Query, Reranker, bundled_models};

/// Links names, and the mentions of documents, to the concepts of one knowledge base.
///
/// Uses all models that the knowledge base carries: its encoder for names; its recognizer, its retriever and its re-ranker for documents
/// and for names with a context.
///
/// A link depends only on the query or document, the knowledge base and the options. All answers of a call come from one version of the
/// knowledge base: the last one committed when the call begins.
pub struct Linker {
    kb: KnowledgeBase,
    options: LinkOptions,
    models: Models,
    /// The recognizer in place of that of the knowledge base.
    given: Option<Arc<dyn Recognizer>>,
    recognizer: OnceLock<Arc<dyn Recognizer>>,
    /// Finds the names of composite ones.
    composites: OnceLock<CompositeRecognizer>,
    /// Rankers and names of the version read last.
    fitted: Mutex<Arc<FittedRankers>>,
    answers: Answers,
}

/// Answers to names, in their order.
pub struct SharedLinks {
    /// Answers; those to the same name are one.
    pub links: Vec<Arc<Link>>,
    /// Number of distinct names that were ranked; the others were remembered, or asked for twice.
    pub searched: usize,
}

/// Longest name in bytes; longer input is answered NIL.
pub const LONGEST_NAME_BYTES: usize = 4096;

impl Linker {
    /// Opens a knowledge base with all models that it carries.
    ///
    /// # Errors
    /// If there is no knowledge base, or it or one of its models is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::new(KnowledgeBase::open(path)?)?.opened()
    }

    /// Opens the knowledge base that comes with Truename.
    ///
    /// # Errors
    /// If the user's cache cannot be written.
    pub fn bundled() -> Result<Self, Error> {
        Self::new(KnowledgeBase::bundled()?)?.opened()
    }

    /// Links to a knowledge base, with the encoder that it has ([`KnowledgeBase::encoder`]). Opens its other models when
    /// they are first needed.
    ///
    /// # Errors
    /// If its ranker or its encoder cannot be read.
    pub fn new(kb: KnowledgeBase) -> Result<Self, Error> {
        let options = LinkOptions::default();
        let fitted = FittedRankers::read(&kb, &kb.store.snapshot()?, &options)?;
        let answers = Answers::new(&options);
        Ok(Self::of(kb, options, Models::default(), None, fitted, answers))
    }

    fn of(
        kb: KnowledgeBase,
        options: LinkOptions,
        models: Models,
        given: Option<Arc<dyn Recognizer>>,
        fitted: FittedRankers,
        answers: Answers,
    ) -> Self {
        let fitted = Mutex::new(Arc::new(fitted));
        let (recognizer, composites) = (OnceLock::new(), OnceLock::new());
        Self { kb, options, models, given, recognizer, composites, fitted, answers }
    }

    /// Opens the models that read documents now.
    ///
    /// # Errors
    /// If a model is missing or was changed, or cannot be read.
    pub fn opened(self) -> Result<Self, Error> {
        self.models.recognizer(&self.kb)?;
        self.models.context(&self.kb)?;
        Ok(self)
    }

    /// Returns a linker with other options. It shares the models that are open, and the memory for answers.
    ///
    /// # Errors
    /// If no concept has one of the types asked for, or no alias one of the sources left out.
    pub fn with_options(&self, options: LinkOptions) -> Result<Self, Error> {
        NameFilter::new(&options).check(&self.kb.store.snapshot()?)?;
        self.with_options_of_whole(options)
    }

    /// Returns a linker with the options of a whole of which its knowledge base is a shard, which may lack types and sources of aliases.
    pub(crate) fn with_options_of_whole(&self, options: LinkOptions) -> Result<Self, Error> {
        let fitted = FittedRankers::read(&self.kb, &self.kb.store.snapshot()?, &options)?;
        let answers = self.answers.for_options(&options);
        Ok(Self::of(self.kb.clone(), options, self.models.clone(), self.given.clone(), fitted, answers))
    }

    /// Replaces the recognizer of the knowledge base, or its dictionary, by another recognizer.
    #[must_use]
    pub fn with_recognizer(mut self, recognizer: Arc<dyn Recognizer>) -> Self {
        self.given = Some(recognizer);
        self
    }

    /// Replaces the retriever, whose concepts the ranker ranks with the candidates of the names.
    #[must_use]
    pub fn with_retriever(mut self, retriever: Arc<dyn ContextRetriever>) -> Self {
        self.models.set_retriever(Some(retriever));
        self
    }

    /// Replaces the re-ranker between the ranker and the NIL threshold.
    #[must_use]
    pub fn with_reranker(mut self, reranker: Arc<dyn Reranker>) -> Self {
        self.models.set_reranker(Some(reranker));
        self
    }

    /// Removes the retriever and the re-ranker.
    #[must_use]
    pub fn without_context(mut self) -> Self {
        self.models.without_context();
        self
    }

    /// Returns the recognizer that finds the mentions of documents: the one given, else that of the knowledge base
    /// ([`RecognizerOptions::of_knowledge_base`]).
    ///
    /// # Errors
    /// If the recognizer of the knowledge base is missing or was changed, or cannot be read.
    pub fn recognizer(&self) -> Result<Arc<dyn Recognizer>, Error> {
        if let Some(recognizer) = self.given.as_ref().or(self.recognizer.get()) {
            return Ok(Arc::clone(recognizer));
        }
        let LinkOptions { nested, composites, types, without_aliases, stop_names, .. } = &self.options;
        let LinkOptions { min_probability, explain: explained, .. } = self.options;
        let options = RecognizerOptions {
            nested: nested.then_some(true),
            composites: *composites,
            types: types.clone(),
            without_aliases: without_aliases.clone(),
            stop_names: Arc::clone(stop_names),
            min_probability,
            explained,
            ..RecognizerOptions::default()
        };
        let own = self.trained_recognizer()?.map(|own| TrainedRecognizer::clone(&own));
        let made = options.of_knowledge_base(&self.kb, own)?;
        Ok(Arc::clone(self.recognizer.get_or_init(|| made)))
    }

    /// Returns the recognizer that the knowledge base carries; `None` if it has none.
    ///
    /// # Errors
    /// If it is missing or was changed, or cannot be read.
    pub fn trained_recognizer(&self) -> Result<Option<Arc<TrainedRecognizer>>, Error> {
        self.models.recognizer(&self.kb)
    }

    /// Returns 16 hexadecimal digits of what the answers depend on beside the input and the options: the version of Truename, the
    /// knowledge base ([`KnowledgeBase::fingerprint`]), the encoder in use, the models that are part of the program, and the recognizer
    /// given, if one is ([`Recognizer::fingerprint`]). A retriever or re-ranker that was given does not count.
    ///
    /// # Errors
    /// As [`KnowledgeBase::fingerprint`] and [`KnowledgeBase::encoder`].
    pub fn fingerprint(&self) -> Result<String, Error> {
        let encoder = self.kb.encoder()?.map(Encoder::hash);
        let recognizer = self.given.as_ref().and_then(|given| given.fingerprint());
        let program = (env!("CARGO_PKG_VERSION"), bundled_models::version());
        let parts = (program, self.kb.fingerprint()?, encoder, recognizer);
        Ok(format!("{:016x}", stable_hash(&format!("{parts:?}"))))
    }

    /// Returns the knowledge base.
    pub fn knowledge_base(&self) -> &KnowledgeBase {
        &self.kb
    }

    /// Returns the probability below which an answer is NIL.
    pub fn threshold(&self) -> f64 {
        self.threshold_of(&self.known(), 0.0)
    }

    /// Links names without context, on all threads of the current rayon pool.
    ///
    /// # Errors
    /// As [`Linker::link_queries`].
    pub fn link_names<S: AsRef<str> + Sync>(&self, names: &[S]) -> Result<Vec<Link>, Error> {
        self.link_queries(&names.iter().map(|name| Query::new(name.as_ref())).collect::<Vec<_>>())
    }

    /// Links one name without context.
    ///
    /// # Errors
    /// As [`Linker::link_queries`].
    pub fn link_name(&self, name: &str) -> Result<Link, Error> {
        Ok(self.link_queries(&[Query::new(name)])?.remove(0))
    }

    /// Links names without context as [`Linker::link_names`] does. Answers to the same name are one.
    ///
    /// # Errors
    /// As [`Linker::link_queries`].
    pub fn link_shared(&self, names: &[&str]) -> Result<SharedLinks, Error> {
        let answers = self.answers(&self.begin(false, 0.0)?, names.iter().copied())?;
        let shared = |name: &&str| {
            let mut link = Arc::clone(&answers.of[name].link);
            if link.candidates.len() > self.options.top {
                Arc::make_mut(&mut link).candidates.truncate(self.options.top);
            }
            link
        };
        Ok(SharedLinks { links: names.iter().map(shared).collect(), searched: answers.searched })
    }

    /// Links queries, each distinct name once, on all threads of the current rayon pool. All answers come from one version of the
    /// knowledge base.
    ///
    /// # Errors
    /// If a context's span is no part of its document, or the storage, the encoder or the re-ranker fails.
    #[tracing::instrument(skip_all, fields(names = queries.len()))]
    pub fn link_queries(&self, queries: &[Query<'_>]) -> Result<Vec<Link>, Error> {
        for Query { name, context, .. } in queries {
            if let Some(Context { document, span }) = context.filter(|all| all.span.of(&all.document.text).is_none()) {
                let (start, end, bytes) = (span.start, span.end, document.text.len());
                let message = format!(
                    "the span {start}..{end} of \"{name}\" is no part of its document, which has {bytes} bytes"
                );
                return Err(Error::new(ErrorKind::Choice, message)
                    .with_hint("spans count the bytes of the text, from 0, and end between two characters"));
            }
        }
        let call = self.begin(queries.iter().any(|query| query.context.is_some()), 0.0)?;
        let answers = self.answers(&call, queries.iter().map(|query| query.name))?.of;
        let mut links: Vec<Link> = queries.iter().map(|query| Link::clone(&answers[query.name].link)).collect();
        let mut in_context: Vec<&mut Link> = links.iter_mut().collect();
        call.rank_in_context(queries, &mut in_context)?;
        call.rerank(queries, &mut in_context)?;
        links.iter_mut().for_each(|link| link.candidates.truncate(self.options.top));
        Ok(links)
    }

    /// Returns the options.
    pub fn options(&self) -> &LinkOptions {
        &self.options
    }

    /// Returns whether a retriever, a re-ranker or the encoder reads the context of queries.
    ///
    /// # Errors
    /// If a model is missing or was changed, or cannot be read.
    pub fn reads_context(&self) -> Result<bool, Error> {
        Ok(self.options.encode_in_context || self.models.context(&self.kb)?.are_there())
    }

    /// Begins a call at the last committed version of the knowledge base, with the models that read contexts if there are any.
    /// `nil_share` is the share of the names that have no concept, where it is more than that of the options.
    pub(crate) fn begin(&self, has_context: bool, nil_share: f64) -> Result<LinkCall<'_>, Error> {
        let call = Call::begin(&self.kb)?;
        let mut fitted = self.known();
        if fitted.version != call.version() {
            fitted = Arc::new(FittedRankers::read(&self.kb, call.snapshot(), &self.options)?);
            *self.fitted.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&fitted);
        }
        let context = if has_context { self.models.context(&self.kb)? } else { ContextModels::default() };
        let threshold = self.threshold_of(&fitted, nil_share);
        Ok(LinkCall { linker: self, call, fitted, context, threshold })
    }

    fn known(&self) -> Arc<FittedRankers> {
        Arc::clone(&self.fitted.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn threshold_of(&self, fitted: &FittedRankers, nil_share: f64) -> f64 {
        let LinkOptions { min_probability, nil_share: of_options, .. } = self.options;
        min_probability.unwrap_or_else(|| fitted.ranker.threshold(of_options.max(nil_share)))
    }
}
