//! OMOP's standardized vocabularies as Athena hands them out.
//!
//! `CONCEPT.csv`, `CONCEPT_SYNONYM.csv` and `CONCEPT_RELATIONSHIP.csv` are separated by tabs in spite of their names.
//!
//! An invalid concept is a retired id, and "Maps to" and "Concept replaced by" say what became of it. "Maps to" of a valid concept
//! is a cross-reference.

use super::collector::{Collector, Entry};
use super::published::{Description, PublishedTables, Row, Rows};
use crate::Error;

/// The concepts of English, in which synonyms are; no value where the vocabulary does not say the language.
const ENGLISH: [&str; 4] = ["4180186", "4093769", "0", ""];

pub(super) const OMOP: PublishedTables = PublishedTables {
    tables: &[
        Description {
            name: "OMOP's concepts",
            columns: &["concept_id", "concept_name", "vocabulary_id"],
            rows: Rows::Other(add_concept),
            ..Description::DEFAULT
        },
        Description {
            name: "OMOP's synonyms",
            columns: &["concept_id", "concept_synonym_name"],
            rows: Rows::Other(add_synonym),
            ..Description::DEFAULT
        },
        Description {
            name: "OMOP's relationships",
            columns: &["concept_id_1", "concept_id_2", "relationship_id"],
            rows: Rows::Other(relate),
            ..Description::DEFAULT
        },
    ],
    // Athena's tables with tabs have no quotes.
    is_quoted: false,
    ..PublishedTables::DEFAULT
};

fn add_concept(row: &Row<'_>, collector: &mut Collector) -> Result<(), Error> {
    let (id, vocabulary) = (row.cell("concept_id").to_owned(), row.cell("vocabulary_id"));
    if !collector.keeps_source(vocabulary) {
        return Ok(());
    }
    if matches!(row.cell("invalid_reason"), "D" | "U") {
        return collector.add(row.line, Entry::removed(id));
    }
    let entry = Entry {
        id,
        name: row.cell("concept_name").to_owned(),
        types: vec![row.cell("domain_id").to_owned()],
        xrefs: row.list("concept_code", '\n').map(|code| format!("{vocabulary}:{code}")).collect(),
        ..Entry::default()
    };
    collector.add(row.line, entry)
}

fn add_synonym(row: &Row<'_>, collector: &mut Collector) -> Result<(), Error> {
    let (id, language) = (row.cell("concept_id"), row.cell("language_concept_id"));
    let kept = &collector.options.languages;
    let is_kept = match kept.is_empty() {
        true => ENGLISH.contains(&language),
        false => kept.iter().any(|kept| kept == "*" || kept == language),
    };
    if is_kept {
        return collector.add_name(row.line, id, row.cell("concept_synonym_name"));
    }
    collector.add_left_out("synonyms in other languages left out");
    Ok(())
}

fn relate(row: &Row<'_>, collector: &mut Collector) -> Result<(), Error> {
    let (id, other) = (row.cell("concept_id_1"), row.cell("concept_id_2"));
    if id == other || matches!(row.cell("invalid_reason"), "D" | "U") {
        return Ok(());
    }
    match row.cell("relationship_id") {
        "Maps to" | "Concept replaced by" | "Concept same_as to" if collector.is_retired(id) => {
            return collector.retire(row.line, Entry::replaced(id.to_owned(), other));
        }
        "Concept poss_eq to" | "Concept was_a to" | "Concept alt_to to" if collector.is_retired(id) => {
            return collector.retire(row.line, Entry::considered(id.to_owned(), other));
        }
        "Maps to" => collector.add_xref(id, other),
        "Is a" if !collector.is_retired(id) => collector.add_parent(id, other),
        _ => {}
    }
    Ok(())
}
