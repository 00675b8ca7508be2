use std::path::PathBuf;

use truename_text::Problem;

use super::format::Format;
use crate::{Concept, ConceptId, Error, Retired};

/// Contents of the imported files.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Import {
    /// The concepts, in the order of the files.
    pub concepts: Vec<Concept>,
    /// Ids that the files mark as removed (`"removed": true`, obsolete terms).
    pub removed: Vec<ConceptId>,
    /// Ids that are no longer in use, with what became of them, in their order; those of `removed` among them.
    pub retired: Vec<Retired>,
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
    /// Notes on guesses and on values that were not read, in words.
    pub notes: Vec<String>,
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
        let says = |flag: &str| self.problems.iter().any(|problem| problem.reason.contains(flag));
        let hint = if !self.mappings.is_empty() {
            "mappings name no concepts: import them together with the vocabulary whose ids they map"
        } else if says("--language") {
            "keep names in other languages with --language CODE, or all with --language '*'"
        } else if says("--label-from-iri") {
            "name the classes by their IRIs with --label-from-iri"
        } else if self.files.iter().any(|file| file.format.is_published_table()) {
            "import all files of the vocabulary, or their folder: names and ids may lie in several"
        } else if has(&[Format::Csv, Format::Tsv]) {
            "check --format, --id-column and --name-column"
        } else {
            "check --format"
        };
        Error::no_concepts(self.files.iter().map(|file| file.path.clone()).collect(), first, hint)
    }

    /// Returns what was told by looking or not read, file by file.
    pub fn notes(&self) -> Vec<Problem> {
        let of_file = |file: &FileReport| -> Vec<Problem> {
            file.notes.iter().map(|note| Problem::new(&file.path, None, note)).collect()
        };
        self.files.iter().flat_map(of_file).collect()
    }

    /// Returns the number of names of all concepts.
    pub fn name_count(&self) -> usize {
        self.concepts.iter().map(Concept::name_count).sum()
    }
}
