use std::sync::Arc;

use super::format::Format;
use crate::Progress;

/// Advice on bytes that are not UTF-8.
pub(super) const ENCODING_HINT: &str = "name the encoding of the file, as in --encoding windows-1252";

/// Options of an import.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ImportOptions {
    /// The format of all files; told by extension and content where this is `None`.
    pub format: Option<Format>,
    /// The encoding of text files that are not UTF-8 and have no byte order mark, by its WHATWG label.
    pub encoding: Option<String>,
    /// True if the first malformed entry ends the import.
    pub strict: bool,
    /// Names of a table's columns.
    pub columns: Columns,
    /// Languages kept in formats that tell them (`ENG` in RRF, `en` in RDF); English where this is empty.
    pub languages: Vec<String>,
    /// Source vocabularies kept of UMLS (`SAB`, as `MSH`); all where this is empty.
    pub sources: Vec<String>,
    /// Synonym scopes kept of ontologies.
    pub scopes: SynonymScopes,
    /// Names a class without a label by the last part of its IRI: `HeartAttack` as "Heart Attack".
    pub label_from_iri: bool,
    /// Longest line or value in bytes; [`ImportOptions::MAX_LINE_BYTES`] where this is `None`.
    pub max_line_bytes: Option<u64>,
    /// Progress, for another thread to watch and to stop.
    pub progress: Arc<Progress>,
}

impl ImportOptions {
    /// Longest line or value taken unless the options say otherwise: 64 MiB. It bounds the memory that a small
    /// compressed file can take.
    pub const MAX_LINE_BYTES: u64 = 64 << 20;

    /// Sets the format of all files; `None` to tell it by extension and content.
    #[must_use]
    pub fn format(self, format: Option<Format>) -> Self {
        Self { format, ..self }
    }

    /// Sets the encoding of text files that are not UTF-8 and have no byte order mark, by its WHATWG label.
    #[must_use]
    pub fn encoding(self, encoding: Option<String>) -> Self {
        Self { encoding, ..self }
    }

    /// Sets whether the first malformed entry ends the import.
    #[must_use]
    pub fn strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// Sets the names of a table's columns.
    #[must_use]
    pub fn columns(self, columns: Columns) -> Self {
        Self { columns, ..self }
    }

    /// Sets the languages kept in formats that tell them; empty for English.
    #[must_use]
    pub fn languages(self, languages: Vec<String>) -> Self {
        Self { languages, ..self }
    }

    /// Sets the source vocabularies kept of UMLS; empty for all.
    #[must_use]
    pub fn sources(self, sources: Vec<String>) -> Self {
        Self { sources, ..self }
    }

    /// Sets the synonym scopes kept of ontologies.
    #[must_use]
    pub fn scopes(self, scopes: SynonymScopes) -> Self {
        Self { scopes, ..self }
    }

    /// Sets whether a class without a label is named by the last part of its IRI.
    #[must_use]
    pub fn label_from_iri(self, label_from_iri: bool) -> Self {
        Self { label_from_iri, ..self }
    }

    /// Sets the longest line or value in bytes; `None` for [`ImportOptions::MAX_LINE_BYTES`].
    #[must_use]
    pub fn max_line_bytes(self, max_line_bytes: Option<u64>) -> Self {
        Self { max_line_bytes, ..self }
    }

    /// Sets the progress, for another thread to watch and to stop.
    #[must_use]
    pub fn progress(self, progress: Arc<Progress>) -> Self {
        Self { progress, ..self }
    }
}

/// Names of a table's columns; a column that is `None` is found by its usual names.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The concept id.
    pub id: Option<String>,
    /// A name, or several joined by `separator`.
    pub name: Option<String>,
    /// Further names.
    pub synonyms: Option<String>,
    /// Types.
    pub types: Option<String>,
    /// Separator of several values in a cell. `None` is `|`, and names are then not split.
    pub separator: Option<String>,
}

/// Scopes of synonyms that count as names (OBO 1.4, section "synonym scope").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynonymScopes {
    /// Synonyms that mean more than the concept.
    pub broad: bool,
    /// Synonyms that mean less than the concept.
    pub narrow: bool,
    /// Synonyms that are related in some other way, or of unknown scope.
    pub related: bool,
}

impl Default for SynonymScopes {
    fn default() -> Self {
        Self { broad: false, narrow: false, related: true }
    }
}
