use std::sync::Arc;

use super::format::Format;
use crate::Progress;

/// Advice on bytes that are not UTF-8.
pub(super) const ENCODING_HINT: &str = "name the encoding of the file, as in --encoding windows-1252";

/// Options of an import.
#[derive(Clone, Debug, Default)]
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
