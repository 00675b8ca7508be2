//! Evaluations of rows in memory, with the JSON that the command writes.

use serde_json::{Value, json};
use truename::{
    Document, ImportOptions, KnowledgeBase, LinkOptions, Linker, Mention, Progress, RecognizerOptions, Span,
};
use truename_clusters::{ClusterOptions, NameClusters};
use truename_eval::clusters::{ClusterReport, Clusters};
use truename_eval::linked::LinkEvaluation;
use truename_eval::mentions::{FoundDocuments, JudgedDocument, MentionReport};
use truename_eval::pairs::LabelledPair;
use truename_eval::{GoldName, LinkedGold, PairReport};
use truename_records::PairModel;

fn kb() -> (tempfile::TempDir, KnowledgeBase) {
    let folder = tempfile::tempdir().unwrap();
    let (file, path) = (folder.path().join("kb.tsv"), folder.path().join("kb"));
    std::fs::write(&file, "id\tname\ttype\nD:1\tfever\tsign\nD:2\theart attack\tdisease\n").unwrap();
    let (kb, _) = KnowledgeBase::import(&[file], &path, &ImportOptions::default(), false).unwrap();
    (folder, kb)
}

fn document(mentions: Vec<Mention>) -> Document {
    Document { mentions, ..Document::new("1", "A fever, a heart attack.") }
}

fn gold() -> Vec<Mention> {
    vec![
        Mention::new(Span::new(2, 7), "sign", Some("D:1".into())),
        Mention::new(Span::new(11, 23), "disease", Some("D:9".into())),
    ]
}

#[test]
fn names_are_linked_and_scored() {
    let (_folder, kb) = kb();
    let options = LinkOptions { top: LinkedGold::DEPTH, ..LinkOptions::default() };
    let linker = Linker::new(kb.clone()).unwrap().with_options(options).unwrap();
    let gold = [("fevers", "D:1"), ("heart attack", "D:1")];
    let gold = gold.map(|(name, id)| GoldName { name: name.into(), ids: vec![id.into()], ..GoldName::default() });
    let linked = LinkedGold::new(&linker, gold.to_vec(), &Progress::default()).unwrap();
    assert_eq!((linked.judged.len(), linked.truncated, linked.retired.len()), (2, 0, 0));
    let report = serde_json::to_value(linked.report(&kb, 0.1, 1).unwrap()).unwrap();
    assert_eq!((&report["acc@1"], &report["mentions"]), (&json!(0.5), &json!(2)));
    assert_eq!(report["errors"][0]["gold"], json!(["fever"]));
    let stopped = Progress::default();
    stopped.stop();
    assert!(LinkedGold::new(&linker, gold.to_vec(), &stopped).unwrap_err().is_interrupted());
}

#[test]
fn documents_are_linked_and_scored() {
    let (_folder, kb) = kb();
    let linker = Linker::new(kb).unwrap();
    let scores = |types: &[&str]| {
        let types = types.iter().map(|name| (*name).to_owned()).collect();
        let mut evaluation = LinkEvaluation::new(&linker, types).unwrap();
        evaluation.add(vec![document(gold())], &Progress::default()).unwrap();
        evaluation.scores()
    };
    let all = serde_json::to_value(scores(&[]).unwrap()).unwrap();
    assert_eq!((&all["mentions"]["strict"]["f1"], &all["linking"]["acc@1"]), (&json!(1.0), &json!(0.5)));
    assert_eq!(all["unknown_ids"], 1);
    assert_eq!(scores(&["sign"]).unwrap().all.linking.accuracy_1, 1.0);
    let none = scores(&["gene"]).unwrap_err().to_string();
    assert_eq!(none, "the corpus has no mention to compare with of the type gene");
}

#[test]
fn mentions_of_recognizers_and_of_other_tools_are_scored() {
    let (_folder, kb) = kb();
    let options = RecognizerOptions { typed: true, ..RecognizerOptions::default() };
    let recognizer = options.open(&["dictionary".into()], || Ok(kb)).unwrap();
    let judged = JudgedDocument::recognized(&recognizer, vec![document(gold())], true).unwrap();
    let report = |judged| MentionReport::of(judged, &[], None, 5).unwrap();
    assert_eq!(report(judged).scores.all.mentions.strict.f1, 1.0);

    let mut found = FoundDocuments::default();
    found.add(document(gold()[..1].to_vec()));
    let report = serde_json::to_value(report(found.judge(vec![document(gold())]).unwrap())).unwrap();
    assert_eq!((&report["mentions"]["strict"]["recall"], &report["error_kinds"]), (&json!(0.5), &json!({"missed": 1})));
    assert_eq!(report.get("thresholds"), None);
    let again = found.judge(vec![document(gold())]).unwrap_err();
    assert!(again.to_string() == "the found documents lack \"1\"" && again.hint().is_some());
    found.add(Document::new("1", "another text"));
    assert!(found.judge(vec![document(gold())]).unwrap_err().to_string().contains("has another text"));
}

#[test]
fn options_of_trained_recognizers_need_one() {
    let (_folder, kb) = kb();
    let options = RecognizerOptions {
        entity_types: vec![truename::EntityType::new("vaccine", "names of vaccines")],
        ..RecognizerOptions::default()
    };
    let error = options.open(&[], || Ok(kb.clone())).err().unwrap();
    assert!(error.to_string().contains("need a trained recognizer") && error.hint().is_some());
    let error = RecognizerOptions::default().open(&["both".into()], || Ok(kb)).err().unwrap();
    assert!(error.to_string().ends_with("has no recognizer of its own"), "{error}");
    let missing = RecognizerOptions::default().open(&["nowhere".into()], || unreachable!()).err().unwrap();
    assert!(missing.is_not_found() && missing.to_string().contains("no folder nowhere"));
}

#[test]
fn clusters_and_pairs_are_scored() {
    let names = ["harvard university", "university of harvard", "yale university"];
    let entries = names.iter().zip(["1", "1", "2"]).map(|(name, cluster)| ((*name).to_owned(), cluster.to_owned()));
    let gold = Clusters::new(entries.collect());
    let (options, progress) = (ClusterOptions::default(), Progress::default());
    let clustered = NameClusters::new(gold.names(), None, &options, &gold.best_threshold(), &progress).unwrap();
    assert_eq!((clustered.score, clustered.labelled.map(|labelled| labelled.are_among)), (Some(1.0), Some(true)));
    let report = ClusterReport::of(&gold, &clustered.labels, clustered.threshold);
    assert_eq!((report.scores.mean_f1, report.threshold), (1.0, Some(clustered.threshold)));

    let pair = |left: &str, right: &str, is_same| {
        let (left, right) = (left.to_owned(), right.to_owned());
        LabelledPair { left, right, is_same, chance: 1.0, file: std::path::Path::new("memory").into(), line: 1 }
    };
    let gold = [pair("Anna Schmidt", "Anna Schmidt", true), pair("Anna Schmidt", "Bert Meier", true)];
    let report = PairReport::of(&PairModel::Lexical(Box::default()), &gold, 0.5, 5, &progress).unwrap();
    let report: Value = serde_json::to_value(&report).unwrap();
    assert_eq!((&report["recall"], &report["errors"][0]["right"]), (&json!(0.5), &json!("Bert Meier")));
    assert_eq!(report.get("truncated"), None);
}
