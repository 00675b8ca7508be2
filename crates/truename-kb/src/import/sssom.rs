//! SSSOM mapping tables: cross-references between concepts that other files bring, or names of the concepts they map.

use super::collector::{Collector, Entry};
use super::placeholder::is_placeholder;
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

/// Namespaces of these predicates, which may be written in full, without the scheme.
const NAMESPACES: [(&str, &str); 4] = [
    ("www.w3.org/2004/02/skos/core#", "skos:"),
    ("www.w3.org/2002/07/owl#", "owl:"),
    ("www.geneontology.org/formats/oboInOwl#", "oboInOwl:"),
    ("w3id.org/semapv/vocab/", "semapv:"),
];

/// Returns true if a predicate says that two ids are of one thing.
fn is_same(predicate: &str) -> bool {
    let predicate = predicate.trim().trim_start_matches('<').trim_end_matches('>');
    let iri = predicate.strip_prefix("http://").or_else(|| predicate.strip_prefix("https://"));
    let full = NAMESPACES.iter().find_map(|(rest, prefix)| Some(format!("{prefix}{}", iri?.strip_prefix(rest)?)));
    SAME.contains(&full.as_deref().unwrap_or(predicate))
}

/// Returns true if the `predicate_modifier` of a mapping says that the predicate does not hold. SSSOM has one modifier, `Not`, which
/// tools write in several ways (`NOT`, `sssom:Not`, `https://w3id.org/sssom/NegatedPredicate`), so any value but an empty one negates.
pub fn is_negated(predicate_modifier: &str) -> bool {
    !predicate_modifier.trim().is_empty() && !is_placeholder(predicate_modifier)
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
    let modifier = row.cell("predicate_modifier");
    let refused = match is_negated(modifier) {
        true => Some((modifier, "a mapping that is said not to hold, so no cross-reference")),
        false => (!is_same(predicate)).then_some((predicate, "not an equivalence, so no cross-reference")),
    };
    if let Some((value, reason)) = refused {
        collector.problem(row.line, value, reason)?;
        return Ok(None);
    }
    let sides @ [subject, object] = [row.cell("subject_id"), row.cell("object_id")];
    collector.add_mapping(subject, object);
    Ok(Some(sides))
}
