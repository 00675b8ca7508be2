//! A set of mappings with its metadata, and the formats in which it is written.

mod oaei;
mod owl;
mod prefix;
mod review;
mod row;
mod sssom;

use std::collections::BTreeMap;

use serde::Serialize;
use truename_kb::Concept;
use truename_text::stable_hash;

use self::prefix::PrefixMap;
pub(crate) use self::prefix::{curie_of, is_known_prefix};
pub use self::review::mapping_order;
pub use self::row::MappingRow;
use crate::{FileMapping, Mapping};

/// Metadata of a set of mappings; what is `None` is left out or has its default.
#[derive(Clone, Debug, Default)]
pub struct SetMetadata {
    /// IRI of the set; one that the ids of both sides decide where this is `None`.
    pub mapping_set_id: Option<String>,
    /// IRI of the licence; that of SSSOM for "unspecified" where this is `None`.
    pub license: Option<String>,
    /// Day on which the mappings were made, as `2026-11-27`.
    pub mapping_date: Option<String>,
    /// IRI or CURIE of each vocabulary.
    pub sources: [Option<String>; 2],
    /// Version of each vocabulary.
    pub source_versions: [Option<String>; 2],
    /// IRIs of the prefixes of ids, by prefix; others are those of the OBO Foundry or of the Bioregistry.
    pub prefixes: BTreeMap<String, String>,
}

impl SetMetadata {
    /// IRI of SSSOM for a licence that is not specified.
    pub const UNSPECIFIED_LICENSE: &str = "https://w3id.org/sssom/license/unspecified";
}

/// The mappings of two vocabularies, as the Simple Standard for Sharing Ontological Mappings (SSSOM 1) has them.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct MappingSet {
    /// IRI of the set.
    pub mapping_set_id: String,
    /// IRI of the licence.
    pub license: String,
    /// The tool that made the mappings.
    pub mapping_tool: &'static str,
    /// Version of the tool.
    pub mapping_tool_version: &'static str,
    /// Day on which the mappings were made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mapping_date: Option<String>,
    /// IRI or CURIE of the vocabulary of the subjects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject_source: Option<String>,
    /// Version of the vocabulary of the subjects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject_source_version: Option<String>,
    /// IRI or CURIE of the vocabulary of the objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_source: Option<String>,
    /// Version of the vocabulary of the objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_source_version: Option<String>,
    /// Measure of [`MappingRow::similarity_score`].
    pub similarity_measure: &'static str,
    /// IRI of each prefix.
    pub curie_map: BTreeMap<String, String>,
    /// The mappings.
    pub mappings: Vec<MappingRow>,
    #[serde(skip)]
    prefixes: PrefixMap,
}

impl MappingSet {
    /// Makes a set of the mappings of two vocabularies.
    pub fn new(source: &[Concept], target: &[Concept], mappings: &[Mapping], metadata: &SetMetadata) -> Self {
        let mut prefixes = PrefixMap::new([source, target], &metadata.prefixes);
        let mappings = row::rows(source, target, mappings, &mut prefixes);
        let [subject_source, object_source] = metadata.sources.clone();
        let [subject_source_version, object_source_version] = metadata.source_versions.clone();
        let license = metadata.license.clone();
        Self {
            mapping_set_id: metadata.mapping_set_id.clone().unwrap_or_else(|| set_id([source, target])),
            license: license.unwrap_or_else(|| SetMetadata::UNSPECIFIED_LICENSE.to_owned()),
            mapping_tool: "Truename",
            mapping_tool_version: env!("CARGO_PKG_VERSION"),
            mapping_date: metadata.mapping_date.clone(),
            subject_source,
            subject_source_version,
            object_source,
            object_source_version,
            similarity_measure: "weighted mean of the TF-IDF cosine of n-grams and the shared weight of words",
            curie_map: prefixes.curie_map(),
            mappings,
            prefixes,
        }
    }

    /// Returns the mappings as [`read_mappings`](crate::read_mappings) reads them from the table, without lines.
    pub fn to_file_mappings(&self) -> Vec<FileMapping> {
        let mapping = |row: &MappingRow| {
            let [subject, object] = [&row.subject_id, &row.object_id].map(|curie| self.prefixes.iri(curie));
            let exact = FileMapping::exact(&subject, &object, row.confidence);
            FileMapping { predicate: Some(row.predicate_id), similarity: row.similarity_score, ..exact }
        };
        self.mappings.iter().map(mapping).collect()
    }

    /// Returns the set as an SSSOM table: metadata as comments, then tab-separated values.
    pub fn to_sssom(&self) -> String {
        sssom::write(self)
    }

    /// Returns the metadata of the SSSOM table, as comments above its header.
    pub fn sssom_metadata(&self) -> String {
        sssom::metadata(self)
    }

    /// Returns the set as JSON, with the names of SSSOM.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("strings and numbers can be written") + "\n"
    }

    /// Returns the set in the alignment format of the OAEI (RDF/XML).
    pub fn to_oaei(&self) -> String {
        oaei::write(self)
    }

    /// Returns the set as OWL axioms (RDF/XML): equivalent classes, and sub-classes for broader and narrower ones.
    pub fn to_owl(&self) -> String {
        owl::write(self)
    }
}

/// Returns an IRI that the ids of both sides decide.
fn set_id(sides: [&[Concept]; 2]) -> String {
    let hash = sides
        .map(|side| side.iter().fold(0u64, |hash, concept| hash.rotate_left(5) ^ stable_hash(concept.id.as_str())));
    format!("https://w3id.org/sssom/mappings/truename-{:016x}{:016x}", hash[0], hash[1])
}

/// Returns a text for the content or an attribute of XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
