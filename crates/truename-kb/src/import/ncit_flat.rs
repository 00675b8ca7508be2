//! NCI Thesaurus' flat file, `Thesaurus.txt`.
//!
//! Code, IRI or name of the concept, parents, synonyms, definition, display name, status, semantic type; a header in newer releases
//! alone.

use super::published::{Concepts, Description, PublishedTables, Rows, list};

pub(super) const NCIT: PublishedTables = PublishedTables {
    tables: &[Description {
        name: "NCI Thesaurus",
        columns: &["code", "iri", "parents", "synonyms", "definition", "display", "status", "types"],
        is_row: Some(is_row),
        rows: Rows::Concepts(Concepts {
            id: "code",
            names: &[list("synonyms", '|'), list("display", '|')],
            types: &[list("types", '|')],
            parents: &[list("parents", '|')],
            definition: "definition",
            retired: ("status", &["Retired_Concept", "Obsolete_Concept"]),
            empty: "root_node",
            is_unique: true,
            ..Concepts::DEFAULT
        }),
        ..Description::DEFAULT
    }],
    is_quoted: false,
    ..PublishedTables::DEFAULT
};

/// Returns true if a line is a concept of the file, or its header.
fn is_row(line: &str) -> bool {
    let cells: Vec<&str> = line.split('\t').collect();
    if !matches!(cells.len(), 8 | 9) {
        return false;
    }
    let are_parents = |cell: &str| cell == "root_node" || cell.split('|').all(|code| code.is_empty() || is_code(code));
    let is_concept = is_code(cells[0]) && are_parents(cells[2]) && !cells[3].is_empty();
    is_concept || (cells[0], cells[3]) == ("code", "synonyms")
}

fn is_code(cell: &str) -> bool {
    cell.strip_prefix('C').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}
