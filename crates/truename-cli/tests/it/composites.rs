//! `--composites` of `link`, `recognize`, `match` and `evaluate link`.

use serde_json::json;

use crate::folder::{Folder, Ran, ran};

#[test]
fn the_names_of_a_coordination_are_written() {
    let folder = Folder::with_kb();
    folder.write("a.txt", "Heart attack or failure.\n");
    let mentions = |arguments: &[&str]| -> Vec<serde_json::Value> {
        let run = folder.run(&[&["-q"], arguments, &["a.txt", "--kb", "kb"]].concat());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
        let line: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        line["mentions"].as_array().unwrap().clone()
    };
    assert_eq!(mentions(&["link"]).len(), 1);
    let found = mentions(&["link", "--composites"]);
    let shown = |at: usize| (&found[at]["text"], &found[at]["id"], &found[at]["fragments"]);
    assert_eq!(shown(0), (&json!("Heart attack or failure"), &json!("X:2"), &json!([[0, 5], [16, 23]])));
    assert_eq!(shown(1), (&json!("Heart attack"), &json!("X:1"), &json!(null)));
    let recognized = mentions(&["recognize", "--composites"]);
    assert_eq!(recognized[0]["types"], json!(["disease"]));
    assert_eq!(recognized[0]["fragments"], found[0]["fragments"]);
    let brat = ["-q", "link", "a.txt", "--kb", "kb", "--composites", "--format", "brat", "--out", "brat"];
    assert_eq!(folder.run(&brat), ran(0, "", ""));
    let annotations = String::from_utf8(folder.read("brat/a.ann")).unwrap();
    assert!(annotations.contains("T1\tdisease 0 5;16 23\tHeart failure\n"), "{annotations}");
    assert_eq!(folder.run(&["link", "a.txt", "--kb", "kb", "--mentions", "--composites"]).code, 2);
}

#[test]
fn a_cell_that_consists_of_several_names_has_their_ids() {
    let folder = Folder::with_kb();
    folder.write("names.csv", "name\nheart attack or failure\nheart attack\nheart attack and so on\n");
    let ids = |flags: &[&str]| {
        let run = folder.run(&[&["-q", "match", "names.csv", "--kb", "kb"], flags].concat());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{flags:?}");
        run.out.lines().skip(1).map(|row| row.split(',').nth(1).unwrap().to_owned()).collect::<Vec<_>>()
    };
    let composites = ids(&["--composites"]);
    assert_eq!(composites[..2], ["X:1|X:2", "X:1"]);
    assert!(!composites[2].contains('|') && !ids(&[])[0].contains('|'));
}

#[test]
fn the_guide_shows_a_coordination() {
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/link.md")).unwrap();
    let (_, section) = guide.split_once("\n## Names that share words\n").unwrap();
    let mut blocks = section.split("```\n").skip(1).step_by(2);
    let (command, shown) = (blocks.next().unwrap(), blocks.next().unwrap());
    let (text, arguments) = command.trim_end().split_once(" | truename ").unwrap();
    let folder = Folder::new();
    folder.write("a.txt", format!("{}\n", text.strip_prefix("echo \"").unwrap().trim_end_matches('"')));
    let mut command = folder.command(&arguments.split(' ').collect::<Vec<_>>());
    command.arg("--quiet").env("TRUENAME_CACHE", folder.path("cache"));
    let output = command.stdin(std::fs::File::open(folder.path("a.txt")).unwrap()).output().unwrap();
    assert_eq!(Ran::of(output), ran(0, shown, ""));
}

#[test]
fn composite_gold_mentions_are_scored_by_all_their_concepts() {
    let folder = Folder::with_kb();
    folder.write(
        "gold.pubtator",
        "1|t|Heart attack or failure\n1|a|\n1\t0\t23\tHeart attack or failure\tDisease\tX:1|X:2\n",
    );
    let scores = |flag: &[&str]| {
        folder.run(&[&["evaluate", "link", "--gold", "gold.pubtator", "--kb", "kb"], flag].concat()).out
    };
    let (before, after) = (scores(&[]), scores(&["--composites"]));
    assert!(
        before.contains("concepts of composites      100.00     50.00     66.67         1         2\n"),
        "{before}"
    );
    assert!(
        before.contains("mention and id                0.00      0.00      0.00         1         1\n"),
        "{before}"
    );
    assert!(after.contains("concepts of composites      100.00    100.00    100.00         2         2\n"), "{after}");
    assert!(after.contains("mention and id              100.00    100.00    100.00         2         1\n"), "{after}");
}
