//! Formats and their names.

use std::str::FromStr;

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
    /// SKOS or OWL in Turtle, N-Triples or N-Quads.
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

/// All formats with their names.
const ALL: [(Format, &str); 26] = [
    (Format::Jsonl, "jsonl"),
    (Format::Csv, "csv"),
    (Format::Tsv, "tsv"),
    (Format::Obo, "obo"),
    (Format::OboGraph, "obograph"),
    (Format::Turtle, "turtle"),
    (Format::JsonLd, "jsonld"),
    (Format::RdfXml, "rdfxml"),
    (Format::OwlXml, "owlxml"),
    (Format::Rrf, "rrf"),
    (Format::Rf2, "rf2"),
    (Format::Omop, "omop"),
    (Format::Loinc, "loinc"),
    (Format::Hgnc, "hgnc"),
    (Format::NcbiGene, "ncbi-gene"),
    (Format::UniProt, "uniprot"),
    (Format::GeoNames, "geonames"),
    (Format::Icd10Cm, "icd10cm"),
    (Format::NcitFlat, "ncit-flat"),
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
        ALL.iter().find(|(format, _)| *format == self).expect("every format has a row").1
    }

    /// Returns all formats.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.into_iter().map(|(format, _)| format)
    }

    /// Returns all names, for messages.
    pub fn names() -> String {
        ALL.map(|(_, name)| name).join(", ")
    }

    /// Returns true for a vocabulary that is published as tables, of which a folder may have several. Others stand alone.
    pub(super) fn is_published_table(self) -> bool {
        use Format::{GeoNames, Hgnc, Icd10Cm, Loinc, NcbiGene, NcitFlat, Omop, Rf2, UniProt};
        matches!(self, Rf2 | Omop | Loinc | Hgnc | NcbiGene | UniProt | GeoNames | Icd10Cm | NcitFlat)
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::all().find(|format| format.as_str() == name);
        found.ok_or_else(|| format!("\"{name}\" is no format; known are {}", Self::names()))
    }
}
