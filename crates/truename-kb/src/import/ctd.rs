//! Vocabulary files of the Comparative Toxicogenomics Database, MEDIC among them: tab- or comma-separated, comment
//! lines behind `#`, the column names in the last but one or last of them.

use super::published::{Column, Concepts, Description, PublishedTables, Rows, has_columns, ids, list, one};

/// Newer files of chemicals have `MESHSynonyms` and `CTDCuratedSynonyms`.
const SYNONYMS: Column = list("*synonyms", '|');
const PARENTS: &[Column] = &[list("parentids", '|')];
const XREFS: &[Column] = &[list("altdiseaseids", '|'), ids("CAS", "casrn", '|')];

pub(super) const CTD: PublishedTables = PublishedTables {
    tables: &[
        vocabulary(&["DiseaseID", "DiseaseName"], "diseaseid", &[one("diseasename"), SYNONYMS], "disease"),
        vocabulary(&["ChemicalID", "ChemicalName"], "chemicalid", &[one("chemicalname"), SYNONYMS], "chemical"),
        vocabulary(&["GeneID", "GeneSymbol"], "geneid", &[one("genesymbol"), SYNONYMS], "gene"),
        vocabulary(&["PathwayID", "PathwayName"], "pathwayid", &[one("pathwayname"), SYNONYMS], "pathway"),
        vocabulary(&["AnatomyID", "AnatomyName"], "anatomyid", &[one("anatomyname"), SYNONYMS], "anatomy"),
    ],
    is_comment: |line| line.starts_with(b"#") && !is_header(line),
    ..PublishedTables::DEFAULT
};

const fn vocabulary(
    columns: &'static [&'static str],
    id: &'static str,
    names: &'static [Column],
    concept_type: &'static str,
) -> Description {
    let rows = Rows::Concepts(Concepts {
        id,
        names,
        concept_type,
        parents: PARENTS,
        xrefs: XREFS,
        definition: "definition",
        is_unique: true,
        ..Concepts::DEFAULT
    });
    Description { name: "CTD, in a comment above the rows,", columns, rows, ..Description::DEFAULT }
}

fn is_header(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(|line| CTD.tables.iter().any(|table| has_columns(line, table.columns)))
}
