//! Shards answer as one knowledge base of all their concepts does, to the byte.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use truename::{
    Concept, FeatureSet, ImportOptions, Judgement, KnowledgeBase, Link, LinkOptions, Linker, NameFrequencies, Progress,
    Ranker, Verdict, gather, weigh,
};

const SHARDS: usize = 3;
/// More names than the generators propose under one key.
const ALIKE: usize = 75;

fn create(concepts: Vec<Concept>, folder: &Path) -> KnowledgeBase {
    KnowledgeBase::create(concepts, folder).unwrap()
}

fn concept(id: &str, names: &[&str]) -> Concept {
    let mut concept = Concept::new(id.parse().unwrap(), names[0]);
    concept.synonyms = names[1..].iter().map(|name| (*name).to_owned()).collect();
    concept
}

/// Puts each concept into a shard of its own choice.
fn cut(concepts: &[Concept]) -> Vec<Vec<Concept>> {
    let mut shards = vec![Vec::new(); SHARDS];
    for (at, concept) in concepts.iter().enumerate() {
        shards[at * 7 % 11 % SHARDS].push(concept.clone());
    }
    shards
}

fn gathered(shards: &[KnowledgeBase], names: &[String], out: &Path) -> KnowledgeBase {
    gather(shards, names, &LinkOptions::default(), out, &Arc::default()).unwrap()
}

fn answers(kb: &KnowledgeBase, names: &[String]) -> Vec<Link> {
    let options = LinkOptions { top: 5, explain: true, ..LinkOptions::default() };
    Linker::new(kb.clone()).unwrap().with_options(options).unwrap().link_names(names).unwrap()
}

