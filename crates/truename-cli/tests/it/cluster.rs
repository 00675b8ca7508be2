//! `cluster` and `evaluate clusters`, with made-up names.

use crate::folder::{Folder, model, ran};

const NAMES: &str = "heart attack\nheart attacks\naspirin\nheart attack\naspirins\n\ntoe nail\n";

fn text(folder: &Folder, name: &str) -> String {
    String::from_utf8(folder.read(name)).unwrap()
}

#[test]
fn names_of_a_list_become_clusters_with_their_commonest_name() {
    let folder = Folder::new();
    folder.write("names.txt", NAMES);
    let clustered = folder.run(&["cluster", "names.txt", "--threshold", "0.7"]);
    let table = "name,cluster,canonical,count\nheart attack,1,heart attack,2\nheart attacks,1,heart attack,1\n\
                 aspirin,2,aspirins,1\naspirins,2,aspirins,1\ntoe nail,3,toe nail,1\n";
    assert_eq!((clustered.code, clustered.out.as_str()), (0, table));
    assert!(
        clustered.err.starts_with("5 names in 3 clusters, 2 of several names; threshold 0.7 ("),
        "{}",
        clustered.err
    );

    let run = ["-q", "cluster", "names.txt", "--out", "clusters.jsonl"];
    assert_eq!(folder.run(&run), ran(0, "", ""));
    let lines = text(&folder, "clusters.jsonl");
    assert!(
        lines.starts_with("{\"name\":\"heart attack\",\"cluster\":1,\"canonical\":\"heart attack\",\"count\":2}\n"),
        "{lines}"
    );
    assert_eq!(lines.lines().count(), 5);
    let piped = folder.run_with_input(&["-q", "cluster", "-", "--format", "jsonl"], NAMES.as_bytes());
    assert_eq!((piped.code, piped.out), (0, lines));
}

#[test]
fn columns_objects_and_triples_are_read() {
    let folder = Folder::new();
    let names =
        "name,cluster,canonical,count\n\"attack, heart\",1,\"attack, heart\",1\naspirin,2,aspirin,1\ncough,3,cough,1\n";
    let subjects = "name,cluster,canonical,count\n\"attack, heart\",1,\"attack, heart\",1\naspirin,2,aspirin,1\n";
    let twice = names.replace("aspirin,2,aspirin,1", "aspirin,2,aspirin,2");
    let cases = [
        ("a.csv", "id,Term\n1,\"attack, heart\"\n2,aspirin\n3,cough\n", &["--column", "term"][..], names),
        ("a.jsonl", "{\"name\":\"attack, heart\"}\n{\"name\":\"aspirin\"}\n{\"name\":\"cough\"}\n", &[], names),
        ("a.txt", "2\nattack, heart\ttreated by\taspirin\naspirin\tnot for\tcough\n", &[], &twice),
        ("a.txt", "2\nattack, heart\ttreated by\taspirin\naspirin\tnot for\tcough\n", &["--subjects"], subjects),
        ("a.tsv", "subject\trelation\tobject\nattack, heart\tby\taspirin\naspirin\tfor\tcough\n", &[], &twice),
        ("a.csv", "object,subject\naspirin,\"attack, heart\"\ncough,aspirin\n", &["--subjects"], subjects),
    ];
    for (name, content, arguments, expected) in cases {
        folder.write(name, content);
        let found = folder.run(&[&["-q", "cluster", name, "--threshold", "0.5"], arguments].concat());
        assert_eq!((found.code, found.out.as_str(), found.err.as_str()), (0, expected, ""), "{content}");
    }
}

const TABLE: &str =
    "id;Shop;note\n1;\"Miller, Anna\";x\n2;anna miller;\"y;z\"\n3;;none\n4;Anna Müller;\n5;anna miller;\n";

#[test]
fn rows_of_a_table_gain_their_clusters() {
    let folder = Folder::new();
    folder.write("shops.csv", TABLE);
    let run = |further: &[&str]| {
        folder.run(&[&["cluster", "shops.csv", "--column", "shop", "--format", "table"], further].concat())
    };
    let by_key = run(&["--key", "fingerprint"]);
    let table = "id,Shop,note,canonical,cluster,count\n1,\"Miller, Anna\",x,anna miller,1,3\n2,anna miller,y;z,anna miller,1,3\n\
                 3,,none,,,\n4,Anna Müller,,Anna Müller,2,1\n5,anna miller,,anna miller,1,3\n";
    assert_eq!((by_key.code, by_key.out.as_str()), (0, table));
    assert!(by_key.err.contains("3 names in 2 clusters, 1 of several names ("), "{}", by_key.err);
    assert_eq!(run(&["-q", "--key", "cologne", "--out", "all.tsv"]), ran(0, "", ""));
    assert!(text(&folder, "all.tsv").contains("4\tAnna Müller\t\tanna miller\t1\t4\n"));
    let near = run(&["--threshold", "0.6"]);
    assert!(near.code == 0 && near.out.starts_with("id,Shop,note,canonical,cluster,count\n1,"), "{}", near.err);
    let refused = run(&["--key", "soundex"]);
    assert!(refused.code == 2 && refused.err.contains("no key method"), "{}", refused.err);
    assert_eq!(run(&["--key", "cologne", "--threshold", "0.3"]).code, 2);
    folder.write("shops.csv", "id,shop\n1,a,b\n");
    let refused = run(&[]);
    assert!(refused.code == 1 && refused.err.contains("shops.csv:2: row has 3 of 2 cells"), "{}", refused.err);
    folder.write("names.txt", NAMES);
    let refused = folder.run(&["cluster", "names.txt", "--format", "table"]);
    assert!(refused.code == 2 && refused.err.contains("names.txt is no table"), "{}", refused.err);
}

