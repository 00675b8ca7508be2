//! Names of outside vocabularies join the concepts that they mean.

use std::path::{Path, PathBuf};

use truename_kb::import::{AliasReport, Vocabulary, read_files, read_vocabulary};
use truename_kb::{Alias, Concept, Import, ImportOptions, Store};

const KB: &str = "id\tname\txrefs\n\
    A:1\tmyocardial infarction\tU:1\n\
    A:2\theart failure\tU:2\n\
    A:3\tcommon cold\tU:3\n\
    A:3\tcold\t\n\
    A:4\tcold injury\t\n\
    A:4\tcold\t\n";

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Returns the concepts of [`KB`] with the names of vocabularies, each a file, and the report on the last one.
fn joined(files: &[(&str, &str)]) -> (Import, AliasReport) {
    let folder = tempfile::tempdir().unwrap();
    let options = ImportOptions::default();
    let mut import = read_files(&[write(folder.path(), "kb.tsv", KB)], &options).unwrap();
    let vocabularies = files.iter().map(|(name, text)| {
        let read = read_vocabulary(&write(folder.path(), name, text), &options).unwrap();
        assert_eq!(read.problem_count, 0, "{:?}", read.problems);
        Vocabulary { source: (*name).to_owned(), entries: read.concepts, mappings: read.mappings }
    });
    let vocabularies = vocabularies.collect();
    let report = import.add_aliases(vocabularies).pop().unwrap();
    (import, report)
}

fn aliases_of<'a>(import: &'a Import, id: &str) -> Vec<(&'a str, &'a str)> {
    let concept: &Concept = import.concepts.iter().find(|concept| concept.id == *id).unwrap();
    concept.aliases.iter().map(|Alias { name, source }| (name.as_str(), source.as_str())).collect()
}

#[test]
fn an_entry_joins_by_its_id() {
    let (import, report) = joined(&[("more.csv", "id,name\nA:1,cardiac infarct\nA:1,Myocardial Infarction\n")]);
    assert_eq!(aliases_of(&import, "A:1"), [("cardiac infarct", "more.csv")]);
    assert_eq!((report.entries, report.by_id, report.names, report.taken), (1, 1, 1, 0));
}

#[test]
fn an_entry_joins_by_a_cross_reference_of_either_side() {
    let (import, report) = joined(&[("v.tsv", "id\tname\txrefs\nV:2\tpump failure\tA:2\nU:1\tinfarct\t\n")]);
    assert_eq!(aliases_of(&import, "A:2"), [("pump failure", "v.tsv")]);
    assert_eq!(aliases_of(&import, "A:1"), [("infarct", "v.tsv")]);
    assert_eq!((report.entries, report.by_xref, report.names), (2, 2, 2));
}

#[test]
fn a_mapping_of_another_file_ties_an_entry_to_its_concept() {
    let mapping = "#curie_map:\nsubject_id\tpredicate_id\tobject_id\nV:9\tskos:exactMatch\tA:2\n";
    let (import, report) = joined(&[("map.sssom.tsv", mapping), ("v.tsv", "id\tname\nV:9\tcardiac insufficiency\n")]);
    assert_eq!(aliases_of(&import, "A:2"), [("cardiac insufficiency", "v.tsv")]);
    assert_eq!(report.by_xref, 1);
}

#[test]
fn the_labels_of_a_mapping_table_are_names() {
    let table = "subject_id\tsubject_label\tpredicate_id\tobject_id\tobject_label\n\
        A:1\tmyocardial infarction\tskos:exactMatch\tZ:1\theart attack\n\
        Z:2\tcardiac failure\tskos:exactMatch\tA:2\t\n\
        A:3\tcommon cold\tskos:broadMatch\tZ:3\tinfection\n";
    let folder = tempfile::tempdir().unwrap();
    let read = read_vocabulary(&write(folder.path(), "m.sssom.tsv", table), &ImportOptions::default()).unwrap();
    assert_eq!(read.problem_count, 1, "a broader concept is none of the same");
    let kb = write(folder.path(), "kb.tsv", KB);
    let mut import = read_files(&[kb], &ImportOptions::default()).unwrap();
    let vocabulary = Vocabulary { source: "m".into(), entries: read.concepts, mappings: read.mappings };
    import.add_aliases(vec![vocabulary]);
    assert_eq!(aliases_of(&import, "A:1"), [("heart attack", "m")]);
    assert_eq!(aliases_of(&import, "A:2"), [("cardiac failure", "m")]);
    assert_eq!(aliases_of(&import, "A:3"), []);
}

