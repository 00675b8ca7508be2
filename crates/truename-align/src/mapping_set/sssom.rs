//! SSSOM as tab-separated values, with metadata as YAML in comments.

use std::fmt::Write;

use truename_read::Dialect;

use super::{MappingRow, MappingSet};

const COLUMNS: [&str; 14] = [
    "subject_id",
    "subject_label",
    "predicate_id",
    "object_id",
    "object_label",
    "mapping_justification",
    "confidence",
    "similarity_score",
    "mapping_cardinality",
    "subject_match_field",
    "object_match_field",
    "match_string",
    "subject_preprocessing",
    "object_preprocessing",
];

pub(super) fn write(set: &MappingSet) -> String {
    let mut out = metadata(set);
    out.push_str(&COLUMNS.join("\t"));
    out.push('\n');
    set.mappings.iter().for_each(|row| out.push_str(&line(row)));
    out
}

/// Returns the metadata as comments.
pub(super) fn metadata(set: &MappingSet) -> String {
    let mut out = String::from("#curie_map:\n");
    for (prefix, iri) in &set.curie_map {
        let _ = writeln!(out, "#  {prefix}: {}", yaml(iri));
    }
    let optional = |value: &Option<String>| value.clone();
    let metadata = [
        ("license", Some(set.license.clone())),
        ("mapping_date", optional(&set.mapping_date)),
        ("mapping_set_id", Some(set.mapping_set_id.clone())),
        ("mapping_tool", Some(set.mapping_tool.to_owned())),
        ("mapping_tool_version", Some(set.mapping_tool_version.to_owned())),
        ("object_source", optional(&set.object_source)),
        ("object_source_version", optional(&set.object_source_version)),
        ("similarity_measure", Some(set.similarity_measure.to_owned())),
        ("subject_source", optional(&set.subject_source)),
        ("subject_source_version", optional(&set.subject_source_version)),
    ];
    for (name, value) in metadata.iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
        let _ = writeln!(out, "#{name}: {}", yaml(value));
    }
    out
}

fn line(row: &MappingRow) -> String {
    let list = |values: &[&str]| values.iter().map(|value| value.replace('|', "\\|")).collect::<Vec<_>>().join("|");
    let strings: Vec<&str> = row.match_string.iter().map(String::as_str).collect();
    let cells = [
        row.subject_id.clone(),
        row.subject_label.clone(),
        row.predicate_id.as_str().to_owned(),
        row.object_id.clone(),
        row.object_label.clone(),
        row.mapping_justification.to_owned(),
        row.confidence.to_string(),
        row.similarity_score.map_or_else(String::new, |score| score.to_string()),
        row.mapping_cardinality.to_owned(),
        list(&row.subject_match_field),
        list(&row.object_match_field),
        list(&strings),
        list(&row.subject_preprocessing),
        list(&row.object_preprocessing),
    ];
    Dialect::TSV.row(cells, false) + "\n"
}

/// Returns a YAML string; JSON strings are YAML ones.
fn yaml(text: &str) -> String {
    let is_plain = text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./:#~%+,() ".contains(letter))
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with([':', ' ']);
    if is_plain { text.to_owned() } else { serde_json::to_string(text).expect("a string can be written") }
}
