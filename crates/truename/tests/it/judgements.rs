//! Judged names are answered as people judged them, whatever other concepts have them, also after updates.

use std::path::{Path, PathBuf};

use truename::{
    Ambiguous, Concept, Document, ErrorKind, ImportOptions, Judgement, KnowledgeBase, LearnReport, LinkOptions, Linker,
    Progress, Verdict,
};

/// Two concepts share the acronym `MI`.
const KB: &str = "id\tname\ttype\n\
    A:1\tmyocardial infarction\tdisease\nA:1\tMI\tdisease\n\
    A:2\tmitral insufficiency\tdisease\nA:2\tMI\tdisease\n\
    A:3\taspirin\tdrug\n";

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn kb(folder: &Path) -> KnowledgeBase {
    let files = [write(folder, "kb.tsv", KB)];
    KnowledgeBase::import(&files, &folder.join("kb"), &ImportOptions::default(), false).unwrap().0
}

fn judgement(name: &str, verdict: Verdict) -> Judgement {
    Judgement { name: name.into(), verdict, date: "2026-11-26".parse().unwrap() }
}

fn concept(id: &str) -> Verdict {
    Verdict::Concept(id.parse().unwrap())
}

fn learn(kb: &KnowledgeBase, judgements: &[Judgement], forgotten: &[&str]) -> LearnReport {
    let forgotten: Vec<String> = forgotten.iter().map(ToString::to_string).collect();
    kb.learn(judgements, &forgotten, &Progress::default()).unwrap()
}

fn linker(kb: &KnowledgeBase, options: LinkOptions) -> Linker {
    Linker::new(kb.clone()).unwrap().with_options(options).unwrap()
}

fn explaining(kb: &KnowledgeBase) -> Linker {
    linker(kb, LinkOptions { explain: true, ..LinkOptions::default() })
}

fn id_of(kb: &KnowledgeBase, name: &str) -> Option<String> {
    Linker::new(kb.clone()).unwrap().link_name(name).unwrap().id().map(ToString::to_string)
}

fn update(kb: &KnowledgeBase, folder: &Path, name: &str, text: &str) {
    let options = ImportOptions { replace: true, ..ImportOptions::default() };
    kb.update(&[write(folder, name, text)], &[], &options).unwrap();
}

#[test]
fn a_learnt_name_is_answered_surely_whatever_other_concepts_have_it() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(folder.path());
    let sure = Linker::new(kb.clone()).unwrap().link_name("aspirin").unwrap().candidates[0].probability;
    let linker = Linker::new(kb.clone()).unwrap();
    assert!(linker.link_name("MI").unwrap().candidates[0].probability < sure, "it is shared");
    let report = learn(&kb, &[judgement("MI", concept("A:2")), judgement("pill 7", concept("A:3"))], &[]);
    assert_eq!((report.learnt, report.unchanged, report.unknown), (2, 0, vec![]));
    // The linker that was open takes the new version.
    for (name, id) in [("MI", "A:2"), ("m.i.", "A:2"), ("Pill-7", "A:3")] {
        let link = linker.link_name(name).unwrap();
        assert_eq!((link.id().unwrap().as_str(), link.candidates[0].probability), (id, sure), "{name}");
        assert_eq!(explaining(&kb).link_name(name).unwrap().candidates[0], link.candidates[0], "{name}");
    }
    let link = explaining(&kb).link_name("MI").unwrap();
    assert_eq!(link.candidates[0].alias_source.as_deref(), Some("judged 2026-11-26"));
    let explanation = link.explanation.unwrap();
    assert!(explanation.contains("You judged this on 2026-11-26.") && !explanation.contains("alias"), "{explanation}");
    assert_eq!(kb.info().unwrap().aliases["judged 2026-11-26"], 2);
    KnowledgeBase::check(&folder.path().join("kb"), true).unwrap();
}

#[test]
fn a_learnt_name_is_a_mention_of_its_concept_in_documents() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(folder.path());
    learn(&kb, &[judgement("MI", concept("A:2")), judgement("Herzinfarkt", concept("A:1"))], &[]);
    let text = "Herzinfarkt is a myocardial infarction; MI was excluded.";
    for ambiguous in [Ambiguous::Best, Ambiguous::All, Ambiguous::Nil] {
        let options = LinkOptions { ambiguous, explain: true, ..LinkOptions::default() };
        let linked = linker(&kb, options).link_document(Document::new("1", text)).unwrap();
        let found: Vec<(&str, &str)> = linked
            .mentions
            .iter()
            .map(|mention| (mention.text.as_str(), mention.link.id().unwrap().as_str()))
            .collect();
        // The document names A:1 by another name too, and the judgement stands.
        assert_eq!(found, [("Herzinfarkt", "A:1"), ("myocardial infarction", "A:1"), ("MI", "A:2")]);
        let explanation = linked.mentions[2].link.explanation.as_deref().unwrap();
        assert!(explanation.contains("You judged this on 2026-11-26."), "{explanation}");
    }
}

