//! Gilda's grounding term table: tab-separated, a row a name, columns
//! `norm_text text db id entry_name status source organism source_db source_id`.

use super::collector::{Collector, Entry};
use super::published::{Description, PublishedTables, Row, Rows, values};
use crate::Error;

pub(super) const GILDA: PublishedTables = PublishedTables {
    tables: &[Description {
        name: "Gilda",
        columns: &["text", "db", "id"],
        rows: Rows::Other(add_name),
        ..Description::DEFAULT
    }],
    told_by: &["norm_text", "entry_name"],
    is_ragged: true,
    ..PublishedTables::DEFAULT
};

fn add_name(row: &Row<'_>, collector: &mut Collector) -> Result<(), Error> {
    let [db, id, text] = ["db", "id", "text"].map(|column| row.cell(column));
    if db.is_empty() || id.is_empty() {
        return collector.problem(row.line, &row.shown(), "a row with an empty db or id");
    }
    let curie = |db: &str, id: &str| if id.contains(':') { id.to_owned() } else { format!("{db}:{id}") };
    let entry = Entry {
        id: curie(db, id),
        synonyms: [row.cell("entry_name"), text].into_iter().flat_map(|name| values(name, '\n')).collect(),
        xrefs: row.list("source_id", '\n').map(|id| curie(row.cell("source_db"), &id)).collect(),
        ..Entry::default()
    };
    collector.add_row(row.line, entry)
}
