//! The record of a corpus, `corpus.json`, and its data sheet.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::setup::Setup;
use super::{CorpusOptions, SENTENCES_FILE};
use crate::DataFile;

/// The record of a corpus: its `corpus.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CorpusReport {
    /// The knowledge base.
    pub knowledge_base: DataFile,
    /// The files of texts, in the order in which they were read.
    pub texts: Vec<DataFile>,
    /// The files of concepts that are kept out.
    pub exclude: Vec<DataFile>,
    /// Licences of the sources, as the caller states them.
    pub licences: Vec<String>,
    /// Options for reading texts.
    pub reading: String,
    /// Recognizer and encoder of the linker.
    pub linker: String,
    /// Options.
    pub options: CorpusOptions,
    /// Counts of what was written.
    pub written: WrittenCounts,
    /// Counts of what was read in texts.
    pub read: ReadCounts,
    /// Counts of what was left out after reading.
    pub left_out: LeftOutCounts,
}

/// Counts of the sentences of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WrittenCounts {
    /// Concepts with sentences.
    pub concepts: u64,
    /// Sentences.
    pub sentences: u64,
    /// Pairs of sentences of one concept whose names differ enough.
    pub pairs: u64,
    /// Mean number of pairs of a concept.
    pub pairs_per_concept: f64,
    /// Mean length of a sentence in characters.
    pub mean_length: f64,
    /// Mean edit distance between the names of a pair.
    pub mean_edit_distance: f64,
    /// Sentences by source; sentences with a replaced name under `replaced in SOURCE`.
    pub by_source: BTreeMap<String, u64>,
}

/// Counts of what was read in texts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReadCounts {
    /// Documents.
    pub documents: u64,
    /// Documents that could not be read.
    pub problems: u64,
    /// The first of these.
    pub first_problems: Vec<String>,
    /// Documents that the linker read.
    pub linked_documents: u64,
    /// Annotations with a concept.
    pub annotations: u64,
    /// Mentions that the linker found with a concept.
    pub links: u64,
    /// Annotations without an id.
    pub without_id: u64,
    /// Annotations whose id the knowledge base lacks, or that have several ids.
    pub unknown_id: u64,
    /// Mentions in several pieces.
    pub in_pieces: u64,
    /// Mentions that are longer than a sentence may be.
    pub too_long: u64,
}

/// Counts of concepts, sentences and pairs that were left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeftOutCounts {
    /// Concepts that are kept out by the caller.
    pub excluded_concepts: u64,
    /// Lines of the files of concepts that are kept out which name no concept.
    #[serde(default)]
    pub unknown_exclusions: u64,
    /// The first of these.
    #[serde(default)]
    pub first_unknown_exclusions: Vec<String>,
    /// Concepts without a sentence.
    pub concepts_without_sentence: u64,
    /// Concepts with sentences, but without two names that differ enough.
    pub concepts_without_pair: u64,
    /// Pairs of names that differ too little.
    pub near_names: u64,
    /// Sentences that a text repeats.
    pub repeated_sentences: u64,
    /// Sentences of concepts that have more than are drawn from.
    pub further_sentences: u64,
}

impl CorpusReport {
    pub(super) fn new(setup: Setup, read: ReadCounts, licences: &[String]) -> Self {
        let Setup { kb, texts, exclude, reading, linker, options } = setup;
        Self {
            knowledge_base: kb,
            texts,
            exclude,
            licences: licences.to_vec(),
            reading,
            linker,
            options,
            written: WrittenCounts::default(),
            read,
            left_out: LeftOutCounts::default(),
        }
    }

    /// Returns the data sheet of the corpus: its `README.md`.
    pub fn data_sheet(&self) -> String {
        let mut sheet = String::new();
        let mut line = |text: &str| {
            sheet.push_str(text);
            sheet.push('\n');
        };
        line("# Contextual synonyms\n");
        line(&format!(
            "`{SENTENCES_FILE}` has a sentence a line with one marked entity: `concept`, `text`, `start` and `end` (bytes of the \
             text, the end not included) and `source`. The sentences of a concept stand together, and at least two of them name it \
             differently. `corpus.json` has all figures of this page. Made by `truename corpus build`.\n"
        ));
        line(&self.figures());
        line(&self.sources());
        line(&self.settings());
        sheet
    }

    fn figures(&self) -> String {
        let WrittenCounts { concepts, sentences, pairs, pairs_per_concept, mean_length, mean_edit_distance, by_source } =
            &self.written;
        let mut text = String::from("## Figures\n| | |\n| --- | --- |\n");
        let mut row = |name: &str, value: String| {
            let _ = writeln!(text, "| {name} | {value} |");
        };
        row("concepts", concepts.to_string());
        row("sentences", sentences.to_string());
        row("pairs of sentences", pairs.to_string());
        row("pairs per concept", format!("{pairs_per_concept:.1}"));
        row("mean length of a sentence, characters", format!("{mean_length:.1}"));
        row("mean edit distance of a pair's names", format!("{mean_edit_distance:.1}"));
        for (source, count) in by_source {
            row(&format!("sentences, {}", cell(source)), count.to_string());
        }
        let left = &self.left_out;
        row("left out: excluded concepts", left.excluded_concepts.to_string());
        row("lines of excluded concepts that name none", left.unknown_exclusions.to_string());
        row("left out: concepts without a sentence", left.concepts_without_sentence.to_string());
        row("left out: concepts without two names that differ enough", left.concepts_without_pair.to_string());
        row("left out: pairs of names that differ too little", left.near_names.to_string());
        row("left out: repeated sentences", left.repeated_sentences.to_string());
        row("left out: sentences of concepts with more than are drawn from", left.further_sentences.to_string());
        text
    }

    fn sources(&self) -> String {
        let mut text = String::from("## Sources\n| file | XXH3 |\n| --- | --- |\n");
        for file in std::iter::once(&self.knowledge_base).chain(&self.texts).chain(&self.exclude) {
            let _ = writeln!(text, "| {} | `{}` |", cell(&file.path.display().to_string()), file.hash);
        }
        let ReadCounts { documents, problems, linked_documents, annotations, links, .. } = self.read;
        let _ = writeln!(
            text,
            "\n{documents} documents, {problems} not readable, {linked_documents} read by the linker; {annotations} annotations with a \
             concept, {links} links. Annotations left out: {} without an id, {} with an id that the knowledge base lacks or with \
             several, {} in pieces, {} longer than a sentence may be.\n",
            self.read.without_id, self.read.unknown_id, self.read.in_pieces, self.read.too_long
        );
        match self.licences.is_empty() {
            true => text.push_str("Licences: none stated; those of the sources apply.\n"),
            false => self.licences.iter().for_each(|licence| {
                let _ = writeln!(text, "- {licence}");
            }),
        }
        text
    }

    fn settings(&self) -> String {
        let options = serde_json::to_string(&self.options).unwrap_or_default();
        format!("## Settings\n- options: `{options}`\n- reading: {}\n- linker: {}", self.reading, self.linker)
    }
}

/// Returns a text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
