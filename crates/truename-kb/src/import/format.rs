//! Formats, and their detection.

use std::path::Path;
use std::str::FromStr;

use truename_read::without_packing;

use super::{clusters, table};

/// A format in which knowledge bases are published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// JSON lines: Truename's own or scispaCy's.
    Jsonl,
    /// Table with a header; its first rows tell the delimiter.
    Csv,
    /// Table with a header, separated by tabs.
    Tsv,
    /// OBO 1.4.
    Obo,
    /// OBO Graphs JSON.
    OboGraph,
    /// SKOS or OWL in Turtle or N-Triples.
    Turtle,
    /// SKOS or OWL in RDF/XML.
    RdfXml,
    /// OWL in its own XML syntax.
    OwlXml,
    /// UMLS Rich Release Format: `MRCONSO.RRF` and `MRSTY.RRF`.
    Rrf,
    /// Comparative Toxicogenomics Database vocabulary, MEDIC among them, as TSV or CSV.
    Ctd,
    /// MeSH descriptor or supplementary XML.
    Mesh,
    /// Gilda's grounding term table.
    Gilda,
    /// SSSOM mappings, taken as cross-references.
    Sssom,
    /// `id||name` lines, as BioSyn's dictionaries.
    Dictionary,
    /// WordNet data files: a synset is a concept.
    Wordnet,
    /// Clusters of paraphrases, as of PPDB: a phrase, and its members behind tabs.
    Clusters,
}

const ALL: [(Format, &str); 16] = [
    (Format::Jsonl, "jsonl"),
    (Format::Csv, "csv"),
    (Format::Tsv, "tsv"),
    (Format::Obo, "obo"),
    (Format::OboGraph, "obograph"),
    (Format::Turtle, "turtle"),
    (Format::RdfXml, "rdfxml"),
    (Format::OwlXml, "owlxml"),
    (Format::Rrf, "rrf"),
    (Format::Ctd, "ctd"),
    (Format::Mesh, "mesh"),
    (Format::Gilda, "gilda"),
    (Format::Sssom, "sssom"),
    (Format::Dictionary, "dictionary"),
    (Format::Wordnet, "wordnet"),
    (Format::Clusters, "clusters"),
];

impl Format {
    /// Returns the name used on the command line.
    pub fn as_str(self) -> &'static str {
        ALL.iter().find(|(format, _)| *format == self).map_or("", |(_, name)| name)
    }

    /// Returns all formats.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.into_iter().map(|(format, _)| format)
    }

    /// Returns all names, for messages.
    pub fn names() -> String {
        ALL.map(|(_, name)| name).join(", ")
    }

    /// Returns the format of a file by its first bytes and, where these are ambiguous, by its extension.
    pub fn detect(path: &Path, beginning: &str) -> Option<Self> {
        let text = beginning.trim_start_matches('\u{FEFF}');
        let table = || table::begins(text).then_some(Self::Csv);
        let clusters = || clusters::begin(text).then_some(Self::Clusters);
        by_content(text).or_else(|| by_extension(path)).or_else(table).or_else(clusters)
    }
}

fn by_content(text: &str) -> Option<Format> {
    let start = text.trim_start();
    let first_line = start.lines().next().unwrap_or_default();
    let first_row = text.lines().find(|line| !line.starts_with('#')).unwrap_or_default();
    let tabbed = |column: &str| first_row.split('\t').any(|cell| cell.trim() == column);
    if text.starts_with("  1 This software and database is being provided") {
        Some(Format::Wordnet)
    } else if start.contains("# Fields:") || first_line.starts_with("# DiseaseName") {
        Some(Format::Ctd)
    } else if tabbed("subject_id") && tabbed("object_id") {
        Some(Format::Sssom)
    } else if tabbed("norm_text") && tabbed("entry_name") {
        Some(Format::Gilda)
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
    } else if start.starts_with('{') || start.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{')) {
        Some(Format::Jsonl)
    } else if start.starts_with("@prefix") || start.starts_with("@base") || start.starts_with("PREFIX ") {
        Some(Format::Turtle)
    } else if matches!(first_line.matches('|').count(), 6 | 18) && first_line.ends_with('|') {
        Some(Format::Rrf)
    } else if !first_row.contains('\t') && first_row.split("||").count() == 2 {
        Some(Format::Dictionary)
    } else {
        None
    }
}

fn by_extension(path: &Path) -> Option<Format> {
    let extension = without_packing(path).extension()?.to_str()?.to_ascii_lowercase();
    Some(match &*extension {
        "jsonl" | "ndjson" => Format::Jsonl,
        "csv" => Format::Csv,
        "tsv" | "tab" => Format::Tsv,
        "obo" => Format::Obo,
        "json" => Format::OboGraph,
        "ttl" | "nt" | "turtle" => Format::Turtle,
        // In another syntax of OWL, the reader says which.
        "owl" | "rdf" | "ofn" | "omn" => Format::RdfXml,
        "owx" => Format::OwlXml,
        "rrf" => Format::Rrf,
        _ => return None,
    })
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = ALL.into_iter().find(|(_, known)| *known == name);
        found.map(|(format, _)| format).ok_or_else(|| format!("\"{name}\" is no format; known are {}", Self::names()))
    }
}
