//! Options of an import: format, encoding, columns, scopes of synonyms, limits.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use truename_read::SourceOptions;

use super::format::Format;
use crate::{Progress, SynonymScope};

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
    /// Properties of ontologies whose values are names, beside the usual ones, by their IRIs.
    pub synonym_properties: Vec<String>,
    /// Names a class without a label by the last part of its IRI: `HeartAttack` as "Heart Attack".
    pub label_from_iri: bool,
    /// Longest line or value in bytes; [`ImportOptions::MAX_LINE_BYTES`] where this is `None`.
    pub max_line_bytes: Option<u64>,
    /// True if placeholders, such as `N/A`, are kept as names and ids.
    pub keep_placeholders: bool,
    /// True if an update may take names and other parts from concepts, those that its files lack; otherwise it is refused.
    pub replace: bool,
    /// Progress, for another thread to watch and to stop.
    pub progress: Arc<Progress>,
}

impl ImportOptions {
    /// Longest line or value taken unless the options say otherwise: 64 MiB. It bounds the memory that a small
    /// compressed file can take.
    pub const MAX_LINE_BYTES: u64 = SourceOptions::MAX_LINE_BYTES;

    /// Returns the options by which a file is opened.
    pub(super) fn source(&self) -> SourceOptions {
        let progress = Arc::clone(&self.progress);
        let count = move |bytes| {
            progress.bytes_read.fetch_add(bytes, Ordering::Relaxed);
        };
        SourceOptions {
            encoding: self.encoding.clone(),
            max_line_bytes: self.max_line_bytes.unwrap_or(Self::MAX_LINE_BYTES),
            on_read: Some(Arc::new(count)),
            ..SourceOptions::default()
        }
    }
}

/// Columns of a table by name, by name but for capitals, or by number from 1, and its form. A column that is `None` is found by
/// its usual names, what else is `None` by the first rows.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The concept id.
    pub id: Option<String>,
    /// A name, or several joined by `separator`.
    pub name: Option<String>,
    /// Columns of further names; those with the usual names where this is empty.
    pub synonyms: Vec<String>,
    /// Types.
    pub types: Option<String>,
    /// Separator of several values in a cell. `None` is `|`, or `;` in further names that are lists of this kind; names are
    /// then not split.
    pub separator: Option<String>,
    /// The byte between two cells.
    pub delimiter: Option<u8>,
    /// Number of rows above the header.
    pub skip_rows: u64,
    /// True if the first row is none of column names; columns are then numbers, the id 1 and the name 2 where they are `None`.
    pub no_header: bool,
}

impl Columns {
    /// Returns true if something is said that tables alone have.
    pub(super) fn are_of_table(&self) -> bool {
        self.are_named() || self.delimiter.is_some()
    }

    /// Returns true if a column is asked for, or the table is said to have no header.
    pub(super) fn are_named(&self) -> bool {
        let Self { id, name, synonyms, types, no_header, .. } = self;
        *no_header || !synonyms.is_empty() || [id, name, types].into_iter().any(Option::is_some)
    }
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

impl SynonymScopes {
    /// Returns true if synonyms of a scope count as names; those that mean exactly the concept (`None`) always do.
    pub(super) fn keeps(self, scope: Option<SynonymScope>) -> bool {
        match scope {
            None => true,
            Some(SynonymScope::Broad) => self.broad,
            Some(SynonymScope::Narrow) => self.narrow,
            Some(SynonymScope::Related) => self.related,
        }
    }
}

impl Default for SynonymScopes {
    fn default() -> Self {
        Self { broad: false, narrow: false, related: true }
    }
}
