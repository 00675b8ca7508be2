//! Routes, and the rights that they need.

use axum::extract::MatchedPath;
use axum::http::{Extensions, Method};

/// Right that a request needs where users have keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Right {
    /// None: the answer tells nothing of a knowledge base.
    Open,
    /// A key, but for the manifest alone, which then tells no names.
    Manifest,
    /// A key.
    #[default]
    Read,
    /// A key, and a page of this server if the request is that of a page.
    Judge,
}

/// Routes that do not need [`Right::Read`]: all others do.
const RIGHTS: [(&str, Right); 19] = [
    ("", Right::Open),
    ("/docs", Right::Open),
    ("/mappings", Right::Open),
    ("/pairs", Right::Open),
    ("/openapi.json", Right::Open),
    ("/health", Right::Open),
    ("/ready", Right::Open),
    ("/favicon.ico", Right::Open),
    ("/assets/{name}", Right::Open),
    ("/reconcile/0.2", Right::Manifest),
    ("/reconcile/1.0", Right::Manifest),
    ("/kb/{kb}/reconcile/0.2", Right::Manifest),
    ("/kb/{kb}/reconcile/1.0", Right::Manifest),
    ("/v1/judgements", Right::Judge),
    ("/v1/judgements/learn", Right::Judge),
    ("/v1/mappings", Right::Judge),
    ("/v1/mappings/judgements", Right::Judge),
    ("/v1/pairs", Right::Judge),
    ("/v1/pairs/labels", Right::Judge),
];

/// The route that the router chose for a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Route {
    pub right: Right,
    /// True for the routes of the reconciliation API and the pages of concepts that it links to.
    pub is_reconciliation: bool,
}

impl Route {
    pub fn of(extensions: &Extensions) -> Self {
        // What leads nowhere tells nothing, and clients of reconciliation are to see that.
        let nowhere = Self { is_reconciliation: true, ..Self::default() };
        let Some(path) = extensions.get::<MatchedPath>() else { return nowhere };
        let path = path.as_str().trim_end_matches('/');
        let right = RIGHTS.iter().find(|(known, _)| *known == path).map(|(_, right)| *right).unwrap_or_default();
        let is_reconciliation = path.starts_with("/reconcile/") || path.starts_with("/kb/{kb}/");
        Self { right, is_reconciliation }
    }

    /// Returns true if a request with some parameters and without a key is answered.
    pub fn is_open(self, method: &Method, parameters: &[(String, String)]) -> bool {
        match self.right {
            Right::Open => true,
            Right::Manifest => {
                matches!(*method, Method::GET | Method::HEAD) && parameters.iter().all(|(name, _)| name == "callback")
            }
            Right::Read | Right::Judge => false,
        }
    }
}
