//! Alignments of small made-up vocabularies.

use crate::{AlignOptions, Alignment, Cardinality, Concept, JudgedPair, MappingSet, Predicate, SetMetadata};

/// Makes concepts of lines `id | names, … | parents, …`.
fn vocabulary(lines: &[&str]) -> Vec<Concept> {
    let concept = |line: &&str| {
        let mut cells = line.split('|').map(|cell| cell.split(',').map(str::trim).filter(|value| !value.is_empty()));
        let id = cells.next().unwrap().next().unwrap();
        let mut names = cells.next().unwrap();
        let mut concept = Concept::new(id.parse().unwrap(), names.next().unwrap());
        concept.synonyms = names.map(str::to_owned).collect();
        concept.parents = cells.next().into_iter().flatten().map(|parent| parent.parse().unwrap()).collect();
        concept
    };
    lines.iter().map(concept).collect()
}

fn mouse() -> Vec<Concept> {
    vocabulary(&[
        "M:1 | organ",
        "M:2 | kidney, renal organ | M:1",
        "M:3 | renal cortex, kidney cortex | M:2",
        "M:4 | renal medulla, kidney medulla | M:2",
        "M:5 | heart | M:1",
        "M:6 | left ventricle | M:5",
        "M:7 | right ventricle | M:5",
        "M:8 | tail | M:1",
        "M:9 | renal pelvis | M:2",
    ])
}

fn human() -> Vec<Concept> {
    vocabulary(&[
        "H:1 | Organ",
        "H:2 | Kidney | H:1",
        "H:3 | Cortex of the Kidney | H:2",
        "H:4 | Kidney Medulla | H:2",
        "H:5 | Hearts | H:1",
        "H:6 | Right Ventricle | H:5",
        "H:7 | Left Ventricle | H:5",
        "H:8 | Kidney Pelvis | H:2",
        "H:9 | Nephron | H:2",
    ])
}

fn pairs(alignment: &Alignment, [source, target]: [&[Concept]; 2]) -> Vec<String> {
    let shown = |mapping: &crate::Mapping| format!("{} {}", source[mapping.source].id, target[mapping.target].id);
    alignment.mappings.iter().map(shown).collect()
}

#[test]
fn names_and_structure_map_concepts_one_to_one() {
    let (source, target) = (mouse(), human());
    let alignment = Alignment::new(&source, &target, &AlignOptions::default()).unwrap();
    let expected = ["M:1 H:1", "M:2 H:2", "M:3 H:3", "M:4 H:4", "M:5 H:5", "M:6 H:7", "M:7 H:6", "M:9 H:8"];
    assert_eq!(pairs(&alignment, [&source, &target]), expected, "{alignment:#?}");
    assert!(alignment.removed.is_empty() && alignment.mappings.iter().all(|mapping| mapping.confidence >= 0.5));
    assert!(alignment.mappings[7].names.as_ref().unwrap().is_rewritten, "renal pelvis, by the synonyms of others");
    let again = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let again = again.install(|| Alignment::new(&source, &target, &AlignOptions::default())).unwrap();
    assert_eq!(alignment.mappings, again.mappings);
}

#[test]
fn judgements_are_kept_and_excluded_pairs_never_mapped() {
    let (source, target) = (mouse(), human());
    let judged =
        [JudgedPair { source: 7, target: 8, is_match: true }, JudgedPair { source: 0, target: 0, is_match: false }];
    let options = AlignOptions { judged: &judged, ..AlignOptions::default() };
    let alignment = Alignment::new(&source, &target, &options).unwrap();
    let found = pairs(&alignment, [&source, &target]);
    assert!(found.contains(&"M:8 H:9".to_owned()) && !found.contains(&"M:1 H:1".to_owned()), "{found:?}");
    let known = alignment.mappings.iter().find(|mapping| mapping.source == 7).unwrap();
    assert!(known.is_judged && known.confidence == 1.0);
}

