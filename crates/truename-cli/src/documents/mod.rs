//! Documents: read, linked, written.

mod corpus_sink;
mod mention_table;
mod sink;
mod source;
mod terminal;

pub use corpus_sink::{CorpusSink, say_losses};
pub use mention_table::MentionColumns;
pub use sink::{Sink, SinkOptions};
pub use source::Documents;
