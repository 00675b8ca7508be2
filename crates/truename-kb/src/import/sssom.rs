//! SSSOM mapping tables: cross-references between concepts that other files bring, or names of the concepts they map.

use truename_read::Source;

use super::collector::{Collector, Entry};
use super::lines::for_each_row;
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

/// An equivalence.
struct Mapping<'a> {
    /// Ids of the two sides, and their labels where the table has them.
    sides: [(&'a str, Option<&'a str>); 2],
}

/// Takes equivalences as cross-references.
pub(super) fn read(source: Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    each_mapping(source, collector, |_, Mapping { sides: [(subject, _), (object, _)] }, collector| {
        collector.add_mapping(subject, object);
        Ok(())
    })
}

/// Takes labels as names of both sides, and equivalences as cross-references.
pub(super) fn read_labels(source: Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    each_mapping(source, collector, |line, Mapping { sides }, collector| {
        let [subject, object] = sides;
        collector.add_mapping(subject.0, object.0);
        for ((id, label), (other, _)) in [(subject, object), (object, subject)] {
            if let Some(label) = label {
                let (id, name, xrefs) = (id.to_owned(), label.to_owned(), vec![other.to_owned()]);
                collector.add_row(Some(line), Entry { id, name, xrefs, ..Entry::default() })?;
            }
        }
        Ok(())
    })
}

fn each_mapping(
    source: Source,
    collector: &mut Collector<'_>,
    mut take: impl FnMut(u64, Mapping<'_>, &mut Collector<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let (path, mut header) = (source.path().to_owned(), None::<Vec<String>>);
    for_each_row(source, collector, |number, line, collector| {
        if line.starts_with('#') {
            return Ok(());
        }
        let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
        let Some(columns) = &header else {
            if let Some(missing) = ["subject_id", "object_id"].iter().find(|column| !cells.contains(column)) {
                let message = format!("no column \"{missing}\" in the header of an SSSOM table");
                return Err(Error::syntax(&path, Some(number), message));
            }
            header = Some(cells.into_iter().map(str::to_owned).collect());
            return Ok(());
        };
        let cell = |name: &str| columns.iter().position(|column| column == name).and_then(|at| cells.get(at)).copied();
        let (Some(subject), Some(object)) = (cell("subject_id"), cell("object_id")) else {
            return collector.problem(Some(number), line, "a row without subject_id and object_id");
        };
        let predicate = cell("predicate_id").unwrap_or(SAME[0]);
        if !is_same(predicate) || cell("predicate_modifier") == Some("Not") {
            return collector.problem(Some(number), predicate, "not an equivalence, so no cross-reference");
        }
        let label = |name| cell(name).filter(|label| !label.is_empty());
        let sides = [(subject, label("subject_label")), (object, label("object_label"))];
        take(number, Mapping { sides }, collector)
    })
}