#[test]
fn an_encoder_of_a_folder_and_of_a_knowledge_base_cluster_alike() {
    let folder = Folder::with_kb();
    folder.write("names.txt", NAMES);
    let by_letters = folder.run(&["cluster", "names.txt", "--kb", "kb"]);
    assert!(
        by_letters.err.starts_with("kb has no encoder; the names are clustered by letters\nhint: "),
        "{}",
        by_letters.err
    );
    assert_eq!(folder.run(&["-q", "kb", "embed", "--kb", "kb", "--encoder", &model("bert")]).code, 0);
    let own = folder.run(&["-q", "cluster", "names.txt", "--kb", "kb"]);
    let named = folder.run(&["-q", "cluster", "names.txt", "--encoder", &model("bert"), "--threads", "1"]);
    assert_eq!((own.code, own.err.as_str()), (0, ""));
    assert_eq!(own, named);
    let none = folder.run(&["-q", "cluster", "names.txt", "--kb", "kb", "--encoder", "none"]);
    assert_eq!(none.out, by_letters.out);
}

#[test]
fn many_names_are_clustered_on_a_graph() {
    let folder = Folder::new();
    let names: Vec<String> = (0..300).flat_map(|at| [format!("place {at}x"), format!("the place {at}x")]).collect();
    folder.write("names.txt", names.join("\n"));
    let exact = folder.run(&["cluster", "names.txt", "--threshold", "0.4"]);
    for (encoder, max_exact) in [("none", "599"), ("none", "600")] {
        let flags = ["--threshold", "0.4", "--encoder", encoder, "--max-exact", max_exact];
        let found = folder.run(&[&["cluster", "names.txt"], &flags[..]].concat());
        assert_eq!((found.code, &found.out), (0, &exact.out));
        let is_graph = found.err.contains("; threshold 0.4, on the graph of the 32 nearest (");
        assert_eq!(is_graph, max_exact == "599", "{}", found.err);
    }
    let encoder = model("bert");
    let flags = ["--encoder", &encoder, "--max-exact", "100", "--neighbours", "8"];
    let (two, one) = (
        folder.run(&[&["-q", "cluster", "names.txt", "--threads", "2"], &flags[..]].concat()),
        folder.run(&[&["-q", "cluster", "names.txt", "--threads", "1"], &flags[..]].concat()),
    );
    assert_eq!((two.code, two.err.as_str()), (0, ""));
    assert_eq!(two, one);
}

#[test]
fn labelled_names_choose_the_threshold() {
    let folder = Folder::new();
    folder.write("names.txt", NAMES);
    folder.write("part.csv", "name,cluster\nheart attack,1\nheart attacks,1\naspirin,2\n");
    let chosen = folder.run(&["cluster", "names.txt", "--labelled", "part.csv"]);
    assert!(chosen.err.contains(", chosen by 3 labelled names of the input: mean F1 100.0 % ("), "{}", chosen.err);
    assert!(chosen.out.contains("heart attacks,1,heart attack,1\n"), "{}", chosen.out);
    folder.write("part.csv", "name,cluster\nlung cancer,1\nlung cancers,1\ncough,2\n");
    let chosen = folder.run(&["cluster", "names.txt", "--labelled", "part.csv"]);
    assert!(
        chosen.err.contains(", chosen by 3 labelled names clustered by themselves: mean F1 100.0 % ("),
        "{}",
        chosen.err
    );
    let both = folder.run(&["cluster", "names.txt", "--labelled", "part.csv", "--threshold", "0.3"]);
    assert_eq!(both.code, 2);
}