#[test]
fn a_name_judged_nil_is_answered_nil() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(folder.path());
    assert!(id_of(&kb, "aspirin").is_some());
    learn(&kb, &[judgement("Aspirin", Verdict::Nil), judgement("A:00001", Verdict::Nil)], &[]);
    assert_eq!(id_of(&kb, "aspirin"), None);
    let link = explaining(&kb).link_name("ASPIRIN").unwrap();
    assert_eq!((link.is_nil, link.candidates.len()), (true, 0));
    assert_eq!(link.explanation.unwrap(), "You judged on 2026-11-26 that no concept is meant, so the answer is NIL.");
    let linked = linker(&kb, LinkOptions::default()).link_document(Document::new("1", "Give aspirin.")).unwrap();
    assert!(linked.mentions[0].link.is_nil);
    assert!(id_of(&kb, "aspirins").is_some(), "another name");
}

#[test]
fn a_name_that_is_never_a_mention_is_a_stop_name_of_the_knowledge_base() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(folder.path());
    let linker = linker(&kb, LinkOptions::default());
    let mentions = |linker: &Linker| {
        let linked = linker.link_document(Document::new("1", "Aspirin against myocardial infarction.")).unwrap();
        linked.mentions.into_iter().map(|mention| mention.text).collect::<Vec<_>>()
    };
    assert_eq!(mentions(&linker), ["Aspirin", "myocardial infarction"]);
    learn(&kb, &[judgement("aspirin", Verdict::StopName)], &[]);
    assert_eq!(mentions(&linker), ["myocardial infarction"]);
    assert_eq!(id_of(&kb, "aspirin").as_deref(), Some("A:3"), "a column of names may have it");
    let mut given = Document::new("1", "Aspirin");
    given.mentions = vec![truename::Mention::new(truename::Span::new(0, 7), "", None)];
    assert_eq!(linker.link_mentions(vec![given]).unwrap()[0].mentions.len(), 1, "a given mention is one");
    learn(&kb, &[], &["Aspirin"]);
    assert_eq!(mentions(&linker), ["Aspirin", "myocardial infarction"]);
}

#[test]
fn the_last_judgement_counts_and_a_forgotten_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(folder.path());
    let first = [judgement("stroke", concept("A:1")), judgement("STROKE", concept("A:2"))];
    assert_eq!(learn(&kb, &first, &[]).learnt, 1);
    assert_eq!(id_of(&kb, "stroke").as_deref(), Some("A:2"));
    let before = kb.fingerprint().unwrap();
    assert_eq!(learn(&kb, &[judgement("stroke", concept("A:2"))], &[]).unchanged, 1);
    assert_eq!(kb.fingerprint().unwrap(), before, "nothing was written");
    for (verdict, id) in [(Verdict::Nil, None), (concept("A:1"), Some("A:1")), (Verdict::StopName, None)] {
        learn(&kb, &[judgement("Stroke", verdict.clone())], &[]);
        assert_eq!(kb.judgements().unwrap(), [judgement("Stroke", verdict)]);
        assert_eq!(kb.concept(&"A:2".parse().unwrap()).unwrap().aliases, []);
        assert_eq!(id_of(&kb, "stroke").as_deref(), id);
    }
    let report = learn(&kb, &[], &["stroke", "flu"]);
    assert_eq!((report.forgotten, report.missing), (1, vec!["flu".to_owned()]));
    assert_eq!(kb.judgements().unwrap(), []);
    // A name that is judged is not forgotten in another spelling.
    for _ in 0..2 {
        learn(&kb, &[judgement("stroke", concept("A:2"))], &["Stroke"]);
        assert_eq!(id_of(&kb, "stroke").as_deref(), Some("A:2"));
    }
    learn(&kb, &[], &["stroke"]);
    // What was the concept's own name stays its name.
    learn(&kb, &[judgement("MI", concept("A:1"))], &[]);
    learn(&kb, &[], &["MI"]);
    assert_eq!(kb.concept(&"A:1".parse().unwrap()).unwrap().synonyms, ["MI"]);
}

