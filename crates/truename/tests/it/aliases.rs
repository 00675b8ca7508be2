//! Names of outside vocabularies are answered, explained by their source, and left out on request.

use std::path::{Path, PathBuf};

use truename::{Document, ImportOptions, KnowledgeBase, LinkOptions, Linker, Report};

const KB: &str =
    "id\tname\ttype\nA:1\tmyocardial infarction\tdisease\nA:2\theart failure\tdisease\nA:3\taspirin\tdrug\n";

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// A knowledge base with the names of two vocabularies: a file, and a knowledge base.
fn kb(folder: &Path) -> (KnowledgeBase, Report) {
    let more = write(folder, "more.tsv", "id\tname\nA:1\tHerzinfarkt\n");
    let other = write(folder, "other.tsv", "id\tname\nB:1\tmyocardial infarction\nB:1\tcoronary thrombosis\n");
    let options = ImportOptions::default();
    KnowledgeBase::import(&[other], &folder.join("otherkb"), &options, false).unwrap();
    let files = [write(folder, "kb.tsv", KB)];
    let aliases = [more, folder.join("otherkb")];
    KnowledgeBase::import_with_aliases(&files, &aliases, &folder.join("kb"), &options, false).unwrap()
}

fn linker(kb: &KnowledgeBase, without: &[&str]) -> Linker {
    let without = without.iter().map(|source| (*source).to_owned()).collect();
    let options = LinkOptions { explain: true, without_aliases: without, ..LinkOptions::default() };
    Linker::new(kb.clone()).unwrap().with_options(options).unwrap()
}

fn id_of(linker: &Linker, name: &str) -> Option<String> {
    linker.link_name(name).unwrap().id().map(ToString::to_string)
}

#[test]
fn an_alias_is_answered_and_explained_by_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let (kb, report) = kb(folder.path());
    let joined: Vec<(&str, usize)> = report.aliases.iter().map(|added| (added.source.as_str(), added.names)).collect();
    assert_eq!(joined, [("more.tsv", 1), ("otherkb", 1)]);
    let info = kb.info().unwrap();
    assert_eq!(info.aliases.into_iter().collect::<Vec<_>>(), [("more.tsv".to_owned(), 1), ("otherkb".to_owned(), 1)]);
    assert_eq!(info.names, 5);

    let linker = linker(&kb, &[]);
    let link = linker.link_name("Herzinfarkt").unwrap();
    assert_eq!(link.id().unwrap(), "A:1");
    assert_eq!(link.candidates[0].alias_source.as_deref(), Some("more.tsv"));
    let explanation = link.explanation.unwrap();
    assert!(explanation.contains("That name is an alias from more.tsv."), "{explanation}");
    let own = linker.link_name("myocardial infarction").unwrap();
    assert_eq!(own.candidates[0].alias_source, None);
    assert!(!own.explanation.unwrap().contains("alias"));
}

#[test]
fn aliases_of_a_source_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let (kb, _) = kb(folder.path());
    let names = ["Herzinfarkt", "coronary thrombosis", "Myocardial Infarction"];
    let answered = |without: &[&str]| names.map(|name| id_of(&linker(&kb, without), name).is_some());
    assert_eq!(answered(&[]), [true, true, true]);
    assert_eq!(answered(&["more.tsv"]), [false, true, true]);
    assert_eq!(answered(&["otherkb"]), [true, false, true]);
    assert_eq!(answered(&["*"]), [false, false, true]);
    let unknown = LinkOptions { without_aliases: vec!["mor.tsv".into()], ..LinkOptions::default() };
    let error = Linker::new(kb.clone()).unwrap().with_options(unknown).err().unwrap();
    assert_eq!(error.to_string(), "no alias comes from \"mor.tsv\"");
    assert_eq!(error.hint().unwrap().to_string(), "its sources are *, more.tsv, otherkb");
}

#[test]
fn without_its_aliases_a_concept_is_matched_by_its_own_names() {
    let folder = tempfile::tempdir().unwrap();
    let (kb, _) = kb(folder.path());
    let linker = linker(&kb, &["*"]);
    for (name, id, matched) in [
        ("myocardial infarcts 2.0", "A:1", "myocardial infarction"),
        ("coronary infarction", "A:1", "myocardial infarction"),
        ("hart failure", "A:2", "heart failure"),
    ] {
        let best = &linker.link_name(name).unwrap().candidates[0];
        assert_eq!((best.id.as_str(), best.matched_name.as_str()), (id, matched), "{name}");
    }
}

#[test]
fn texts_are_searched_for_the_aliases_that_are_not_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let (kb, _) = kb(folder.path());
    let text = "After a Herzinfarkt she took aspirin against coronary thrombosis.";
    let found = |without: &[&str]| -> Vec<String> {
        let linker = linker(&kb, without);
        let document = Document::new("1", text);
        let linked = linker.link_document(document).unwrap();
        linked.mentions.iter().map(|mention| text[mention.span.range()].to_owned()).collect()
    };
    assert_eq!(found(&[]), ["Herzinfarkt", "aspirin", "coronary thrombosis"]);
    assert_eq!(found(&["more.tsv"]), ["aspirin", "coronary thrombosis"]);
    assert_eq!(found(&["*"]), ["aspirin"]);
}

#[test]
fn a_vocabulary_that_is_not_there_leaves_no_knowledge_base() {
    let folder = tempfile::tempdir().unwrap();
    let files = [write(folder.path(), "kb.tsv", KB)];
    let out = folder.path().join("kb");
    let missing = [folder.path().join("no.tsv")];
    let error = KnowledgeBase::import_with_aliases(&files, &missing, &out, &ImportOptions::default(), false).err();
    assert!(error.unwrap().to_string().contains("no.tsv"));
    assert!(!out.exists());
}
