//! The W3C Entity Reconciliation Service API, versions 0.2 and 1.0-draft.
//!
//! Both versions share the queries (`query`), the properties of concepts (`property`) and the pages of a concept (`page`).

mod draft;
mod page;
mod property;
mod query;
mod suggest;
mod v0_2;

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::state::{Shared, State};

/// URI of what the ids stand for.
const SCHEMA_SPACE: &str = "http://www.w3.org/2004/02/skos/core#Concept";
/// Number of queries that clients are asked to send together.
const BATCH: usize = 50;
/// Most queries of a batch that are answered.
const MOST_QUERIES: usize = 1000;
/// Size of a preview in pixels.
const PREVIEW: (u32, u32) = (420, 260);

pub(crate) fn router() -> Router<Shared> {
    let mut router = Router::new().merge(page::router());
    for root in ["", "/kb/{kb}"] {
        let (old, new) = (format!("{root}/reconcile/0.2"), format!("{root}/reconcile/1.0"));
        // With a slash at its end, the address of a service is the same.
        router = router
            .route(&format!("{old}/"), v0_2::root())
            .nest(&old, v0_2::router())
            .route(&format!("{new}/"), draft::root())
            .nest(&new, draft::router());
    }
    router
}

/// The knowledge base in an address, where there is one.
#[derive(Deserialize)]
struct OfPath {
    kb: Option<String>,
}

/// The knowledge base in an address, where there is one, and what is looked for: `entity`, `type` or `property`.
#[derive(Deserialize)]
struct OfKind {
    kb: Option<String>,
    kind: String,
}

/// Returns the manifest for those without a key, which tells nothing of a knowledge base.
fn closed_manifest(state: &State, headers: &HeaderMap, versions: &[&str]) -> Value {
    let address = state.address(headers);
    json!({
        "versions": versions,
        "name": "Truename",
        "identifierSpace": format!("{address}/"),
        "schemaSpace": SCHEMA_SPACE,
        "documentation": format!("{address}/docs"),
        "serviceVersion": env!("CARGO_PKG_VERSION"),
        "batchSize": BATCH,
        "authentication": authentication(),
    })
}

/// Returns how clients send their key.
fn authentication() -> Value {
    json!({ "type": "apiKey", "name": "key", "in": "query" })
}

/// Refuses a batch with too many queries.
fn check_size(queries: usize) -> Result<(), Failure> {
    match queries <= MOST_QUERIES {
        true => Ok(()),
        false => {
            let message = format!("{queries} queries; a batch may have {MOST_QUERIES}");
            Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, message))
        }
    }
}

/// Returns the path of a knowledge base's addresses.
fn path_of(kb: &str) -> String {
    format!("/kb/{kb}")
}
