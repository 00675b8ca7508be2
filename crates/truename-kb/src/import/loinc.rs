//! LOINC's tables: `Loinc.csv` or its core, and `MapTo.csv`, which says what became of deprecated codes.

use truename_read::Source;

use super::collector::{Collector, Entry, Former};
use super::rows::{Row, Rows, has_columns};
use crate::Error;

const TERMS: [&str; 2] = ["LOINC_NUM", "LONG_COMMON_NAME"];
const MAPS: [&str; 2] = ["LOINC", "MAP_TO"];

/// Returns true if a header is that of one of the tables.
pub(super) fn is_header(header: &str) -> bool {
    has_columns(header, &TERMS) || has_columns(header, &MAPS)
}

pub(super) fn read(source: Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    let rows = Rows::open(source, true)?;
    if rows.has(MAPS[1]) {
        let rows = rows.require("LOINC's mappings", &MAPS, collector)?;
        return rows.for_each(collector, |row, collector| {
            collector.retire(row.line, Former::replaced(row.cell("loinc").to_owned(), row.cell("map_to")))
        });
    }
    rows.require("LOINC", &TERMS, collector)?.for_each(collector, add_term)
}

fn add_term(row: &Row<'_>, collector: &mut Collector<'_>) -> Result<(), Error> {
    let id = row.cell("loinc_num").to_owned();
    if row.cell("status") == "DEPRECATED" {
        return collector.remove(row.line, Former { id, ..Former::default() });
    }
    let single = ["shortname", "displayname", "consumer_name"].map(|column| row.cell(column).to_owned());
    let entry = Entry {
        id,
        name: row.cell("long_common_name").to_owned(),
        synonyms: single.into_iter().filter(|name| !name.is_empty()).chain(row.list("relatednames2", ';')).collect(),
        types: row.list("class", '\n').collect(),
        definition: Some(row.cell("definitiondescription").to_owned()),
        ..Entry::default()
    };
    collector.add_row(row.line, entry)
}
