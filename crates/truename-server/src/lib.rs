//! Serves knowledge bases over HTTP.
//!
//! A [`Server`] answers three kinds of clients: programs, by JSON under `/v1`; OpenRefine and other clients of the W3C Entity
//! Reconciliation Service API, versions 0.2 and 1.0-draft, under `/reconcile`; and people, by a page at `/`. Requests of all clients are
//! answered in batches. A change of a knowledge base is seen by the next batch.
//!
//! ```
//! use truename_server::{BaseSource, Server, ServerOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let (file, kb) = (folder.path().join("kb.tsv"), folder.path().join("kb"));
//! # std::fs::write(&file, "id\tname\nA:1\tasthma\n")?;
//! # truename::KnowledgeBase::import(&[file], &kb, &Default::default(), false)?;
//! let judgements = kb.join("judgements.jsonl");
//! let source = BaseSource { name: "diseases".into(), folder: Some(kb), judgements };
//! let server = Server::open(vec![source], ServerOptions::default())?;
//! let router = server.router();
//! # let _ = router;
//! # Ok(())
//! # }
//! ```

mod access;
mod answer;
mod api;
mod assets;
mod base;
mod body;
mod budget;
mod catalogue;
mod connection;
mod error;
mod failure;
mod judgements;
mod keys;
mod limiter;
mod line_file;
mod mappings;
mod memory;
mod metrics;
mod options;
mod origin;
mod pairs;
mod queue;
mod reconcile;
mod route;
mod server;
mod state;
mod stream;
mod text;
mod work;

pub use error::Error;
pub use judgements::{Judgement, Judgements, last_judgements, read_judgements};
pub use keys::Keys;
pub use options::{BaseSource, MappingSource, PairSource, ServerOptions};
pub use server::{Server, openapi};
