//! Options of a server: addresses, origins, keys, limits of requests and memory.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use truename_records::{RecordPair, RecordTables};

use crate::Keys;

/// A knowledge base to serve.
#[derive(Clone, Debug)]
pub struct BaseSource {
    /// Name in addresses: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// Folder; `None` for the bundled knowledge base.
    pub folder: Option<PathBuf>,
    /// File of its judgements.
    pub judgements: PathBuf,
}

/// A file of mappings to be judged.
#[derive(Clone, Debug)]
pub struct MappingSource {
    /// SSSOM table, as `truename_align::MappingSet` writes it.
    pub mappings: PathBuf,
    /// File of its judgements, SSSOM too.
    pub judgements: PathBuf,
}

/// Pairs of records to be labelled.
#[derive(Clone, Debug)]
pub struct PairSource {
    /// The tables of the records.
    pub tables: RecordTables,
    /// The pairs, as `truename_records::Blocking` proposes them.
    pub pairs: Vec<RecordPair>,
    /// File of the labels: those that it has count, and the pairs that they are of are not asked for.
    pub labels: PathBuf,
    /// Probability from which a pair is a match; pairs near it are doubtful.
    pub threshold: f64,
}

/// Options of a [`Server`](crate::Server).
#[derive(Debug)]
pub struct ServerOptions {
    /// Address by which clients reach the server, such as `https://names.example.org`; `None` for that of each request.
    pub base_url: Option<String>,
    /// URI namespace of the ids, for the reconciliation manifest; `None` for the address of the server's pages.
    pub identifier_space: Option<String>,
    /// Names by which clients may ask the server, beside addresses, loopback names and the host of `base_url`.
    pub host_names: Vec<String>,
    /// Origins whose pages may read the answers to reconciliation clients, such as `https://example.org`; `*` for any.
    pub allow_origins: Vec<String>,
    /// Origins whose pages may read the answers of the own API too, but for judgements; `*` for any.
    pub allow_api_origins: Vec<String>,
    /// Keys of the users; `None` to answer everyone.
    pub keys: Option<Keys>,
    /// Files of mappings to be judged; the first is the default.
    pub mappings: Vec<MappingSource>,
    /// Pairs of records to be labelled; `None` for none.
    pub pairs: Option<PairSource>,
    /// True if requests may teach the knowledge bases what people judged.
    pub learns: bool,
    /// Most requests that a user makes in a minute; `None` for any number.
    pub requests_per_minute: Option<NonZeroU32>,
    /// Largest body of a request, and line of a stream, in bytes.
    pub max_body_bytes: usize,
    /// Most open connections; three quarters of them may come from one address.
    pub connections: usize,
    /// Bytes of memory for all requests, answers and remembered answers together; a larger document or batch is refused.
    pub memory_bytes: usize,
    /// Most requests that wait for a batch; more are answered 503.
    pub queue: usize,
    /// Most tokens of a batch. A token counts four bytes.
    pub batch_tokens: usize,
    /// Longest time from a request to its answer.
    pub timeout: Duration,
    /// Number of answers to names that are remembered for each knowledge base.
    pub cache: usize,
    /// Least probability of a candidate that reconciliation reports as a match.
    pub match_probability: f64,
    /// Least difference of that probability to that of the next candidate.
    pub match_gap: f64,
}

impl ServerOptions {
    /// Origins of OpenRefine's pages on the machine of its user.
    pub const OPENREFINE: [&str; 2] = ["http://127.0.0.1:3333", "http://localhost:3333"];
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            base_url: None,
            identifier_space: None,
            host_names: Vec::new(),
            allow_origins: ServerOptions::OPENREFINE.map(str::to_owned).to_vec(),
            allow_api_origins: Vec::new(),
            keys: None,
            mappings: Vec::new(),
            pairs: None,
            learns: false,
            requests_per_minute: None,
            max_body_bytes: 16 << 20,
            connections: 1024,
            memory_bytes: 384 << 20,
            queue: 256,
            batch_tokens: 16_384,
            timeout: Duration::from_secs(60),
            cache: 65_536,
            match_probability: 0.9,
            match_gap: 0.5,
        }
    }
}
