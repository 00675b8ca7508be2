//! NCBI Gene's `gene_info`, and `gene_history`, which says what became of discontinued genes. A hyphen is an empty cell.

use truename_read::Source;

use super::collector::{Collector, Entry, Former};
use super::rows::{Row, Rows, has_columns, values};
use crate::Error;

const GENES: [&str; 3] = ["tax_id", "GeneID", "Symbol"];
const HISTORY: [&str; 2] = ["GeneID", "Discontinued_GeneID"];
/// Columns of further names.
const NAMES: [&str; 6] = [
    "symbol_from_nomenclature_authority",
    "full_name_from_nomenclature_authority",
    "description",
    "synonyms",
    "other_designations",
    "locustag",
];

/// Returns true if a header is that of one of the tables.
pub(super) fn is_header(header: &str) -> bool {
    has_columns(header, &GENES) || has_columns(header, &HISTORY)
}

pub(super) fn read(source: Source, collector: &mut Collector<'_>) -> Result<(), Error> {
    let rows = Rows::open(source, false)?;
    if rows.has(HISTORY[1]) {
        let rows = rows.require("NCBI's gene_history", &HISTORY, collector)?;
        return rows.for_each(collector, |row, collector| {
            let id = row.cell("discontinued_geneid").to_owned();
            collector
                .remove(row.line, Former { id, replaced_by: filled(row, "geneid").collect(), consider: Vec::new() })
        });
    }
    rows.require("NCBI's gene_info", &GENES, collector)?.for_each(collector, add_gene)
}

fn add_gene(row: &Row<'_>, collector: &mut Collector<'_>) -> Result<(), Error> {
    let name = row.cell("symbol").to_owned();
    if name == "NEWENTRY" {
        collector.add_left_out("rows of NEWENTRY left out, which stand for no gene yet");
        return Ok(());
    }
    let entry = Entry {
        id: row.cell("geneid").to_owned(),
        name,
        synonyms: NAMES.into_iter().flat_map(|column| filled(row, column)).collect(),
        types: filled(row, "type_of_gene").chain([format!("NCBITaxon:{}", row.cell("tax_id"))]).collect(),
        // `HGNC:HGNC:5` has its prefix twice.
        xrefs: filled(row, "dbxrefs").map(|xref| xref.replacen("HGNC:HGNC:", "HGNC:", 1)).collect(),
        ..Entry::default()
    };
    collector.add_row(row.line, entry)
}

fn filled<'a>(row: &Row<'a>, column: &str) -> impl Iterator<Item = String> + use<'a> {
    values(row.cell(column), '|').filter(|value| value != "-")
}
