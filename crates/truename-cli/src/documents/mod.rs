//! Documents: read, linked, written.

mod corpus_sink;
mod sink;
mod source;
mod terminal;

pub use corpus_sink::CorpusSink;
pub use sink::Sink;
pub use source::Documents;
