//! SSSOM mapping tables, taken as cross-references between concepts that other files bring.

use super::collector::Collector;
use super::source::Source;
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

pub(super) fn read(source: &mut Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    let (path, mut header) = (source.path.clone(), None::<Vec<String>>);
    source.for_each_row(collector, |number, line, collector| {
        if line.starts_with('#') || line.trim().is_empty() {
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
        if !SAME.contains(&predicate) || cell("predicate_modifier") == Some("Not") {
            return collector.problem(Some(number), predicate, "not an equivalence, so no cross-reference");
        }
        collector.add_mapping(subject, object);
        Ok(())
    })
}
