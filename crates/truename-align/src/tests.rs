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
fn scopes_of_equal_synonyms_say_how_concepts_are_related() {
    let mut source = vocabulary(&["A:1 | kidney, renal organ", "A:2 | heart", "A:3 | gland, thyroid"]);
    let target = vocabulary(&["B:1 | renal organ", "B:2 | heart", "B:3 | thyroid", "B:4 | kidney"]);
    let scope = |word: &str| serde_json::from_str(&format!("\"{word}\"")).unwrap();
    let align = |source: &[Concept], predicates: &[Predicate]| {
        let options = AlignOptions { predicates, ..AlignOptions::default() };
        let alignment = Alignment::new(source, &target, &options).unwrap();
        let shown = |mapping: &crate::Mapping| {
            let ids = (&source[mapping.source].id, &target[mapping.target].id);
            format!("{} {} {}", ids.0, mapping.predicate.as_str(), ids.1)
        };
        alignment.mappings.iter().map(shown).collect::<Vec<_>>()
    };
    assert!(align(&source, &[Predicate::Related]).is_empty(), "exact synonyms");
    source[0].scopes.insert("renal organ".into(), scope("related"));
    source[2].scopes.insert("thyroid".into(), scope("narrow"));
    assert_eq!(align(&source, &[Predicate::Related]), ["A:1 skos:relatedMatch B:1"]);
    source[0].scopes.insert("renal organ".into(), scope("broad"));
    assert_eq!(align(&source, &[Predicate::Broad]), ["A:1 skos:broadMatch B:1"]);
    let alignment =
        Alignment::new(&source, &target, &AlignOptions { predicates: &[Predicate::Broad], ..AlignOptions::default() });
    let sssom = MappingSet::new(&source, &target, &alignment.unwrap().mappings, &SetMetadata::default()).to_sssom();
    assert!(sssom.contains("oboInOwl:hasBroadSynonym") && sssom.contains("#  oboInOwl: "), "{sssom}");
}

#[test]
fn a_mapping_below_disjoint_concepts_is_removed_and_listed() {
    let source = vocabulary(&["A:1 | liver tissue", "A:2 | hepatic structure | A:1"]);
    let mut target = vocabulary(&["B:1 | liver tissue", "B:2 | hepatic structure", "B:3 | spleen"]);
    target[0].disjoint_from = vec!["B:2".parse().unwrap()];
    let judged = [JudgedPair { source: 0, target: 0, is_match: true }];
    let weights = crate::AlignWeights::zero();
    let options = AlignOptions { judged: &judged, weights: Some(weights), threshold: 0.1, ..AlignOptions::default() };
    let alignment = Alignment::new(&source, &target, &options).unwrap();
    let removed: Vec<_> = alignment.removed.iter().map(|one| (one.mapping.target, one.conflict, one.reason)).collect();
    assert_eq!(removed, [(1, (0, 0), crate::Contradiction::Disjoint)], "{alignment:#?}");
    assert_eq!(pairs(&alignment, [&source, &target]), ["A:1 B:1"]);
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
    let judge = |places: &[usize]| {
        let judged = |at: &usize| JudgedPair { source: *at, target: *at, is_match: true };
        let judged: Vec<JudgedPair> = places.iter().map(judged).collect();
        let options = AlignOptions { judged: &judged, ..AlignOptions::default() };
        let alignment = Alignment::new(&source, &target, &options).unwrap();
        let removed: Vec<_> = alignment.removed.iter().map(|one| (one.mapping.source, one.conflict)).collect();
        (pairs(&alignment, [&source, &target]), removed)
    };
    let (kept, removed) = judge(&[1]);
    assert_eq!((kept, removed), (vec!["A:2 B:2".to_owned(), "A:3 B:3".to_owned()], vec![(0, (1, 1))]));
    let (kept, removed) = judge(&[0, 1]);
    assert_eq!((kept.len(), removed.len()), (3, 0), "known mappings stay");
}

#[test]
fn candidates_that_are_less_likely_than_not_close_no_cycle() {
    let source = vocabulary(&["A:1 | left kidney cortex", "A:2 | right kidney cortex | A:1"]);
    let target = vocabulary(&["B:1 | left kidney cortex | B:2", "B:2 | right kidney cortex"]);
    let options = AlignOptions { cardinality: Cardinality::Many, threshold: 0.0, ..AlignOptions::default() };
    let alignment = Alignment::new(&source, &target, &options).unwrap();
    assert_eq!((alignment.compared, alignment.mappings.len()), (4, 3));
    assert_eq!(alignment.removed.len(), 1, "of the two that are likely");
}