#[test]
fn names_that_differ_in_a_sign_alone_are_judged_apart() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(folder.path());
    let judged = [judgement("(+)-aspirin", Verdict::Nil), judgement("(-)-aspirin", concept("A:3"))];
    learn(&kb, &judged, &[]);
    assert_eq!((id_of(&kb, "(+)-aspirin"), id_of(&kb, "(-)-aspirin").as_deref()), (None, Some("A:3")));
    assert_eq!(kb.judgements().unwrap().len(), 2);
    learn(&kb, &[], &["(+)-aspirin"]);
    assert_eq!(kb.judgements().unwrap(), judged[1..]);
}

#[test]
fn a_judgement_with_an_unknown_id_is_left_out_and_a_bad_name_refused() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(folder.path());
    let unknown = judgement("stroke", concept("A:9"));
    let report = learn(&kb, &[unknown.clone(), judgement("flu", Verdict::Nil)], &[]);
    assert_eq!((report.learnt, report.unknown), (1, vec![unknown]));
    for name in [" ".to_owned(), "x".repeat(5000)] {
        let refused = kb.learn(&[judgement(&name, Verdict::Nil)], &[], &Progress::default()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Choice);
        assert!(refused.hint().is_some());
    }
}

#[test]
fn judgements_outlast_updates_and_follow_retired_ids() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(folder.path());
    let judged =
        [judgement("MI", concept("A:2")), judgement("flu", Verdict::Nil), judgement("plan", Verdict::StopName)];
    learn(&kb, &judged, &[]);
    let again = KB.replace("A:3\taspirin", "A:3\tASA") + "A:4\tasthma\tdisease\n";
    update(&kb, folder.path(), "again.tsv", &again);
    assert_eq!(kb.judgements().unwrap(), judged);
    assert_eq!(id_of(&kb, "MI").as_deref(), Some("A:2"));
    for (file, line, id) in [
        ("stored.jsonl", r#"{"id": "A:2", "removed": true, "replaced_by": ["A:4"]}"#, "A:4"),
        (
            "new.jsonl",
            "{\"id\": \"A:4\", \"removed\": true, \"replaced_by\": [\"A:5\"]}\n{\"id\": \"A:5\", \"name\": \"wheeze\"}",
            "A:5",
        ),
    ] {
        update(&kb, folder.path(), file, line);
        assert_eq!(id_of(&kb, "MI").as_deref(), Some(id));
        // A retired id stands for the concept that replaces it.
        assert_eq!(learn(&kb, &[judgement("MI", concept("A:2"))], &[]).unchanged, 1);
    }
    kb.update(&[], &["A:5".parse().unwrap()], &ImportOptions::default()).unwrap();
    assert_eq!(kb.judgements().unwrap(), judged[1..]);
}

#[test]
fn concepts_are_exported_and_packed_with_their_learnt_names() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(folder.path());
    learn(&kb, &[judgement("MI", concept("A:2")), judgement("flu", Verdict::Nil)], &[]);
    let packed = KnowledgeBase::open(kb.pack(folder.path()).unwrap()).unwrap();
    assert_eq!(packed.judgements().unwrap(), kb.judgements().unwrap());
    let refused = packed.learn(&[judgement("x", Verdict::Nil)], &[], &Progress::default()).unwrap_err();
    assert!(refused.to_string().contains("pack"), "{refused}");
    let mut lines = String::new();
    kb.for_each_concept(|concept: Concept| {
        lines += &(serde_json::to_string(&concept).unwrap() + "\n");
        Ok::<_, truename::Error>(())
    })
    .unwrap();
    let files = [write(folder.path(), "export.jsonl", &lines)];
    let (copy, _) =
        KnowledgeBase::import(&files, &folder.path().join("copy"), &ImportOptions::default(), false).unwrap();
    assert_eq!(copy.judgements().unwrap(), [judgement("MI", concept("A:2"))]);
    assert_eq!(id_of(&copy, "MI").as_deref(), Some("A:2"));
}

#[test]
fn an_update_takes_nothing_away_unless_it_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let kb = kb(folder.path());
    let before = kb.fingerprint().unwrap();
    let names = write(folder.path(), "names.tsv", "id\tname\nA:1\theart attack\nA:3\taspirin\n");
    let refused = kb.update(std::slice::from_ref(&names), &[], &ImportOptions::default()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the update would take from 2 of 2 replaced concepts what the files lack: the preferred name of 1 concept, \
         1 name, the types of 2 concepts"
    );
    assert!(refused.hint().unwrap().to_string().contains("`replace`"), "{refused:?}");
    assert_eq!(kb.fingerprint().unwrap(), before);
    kb.update(&[names], &[], &ImportOptions { replace: true, ..ImportOptions::default() }).unwrap();
    assert_eq!(kb.concept(&"A:1".parse().unwrap()).unwrap().name, "heart attack");
}
