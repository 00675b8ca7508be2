//! One table of cases over all generators.

use std::collections::BTreeMap;

use truename_index::VectorReader;
use truename_kb::ConceptIndex;

use super::*;
use crate::{Concept, KnowledgeBase};

/// Dimensions of the vectors, one vector a name.
const DIMENSIONS: usize = 4;

fn concept(id: &str, names: &[&str]) -> Concept {
    let mut concept = Concept::new(id.parse().unwrap(), names[0]);
    concept.synonyms = names[1..].iter().map(|name| (*name).to_owned()).collect();
    concept
}

fn knowledge_base(folder: &tempfile::TempDir) -> KnowledgeBase {
    let concepts = vec![
        concept("D:1", &["asthma", "bronchial asthma"]),
        concept("D:2", &["asthna", "astma"]),
        concept("D:3", &["acute myocardial infarction", "heart attack", "AMI"]),
        concept("D:4", &["heart failure"]),
        concept("D:5", &["asthma"]),
        concept("D:6", &["Acme Mill Union Ltd"]),
    ];
    let kb = KnowledgeBase::create(concepts, &folder.path().join("kb")).unwrap();
    let vectors: Vec<(u32, [f32; DIMENSIONS])> = (0..kb.store.snapshot().unwrap().counts().names)
        .map(|name| (name, std::array::from_fn(|at| if at as u32 == name % 4 { 0.8 } else { 0.2 * name as f32 })))
        .map(|(name, vector)| (name, unit(vector)))
        .collect();
    let rows: Vec<(u32, &[f32])> = vectors.iter().map(|(name, vector)| (*name, vector.as_slice())).collect();
    let mut write = kb.store.write().unwrap();
    kb.indexes.vectors.set(0).put(&mut write, &rows).unwrap();
    kb.store.commit(write).unwrap();
    kb
}

fn unit(vector: [f32; DIMENSIONS]) -> [f32; DIMENSIONS] {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.map(|value| value / length)
}

/// Returns the proposals of one generator.
fn proposed(generator: Generator, query: &str, scope: &Scope<'_>) -> BTreeMap<ConceptIndex, Vec<NameIndex>> {
    let mut proposals = Proposals::default();
    let query = NameProfile::new(query);
    let scratch = &mut SearchScratch::default();
    generator(Generation { query: &query, scope, scratch, proposals: &mut proposals }).unwrap();
    proposals.iter().map(|(concept, names)| (concept, names.iter().map(|(name, _)| *name).collect())).collect()
}

/// Runs a test on each generator, with all names in scope.
fn for_each_generator(test: impl Fn(Generator, &str, &Scope<'_>)) {
    let folder = tempfile::tempdir().unwrap();
    let kb = knowledge_base(&folder);
    let snapshot = kb.store.snapshot().unwrap();
    let reader: VectorReader<'_> = kb.indexes.vectors.set(0).reader(snapshot.transaction()).unwrap();
    let vector = unit([1.0, 0.5, 0.2, 0.1]);
    let hits = nearest(&reader, &snapshot, &[&vector], None, 8).unwrap().remove(0);
    let dense = Dense { reader: &reader, vector: &vector, hits: &hits, is_complete: true };
    let scope = Scope { snapshot: &snapshot, indexes: &kb.indexes, hidden: &[], allowed: None, dense: Some(dense) };
    // Each generator proposes something for its query.
    let queries = ["asthma 2.1", "Asthma Corp.", "AMU", "asthma", "asthma", "heart attacks"];
    for (generator, query) in [(EXACT, "asthma")].into_iter().chain(NEAR.into_iter().zip(queries)) {
        test(generator, query, &scope);
    }
}

#[test]
fn names_are_proposed_for_their_own_concepts_and_always_the_same() {
    for_each_generator(|generator, query, scope| {
        let found = proposed(generator, query, scope);
        assert!(!found.is_empty(), "{query}");
        for (concept, names) in &found {
            let own = scope.snapshot.concept_names(*concept).unwrap().1;
            assert!(names.iter().all(|name| own.contains(name)), "{query}");
        }
        assert_eq!(proposed(generator, query, scope), found, "{query}");
    });
}

#[test]
fn hidden_and_forbidden_names_are_not_proposed() {
    for_each_generator(|generator, query, scope| {
        for (_, names) in proposed(generator, query, scope) {
            for hidden in names {
                let without = Scope { hidden: &[hidden], ..*scope };
                let found = proposed(generator, query, &without);
                assert!(!found.values().flatten().any(|name| *name == hidden), "{query}");
                let mut allowed = NameSet::default();
                allowed.insert(hidden);
                let alone = Scope { allowed: Some(&allowed), ..*scope };
                let found = proposed(generator, query, &alone);
                assert_eq!(found.into_values().flatten().collect::<Vec<_>>(), [hidden], "{query}");
            }
        }
    });
}

#[test]
fn nothing_is_proposed_for_text_without_letters() {
    for_each_generator(|generator, _, scope| {
        for query in ["", " ", "--", "…"] {
            assert!(proposed(generator, query, scope).is_empty(), "{query:?}");
        }
    });
}

#[test]
fn nothing_is_proposed_of_an_empty_knowledge_base() {
    let folder = tempfile::tempdir().unwrap();
    let kb = KnowledgeBase::create(Vec::new(), &folder.path().join("kb")).unwrap();
    let snapshot = kb.store.snapshot().unwrap();
    let scope = Scope { snapshot: &snapshot, indexes: &kb.indexes, hidden: &[], allowed: None, dense: None };
    for generator in std::iter::once(EXACT).chain(NEAR) {
        assert!(proposed(generator, "asthma", &scope).is_empty());
    }
}
