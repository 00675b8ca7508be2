//! State shared by all requests.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::http::{HeaderMap, header};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::access::Limiter;
use crate::base::{Base, Slot};
use crate::failure::Failure;
use crate::metrics::Metrics;
use crate::queue::Lane;
use crate::work::{LinkNames, ReadDocuments};
use crate::{Judgements, ServerOptions};

pub(crate) type Shared = Arc<State>;

/// State shared by all requests.
pub(crate) struct State {
    /// The first is the default.
    pub served: Vec<Served>,
    pub options: ServerOptions,
    pub limiter: Option<Limiter>,
    pub names: Lane<LinkNames>,
    pub documents: Lane<ReadDocuments>,
    pub metrics: Metrics,
    /// True once the server stops to accept requests.
    pub is_stopping: AtomicBool,
}

/// A knowledge base and its judgements.
pub(crate) struct Served {
    pub slot: Slot,
    pub judgements: Judgements,
}

/// The knowledge base of a request.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfBase {
    /// Name of the knowledge base; the first without it.
    pub kb: Option<String>,
}

impl State {
    pub fn served(&self, name: Option<&str>) -> Result<&Served, Failure> {
        let Some(name) = name else { return Ok(&self.served[0]) };
        self.served.iter().find(|served| served.slot.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.served.iter().map(|served| served.slot.name.as_str()).collect();
            Failure::not_found(format!("no knowledge base here is called \"{name}\""))
                .hint(format!("those here are {}", known.join(", ")))
        })
    }

    pub fn base(&self, name: Option<&str>) -> Result<Arc<Base>, Failure> {
        Ok(self.served(name)?.slot.base())
    }

    /// Returns the address by which a client reaches the server, without a slash at its end.
    pub fn address(&self, headers: &HeaderMap) -> String {
        if let Some(address) = &self.options.base_url {
            return address.trim_end_matches('/').to_owned();
        }
        let is_host =
            |host: &&str| !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || "-.:[]_".contains(c));
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).filter(is_host);
        format!("http://{}", host.unwrap_or("localhost"))
    }
}