#[test]
fn a_mapping_that_does_not_hold_adds_no_name() {
    let read = |predicate: &str, modifier: &str| {
        let table = format!(
            "subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id\tobject_label\n\
             A:1\tmyocardial infarction\t{predicate}\t{modifier}\tZ:1\tchest pain\n\
             A:2\tcough\tskos:exactMatch\t\tZ:2\ttussis\n"
        );
        let folder = tempfile::tempdir().unwrap();
        read_vocabulary(&write(folder.path(), "m.sssom.tsv", &table), &ImportOptions::default()).unwrap()
    };
    for modifier in ["Not", "NOT", "Not ", "sssom:Not", "https://w3id.org/sssom/NegatedPredicate"] {
        let read = read("skos:exactMatch", modifier);
        let ids: Vec<&str> = read.concepts.iter().map(|concept| concept.id.as_str()).collect();
        assert_eq!((ids, read.problem_count), (vec!["A:2", "Z:2"], 1), "{modifier}");
        assert_eq!(read.problems[0].value.as_deref(), Some(modifier.trim()));
    }
    let iri = "www.w3.org/2004/02/skos/core#exactMatch";
    for predicate in [format!("http://{iri}"), format!("https://{iri}"), format!("<http://{iri}>")] {
        let read = read(&predicate, "nan");
        assert_eq!((read.concepts.len(), read.problem_count), (4, 0), "{predicate}");
    }
}

#[test]
fn an_entry_joins_by_a_preferred_name_in_common() {
    let text = "id\tname\nV:1\tHeart-Failure\nV:1\tweak heart\nV:2\tcoryza\nV:2\tcommon cold\nV:3\tchill\nV:3\tcold\n";
    let (import, report) = joined(&[("v.tsv", text)]);
    assert_eq!(aliases_of(&import, "A:2"), [("weak heart", "v.tsv")], "its preferred name is one of ours");
    assert_eq!(aliases_of(&import, "A:3"), [("coryza", "v.tsv")], "one of its names is our preferred one");
    assert_eq!(aliases_of(&import, "A:4"), [], "\"cold\" is the preferred name of neither");
    assert_eq!((report.by_name, report.ambiguous, report.names), (2, 0, 2));
}

#[test]
fn an_entry_of_several_concepts_and_a_name_of_another_are_left_out() {
    let text = "id\tname\txrefs\nV:1\tcold\t\nV:2\tfrost\tA:3|A:4\nV:3\tcold injury\tA:1|A:4\nA:1\theart failure\t\nA:1\tMI\t\n";
    let (import, report) = joined(&[("v.tsv", text)]);
    assert_eq!((report.ambiguous, report.taken, report.names), (2, 1, 1));
    assert_eq!(report.by_xref, 1, "of two cross-references, the name tells which is meant");
    assert_eq!(aliases_of(&import, "A:1"), [("MI", "v.tsv")]);
}

#[test]
fn a_store_keeps_aliases_with_their_sources() {
    let (import, _) =
        joined(&[("a.tsv", "id\tname\nA:1\tMI\n"), ("b.tsv", "id\tname\nA:1\tcardiac infarct\nA:1\tMI\n")]);
    let expected = [("MI", "a.tsv"), ("cardiac infarct", "b.tsv")];
    assert_eq!(aliases_of(&import, "A:1"), expected, "the first source of a name keeps it");
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("kb")).unwrap();
    let mut write = store.write().unwrap();
    store.fill(&mut write, import.concepts.clone()).unwrap();
    store.commit(write).unwrap();
    let read = |id: &str| store.snapshot().unwrap().concept_by_id(&id.parse().unwrap()).unwrap();
    let kept: Vec<Concept> = import.concepts.iter().map(|concept| read(concept.id.as_str())).collect();
    assert_eq!(kept, import.concepts);

    let mut changed = read("A:1");
    changed.aliases.remove(0);
    let mut write = store.write().unwrap();
    store.apply(&mut write, vec![changed.clone()], &[]).unwrap();
    store.commit(write).unwrap();
    assert_eq!(read("A:1"), changed);
    let snapshot = store.snapshot().unwrap();
    snapshot.check().unwrap();
    let index = snapshot.index_of(&changed.id).unwrap().unwrap();
    let aliases = snapshot.aliases(index).unwrap();
    let [(name, "b.tsv")] = aliases[..] else { panic!("{aliases:?}") };
    assert_eq!(snapshot.name(name).unwrap().1, "cardiac infarct");
}
