//! OMOP's standardized vocabularies as Athena hands them out: `CONCEPT.csv`, `CONCEPT_SYNONYM.csv`, `CONCEPT_RELATIONSHIP.csv`,
//! separated by tabs in spite of their names.
//!
//! An invalid concept is a retired id, and "Maps to" and "Concept replaced by" say what became of it. "Maps to" of a valid concept
//! is a cross-reference.

use std::collections::HashSet;

use truename_read::Source;

use super::collector::{Collector, Entry, Former};
use super::rows::{Row, Rows, has_columns, header};
use crate::Error;

/// The concepts of English, in which synonyms are; no value where the vocabulary does not say the language.
const ENGLISH: [&str; 4] = ["4180186", "4093769", "0", ""];

/// The concepts of a release that are not valid.
#[derive(Default)]
pub(super) struct Release {
    invalid: HashSet<String>,
}

const CONCEPTS: [&str; 3] = ["concept_id", "concept_name", "vocabulary_id"];
const SYNONYMS: [&str; 2] = ["concept_id", "concept_synonym_name"];
const RELATIONSHIPS: [&str; 3] = ["concept_id_1", "concept_id_2", "relationship_id"];

/// Returns true if a header is that of one of the tables.
pub(super) fn is_header(header: &str) -> bool {
    has_columns(header, &CONCEPTS) || has_columns(header, &SYNONYMS) || has_columns(header, &RELATIONSHIPS)
}

/// Returns the place of a file among those of a release: concepts come first.
pub(super) fn order(header: &str) -> u8 {
    u8::from(!has_columns(header, &CONCEPTS))
}

pub(super) fn read(source: Source, collector: &mut Collector<'_>, release: &mut Release) -> Result<(), Error> {
    // Athena's tables with tabs have no quotes.
    let is_quoted = !header(&source.beginning_text()).contains('\t');
    let rows = Rows::open(source, is_quoted)?;
    if rows.has(RELATIONSHIPS[0]) {
        let rows = rows.require("OMOP's relationships", &RELATIONSHIPS, collector)?;
        return rows.for_each(collector, |row, collector| relate(row, collector, release));
    }
    if rows.has(SYNONYMS[1]) {
        return rows.require("OMOP's synonyms", &SYNONYMS, collector)?.for_each(collector, add_synonym);
    }
    let rows = rows.require("OMOP's concepts", &CONCEPTS, collector)?;
    rows.for_each(collector, |row, collector| add_concept(row, collector, release))
}

fn add_concept(row: &Row<'_>, collector: &mut Collector<'_>, release: &mut Release) -> Result<(), Error> {
    let (id, vocabulary) = (row.cell("concept_id").to_owned(), row.cell("vocabulary_id"));
    if !collector.keeps_source(vocabulary) {
        return Ok(());
    }
    if matches!(row.cell("invalid_reason"), "D" | "U") {
        release.invalid.insert(id.clone());
        return collector.remove(row.line, Former { id, ..Former::default() });
    }
    let entry = Entry {
        id,
        name: row.cell("concept_name").to_owned(),
        types: vec![row.cell("domain_id").to_owned()],
        xrefs: row.curie(vocabulary, "concept_code").into_iter().collect(),
        ..Entry::default()
    };
    collector.add(row.line, entry)
}

fn add_synonym(row: &Row<'_>, collector: &mut Collector<'_>) -> Result<(), Error> {
    let (id, language) = (row.cell("concept_id"), row.cell("language_concept_id"));
    let kept = &collector.options.languages;
    let is_kept = match kept.is_empty() {
        true => ENGLISH.contains(&language),
        false => kept.iter().any(|kept| kept == "*" || kept == language),
    };
    if !is_kept {
        collector.add_left_out("synonyms in other languages left out");
        Ok(())
    } else {
        collector.add_name(row.line, id, row.cell("concept_synonym_name"))
    }
}

fn relate(row: &Row<'_>, collector: &mut Collector<'_>, release: &Release) -> Result<(), Error> {
    let (id, other) = (row.cell("concept_id_1"), row.cell("concept_id_2"));
    if id == other || matches!(row.cell("invalid_reason"), "D" | "U") {
        return Ok(());
    }
    let is_retired = release.invalid.contains(id);
    match row.cell("relationship_id") {
        "Maps to" | "Concept replaced by" | "Concept same_as to" if is_retired => {
            collector.retire(row.line, Former::replaced(id.to_owned(), other))
        }
        "Concept poss_eq to" | "Concept was_a to" | "Concept alt_to to" if is_retired => {
            let consider = vec![other.to_owned()];
            collector.retire(row.line, Former { id: id.to_owned(), replaced_by: Vec::new(), consider })
        }
        "Maps to" => {
            collector.add_xref(id, other);
            Ok(())
        }
        "Is a" if !is_retired => {
            collector.add_parent(id, other);
            Ok(())
        }
        _ => Ok(()),
    }
}
