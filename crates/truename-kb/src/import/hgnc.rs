//! HGNC's complete set of approved genes, and its list of withdrawn ones.

use super::published::{Concepts, Description, PublishedTables, Rows, ids, list, one};

pub(super) const HGNC: PublishedTables = PublishedTables {
    tables: &[
        Description {
            name: "HGNC",
            columns: &["hgnc_id", "symbol", "alias_symbol"],
            rows: Rows::Concepts(Concepts {
                id: "hgnc_id",
                names: &[
                    one("symbol"),
                    list("name", '|'),
                    list("alias_symbol", '|'),
                    list("alias_name", '|'),
                    list("prev_symbol", '|'),
                    list("prev_name", '|'),
                ],
                types: &[list("locus_group", '|')],
                xrefs: &[
                    ids("NCBIGene", "entrez_id", '|'),
                    ids("ENSEMBL", "ensembl_gene_id", '|'),
                    ids("UniProtKB", "uniprot_ids", '|'),
                    ids("OMIM", "omim_id", '|'),
                ],
                retired: ("status", &["Entry Withdrawn", "Symbol Withdrawn", "Symbol withdrawn"]),
                ..Concepts::DEFAULT
            }),
            ..Description::DEFAULT
        },
        Description {
            name: "HGNC's withdrawn genes",
            columns: &["HGNC_ID", "WITHDRAWN_SYMBOL"],
            rows: Rows::Former { id: "hgnc_id", replaced_by: "merged_into_report*", is_removed: true },
            ..Description::DEFAULT
        },
    ],
    ..PublishedTables::DEFAULT
};
