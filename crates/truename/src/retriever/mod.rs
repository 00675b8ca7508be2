//! Retrievers: concepts proposed by the context of a mention, beside the candidates of its name.

mod attached;
mod trained;

pub use attached::AttachedRetriever;
pub use trained::TrainedRetriever;

use std::sync::Arc;

use truename_kb::ConceptId;

use crate::{Error, Query};

/// Proposes concepts for mentions by their context, beside the candidates that the name alone has.
pub trait ContextRetriever: Send + Sync {
    /// Returns up to `count` concepts for each query, best first, with their scores; higher is closer. A query without context has
    /// none.
    ///
    /// # Errors
    /// If the model or the storage fails; [`Error::other`] wraps the cause.
    fn nearest(&self, queries: &[Query<'_>], count: usize) -> Result<Vec<Vec<(ConceptId, f64)>>, Error>;

    /// Returns whether the window holds the mention of a query. One that it does not hold keeps the answer by its name, which says so
    /// ([`Link::is_truncated`](crate::Link::is_truncated)).
    fn reads(&self, _: &Query<'_>) -> bool {
        true
    }
}

impl<R: ContextRetriever + ?Sized> ContextRetriever for Arc<R> {
    fn nearest(&self, queries: &[Query<'_>], count: usize) -> Result<Vec<Vec<(ConceptId, f64)>>, Error> {
        R::nearest(self, queries, count)
    }

    fn reads(&self, query: &Query<'_>) -> bool {
        R::reads(self, query)
    }
}
