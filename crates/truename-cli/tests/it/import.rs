//! `truename kb import` of files that need a flag or make no knowledge base.

use crate::folder::Folder;

#[test]
fn a_line_beyond_the_limit_names_the_flag_that_raises_it() {
    let folder = Folder::with_kb();
    folder.write("long.tsv", format!("id\tname\n1\t{}\n", "a".repeat(1000)));
    let refused = folder.run(&["-q", "kb", "import", "long.tsv", "--out", "new", "--max-line-bytes", "100"]);
    let error = "error: long.tsv:2: a line or value of more than 100 bytes\nhint: --max-line-bytes reads longer rows\n";
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

#[test]
fn requests_that_make_no_sense_are_mistakes_of_usage() {
    let folder = Folder::new();
    folder.write("names.csv", "id,name\nX:1,flu\n");
    let requests: [&[&str]; 4] = [
        &["kb", "import", "names.csv", "--out", "kb", "--encoding", "bogus"],
        &["match", "names.csv", "--encoding", "bogus"],
        &["dedupe", "names.csv", "--encoding", "bogus"],
        &["kb", "import", "-", "-", "--out", "kb"],
    ];
    for request in requests {
        let run = folder.run(request);
        assert_eq!(run.code, 2, "{request:?}: {}", run.err);
    }
}

#[test]
fn retired_ids_are_shown_matched_scored_exported_and_updated() {
    let folder = Folder::new();
    let obo = "format-version: 1.4\n\n[Term]\nid: X:1\nname: breast cancer\nalt_id: X:2\n\n[Term]\nid: X:3\nname: obsolete lump\nis_obsolete: true\nreplaced_by: X:2\n\n[Term]\nid: X:4\nname: obsolete ache\nis_obsolete: true\nconsider: X:1\nconsider: X:5\n\n[Term]\nid: X:5\nname: heart attack\n\n[Term]\nid: X:6\nname: obsolete lump\nis_obsolete: true\n\n[Term]\nid: X:7\nname: obsolete two\nis_obsolete: true\nreplaced_by: X:1\nreplaced_by: X:5\n";
    folder.write("o.obo", obo);
    assert_eq!(folder.run(&["-q", "kb", "import", "o.obo", "--out", "kb"]).code, 0);
    let shown = folder.run(&["kb", "show", "X:3", "--kb", "kb"]);
    assert_eq!((shown.code, shown.err.as_str()), (0, "X:3 is retired; X:1 (breast cancer) replaces it\n"));
    assert!(shown.out.contains("\"replaced_by\": [\n    \"X:2\""), "{}", shown.out);
    assert!(folder.run(&["kb", "show", "X:4", "--kb", "kb"]).err.contains("no single concept replaces it"));
    assert_eq!(folder.run(&["kb", "show", "X:9", "--kb", "kb"]).code, 1);

    folder.write("names.csv", "name\nX:3\nX:5\nX:4\nbreast cancer\n");
    let matched = folder.run(&["match", "names.csv", "--kb", "kb"]);
    let rows: Vec<&str> = matched.out.lines().map(|line| line.rsplit_once(',').unwrap().0).collect();
    let expected = [
        "X:3,X:1,X:3,breast cancer",
        "X:5,X:5,X:5,heart attack",
        "X:4,,,",
        "breast cancer,X:1,breast cancer,breast cancer",
    ];
    assert_eq!(rows[1..], expected);
    let said = "2 ids no longer in use:\n  X:3: X:1 replaces it\n  X:4: no single concept replaces it\n";
    assert!(matched.err.contains(said), "{}", matched.err);
    let lines = folder.run(&["-q", "match", "names.csv", "--kb", "kb", "--format", "jsonl", "--explain"]).out;
    assert!(
        lines.contains("\"retired_id\":\"X:3\"")
            && lines.contains("“X:3” is a retired id; X:1 (breast cancer) replaces it."),
        "{lines}"
    );

    folder.write("gold.csv", "name,id\nbreast cancer,X:3\nheart attack,X:5\n");
    let scored = folder.run(&["evaluate", "names", "--gold", "gold.csv", "--kb", "kb"]);
    assert!(
        scored.out.contains("acc@1        100.00") && scored.err.contains("X:3: X:1 replaces it"),
        "{} {}",
        scored.out,
        scored.err
    );
    folder.write("gold.csv", "name,id\nache,X:4\n");
    let scored = folder.run(&["evaluate", "names", "--gold", "gold.csv", "--kb", "kb"]);
    assert!(scored.err.contains("X:4: no single concept replaces it"), "{}", scored.err);
    let document = "{\"text\": \"breast cancer\", \"mentions\": [{\"start\": 0, \"end\": 13, \"type\": \"Disease\", \"id\": \"X:3\"}]}\n";
    folder.write("gold.jsonl", document);
    let linked = folder.run(&["evaluate", "link", "--gold", "gold.jsonl", "--kb", "kb"]);
    assert!(!linked.out.contains("does not have the id"), "{}", linked.out);

    assert_eq!(folder.run(&["kb", "export", "--kb", "kb", "--out", "all.jsonl"]).code, 0);
    assert_eq!(folder.run(&["-q", "kb", "import", "all.jsonl", "--out", "again"]).code, 0);
    let exported = |kb| folder.run(&["kb", "export", "--kb", kb]).out;
    assert_eq!(exported("again"), exported("kb"));
    let alone =
        "{\"id\":\"X:6\",\"removed\":true}\n{\"id\":\"X:7\",\"replaced_by\":[\"X:1\",\"X:5\"],\"removed\":true}\n";
    assert!(exported("kb").ends_with(alone), "{}", exported("kb"));
    let shown = folder.run(&["kb", "show", "X:6", "--kb", "again"]);
    assert_eq!((shown.code, shown.err.as_str()), (0, "X:6 is retired, and no single concept replaces it\n"));
    assert!(
        exported("kb").contains("\"replaces\":[\"X:2\",\"X:3\"],\"considered_for\":[\"X:4\"]"),
        "{}",
        exported("kb")
    );

    folder.write("new.jsonl", "{\"id\": \"X:5\", \"removed\": true, \"replaced_by\": [\"X:1\"]}\n");
    assert_eq!(folder.run(&["-q", "kb", "update", "new.jsonl", "--kb", "kb"]).code, 0);
    let shown = folder.run(&["kb", "show", "X:5", "--kb", "kb"]);
    assert!(shown.err.contains("X:1 (breast cancer) replaces it"), "{}", shown.err);
    assert!(folder.run(&["kb", "show", "X:1", "--kb", "kb"]).out.contains("\"X:5\""));
    assert!(folder.run(&["kb", "show", "X:3", "--kb", "kb"]).err.contains("X:1 (breast cancer) replaces it"));
}

#[test]
fn stdin_stands_among_files_and_is_read_once() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("more")).unwrap();
    folder.write("a.csv", "id,name\nA:1,heart attack\n");
    folder.write("more/b.csv", "id,name\nA:2,cough\n");
    folder.write("more/c.csv", "id,name\nA:1,cardiac infarct\n");
    let row = |id: u32, name: &str| format!("id,name\nA:{id},{name}\n").into_bytes();
    let ids = || {
        let exported = folder.run(&["kb", "export", "--kb", "kb"]).out;
        exported.lines().map(|line| line[7..10].to_owned()).collect::<Vec<_>>()
    };
    let import = ["-q", "kb", "import", "a.csv", "-", "more/b*", "--aliases", "more", "--out", "kb"];
    let ran = folder.run_with_input(&import, &row(3, "cold"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ids(), ["A:1", "A:2", "A:3"]);
    let shown = folder.run(&["kb", "show", "A:1", "--kb", "kb"]).out;
    assert!(shown.contains("cardiac infarct") && shown.contains("\"source\": \"more\""), "{shown}");
    let ran = folder.run_with_input(&["-q", "kb", "update", "more", "-", "--replace", "--kb", "kb"], &row(4, "flu"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ids(), ["A:1", "A:2", "A:3", "A:4"]);
    let twice = folder.run_with_input(&["kb", "import", "-", "--aliases", "-", "--out", "kb2"], b"id,name\nA:1,a\n");
    assert!(twice.code != 0 && twice.err.contains("stdin can be read once"), "{}", twice.err);
}

#[test]
fn values_that_are_not_used_name_their_property_and_the_flag() {
    let folder = Folder::new();
    let label = "<http://x.org/1> <http://www.w3.org/2000/01/rdf-schema#label> \"flu\" .\n";
    folder.write("o.nt", format!("{label}<http://x.org/1> <http://x.org/nick> \"grippe\" .\n"));
    let imported = folder.run(&["kb", "import", "o.nt", "--out", "new"]);
    let note = "note: o.nt: 1 value of `http://x.org/nick` was not used\nhint: --synonym-property IRI takes";
    assert!(imported.err.contains(note), "{}", imported.err);
    let asked = ["-q", "kb", "import", "o.nt", "--out", "new", "--force", "--synonym-property", "http://x.org/nick"];
    assert_eq!(folder.run(&asked).code, 0);
    assert!(folder.run(&["kb", "show", "http://x.org/1", "--kb", "new"]).out.contains("grippe"));
}

#[test]
fn a_separator_may_be_a_line_end() {
    let folder = Folder::new();
    folder.write("a.csv", "id,name,synonyms\n1,lamp,\"light\nlantern\"\n");
    assert_eq!(folder.run(&["-q", "kb", "import", "a.csv", "--out", "kb", "--separator", "\\n"]).code, 0);
    let exported = folder.run(&["kb", "export", "--kb", "kb"]).out;
    assert!(
        exported.contains("\"synonyms\":[\"lantern\",\"light\"]") || exported.contains("[\"light\",\"lantern\"]"),
        "{exported}"
    );
}
