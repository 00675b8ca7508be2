//! State shared by all requests.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::http::{HeaderMap, header};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::base::{Base, Slot};
use crate::budget::Budget;
use crate::failure::Failure;
use crate::limiter::Limiter;
use crate::mappings::Mappings;
use crate::metrics::Metrics;
use crate::origin::Origins;
use crate::pairs::Pairs;
use crate::queue::Lane;
use crate::work::{LinkNames, ReadDocuments, blocking};
use crate::{Judgements, ServerOptions};

pub(crate) type Shared = Arc<State>;

/// State shared by all requests.
pub(crate) struct State {
    /// The first is the default.
    pub served: Vec<ServedBase>,
    /// Files of mappings to be judged; the first is the default.
    pub mappings: Vec<Mappings>,
    /// Pairs of records to be labelled.
    pub pairs: Option<Pairs>,
    pub options: ServerOptions,
    pub limiter: Option<Limiter>,
    /// Counts wrong keys by address.
    pub wrong_keys: Limiter,
    pub origins: Origins,
    /// Memory of bodies.
    pub bodies: Budget,
    /// Memory of answers.
    pub answers: Budget,
    pub names: Lane<LinkNames>,
    pub documents: Lane<ReadDocuments>,
    pub metrics: Metrics,
    /// True once the server stops to accept requests.
    pub is_stopping: AtomicBool,
}

/// A knowledge base and its judgements.
pub(crate) struct ServedBase {
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

/// Reads a knowledge base on a thread that may wait. What it reads is dropped if a part could not be read meanwhile.
pub(crate) async fn read_base<T: Send + 'static, E>(
    base: Arc<Base>,
    read: impl FnOnce(&Arc<Base>) -> Result<T, E> + Send + 'static,
) -> Result<T, Failure>
where
    Failure: From<E>,
{
    blocking(move || {
        let outcome = read(&base).map_err(Failure::from);
        if base.kb.has_faulted() { Err(Failure::unreadable()) } else { outcome }
    })
    .await?
}

impl State {
    pub fn served(&self, name: Option<&str>) -> Result<&ServedBase, Failure> {
        let Some(name) = name else { return Ok(&self.served[0]) };
        self.served.iter().find(|served| served.slot.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.served.iter().map(|served| served.slot.name.as_str()).collect();
            Failure::not_found(format!("no knowledge base here is called \"{name}\""))
                .hint(format!("those here are {}", known.join(", ")))
        })
    }

    pub fn base(&self, name: Option<&str>) -> Result<Arc<Base>, Failure> {
        self.served(name)?.slot.base().ok_or_else(Failure::unreadable)
    }

    /// Returns the file of mappings with a name; the first without one.
    pub fn mappings(&self, name: Option<&str>) -> Result<&Mappings, Failure> {
        let Some(first) = self.mappings.first() else {
            return Err(Failure::not_found("this server has no mappings")
                .hint("whoever runs the server can give it a file of mappings"));
        };
        let Some(name) = name else { return Ok(first) };
        self.mappings.iter().find(|mappings| mappings.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.mappings.iter().map(|mappings| mappings.name.as_str()).collect();
            Failure::not_found(format!("no file of mappings here is called \"{name}\""))
                .hint(format!("those here are {}", known.join(", ")))
        })
    }

    /// Returns the pairs of records to be labelled.
    pub fn pairs(&self) -> Result<&Pairs, Failure> {
        self.pairs.as_ref().ok_or_else(|| {
            Failure::not_found("this server has no pairs of records")
                .hint("whoever runs the server can give it a table of records")
        })
    }

    /// Returns whether requests may teach a knowledge base; the bundled one is written to by none.
    pub fn learns(&self, name: Option<&str>) -> Result<bool, Failure> {
        Ok(self.options.learns && self.served(name)?.slot.has_folder())
    }

    /// Reads a knowledge base on a thread that may wait.
    pub async fn read<T: Send + 'static, E>(
        &self,
        name: Option<&str>,
        read: impl FnOnce(&Arc<Base>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Failure>
    where
        Failure: From<E>,
    {
        read_base(self.base(name)?, read).await
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
