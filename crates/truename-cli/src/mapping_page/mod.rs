//! A self-contained page to accept and reject mappings.

use std::path::Path;

use anyhow::Context;
use askama::Template;
use truename::Concept;
use truename_align::{Alignment, Mapping, MappingRow, MappingSet, mapping_order};
use truename_error::{counted, grouped};
use truename_text::stable_hash;
use truename_view::Head;

use crate::output::Output;
use crate::records::page::{POLICY, Row};

/// Style of the page of pairs, with words for mappings.
const STYLE: &str = concat!(
    include_str!("../records/page.css"),
    "[data-label=\"1\"] .judgement::after { content: \"accepted\" }\n",
    "[data-label=\"0\"] .judgement::after { content: \"rejected\" }\n",
);
const SCRIPT: &str = concat!(include_str!("sssom.js"), include_str!("../records/page.js"));
/// Most names of a concept, and of concepts around it, that are shown.
const MOST_NAMES: usize = 20;
/// Columns of the saved table.
const COLUMNS: &str = "subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id\tobject_label\t\
                       mapping_justification\tmapping_date\n";

/// Writes a sample of the mappings of an alignment, doubtful ones sooner.
pub fn write(
    path: &Path,
    sides: [&[Concept]; 2],
    alignment: &Alignment,
    set: &MappingSet,
    shown: usize,
) -> anyhow::Result<()> {
    let mut order = mapping_order(alignment.mappings.iter().map(|mapping| mapping.confidence));
    order.truncate(shown);
    let labels = sides.map(Labels::new);
    let pair = |index: usize| Pair::of(sides, &labels, &alignment.mappings[index], &set.mappings[index]);
    let pairs: Vec<Pair> = order.into_iter().map(pair).collect();
    let page = Page::new(set, &pairs);
    let mut out = Output::open(Some(path))?;
    page.write_into(&mut out).with_context(|| format!("cannot write {}", path.display()))?;
    out.finish()
}

#[derive(Template)]
#[template(path = "mappings.html")]
struct Page<'a> {
    head: Head<'a>,
    script: &'static str,
    /// Hash of the pairs, under which the browser keeps their judgements.
    fingerprint: String,
    /// Lines above the judgements in the file that is saved.
    saved_head: String,
    shown: String,
    /// Number of all mappings; the page has a sample.
    mappings: String,
    pairs: &'a [Pair<'a>],
}

/// A mapping as it is shown.
struct Pair<'a> {
    row: &'a MappingRow,
    /// Names of both concepts, and what else is known of them.
    rows: Vec<(&'static str, [String; 2])>,
}

/// Preferred names of the concepts of a vocabulary by their ids.
struct Labels<'a>(std::collections::HashMap<&'a str, &'a str>);

impl<'a> Labels<'a> {
    fn new(concepts: &'a [Concept]) -> Self {
        Self(concepts.iter().map(|concept| (concept.id.as_str(), concept.name.as_str())).collect())
    }

    /// Returns the names of concepts; ids of those that the vocabulary lacks.
    fn of<'b>(&self, ids: impl Iterator<Item = &'b str>) -> String {
        joined(ids.map(|id| self.0.get(id).map_or(id, |name| *name)))
    }
}

fn joined<'b>(names: impl Iterator<Item = &'b str>) -> String {
    names.take(MOST_NAMES).collect::<Vec<_>>().join("; ")
}

impl<'a> Pair<'a> {
    fn of(sides: [&'a [Concept]; 2], labels: &[Labels<'_>; 2], mapping: &Mapping, row: &'a MappingRow) -> Self {
        let concepts = [&sides[0][mapping.source], &sides[1][mapping.target]];
        let both = |name: &'static str, value: &dyn Fn(&Concept, &Labels<'_>) -> String| {
            (name, [0, 1].map(|side: usize| value(concepts[side], &labels[side])))
        };
        let rows = [
            both("name", &|concept, _| concept.name.clone()),
            both("synonyms", &|concept, _| joined(concept.synonyms.iter().map(String::as_str))),
            both("definition", &|concept, _| concept.definition.clone().unwrap_or_default()),
            both("parents", &|concept, labels| labels.of(concept.parents.iter().map(|id| id.as_str()))),
            both("part of", &|concept, labels| labels.of(concept.part_of.iter().map(|id| id.as_str()))),
            both("types", &|concept, _| joined(concept.types.iter().map(String::as_str))),
        ];
        let is_filled = |(_, [left, right]): &(&str, [String; 2])| !left.is_empty() || !right.is_empty();
        Self { row, rows: rows.into_iter().filter(is_filled).collect() }
    }

    fn shown(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|(name, [left, right])| Row::new(name, [left, right]))
    }

    fn percentage(&self) -> f64 {
        self.row.confidence * 100.0
    }

    /// Returns the evidence in words.
    fn evidence(&self) -> String {
        let kind = self.row.mapping_justification.rsplit(':').next().unwrap_or_default();
        match self.row.match_string.is_empty() {
            true => kind.to_owned(),
            false => format!("{kind}: {}", self.row.match_string.join(" | ")),
        }
    }
}

impl<'a> Page<'a> {
    fn new(set: &MappingSet, pairs: &'a [Pair<'a>]) -> Self {
        let ids: Vec<String> =
            pairs.iter().map(|pair| format!("{}\t{}", pair.row.subject_id, pair.row.object_id)).collect();
        Self {
            head: Head { title: "Mappings", policy: POLICY, style: STYLE },
            script: SCRIPT,
            fingerprint: format!("{:016x}", stable_hash(&ids.join("\n"))),
            saved_head: set.sssom_metadata() + COLUMNS,
            shown: counted(pairs.len() as u64, "mapping"),
            mappings: grouped(set.mappings.len() as u64),
            pairs,
        }
    }
}

#[cfg(test)]
mod tests {
    use truename_align::{AlignOptions, SetMetadata};

    use super::*;

    fn page(name: &str) -> String {
        let concept = |id: &str, name: &str| Concept::new(id.parse().unwrap(), name);
        let source =
            [concept("A:1", name), Concept { parents: vec!["A:1".parse().unwrap()], ..concept("A:2", "tail") }];
        let target = [concept("B:1", name), concept("B:2", "Tail")];
        let alignment = Alignment::new(&source, &target, &AlignOptions::default()).unwrap();
        let set = MappingSet::new(&source, &target, &alignment.mappings, &SetMetadata::default());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("review.html");
        write(&path, [&source, &target], &alignment, &set, 10).unwrap();
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn a_mapping_is_shown_with_what_is_known_of_both() {
        let page = page("heart attack");
        assert!(page.contains("2 mappings of 2") && page.contains("data-subject=\"A:1\""), "{page}");
        assert!(page.contains("<th scope=\"row\"><bdi>parents</bdi></th>") && page.contains("predicate_modifier"));
        assert!(page.contains("data-predicate=\"skos:exactMatch\""));
    }

    #[test]
    fn nothing_given_becomes_markup() {
        let page = page("</script><script>alert(1)</script>\"'&\u{1b}");
        assert_eq!(page.matches("<script").count(), 1);
        assert!(!page.contains('\u{1b}') && !SCRIPT.contains("innerHTML") && !SCRIPT.contains("</"));
    }
}
