//! HGNC's complete set of approved genes, and its list of withdrawn ones.

use truename_read::Source;

use super::collector::{Collector, Entry, Former};
use super::rows::{Row, Rows, has_columns, values};
use crate::Error;

const GENES: [&str; 3] = ["hgnc_id", "symbol", "alias_symbol"];
const WITHDRAWN: [&str; 2] = ["HGNC_ID", "WITHDRAWN_SYMBOL"];
/// Columns of further names.
const NAMES: [&str; 5] = ["name", "alias_symbol", "alias_name", "prev_symbol", "prev_name"];
/// Columns of ids elsewhere, each with their prefix.
const XREFS: [(&str, &str); 4] =
    [("NCBIGene", "entrez_id"), ("ENSEMBL", "ensembl_gene_id"), ("UniProtKB", "uniprot_ids"), ("OMIM", "omim_id")];

/// Returns true if a header is that of one of the tables.
pub(super) fn is_header(header: &str) -> bool {
    has_columns(header, &GENES) || has_columns(header, &WITHDRAWN)
}

pub(super) fn read(source: Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    let rows = Rows::open(source, true)?;
    if rows.has(WITHDRAWN[1]) {
        return rows.require("HGNC's withdrawn genes", &WITHDRAWN, collector)?.for_each(collector, withdraw);
    }
    rows.require("HGNC", &GENES, collector)?.for_each(collector, add_gene)
}

fn add_gene(row: &Row<'_>, collector: &mut Collector<'_>) -> Result<(), Error> {
    let id = row.cell("hgnc_id").to_owned();
    if row.cell("status") == "Entry Withdrawn" {
        return collector.remove(row.line, Former { id, ..Former::default() });
    }
    let xrefs = |(prefix, column): (&str, &str)| {
        let prefix = prefix.to_owned();
        row.list(column, '|').map(move |id| format!("{prefix}:{id}"))
    };
    let entry = Entry {
        id,
        name: row.cell("symbol").to_owned(),
        synonyms: NAMES.into_iter().flat_map(|column| row.list(column, '|')).collect(),
        types: row.list("locus_group", '|').collect(),
        xrefs: XREFS.into_iter().flat_map(xrefs).collect(),
        ..Entry::default()
    };
    collector.add_row(row.line, entry)
}

/// Takes a withdrawn gene; the genes it was merged into or split to stand as `HGNC:1|SYMBOL|Approved`.
fn withdraw(row: &Row<'_>, collector: &mut Collector<'_>) -> Result<(), Error> {
    let reports = row.cells_of("merged_into_report").flat_map(|reports| values(reports, ','));
    let replaced_by = reports.filter_map(|report| report.split('|').next().map(str::to_owned)).collect();
    collector.remove(row.line, Former { id: row.cell("hgnc_id").to_owned(), replaced_by, consider: Vec::new() })
}
