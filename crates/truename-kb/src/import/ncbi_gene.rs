//! NCBI Gene's `gene_info`, and `gene_history`, which says what became of discontinued genes.
//!
//! A hyphen is an empty cell.

use super::published::{Concepts, Description, PublishedTables, Rows, ids, list, one};

pub(super) const NCBI_GENE: PublishedTables = PublishedTables {
    tables: &[
        Description {
            name: "NCBI's gene_info",
            columns: &["tax_id", "GeneID", "Symbol"],
            rows: Rows::Concepts(Concepts {
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
            }),
            ..Description::DEFAULT
        },
        Description {
            name: "NCBI's gene_history",
            columns: &["GeneID", "Discontinued_GeneID"],
            rows: Rows::Former { id: "discontinued_geneid", replaced_by: "geneid", is_removed: true },
            ..Description::DEFAULT
        },
    ],
    is_quoted: false,
    ..PublishedTables::DEFAULT
};
