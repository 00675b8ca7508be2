//! `truename kb import` of files that need a flag or make no knowledge base.

mod folder;

use folder::Folder;

#[test]
fn a_line_beyond_the_limit_names_the_flag_that_raises_it() {
    let folder = Folder::with_kb();
    folder.write("long.tsv", format!("id\tname\n1\t{}\n", "a".repeat(1000)));
    let refused = folder.run(&["-q", "kb", "import", "long.tsv", "--out", "new", "--max-line-bytes", "100"]);
    let error = "error: long.tsv:2: a line or value of more than 100 bytes\nhint: if the file is meant to have it, raise the limit with --max-line-bytes BYTES\n";
    assert_eq!((refused.code, refused.err.as_str()), (1, error));
    assert!(!folder.path("new").exists());
    assert_eq!(folder.run(&["-q", "kb", "import", "long.tsv", "--out", "new"]).code, 0);
}

#[test]
fn mappings_alone_make_no_knowledge_base_but_may_update_one() {
    let folder = Folder::with_kb();
    folder.write("m.sssom.tsv", "subject_id\tpredicate_id\tobject_id\nX:1\tskos:exactMatch\tY:1\n");
    let alone = folder.run(&["-q", "kb", "import", "m.sssom.tsv", "--out", "new"]);
    assert_eq!(alone.code, 1);
    assert!(alone.err.contains("hint: mappings name no concepts: import them together with"), "{}", alone.err);
    assert_eq!(folder.run(&["-q", "kb", "update", "m.sssom.tsv", "--kb", "kb"]).code, 0);
    let shown = folder.run(&["kb", "show", "X:1", "--kb", "kb"]);
    assert!(shown.out.contains("Y:1"), "{}", shown.out);
}

#[test]
fn classes_are_named_by_their_iris_on_request() {
    let folder = Folder::with_kb();
    let ontology = "<http://x.org/o#HeartAttack> a <http://www.w3.org/2002/07/owl#Class> .\n";
    folder.write("o.ttl", ontology);
    let without = folder.run(&["kb", "import", "o.ttl", "--out", "new"]);
    assert_eq!(without.code, 1);
    assert!(without.err.contains("--label-from-iri"), "{}", without.err);
    assert_eq!(folder.run(&["-q", "kb", "import", "o.ttl", "--out", "new", "--label-from-iri"]).code, 0);
    let shown = folder.run(&["kb", "show", "http://x.org/o#HeartAttack", "--kb", "new"]);
    assert!(shown.out.contains("\"Heart Attack\""), "{}", shown.out);
}

#[test]
fn names_of_an_outside_vocabulary_join_and_can_be_left_out() {
    let folder = Folder::with_kb();
    folder.write("own.tsv", "id\tname\nA:1\tmyocardial infarction\nA:2\theart failure\n");
    folder.write("more.csv", "id,name\nA:1,Herzinfarkt\nA:2,heart failure\nA:9,measles\n");
    let imported = folder.run(&["kb", "import", "own.tsv", "--aliases", "more.csv", "--out", "new"]);
    assert_eq!(imported.code, 0, "{}", imported.err);
    let said = "more.csv: 2 joined of 3 entries (by id 2, by cross-reference 0, by name 0); 1 name added\n";
    assert!(imported.err.contains(said), "{}", imported.err);
    assert!(folder.run(&["kb", "info", "--kb", "new"]).out.contains("aliases from more.csv: 1\n"));
    folder.write("names.txt", "Herzinfarkt\n");
    let matched = |more: &[&str]| folder.run(&[&["match", "names.txt", "--kb", "new", "--explain"], more].concat());
    assert!(matched(&[]).out.contains("an alias from more.csv"), "{}", matched(&[]).out);
    assert!(!matched(&["--without-aliases", "more.csv"]).out.contains("A:1"));
    let unknown = matched(&["--without-aliases", "less.csv"]);
    assert_eq!(unknown.code, 1);
    assert!(
        unknown.err.contains("no alias comes from \"less.csv\"\nhint: its sources are *, more.csv"),
        "{}",
        unknown.err
    );
}
