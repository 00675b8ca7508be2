//! HGNC's complete set of approved genes, its list of withdrawn ones, and its custom downloads.

use super::published::{Concepts, Description, PublishedTables, Rows, ids, list, one, quoted};

/// Values of the status of a gene that is no longer in use.
const RETIRED: &[&str] = &["Entry Withdrawn", "Entry withdrawn", "Symbol Withdrawn", "Symbol withdrawn"];

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
                retired: ("status", RETIRED),
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
        Description {
            name: "HGNC's custom downloads",
            columns: &["HGNC ID", "Approved symbol"],
            rows: Rows::Concepts(Concepts {
                id: "hgnc id",
                // `Alias symbols`, `Alias symbol` with a row each, and the names of former years.
                names: &[
                    one("approved symbol"),
                    one("approved name"),
                    quoted("alias symbol*"),
                    quoted("synonym*"),
                    quoted("alias name*"),
                    quoted("name synonym*"),
                    quoted("previous symbol*"),
                    quoted("previous name*"),
                ],
                types: &[one("locus group")],
                xrefs: &[
                    ids("NCBIGene", "ncbi gene id*", ','),
                    ids("ENSEMBL", "ensembl gene id*", ','),
                    ids("UniProtKB", "uniprot id*", ','),
                    ids("OMIM", "omim id*", ','),
                ],
                retired: ("status", RETIRED),
                ..Concepts::DEFAULT
            }),
            ..Description::DEFAULT
        },
    ],
    ..PublishedTables::DEFAULT
};
