//! Formats, and their detection.

use std::path::Path;
use std::str::FromStr;

use truename_read::without_packing;

use super::published::Published;
use super::{
    clusters, ctd, dictionary, geonames, gilda, hgnc, icd10cm, loinc, ncbi_gene, ncit_flat, omop, rf2, rrf, sssom,
    table, uniprot,
};

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
    /// SKOS or OWL in JSON-LD.
    JsonLd,
    /// SKOS or OWL in RDF/XML.
    RdfXml,
    /// OWL in its own XML syntax.
    OwlXml,
    /// UMLS or RxNorm in Rich Release Format: `MRCONSO.RRF`, `RXNCONSO.RRF` and the like.
    Rrf,
    /// SNOMED CT in release format 2.
    Rf2,
    /// OMOP's vocabularies as Athena hands them out.
    Omop,
    /// LOINC's table of terms.
    Loinc,
    /// HGNC's complete set.
    Hgnc,
    /// NCBI Gene's `gene_info`.
    NcbiGene,
    /// UniProtKB's table of entries.
    UniProt,
    /// GeoNames' places.
    GeoNames,
    /// The order file of ICD-10-CM or ICD-10-PCS.
    Icd10Cm,
    /// NCI Thesaurus' flat file.
    NcitFlat,
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

/// All formats with their names and, where they are published tables, descriptions of these; of equally fit tables the first is taken.
const ALL: [(Format, &str, Option<&Published>); 26] = [
    (Format::Jsonl, "jsonl", None),
    (Format::Csv, "csv", None),
    (Format::Tsv, "tsv", None),
    (Format::Obo, "obo", None),
    (Format::OboGraph, "obograph", None),
    (Format::Turtle, "turtle", None),
    (Format::JsonLd, "jsonld", None),
    (Format::RdfXml, "rdfxml", None),
    (Format::OwlXml, "owlxml", None),
    (Format::Rrf, "rrf", None),
    (Format::Rf2, "rf2", Some(&rf2::SNOMED)),
    (Format::Omop, "omop", Some(&omop::OMOP)),
    (Format::Loinc, "loinc", Some(&loinc::LOINC)),
    (Format::Hgnc, "hgnc", Some(&hgnc::HGNC)),
    (Format::NcbiGene, "ncbi-gene", Some(&ncbi_gene::NCBI_GENE)),
    (Format::UniProt, "uniprot", Some(&uniprot::UNIPROT)),
    (Format::GeoNames, "geonames", Some(&geonames::GEONAMES)),
    (Format::Icd10Cm, "icd10cm", None),
    (Format::NcitFlat, "ncit-flat", Some(&ncit_flat::NCIT)),
    (Format::Ctd, "ctd", Some(&ctd::CTD)),
    (Format::Mesh, "mesh", None),
    (Format::Gilda, "gilda", Some(&gilda::GILDA)),
    (Format::Sssom, "sssom", Some(&sssom::MAPPINGS)),
    (Format::Dictionary, "dictionary", None),
    (Format::Wordnet, "wordnet", None),
    (Format::Clusters, "clusters", None),
];

impl Format {
    /// Returns the name used on the command line.
    pub fn as_str(self) -> &'static str {
        self.row().1
    }

    fn row(self) -> &'static (Self, &'static str, Option<&'static Published>) {
        ALL.iter().find(|(format, ..)| *format == self).expect("every format has a row")
    }

    /// Returns all formats.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.into_iter().map(|(format, ..)| format)
    }

    /// Returns all names, for messages.
    pub fn names() -> String {
        ALL.map(|(_, name, _)| name).join(", ")
    }

    /// Returns the format of a file by its first bytes and, where these are ambiguous, by its extension.
    pub fn detect(path: &Path, beginning: &str) -> Option<Self> {
        let text = beginning.trim_start_matches('\u{FEFF}');
        let table = || table::begins(text).then_some(Self::Csv);
        let dictionary = || dictionary::begins(text).then_some(Self::Dictionary);
        let clusters = || clusters::begin(text).then_some(Self::Clusters);
        by_content(text).or_else(|| by_extension(path)).or_else(table).or_else(dictionary).or_else(clusters)
    }

    /// Returns the description of the tables of a format that has one.
    pub(super) fn tables(self) -> Option<&'static Published> {
        self.row().2
    }

    /// Returns the format of a vocabulary that is published as a table, by its first row.
    pub(super) fn of_published(beginning: &str) -> Option<Self> {
        let is_told = |format: Self| format.tables().is_some_and(|tables| tables.told(beginning).is_some());
        let found = Self::all().find(|format| format.is_published_table() && is_told(*format));
        let is_icd = || icd10cm::is_line(beginning.lines().find(|line| !line.trim().is_empty()).unwrap_or_default());
        found.or_else(|| is_icd().then_some(Self::Icd10Cm))
    }

    /// Returns true for a vocabulary that is published as tables, of which a folder may have several. Others stand alone.
    pub(super) fn is_published_table(self) -> bool {
        let stands_alone = matches!(self, Self::Ctd | Self::Sssom | Self::Gilda);
        self == Self::Icd10Cm || self.tables().is_some() && !stands_alone
    }

    /// Returns the place of a file among those of an import: a file that says how others are read comes before them.
    pub(super) fn order(self, beginning: &str) -> usize {
        match self.tables() {
            Some(published) => published.told(beginning).unwrap_or_default(),
            None => usize::from(self == Self::Rrf && !rrf::is_rank(beginning)),
        }
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
    } else if let Some(table) = Format::of_published(text) {
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
        let found = Self::all().find(|format| format.as_str() == name);
        found.ok_or_else(|| format!("\"{name}\" is no format; known are {}", Self::names()))
    }
}
