//! Contextual synonyms: sentences in which one entity is marked, by concept.

mod dataset;
mod marked_sentence;

pub(crate) use dataset::SentenceSet;
pub use marked_sentence::{MarkedSentence, SENTENCES_FILE, read_sentences};
