//! Contextual synonyms: sentences in which one entity is marked, by concept.

mod build;
mod compose;
mod dataset;
mod definition;
mod exclusion;
mod group;
mod marked_sentence;
mod options;
mod report;
mod runs;
mod sentence_ends;
mod setup;
mod unfinished;

pub use build::{CorpusTexts, build_corpus};
pub(crate) use dataset::SentenceSet;
pub use marked_sentence::{MarkedSentence, SENTENCES_FILE, read_sentences};
pub use options::{CorpusOptions, LinkedDocuments};
pub use report::{CorpusReport, LeftOutCounts, ReadCounts, WrittenCounts};