#[test]
fn known_mappings_stay_whatever_outweighs_them() {
    let source = vocabulary(&["A:1 | heart", "A:2 | liver"]);
    let target = vocabulary(&["B:1 | Heart", "B:2 | Liver"]);
    let judged = |pairs: &[(usize, usize)]| -> Vec<JudgedPair> {
        pairs.iter().map(|(source, target)| JudgedPair { source: *source, target: *target, is_match: true }).collect()
    };
    let found = |known: &[(usize, usize)]| {
        let judged = judged(known);
        let options = AlignOptions { judged: &judged, threshold: 0.01, ..AlignOptions::default() };
        pairs(&Alignment::new(&source, &target, &options).unwrap(), [&source, &target])
    };
    assert_eq!(found(&[(0, 1)]), ["A:1 B:2"], "though A:1 B:1 and A:2 B:2 are likely");
    assert_eq!(found(&[(0, 0), (0, 1)]), ["A:1 B:1", "A:1 B:2"]);
}

/// Vocabularies of some thousand names, with cycles, equal names and differences that recur.
fn large(prefix: &str, adjectives: [&str; 4]) -> Vec<Concept> {
    let parts = ["capsule", "hilum", "pulp", "vein", "artery", "tissue", "wall", "lobule"];
    let lines = (0..600).map(|number| {
        let (adjective, part) = (adjectives[number % 4], parts[number / 4 % 8]);
        format!(
            "{prefix}:{number} | {adjective} {part} {}, {part} {} | {prefix}:{}",
            number / 32,
            number / 16,
            number / 3
        )
    });
    let lines: Vec<String> = lines.collect();
    vocabulary(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let source = large("S", ["spleen", "thymus", "kidney", "left"]);
    let target = large("T", ["splenic", "thymic", "renal", "right"]);
    let with = |threads: usize, cardinality| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let options = AlignOptions { cardinality, threshold: 0.1, ..AlignOptions::default() };
        pool.install(|| {
            let alignment = Alignment::new(&source, &target, &options).unwrap();
            let set = MappingSet::new(&source, &target, &alignment.mappings, &SetMetadata::default());
            (alignment.mappings.len(), format!("{:?}", alignment), set.to_sssom())
        })
    };
    for cardinality in [Cardinality::OneToOne, Cardinality::Many] {
        let one = with(1, cardinality);
        assert!(one.0 > 100, "{}", one.0);
        for threads in [2, 7] {
            assert!(with(threads, cardinality) == one, "{threads} threads, {cardinality:?}");
        }
    }
}

#[test]
fn words_and_wholes_around_a_pair_explain_its_difference() {
    let organs = ["spleen", "thymus", "larynx", "tonsil"];
    let adjectives = ["Splenic", "Thymic", "Laryngeal", "Tonsillar"];
    let (mut source, mut target) = (Vec::new(), Vec::new());
    for (number, (organ, adjective)) in organs.iter().zip(adjectives).enumerate() {
        source.push(format!("A:{number} | {organ}"));
        target.push(format!("B:{number} | {organ}"));
        for (part, name) in ["capsule", "hilum", "red pulp"].iter().enumerate() {
            source.push(format!("A:{number}{part}x | {organ} {name}"));
            target.push(format!("B:{number}{part}x | {adjective} {name}"));
        }
    }
    let read = |lines: &[String]| vocabulary(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let (mut source, mut target) = (read(&source), read(&target));
    let count = |source: &[Concept], target: &[Concept]| {
        let alignment = Alignment::new(source, target, &AlignOptions::default()).unwrap();
        let is_right = |mapping: &&crate::Mapping| mapping.source == mapping.target;
        assert!(alignment.mappings.iter().all(|mapping| is_right(&mapping)), "{alignment:#?}");
        alignment.mappings.len()
    };
    let alone = count(&source, &target);
    for concept in source.iter_mut().chain(&mut target).filter(|concept| concept.id.as_str().ends_with('x')) {
        concept.part_of = vec![concept.id.as_str()[..3].parse().unwrap()];
    }
    assert!(count(&source, &target) > alone, "{alone}");
    assert_eq!(count(&source, &target), 16);
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
        let is_table = name == "a.sssom.tsv";
        let without_lines = |mapping: crate::FileMapping| crate::FileMapping { line: 0, ..mapping };
        assert!(!is_table || read.into_iter().map(without_lines).eq(set.to_file_mappings()));
    }
    assert!(set.to_owl().contains("<owl:equivalentClass rdf:resource=\"http://purl.obolibrary.org/obo/H_2\"/>"));
}
