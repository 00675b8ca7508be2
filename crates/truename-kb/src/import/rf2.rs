//! SNOMED CT, release format 2 (SNOMED International, "Release File Specifications", section 5).
//!
//! Read are concepts, descriptions, language and association reference sets and relationships, each told by its header. Inactive rows are left out. An inactive concept is a retired id, and historical associations say what became of it.

use std::path::Path;

use super::collector::{Collector, Entry};
use super::published::{Description, PublishedTables, Row, Rows};
use crate::{Error, error};

const CONCEPTS: &str = "SNOMED CT's concepts";
const FULLY_SPECIFIED_NAME: &str = "900000000000003001";
const DEFINITION: &str = "900000000000550004";
const PREFERRED: &str = "900000000000548007";
const IS_A: &str = "116680003";
const GB_ENGLISH: &str = "900000000000508004";
/// Releases beside the snapshot, by a word in the names of their files, with the rows that they have.
const RELEASES: [(&str, &str); 2] = [("Full", "every version of each row"), ("Delta", "changed rows alone")];
/// Associations with the concept that stands for the same thing: REPLACED_BY, SAME_AS.
const REPLACEMENTS: [&str; 2] = ["900000000000526001", "900000000000527005"];
/// Associations with concepts that may be meant: POSSIBLY_EQUIVALENT_TO, WAS_A, ALTERNATIVE, POSSIBLY_REPLACED_BY,
/// PARTIALLY_EQUIVALENT_TO.
const ALTERNATIVES: [&str; 5] =
    ["900000000000523009", "900000000000528000", "900000000000530003", "1186921001", "1186924009"];

pub(super) const SNOMED: PublishedTables = PublishedTables {
    tables: &[
        Description { name: CONCEPTS, ..table(&["id", "active", "definitionStatusId"], Rows::Other(add_concept)) },
        table(&["id", "active", "acceptabilityId"], Rows::Other(prefer)),
        Description {
            needs: Some((CONCEPTS, "read without SNOMED CT's file of concepts, which says which of them are inactive")),
            ..table(&["id", "active", "conceptId", "typeId", "term"], Rows::Other(describe))
        },
        table(&["id", "active", "refsetId", "targetComponentId"], Rows::Other(associate)),
        table(&["id", "active", "sourceId", "destinationId", "typeId"], Rows::Other(relate)),
        table(&["id", "active"], Rows::Unread("no concepts, descriptions or associations of SNOMED CT, so not read")),
    ],
    told_by: &["effectiveTime", "moduleId"],
    is_quoted: false,
    ..PublishedTables::DEFAULT
};

const fn table(columns: &'static [&'static str], rows: Rows) -> Description {
    Description { name: "SNOMED CT", columns, rows, ..Description::DEFAULT }
}

/// Refuses a file of a release beside the snapshot.
pub(super) fn check_release(path: &Path) -> Result<(), Error> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    for (release, rows) in RELEASES {
        if ["_", "-"].iter().any(|end| file.contains(&format!("{release}{end}"))) {
            let message = format!("a file of SNOMED CT's {} release, which has {rows}", release.to_lowercase());
            return Err(error::syntax(path, None, message).with_hint("import the files of the snapshot"));
        }
    }
    Ok(())
}

fn is_active(row: &Row<'_>) -> bool {
    row.cell("active") == "1"
}

fn add_concept(row: &Row<'_>, collector: &mut Collector) -> Result<(), Error> {
    let id = row.cell("id").to_owned();
    if is_active(row) { Ok(()) } else { collector.add(row.line, Entry::removed(id)) }
}

/// Takes a description that a language reference set prefers.
fn prefer(row: &Row<'_>, collector: &mut Collector) -> Result<(), Error> {
    if is_active(row) && row.cell("acceptabilityid") == PREFERRED {
        let asks_gb = collector.options.languages.iter().any(|language| language.eq_ignore_ascii_case("en-GB"));
        let rank = u32::from((row.cell("refsetid") == GB_ENGLISH) != asks_gb);
        collector.rank(row.cell("referencedcomponentid"), rank);
    }
    Ok(())
}

fn describe(row: &Row<'_>, collector: &mut Collector) -> Result<(), Error> {
    let [id, term, language] = ["conceptid", "term", "languagecode"].map(|column| row.cell(column));
    let named = |types| Entry { id: id.to_owned(), name: term.to_owned(), types, ..Entry::default() };
    if !is_active(row) {
        collector.add_left_out("inactive descriptions left out");
    } else if collector.is_retired(id) {
    } else if !collector.speaks(language) {
        collector.add_other_language(id, language);
    } else if row.cell("typeid") == DEFINITION {
        collector.add_definition(id, term.to_owned());
    } else if row.cell("typeid") == FULLY_SPECIFIED_NAME {
        // Its end in brackets says what kind of thing the concept is.
        let tag = term.strip_suffix(')').and_then(|term| term.rsplit_once(" ("));
        return collector.add_ranked(row.line, named(tag.map(|(_, tag)| tag.to_owned()).into_iter().collect()), 3);
    } else {
        let rank = collector.name_ranks.get(row.cell("id")).copied().unwrap_or(2);
        return collector.add_ranked(row.line, named(Vec::new()), rank);
    }
    Ok(())
}

fn relate(row: &Row<'_>, collector: &mut Collector) -> Result<(), Error> {
    if is_active(row) && row.cell("typeid") == IS_A {
        collector.add_parent(row.cell("sourceid"), row.cell("destinationid"));
    }
    Ok(())
}

fn associate(row: &Row<'_>, collector: &mut Collector) -> Result<(), Error> {
    let (id, target, refset) = (row.cell("referencedcomponentid"), row.cell("targetcomponentid"), row.cell("refsetid"));
    if !is_active(row) || !is_concept(id) {
        Ok(())
    } else if REPLACEMENTS.contains(&refset) {
        collector.retire(row.line, Entry::replaced(id.to_owned(), target))
    } else if ALTERNATIVES.contains(&refset) {
        collector.retire(row.line, Entry::considered(id.to_owned(), target))
    } else {
        Ok(())
    }
}

/// Returns true if an id is that of a concept, by its partition, the two digits before the last one.
fn is_concept(id: &str) -> bool {
    id.len() > 3 && matches!(id.get(id.len() - 3..id.len() - 1), Some("00" | "10"))
}
