//! The format of a file, told by its content and its name.

use std::path::Path;

use truename_read::without_packing;

use super::format::Format;
use super::published::PublishedTables;
use super::{
    clusters, ctd, dictionary, geonames, gilda, hgnc, icd10cm, loinc, ncbi_gene, ncit_flat, omop, rf2, rrf, sssom,
    table, uniprot,
};

/// Descriptions of published tables; of equally fit ones the first is taken.
const TABLES: [(Format, &PublishedTables); 11] = [
    (Format::Rf2, &rf2::SNOMED),
    (Format::Omop, &omop::OMOP),
    (Format::Loinc, &loinc::LOINC),
    (Format::Hgnc, &hgnc::HGNC),
    (Format::NcbiGene, &ncbi_gene::NCBI_GENE),
    (Format::UniProt, &uniprot::UNIPROT),
    (Format::GeoNames, &geonames::GEONAMES),
    (Format::NcitFlat, &ncit_flat::NCIT),
    (Format::Ctd, &ctd::CTD),
    (Format::Gilda, &gilda::GILDA),
    (Format::Sssom, &sssom::MAPPINGS),
];

impl Format {
    /// Returns the format of a file by its first bytes and, where these are ambiguous, by its extension.
    pub fn detect(path: &Path, beginning: &str) -> Option<Self> {
        let text = beginning.trim_start_matches('\u{FEFF}');
        let table = || table::begins(text).then_some(Self::Csv);
        let dictionary = || dictionary::begins(text).then_some(Self::Dictionary);
        let clusters = || clusters::begin(text).then_some(Self::Clusters);
        by_content(text).or_else(|| by_extension(path)).or_else(table).or_else(dictionary).or_else(clusters)
    }
}

/// Returns the description of the tables of a format that has one.
pub(super) fn tables(format: Format) -> Option<&'static PublishedTables> {
    TABLES.iter().find(|(known, _)| *known == format).map(|(_, table)| *table)
}

/// Returns the format of a vocabulary that is published as a table, by its first row.
pub(super) fn of_published(beginning: &str) -> Option<Format> {
    let is_told =
        |(format, table): &&(Format, &PublishedTables)| format.is_published_table() && table.told(beginning).is_some();
    let found = TABLES.iter().find(is_told).map(|(format, _)| *format);
    let is_icd = || icd10cm::is_line(beginning.lines().find(|line| !line.trim().is_empty()).unwrap_or_default());
    found.or_else(|| is_icd().then_some(Format::Icd10Cm))
}

/// Returns the place of a file among those of an import: a file that says how others are read comes before them.
pub(super) fn order(format: Format, beginning: &str) -> usize {
    match tables(format) {
        Some(published) => published.told(beginning).unwrap_or_default(),
        None => usize::from(format == Format::Rrf && !rrf::is_rank(beginning)),
    }
}

fn by_content(text: &str) -> Option<Format> {
    let start = text.trim_start();
    let first_line = start.lines().next().unwrap_or_default();
    let is_json = start.starts_with(['{', '[']);
    if text.starts_with("  1 This software and database is being provided") {
        Some(Format::Wordnet)
    } else if start.contains("# Fields:") || first_line.starts_with("# DiseaseName") {
        Some(Format::Ctd)
    } else if sssom::MAPPINGS.told(text).is_some() {
        Some(Format::Sssom)
    } else if gilda::GILDA.told(text).is_some() {
        Some(Format::Gilda)
    } else if let Some(table) = of_published(text) {
        Some(table)
    } else if is_turtle(start) {
        Some(Format::Turtle)
    } else if start.contains("<DescriptorRecord") || start.contains("<SupplementalRecord") {
        Some(Format::Mesh)
    } else if start.contains("<rdf:RDF") || start.contains("<RDF") {
        Some(Format::RdfXml)
    } else if start.starts_with('<') && start.contains("<Ontology") {
        Some(Format::OwlXml)
    } else if first_line.starts_with("format-version:") {
        Some(Format::Obo)
    } else if start.starts_with('{') && start.contains("\"graphs\"") {
        Some(Format::OboGraph)
    } else if is_json && ["\"@context\"", "\"@graph\"", "\"@id\""].iter().any(|keyword| start.contains(keyword)) {
        Some(Format::JsonLd)
    } else if start.starts_with('{') || start.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{')) {
        Some(Format::Jsonl)
    } else if rrf::is_row(first_line) {
        Some(Format::Rrf)
    } else {
        None
    }
}

/// Bytes of comments alone by which a text is taken for Turtle.
const LONG_COMMENT: usize = 8 << 10;

/// Returns true if a text begins, below its comments, as Turtle or N-Triples: with a prefix, a base, or a statement about a node.
fn is_turtle(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with('#'));
    // A licence may fill the whole beginning.
    let Some(first) = lines.next() else { return text.len() >= LONG_COMMENT };
    let begins = |word: &str| first.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let is_node = |text: &str| text.starts_with('<') && text.contains("://") || text.starts_with("_:");
    let is_statement = || {
        let (subject, rest) = first.split_once(char::is_whitespace).unwrap_or((first, ""));
        let rest = rest.trim_start();
        let is_predicate = rest.is_empty() || rest.starts_with('<') || rest.starts_with("a ") || rest.contains(':');
        is_node(subject) && (subject.ends_with('>') || subject.starts_with("_:")) && is_predicate
    };
    ["@prefix ", "@base ", "prefix ", "base "].into_iter().any(begins) && first.contains('<') || is_statement()
}

fn by_extension(path: &Path) -> Option<Format> {
    let extension = without_packing(path).extension()?.to_str()?.to_ascii_lowercase();
    Some(match &*extension {
        "jsonl" | "ndjson" => Format::Jsonl,
        "csv" => Format::Csv,
        "tsv" | "tab" => Format::Tsv,
        "obo" => Format::Obo,
        "json" => Format::OboGraph,
        "jsonld" => Format::JsonLd,
        "ttl" | "nt" | "nq" | "turtle" => Format::Turtle,
        // In another syntax of OWL, the reader says which.
        "owl" | "rdf" | "ofn" | "omn" => Format::RdfXml,
        "owx" => Format::OwlXml,
        "rrf" => Format::Rrf,
        _ => return None,
    })
}