/// Returns what the whole and the gathered knowledge base answer.
fn both(concepts: &[Concept], names: &[String], folder: &Path) -> [Vec<Link>; 2] {
    let whole = create(concepts.to_vec(), &folder.join("whole"));
    let shards: Vec<KnowledgeBase> =
        cut(concepts).into_iter().zip(0..).map(|(part, at)| create(part, &folder.join(format!("{at}")))).collect();
    assert_eq!(weigh(&shards, &[]).unwrap(), whole.frequencies().unwrap().names());
    assert_eq!(shards[0].weighed_by().unwrap(), whole.frequencies().unwrap());
    // As hosts with a shard each do it, and then one with what they gathered.
    let parts = shards.into_iter().zip(0..);
    let parts: Vec<KnowledgeBase> =
        parts.map(|(shard, at)| gathered(&[shard], names, &folder.join(format!("of-{at}")))).collect();
    let second = gathered(&parts, names, &folder.join("second"));
    KnowledgeBase::check(second.path(), true).unwrap();
    [answers(&whole, names), answers(&second, names)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn what_shards_gather_answers_as_the_whole(
        known in prop::collection::vec("[A-E]?[a-d]{1,4}( [a-d]{1,3}){0,2}( [1-3])?", 8..60),
        asked in prop::collection::vec("[A-E]?[a-e]{1,4}( [a-d]{1,3}){0,2}( [1-3])?", 1..12),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let concepts: Vec<Concept> = known
            .chunks(2)
            .enumerate()
            .map(|(at, names)| concept(&format!("X:{at:03}"), &names.iter().map(String::as_str).collect::<Vec<_>>()))
            .collect();
        let asked: Vec<String> = asked.into_iter().chain(known.into_iter().step_by(5)).collect();
        let [whole, second] = both(&concepts, &asked, folder.path());
        prop_assert_eq!(second, whole);
    }
}

#[test]
fn crowds_spellings_ids_and_equal_names_are_as_in_the_whole() {
    let mut concepts = vec![
        concept("A:1", &["TGF-β1", "transforming growth factor beta 1"]),
        concept("A:2", &["TGF-ß1 receptor"]),
        concept("A:3", &["Müller syndrome"]),
        concept("A:4", &["Muller's disease"]),
        concept("A:5", &["cold"]),
        concept("A:6", &["common cold", "cold"]),
        concept("A:7", &["Siemens AG"]),
        concept("A:8", &["Siemens"]),
        concept("A:9", &["n/a"]),
    ];
    for at in 0..ALIKE {
        let [one, two, three] =
            [at % 26, at / 3 % 26, at * 7 % 26].map(|letter| char::from(b'a' + letter as u8).to_string().repeat(3));
        concepts.push(concept(&format!("B:{at}"), &[&format!("q{one} r{two} s{three} {at}",), "Windows"]));
        concepts.push(concept(&format!("C:{at}"), &[&format!("Q{one} R{two} S{three}")]));
    }
    let names = ["TGF-ß1", "tgf-b1", "MÃ¼ller syndrome", "Mueller disease", "cold", "colds", "A:7", "Siemens GmbH"];
    let others = ["N/A", "QRS", "Windows 11", "windows", "Qaaa Raaa Saaa", "", "A:77", "x".repeat(5000).leak()];
    let names: Vec<String> = names.into_iter().chain(others).map(str::to_owned).collect();
    let folder = tempfile::tempdir().unwrap();
    let [whole, second] = both(&concepts, &names, folder.path());
    assert!(whole[0].id().is_some() && whole[6].id().is_some());
    for (one, other) in second.iter().zip(&whole) {
        assert_eq!(one, other);
    }
}

#[test]
fn types_count_and_a_shard_may_lack_one() {
    let folder = tempfile::tempdir().unwrap();
    let typed = |id: &str, name: &str, kind: &str| Concept { types: vec![kind.to_owned()], ..concept(id, &[name]) };
    let concepts: Vec<Concept> = (0..ALIKE)
        .map(|at| typed(&format!("A:{at}"), &format!("cold {at}"), "disease"))
        .chain([typed("B:1", "colds of the north", "weather")])
        .collect();
    let whole = create(concepts.clone(), &folder.path().join("whole"));
    let shards = [&concepts[..ALIKE], &concepts[ALIKE..]]
        .map(|part| create(part.to_vec(), &folder.path().join(part.len().to_string())));
    weigh(&shards, &[]).unwrap();
    let options = LinkOptions { types: vec!["weather".into()], top: 3, ..LinkOptions::default() };
    let names = ["cold 7".to_owned(), "cold of the north".to_owned()];
    let second = gather(&shards, &names, &options, &folder.path().join("second"), &Arc::default()).unwrap();
    let answers =
        |kb: KnowledgeBase| Linker::new(kb).unwrap().with_options(options.clone()).unwrap().link_names(&names).unwrap();
    assert_eq!(second.info().unwrap().concepts, 1);
    assert_eq!(answers(second), answers(whole));
    let unknown = LinkOptions { types: vec!["music".into()], ..LinkOptions::default() };
    let refused = gather(&shards, &names, &unknown, &folder.path().join("third"), &Arc::default()).err().unwrap();
    assert!(refused.to_string().contains("music"));
}

fn import(folder: &Path, name: &str, lines: &str) -> KnowledgeBase {
    let file = folder.join(format!("{name}.jsonl"));
    std::fs::write(&file, lines).unwrap();
    KnowledgeBase::import(&[file], &folder.join(name), &ImportOptions::default(), false).unwrap().0
}

#[test]
fn retired_ids_judgements_and_the_ranker_go_with_the_gathered() {
    let folder = tempfile::tempdir().unwrap();
    let one = "{\"id\": \"D:1\", \"name\": \"heart attack\", \"synonyms\": [\"myocardial infarction\"]}\n\
        {\"id\": \"D:9\", \"name\": \"old\", \"obsolete\": true, \"replaced_by\": [\"D:2\"]}\n";
    let two = "{\"id\": \"D:2\", \"name\": \"asthma\", \"synonyms\": [\"bronchial asthma\"]}\n\
        {\"id\": \"D:3\", \"name\": \"lung cancer\", \"synonyms\": [\"cancer of the lung\"]}\n";
    let more = |at: u32| {
        format!("{{\"id\": \"E:{at}\", \"name\": \"{at} red houses\", \"synonyms\": [\"red house {at}\"]}}\n")
    };
    let two = &(two.to_owned() + &(0..40).map(more).collect::<String>());
    let whole = import(folder.path(), "whole", &format!("{one}{two}"));
    let shards = [import(folder.path(), "one", one), import(folder.path(), "two", two)];
    let nil = Judgement { name: "astma".into(), verdict: Verdict::Nil, date: "2026-01-02".parse().unwrap() };
    for kb in [&whole, &shards[1]] {
        kb.learn(std::slice::from_ref(&nil), &[], &Progress::default()).unwrap();
    }
    weigh(&shards, &[]).unwrap();
    let names: Vec<String> = ["D:9", "astma", "asthmas", "lung canser"].map(str::to_owned).into();
    let second = gathered(&shards, &names, &folder.path().join("second"));
    assert_eq!(answers(&second, &names), answers(&whole, &names));
    assert_eq!(answers(&second, &names)[0].id().map(ToString::to_string).as_deref(), Some("D:2"));

    shards[1].put_ranker(&Ranker::standard(FeatureSet::Lexical), FeatureSet::Lexical, &Progress::default()).unwrap();
    let third = gathered(&shards, &names, &folder.path().join("third"));
    assert!(third.info().unwrap().calibrated && !second.info().unwrap().calibrated);
}

#[test]
fn shards_that_do_not_fit_together_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let shards = [
        create(vec![concept("A:1", &["heart attack"])], &path("one")),
        create(vec![concept("A:2", &["asthma"]), concept("A:1", &["cold"])], &path("two")),
    ];
    let refused = |shards: &[KnowledgeBase]| {
        gather(shards, &["cold", "A:1"], &LinkOptions::default(), &path("out"), &Arc::default())
    };
    let message = |shards: &[KnowledgeBase]| refused(shards).err().unwrap().to_string();
    assert!(message(&shards).contains("not weighed by the names of the same shards"));
    assert!(message(&[]).contains("no shard"));
    weigh(&shards, &[]).unwrap();
    assert!(message(&shards).contains("different concepts A:1"));
    assert!(!path("out").exists());
    let twice = [shards[0].clone(), shards[0].clone()];
    assert!(weigh(&twice, &[]).unwrap_err().to_string().contains("named twice"));
    let existing = gather(&shards[..1], &["cold"], &LinkOptions::default(), &path("two"), &Arc::default());
    assert_eq!(existing.err().unwrap().hint().unwrap().to_string(), "name a new folder");

    let file = path("one.frequencies");
    shards[0].frequencies().unwrap().write(&file).unwrap();
    let read = NameFrequencies::read(&file).unwrap();
    assert_eq!((read.names(), &read), (1, &shards[0].frequencies().unwrap()));
    let refused = weigh(&shards[1..], &[read]).unwrap_err();
    assert!(refused.to_string().contains("not of all its names"), "{refused}");
    for bytes in [&b"heart attack"[..], &b"truename-frequencies 1\n\xff\xff"[..]] {
        std::fs::write(&file, bytes).unwrap();
        assert!(NameFrequencies::read(&file).unwrap_err().to_string().contains("one.frequencies"));
    }
}
