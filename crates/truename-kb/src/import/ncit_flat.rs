//! NCI Thesaurus' flat file, `Thesaurus.txt`: code, IRI or name of the concept, parents, synonyms, definition, display name,
//! status, semantic type; a header in newer releases alone.

use truename_read::Source;

use super::collector::{Collector, Entry, Former};
use super::lines::for_each_row;
use super::rows::values;
use crate::Error;

/// Statuses of concepts that are no longer in use.
const RETIRED: [&str; 2] = ["Retired_Concept", "Obsolete_Concept"];

/// Returns true if a line is a concept of the file, or its header.
pub(super) fn is_row(line: &str) -> bool {
    let cells: Vec<&str> = line.split('\t').collect();
    let are_parents = |cell: &str| cell == "root_node" || cell.split('|').all(|code| code.is_empty() || is_code(code));
    let is_concept = || is_code(cells[0]) && are_parents(cells[2]) && !cells[3].is_empty();
    matches!(cells.len(), 8 | 9) && (is_header(&cells) || is_concept())
}

fn is_header(cells: &[&str]) -> bool {
    cells[0] == "code" && cells.get(3) == Some(&"synonyms")
}

fn is_code(cell: &str) -> bool {
    cell.strip_prefix('C').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

pub(super) fn read(source: Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    for_each_row(source, collector, |number, line, collector| {
        let cells: Vec<&str> = line.split('\t').collect();
        if is_header(&cells) {
            return Ok(());
        }
        let [code, _, parents, synonyms, definition, display, status, types, ..] = cells[..] else {
            let reason = format!("a row of {} cells; a concept of NCI Thesaurus has 8", cells.len());
            return collector.problem(Some(number), line, reason);
        };
        if values(status, '|').any(|status| RETIRED.contains(&&*status)) {
            return collector.remove(Some(number), Former { id: code.to_owned(), ..Former::default() });
        }
        let mut names = values(synonyms, '|').chain(values(display, '|'));
        let entry = Entry {
            id: code.to_owned(),
            name: names.next().unwrap_or_default(),
            synonyms: names.collect(),
            types: values(types, '|').collect(),
            parents: values(parents, '|').filter(|parent| parent != "root_node").collect(),
            definition: Some(definition.to_owned()),
            ..Entry::default()
        };
        collector.add(Some(number), entry)
    })
}
