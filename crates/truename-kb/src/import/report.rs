//! The report of an import: concepts and names read, lines skipped, columns and separators found by looking.

use std::path::PathBuf;

use truename_error::{ErrorKind, Hint, HintPart, hint};
use truename_text::Problem;

use super::format::Format;
use crate::{Concept, ConceptId, Error, Judgement, RetiredId};

/// Contents of the imported files.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Import {
    /// The concepts, in the order of the files.
    pub concepts: Vec<Concept>,
    /// Ids that the files mark as removed (`"removed": true`, obsolete terms).
    pub removed: Vec<ConceptId>,
    /// Ids that are no longer in use, with what became of them, in their order; those of `removed` among them.
    pub retired: Vec<RetiredId>,
    /// Judgements without a concept.
    pub judgements: Vec<Judgement>,
    /// Equivalences without a side among the concepts.
    pub mappings: Vec<(String, String)>,
    /// Number of values of RDF properties that are not read; the notes of the files list the properties.
    pub unread_values: u64,
    /// Report of each file.
    pub files: Vec<FileReport>,
    /// The first problems found.
    pub problems: Vec<Problem>,
    /// Number of all problems.
    pub problem_count: u64,
    /// Advice on what was left out, for an import in which nothing is left.
    pub(super) way_out: Option<Hint>,
}

/// Report of an imported file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileReport {
    /// The file.
    pub path: PathBuf,
    /// Format of the file.
    pub format: Format,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Entries or rows taken from the file.
    pub entries: u64,
    /// Notes on guesses and on values that were not read.
    pub notes: Vec<Problem>,
}

impl Import {
    /// Refuses an import without a concept.
    ///
    /// # Errors
    /// If no file has a concept; the hint says what to do.
    pub fn require_concepts(&self) -> Result<(), Error> {
        if self.concepts.is_empty() { Err(self.without_concepts()) } else { Ok(()) }
    }

    pub(super) fn without_concepts(&self) -> Error {
        let first = self.problems.first().map_or(String::new(), |problem| format!(" ({problem})"));
        let has = |formats: &[Format]| self.files.iter().any(|file| formats.contains(&file.format));
        let format = HintPart::setting("format");
        let hint = if !self.mappings.is_empty() {
            "mappings name no concepts: import them together with the vocabulary whose ids they map".into()
        } else if let Some(way_out) = &self.way_out {
            way_out.clone()
        } else if self.files.iter().any(|file| file.format.is_published_table()) {
            "import all files of the vocabulary, or their folder: names and ids may lie in several".into()
        } else if has(&[Format::Csv, Format::Tsv]) {
            hint!["check ", format, ", ", HintPart::setting("id_column"), " and ", HintPart::setting("name_column")]
        } else {
            hint!["check ", format]
        };
        let paths: Vec<String> = self.files.iter().map(|file| file.path.display().to_string()).collect();
        let message = format!("no concept was found in {}{first}", paths.join(", "));
        Error::new(ErrorKind::Syntax, message).with_hint(hint)
    }

    /// Returns what was told by looking or not read, file by file.
    pub fn notes(&self) -> Vec<Problem> {
        self.files.iter().flat_map(|file| &file.notes).cloned().collect()
    }

    /// Returns the number of names of all concepts.
    pub fn name_count(&self) -> usize {
        self.concepts.iter().map(Concept::name_count).sum()
    }
}
