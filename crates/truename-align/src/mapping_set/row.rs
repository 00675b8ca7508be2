//! One mapping with the fields of SSSOM.

use std::collections::HashMap;

use serde::Serialize;
use truename_kb::{Concept, SynonymScope};
use truename_text::KeyMatch;

use super::prefix::PrefixMap;
use crate::{Field, Mapping, MatchedName, NameEvidence, Predicate};

/// A mapping with the fields of SSSOM.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MappingRow {
    /// CURIE of the concept of the source.
    pub subject_id: String,
    /// Its preferred name.
    pub subject_label: String,
    /// The relation.
    pub predicate_id: Predicate,
    /// CURIE of the concept of the target.
    pub object_id: String,
    /// Its preferred name.
    pub object_label: String,
    /// Kind of the evidence.
    pub mapping_justification: &'static str,
    /// Probability of the mapping, from 0 to 1.
    pub confidence: f64,
    /// Likeness of the names that are most alike, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity_score: Option<f64>,
    /// Numbers of mappings of the subject and of the object in the set.
    pub mapping_cardinality: &'static str,
    /// Field of the subject that the name comes from.
    pub subject_match_field: Vec<&'static str>,
    /// Field of the object that the name comes from.
    pub object_match_field: Vec<&'static str>,
    /// Forms of the names: one if they are equal.
    pub match_string: Vec<String>,
    /// Processing of the subject's name before it was compared.
    pub subject_preprocessing: Vec<&'static str>,
    /// Processing of the object's name before it was compared.
    pub object_preprocessing: Vec<&'static str>,
}

/// Returns the mappings with the fields of SSSOM.
pub(super) fn rows(
    source: &[Concept],
    target: &[Concept],
    mappings: &[Mapping],
    prefixes: &mut PrefixMap,
) -> Vec<MappingRow> {
    let (mut subjects, mut objects) = (HashMap::<usize, u32>::new(), HashMap::<usize, u32>::new());
    for mapping in mappings {
        *subjects.entry(mapping.source).or_default() += 1;
        *objects.entry(mapping.target).or_default() += 1;
    }
    let row = |mapping: &Mapping| {
        let (subject, object) = (&source[mapping.source], &target[mapping.target]);
        let names = mapping.names.as_ref();
        let fields = |side: usize| names.map(|names| field(names.names[side].field)).into_iter().collect();
        let steps = |side: usize| names.map_or_else(Vec::new, |names| preprocessing(&names.names[side], names.equal));
        MappingRow {
            subject_id: prefixes.curie(subject.id.as_str(), 0),
            subject_label: subject.name.clone(),
            predicate_id: mapping.predicate,
            object_id: prefixes.curie(object.id.as_str(), 1),
            object_label: object.name.clone(),
            mapping_justification: justification(mapping),
            confidence: rounded(mapping.confidence),
            similarity_score: names.map(|names| rounded(names.similarity)),
            mapping_cardinality: match (subjects[&mapping.source] > 1, objects[&mapping.target] > 1) {
                (false, false) => "1:1",
                (true, false) => "1:n",
                (false, true) => "n:1",
                (true, true) => "n:n",
            },
            subject_match_field: fields(0),
            object_match_field: fields(1),
            match_string: names.map_or_else(Vec::new, forms),
            subject_preprocessing: steps(0),
            object_preprocessing: steps(1),
        }
    };
    let rows: Vec<MappingRow> = mappings.iter().map(row).collect();
    for field in rows.iter().flat_map(|row| row.subject_match_field.iter().chain(&row.object_match_field)) {
        prefixes.mark_used(field);
    }
    rows
}

/// Returns the normal forms of the names: one if they are equal.
fn forms(evidence: &NameEvidence) -> Vec<String> {
    let forms = evidence.names.iter().map(|name| name.normalized.clone());
    forms.take(if evidence.equal == KeyMatch::Exact { 1 } else { 2 }).collect()
}

/// Returns the kind of evidence of a mapping, of the Semantic Mapping Vocabulary.
fn justification(mapping: &Mapping) -> &'static str {
    match &mapping.names {
        _ if mapping.is_judged => "semapv:ManualMappingCuration",
        None => "semapv:LogicalReasoning",
        _ if mapping.structure > 0.0 => "semapv:CompositeMatching",
        Some(names) if names.equal >= KeyMatch::Reordered => "semapv:LexicalMatching",
        Some(names) if names.is_rewritten => "semapv:BackgroundKnowledgeBasedMatching",
        Some(_) => "semapv:LexicalSimilarityThresholdMatching",
    }
}

fn field(field: Field) -> &'static str {
    match field {
        Field::Label => "rdfs:label",
        Field::Synonym(None) | Field::Alias => "skos:altLabel",
        Field::Synonym(Some(SynonymScope::Broad)) => "oboInOwl:hasBroadSynonym",
        Field::Synonym(Some(SynonymScope::Narrow)) => "oboInOwl:hasNarrowSynonym",
        Field::Synonym(Some(SynonymScope::Related)) => "oboInOwl:hasRelatedSynonym",
    }
}

/// Returns the processing that changed a name before it was compared.
fn preprocessing(name: &MatchedName, equal: KeyMatch) -> Vec<&'static str> {
    let has = |is_so: fn(char) -> bool| name.name.contains(is_so);
    let mut steps = Vec::new();
    steps.extend(has(char::is_uppercase).then_some("semapv:CaseNormalization"));
    steps.extend(has(|letter| !letter.is_ascii() && letter.is_alphabetic()).then_some("semapv:DiacriticsSuppression"));
    steps.extend(has(|letter| letter.is_ascii_punctuation()).then_some("semapv:PunctuationElemination"));
    steps.extend(matches!(equal, KeyMatch::Variant | KeyMatch::Reordered).then_some("semapv:Lemmatization"));
    steps.extend((equal == KeyMatch::Reordered).then_some("semapv:StopWordRemoval"));
    steps
}

/// Returns a number with four digits behind the point.
fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}
