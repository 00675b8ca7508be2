//! SNOMED CT, release format 2 (SNOMED International, "Release File Specifications", section 5): concepts, descriptions, language
//! and association reference sets, relationships, each told by its header.
//!
//! Inactive rows are left out. An inactive concept is a retired id, and historical associations say what became of it.

use std::collections::{HashMap, HashSet};

use truename_read::Source;

use super::collector::{Collector, Entry, Former};
use super::rows::{Row, Rows, has_columns};
use crate::Error;

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

/// The files of a release that were read.
#[derive(Default)]
pub(super) struct Release {
    has_concepts: bool,
    inactive: HashSet<String>,
    /// The rank of descriptions that a language reference set prefers.
    preferred: HashMap<String, u32>,
}

/// A file of a release, by its header, in the order in which files are read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Concepts,
    Language,
    Descriptions,
    Associations,
    Relationships,
    Other,
}

impl Part {
    fn of(has: impl Fn(&[&str]) -> bool) -> Self {
        if has(&["definitionStatusId"]) {
            Self::Concepts
        } else if has(&["acceptabilityId"]) {
            Self::Language
        } else if has(&["conceptId", "typeId", "term"]) {
            Self::Descriptions
        } else if has(&["refsetId", "targetComponentId"]) {
            Self::Associations
        } else if has(&["sourceId", "destinationId", "typeId"]) {
            Self::Relationships
        } else {
            Self::Other
        }
    }
}

/// Returns true if a header is that of a file of the format.
pub(super) fn is_header(header: &str) -> bool {
    header.starts_with("id\teffectiveTime\tactive\tmoduleId\t")
}

/// Returns the place of a file among those of a release, by its header.
pub(super) fn order(header: &str) -> u8 {
    Part::of(|columns| has_columns(header, columns)) as u8
}

pub(super) fn read(source: Source, collector: &mut Collector<'_>, release: &mut Release) -> Result<(), Error> {
    let file = source.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    for (release, rows) in RELEASES {
        if ["_", "-"].iter().any(|end| file.contains(&format!("{release}{end}"))) {
            let message = format!("a file of SNOMED CT's {} release, which has {rows}", release.to_lowercase());
            return Err(Error::syntax(source.path(), None, message).with_hint("import the files of the snapshot"));
        }
    }
    let rows = Rows::open(source, false)?.require("SNOMED CT", &["id", "active"], collector)?;
    let part = Part::of(|columns| columns.iter().all(|column| rows.has(column)));
    if part == Part::Other {
        collector.add_note("no concepts, descriptions or associations of SNOMED CT, so not read".to_owned());
        return Ok(());
    }
    if part == Part::Descriptions && !release.has_concepts {
        collector
            .add_note("read without SNOMED CT's file of concepts, which says which of them are inactive".to_owned());
    }
    release.has_concepts |= part == Part::Concepts;
    rows.for_each(collector, |row, collector| {
        let is_active = row.cell("active") == "1";
        match part {
            Part::Concepts if !is_active => {
                let id = row.cell("id").to_owned();
                release.inactive.insert(id.clone());
                collector.remove(row.line, Former { id, ..Former::default() })
            }
            Part::Descriptions if !is_active => {
                collector.add_left_out("inactive descriptions left out");
                Ok(())
            }
            Part::Language if is_active => {
                release.prefer(row, collector);
                Ok(())
            }
            Part::Descriptions => release.describe(row, collector),
            Part::Associations if is_active => associate(row, collector),
            Part::Relationships if is_active && row.cell("typeid") == IS_A => {
                collector.add_parent(row.cell("sourceid"), row.cell("destinationid"));
                Ok(())
            }
            _ => Ok(()),
        }
    })
}

impl Release {
    fn prefer(&mut self, row: &Row<'_>, collector: &Collector<'_>) {
        if row.cell("acceptabilityid") != PREFERRED {
            return;
        }
        let asks_gb = collector.options.languages.iter().any(|language| language.eq_ignore_ascii_case("en-GB"));
        let rank = u32::from((row.cell("refsetid") == GB_ENGLISH) != asks_gb);
        let known = self.preferred.entry(row.cell("referencedcomponentid").to_owned()).or_insert(rank);
        *known = rank.min(*known);
    }

    fn describe(&self, row: &Row<'_>, collector: &mut Collector<'_>) -> Result<(), Error> {
        let (concept, term, kind) = (row.cell("conceptid"), row.cell("term").to_owned(), row.cell("typeid"));
        if self.inactive.contains(concept) {
            return Ok(());
        }
        let language = row.cell("languagecode");
        if !collector.speaks(language) {
            collector.add_other_language(concept, language);
            return Ok(());
        }
        let id = concept.to_owned();
        match kind {
            DEFINITION => {
                collector.add_definition(&id, term);
                Ok(())
            }
            FULLY_SPECIFIED_NAME => {
                // Its end in brackets says what kind of thing the concept is.
                let tag = term.strip_suffix(')').and_then(|term| term.rsplit_once(" ("));
                let types = tag.map(|(_, tag)| tag.to_owned()).into_iter().collect();
                collector.add_ranked(row.line, Entry { id, name: term, types, ..Entry::default() }, 3)
            }
            _ => {
                let rank = self.preferred.get(row.cell("id")).copied().unwrap_or(2);
                collector.add_ranked(row.line, Entry { id, name: term, ..Entry::default() }, rank)
            }
        }
    }
}

fn associate(row: &Row<'_>, collector: &mut Collector<'_>) -> Result<(), Error> {
    let (id, target) = (row.cell("referencedcomponentid"), row.cell("targetcomponentid").to_owned());
    let (refset, id) = (row.cell("refsetid"), id.to_owned());
    if !is_concept(&id) {
        Ok(())
    } else if REPLACEMENTS.contains(&refset) {
        collector.retire(row.line, Former::replaced(id, &target))
    } else if ALTERNATIVES.contains(&refset) {
        collector.retire(row.line, Former { id, replaced_by: Vec::new(), consider: vec![target] })
    } else {
        Ok(())
    }
}

/// Returns true if an id is that of a concept, by its partition, the two digits before the last one.
fn is_concept(id: &str) -> bool {
    id.len() > 3 && matches!(id.get(id.len() - 3..id.len() - 1), Some("00" | "10"))
}