#[test]
fn clusters_are_scored_found_or_read() {
    let folder = Folder::new();
    folder.write("gold.txt", "a\t3\theart attack|1\theart attack|2\theart attacks|3\nb\t2\taspirin|2\taspirins|4\n");
    let scored = folder.run(&["evaluate", "clusters", "--gold", "gold.txt", "--threshold", "0.85", "--json", "a.json"]);
    assert_eq!(scored.code, 0, "{}", scored.err);
    assert!(scored.err.starts_with("4 names in 2 clusters, 2 of several names; threshold "), "{}", scored.err);
    assert!(scored.out.ends_with("mean of the F1 scores 100.00; 4 names with 5 mentions\n"), "{}", scored.out);

    folder.write("found.csv", "name,cluster,canonical\nheart attack,1,x\naspirin,1,x\nheart attacks,2,x\nother,1,x\n");
    let scored =
        folder.run(&["evaluate", "clusters", "--gold", "gold.txt", "--found", "found.csv", "--json", "b.json"]);
    assert_eq!((scored.code, scored.err.as_str()), (0, ""));
    assert!(scored.out.ends_with("4 names with 5 mentions, 1 of them in no found cluster\n"), "{}", scored.out);
    let scores = |name: &str| serde_json::from_slice::<serde_json::Value>(&folder.read(name)).unwrap();
    let (own, read) = (scores("a.json"), scores("b.json"));
    for key in ["/macro/f1", "/micro/f1", "/pairwise/f1", "/mean_f1"] {
        assert_eq!(own.pointer(key).unwrap(), 1.0, "{key}");
    }
    // {heart attack twice, aspirin} and {heart attacks}: one of two found clusters is pure, b's other name is missing.
    let shares =
        [("/macro/precision", 0.5), ("/macro/recall", 0.5), ("/micro/precision", 0.75), ("/micro/recall", 0.6)];
    for (key, expected) in shares.into_iter().chain([("/pairwise/precision", 1.0 / 3.0), ("/pairwise/recall", 0.25)]) {
        assert_eq!(read.pointer(key).unwrap().as_f64().unwrap(), expected, "{key}");
    }
    assert_eq!((read["missing"].as_u64(), &read["threshold"]), (Some(1), &serde_json::Value::Null));

    // What cluster writes, evaluate reads.
    folder.write("names.txt", NAMES);
    assert_eq!(folder.run(&["-q", "cluster", "names.txt", "--threshold", "0.7", "--out", "c.csv"]).code, 0);
    let scored = folder.run(&["evaluate", "clusters", "--gold", "gold.txt", "--found", "c.csv"]);
    assert!(scored.out.contains("mean of the F1 scores 100.00"), "{}", scored.out);
}

#[test]
fn what_cannot_be_clustered_or_scored_is_refused() {
    let folder = Folder::new();
    folder.write("names.txt", NAMES);
    folder.write("empty.txt", "\n \n");
    folder.write("triples.txt", "a\tb\tc\nd\te\n");
    folder.write("short.csv", "id,name\n1\n");
    folder.write("latin.txt", b"k\xf6ln\n");
    folder.write("objects.jsonl", "{\"name\":\"a\"}\n{\"term\":\"b\"}\n");
    let cases = [
        (&["cluster", "empty.txt"][..], 1, "error: empty.txt has no names\n"),
        (&["cluster", "none.txt"], 1, "error: cannot open none.txt: "),
        (&["cluster", "triples.txt"], 1, "error: triples.txt:2: 2 of the 3 cells of a triple\nhint: separate subject"),
        (&["cluster", "short.csv"], 1, "error: short.csv:2: row has 1 of 2 cells\nhint: "),
        (
            &["cluster", "short.csv", "--column", "names"],
            2,
            "error: no column \"names\" among \"id\", \"name\"\nhint: ",
        ),
        (
            &["cluster", "latin.txt"],
            1,
            "error: latin.txt:1: not in the expected encoding (say --encoding, as in --encoding windows-1252): \"k\u{fffd}ln\"\n",
        ),
        (&["cluster", "objects.jsonl"], 1, "error: objects.jsonl:2: no field \"name\"\nhint: "),
        (&["cluster", "names.txt", "--subjects"], 2, "error: --subjects is for triples"),
        (&["cluster", "names.txt", "--out", "a.tsv"], 2, "error: clusters are written as CSV or JSONL"),
        (&["cluster", "names.txt", "--out", "a.csv", "--format", "jsonl"], 2, "error: --format and the extension"),
        (&["cluster", "names.txt", "--words", "1.5"], 2, "error: invalid value '1.5'"),
        (
            &["cluster", "names.txt", "--labelled", "short.csv"],
            1,
            "error: short.csv:1: no columns \"name\" and \"cluster\"",
        ),
        (
            &["evaluate", "clusters", "--gold", "short.csv"],
            1,
            "error: short.csv:1: no columns \"name\" and \"cluster\"",
        ),
    ];
    for (arguments, code, message) in cases {
        let found = folder.run(arguments);
        assert_eq!((found.code, found.err.starts_with(message)), (code, true), "{arguments:?}: {}", found.err);
        assert!(found.out.is_empty());
    }
    folder.write("gold.csv", "name,cluster\na,1\n");
    folder.write("found.csv", "name,cluster\na,1\na,2\n");
    let twice = folder.run(&["evaluate", "clusters", "--gold", "gold.csv", "--found", "found.csv", "--json", "s.json"]);
    assert_eq!((twice.code, twice.err.lines().next()), (1, Some("error: found.csv: \"a\" is in several clusters")));
    assert!(!folder.path("s.json").exists() && !folder.path("a.csv").exists());
    let both = ["evaluate", "clusters", "--gold", "gold.csv", "--found", "found.csv", "--threshold", "0.1"];
    assert_eq!(folder.run(&both).code, 2);
}