#[test]
fn broader_concepts_follow_from_the_nearest_mapped_ancestor() {
    let (source, target) = (mouse(), human());
    let options = AlignOptions { predicates: &[Predicate::Broad, Predicate::Narrow], ..AlignOptions::default() };
    let alignment = Alignment::new(&source, &target, &options).unwrap();
    assert_eq!(pairs(&alignment, [&source, &target]), ["M:8 H:1", "M:2 H:9"]);
    assert_eq!([0, 1].map(|at| alignment.mappings[at].predicate), [Predicate::Broad, Predicate::Narrow]);
    let sssom = MappingSet::new(&source, &target, &alignment.mappings, &SetMetadata::default()).to_sssom();
    assert!(sssom.contains("M:8\ttail\tskos:broadMatch\tH:1\tOrgan\tsemapv:LogicalReasoning\t"), "{sssom}");
}

#[test]
fn many_mappings_of_a_concept_are_written_if_asked() {
    let source = vocabulary(&["A:1 | heart attack"]);
    let target = vocabulary(&["B:1 | Heart Attack", "B:2 | heart attack"]);
    let count = |cardinality| {
        let options = AlignOptions { cardinality, threshold: 0.05, ..AlignOptions::default() };
        Alignment::new(&source, &target, &options).unwrap().mappings.len()
    };
    assert_eq!((count(Cardinality::OneToOne), count(Cardinality::Many)), (1, 2));
}

#[test]
fn a_mapping_that_closes_a_cycle_is_removed_and_listed() {
    let source = vocabulary(&["A:1 | liver tissue | A:2", "A:2 | hepatic structure", "A:3 | spleen"]);
    let target = vocabulary(&["B:1 | liver tissue", "B:2 | hepatic structure | B:1", "B:3 | spleen"]);
    let judged =
        [JudgedPair { source: 1, target: 1, is_match: true }, JudgedPair { source: 0, target: 0, is_match: true }];
    let options = AlignOptions { judged: &judged, ..AlignOptions::default() };
    let alignment = Alignment::new(&source, &target, &options).unwrap();
    assert_eq!(pairs(&alignment, [&source, &target]), ["A:1 B:1", "A:3 B:3"]);
    assert_eq!((alignment.removed[0].mapping.source, alignment.removed[0].conflict), (1, (0, 0)));
}

#[test]
fn nothing_and_stopped_work_have_no_mappings() {
    let empty = Alignment::new(&[], &mouse(), &AlignOptions::default()).unwrap();
    assert!(
        empty.mappings.is_empty() && Alignment::new(&mouse(), &[], &AlignOptions::default()).unwrap().compared == 0
    );
    let options = AlignOptions::default();
    options.progress.stop();
    assert!(Alignment::new(&mouse(), &human(), &options).unwrap_err().is_interrupted());
}

#[test]
fn a_set_is_written_in_all_formats() {
    let (source, target) = (mouse(), human());
    let alignment = Alignment::new(&source, &target, &AlignOptions::default()).unwrap();
    let metadata = SetMetadata { mapping_date: Some("2026-11-27".into()), ..SetMetadata::default() };
    let set = MappingSet::new(&source, &target, &alignment.mappings, &metadata);
    let sssom = set.to_sssom();
    assert!(sssom.starts_with("#curie_map:\n#  H: http://purl.obolibrary.org/obo/H_\n"), "{sssom}");
    assert!(
        sssom.contains("#mapping_date: \"2026-11-27\"\n") && sssom.contains("\nsubject_id\tsubject_label\t"),
        "{sssom}"
    );
    assert!(sssom.contains("M:2\tkidney\tskos:exactMatch\tH:2\tKidney\tsemapv:CompositeMatching\t"), "{sssom}");
    let json: serde_json::Value = serde_json::from_str(&set.to_json()).unwrap();
    assert_eq!(json["mappings"][1]["object_id"], "H:2");
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("a.sssom.tsv", sssom), ("a.rdf", set.to_oaei())] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let read = crate::read_mappings(&path).unwrap();
        assert_eq!(read.len(), alignment.mappings.len());
        assert_eq!((read[1].subject.as_str(), read[1].object.as_str()), ("m:2", "h:2"), "{name}");
    }
    assert!(set.to_owl().contains("<owl:equivalentClass rdf:resource=\"http://purl.obolibrary.org/obo/H_2\"/>"));
}
