//! NCBI Gene's `gene_info`, and `gene_history`, which says what became of discontinued genes.
//!
//! A hyphen is an empty cell. Before 2016 the first line was no header but a comment, `#Format: tax_id GeneID …`, and rows that are
//! cut out of a file have none: such tables are told by a row.

use super::published::{Concepts, Description, PublishedTables, Rows, ids, list, one};

const CONCEPTS: Concepts = Concepts {
    id: "geneid",
    names: &[
        one("symbol"),
        list("symbol_from_nomenclature_authority", '|'),
        list("full_name_from_nomenclature_authority", '|'),
        list("description", '|'),
        list("synonyms", '|'),
        list("other_designations", '|'),
        list("locustag", '|'),
    ],
    types: &[list("type_of_gene", '|'), ids("NCBITaxon", "tax_id", '|')],
    xrefs: &[list("dbxrefs", '|')],
    left_out: Some(("symbol", "NEWENTRY", "rows of NEWENTRY left out, which stand for no gene yet")),
    empty: "-",
    ..Concepts::DEFAULT
};
const FORMER: Rows = Rows::Former { id: "discontinued_geneid", replaced_by: "geneid", is_removed: true };

/// The columns of every release; later ones have more.
const GENE_INFO: [&str; 15] = [
    "tax_id",
    "GeneID",
    "Symbol",
    "LocusTag",
    "Synonyms",
    "dbXrefs",
    "chromosome",
    "map_location",
    "description",
    "type_of_gene",
    "Symbol_from_nomenclature_authority",
    "Full_name_from_nomenclature_authority",
    "Nomenclature_status",
    "Other_designations",
    "Modification_date",
];
const GENE_HISTORY: [&str; 5] = ["tax_id", "GeneID", "Discontinued_GeneID", "Discontinued_Symbol", "Discontinue_Date"];

pub(super) const NCBI_GENE: PublishedTables = PublishedTables {
    tables: &[
        Description {
            name: "NCBI's gene_info",
            columns: &["tax_id", "GeneID", "Symbol"],
            rows: Rows::Concepts(CONCEPTS),
            ..Description::DEFAULT
        },
        Description {
            name: "NCBI's gene_history",
            columns: &["GeneID", "Discontinued_GeneID"],
            rows: FORMER,
            ..Description::DEFAULT
        },
        Description {
            name: "NCBI's gene_info",
            columns: &GENE_INFO,
            is_row: Some(|line| is_row(line, GENE_INFO.len() - 1)),
            rows: Rows::Concepts(CONCEPTS),
            ..Description::DEFAULT
        },
        Description {
            name: "NCBI's gene_history",
            columns: &GENE_HISTORY,
            is_row: Some(|line| is_row(line, GENE_HISTORY.len() - 1)),
            rows: FORMER,
            ..Description::DEFAULT
        },
    ],
    is_quoted: false,
    is_comment: |line| line.starts_with(b"#Format:"),
    ..PublishedTables::DEFAULT
};

/// Returns true if a line is a row of a table without a header: a taxon, a gene, and a date.
fn is_row(line: &str, date: usize) -> bool {
    let cells: Vec<&str> = line.split('\t').collect();
    let is_number = |cell: &str| !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit());
    let is_gene = |cell: &str| is_number(cell) || cell == "-";
    let has_date = cells.get(date).is_some_and(|cell| cell.len() == 8 && is_number(cell));
    cells.len() <= date + 2 && has_date && is_number(cells[0]) && is_gene(cells[1])
}
