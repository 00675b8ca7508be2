//! Contextual synonyms: sentences in which one entity is marked, by concept.

mod marked_sentence;

pub use marked_sentence::{MarkedSentence, SENTENCES_FILE, read_sentences};
