//! SSSOM mapping tables: cross-references between concepts that other files bring, or names of the concepts they map.

use super::collector::{Collector, Entry};
use super::published::{Description, PublishedTables, Row, Rows};
use crate::Error;

/// Predicates that say two ids are of one thing.
const SAME: [&str; 6] = [
    "skos:exactMatch",
    "skos:closeMatch",
    "owl:equivalentClass",
    "owl:sameAs",
    "oboInOwl:hasDbXref",
    "semapv:crossSpeciesExactMatch",
];

/// Namespaces of these predicates, which may be written in full.
const NAMESPACES: [(&str, &str); 4] = [
    ("http://www.w3.org/2004/02/skos/core#", "skos:"),
    ("http://www.w3.org/2002/07/owl#", "owl:"),
    ("http://www.geneontology.org/formats/oboInOwl#", "oboInOwl:"),
    ("https://w3id.org/semapv/vocab/", "semapv:"),
];

/// Returns true if a predicate says that two ids are of one thing.
fn is_same(predicate: &str) -> bool {
    let full = NAMESPACES.iter().find_map(|(iri, prefix)| Some(format!("{prefix}{}", predicate.strip_prefix(iri)?)));
    SAME.contains(&full.as_deref().unwrap_or(predicate))
}

/// Equivalences as cross-references.
pub(super) const MAPPINGS: PublishedTables = published(&[table(|row, collector| {
    add_mapping(row, collector)?;
    Ok(())
})]);

/// Equivalences as cross-references, and labels as names of both sides.
pub(super) const LABELS: PublishedTables = published(&[table(|row, collector| {
    let Some([subject, object]) = add_mapping(row, collector)? else { return Ok(()) };
    for (id, label, other) in [(subject, "subject_label", object), (object, "object_label", subject)] {
        let (id, name, xrefs) = (id.to_owned(), row.cell(label).to_owned(), vec![other.to_owned()]);
        if !name.is_empty() {
            collector.add_row(row.line, Entry { id, name, xrefs, ..Entry::default() })?;
        }
    }
    Ok(())
})]);

const fn table(add: fn(&Row<'_>, &mut Collector) -> Result<(), Error>) -> Description {
    let columns = &["subject_id", "object_id"];
    Description { name: "SSSOM", columns, rows: Rows::Other(add), ..Description::DEFAULT }
}

const fn published(tables: &'static [Description]) -> PublishedTables {
    let is_comment = |line: &[u8]| line.starts_with(b"#");
    PublishedTables { tables, is_quoted: false, is_ragged: true, is_comment, ..PublishedTables::DEFAULT }
}

/// Adds an equivalence. Returns its two sides.
fn add_mapping<'a>(row: &Row<'a>, collector: &mut Collector) -> Result<Option<[&'a str; 2]>, Error> {
    let predicate = if row.has("predicate_id") { row.cell("predicate_id") } else { SAME[0] };
    if !is_same(predicate) || row.cell("predicate_modifier") == "Not" {
        collector.problem(row.line, predicate, "not an equivalence, so no cross-reference")?;
        return Ok(None);
    }
    let sides @ [subject, object] = [row.cell("subject_id"), row.cell("object_id")];
    collector.add_mapping(subject, object);
    Ok(Some(sides))
}
