//! `align` and `evaluate mappings`, with made-up vocabularies.

use crate::folder::{Folder, ran};

const MOUSE: &str = "id\tname\tsynonyms\nM:1\tkidney\trenal organ\nM:2\trenal cortex\tkidney cortex\nM:3\ttail\t\n";
const HUMAN: &str = "id\tname\tsynonyms\nH:1\tKidney\t\nH:2\tCortex of the Kidney\t\nH:3\tLung\t\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("mouse.tsv", MOUSE);
    folder.write("human.tsv", HUMAN);
    folder
}

fn text(folder: &Folder, name: &str) -> String {
    String::from_utf8(folder.read(name)).unwrap()
}

/// Returns the ids of the rows of an SSSOM table.
fn ids(table: &str) -> Vec<String> {
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|row| row.split('\t').collect::<Vec<_>>()).map(|cells| format!("{} {}", cells[0], cells[3])).collect()
}

#[test]
fn two_vocabularies_are_mapped_scored_and_read_back() {
    let folder = folder();
    let run = folder.run(&["align", "mouse.tsv", "human.tsv", "--out", "m.sssom.tsv", "--json", "m.json"]);
    assert_eq!((run.code, run.out.as_str()), (0, ""));
    assert!(run.err.starts_with("3 concepts and 3: ") && run.err.contains(" compared, 2 mappings ("), "{}", run.err);
    let table = text(&folder, "m.sssom.tsv");
    assert_eq!(ids(&table), ["M:1 H:1", "M:2 H:2"]);
    assert!(table.contains("#license: https://w3id.org/sssom/license/unspecified\n"), "{table}");
    assert_eq!(folder.run(&["-q", "align", "mouse.tsv", "human.tsv"]), ran(0, &table, ""));

    folder.write("gold.tsv", "subject_id\tobject_id\nM:1\tH:1\nM:3\tH:3\n");
    let scored =
        folder.run(&["evaluate", "mappings", "--gold", "gold.tsv", "--found", "m.sssom.tsv", "--json", "s.json"]);
    let expected =
        "2 gold mappings, 2 found with at least 0, 1 right\nprecision 50.00 %\nrecall    50.00 %\nF1        50.00 %\n";
    assert!(scored.code == 0 && scored.out.starts_with(expected), "{scored:?}");
    let partial = ["evaluate", "mappings", "--gold", "gold.tsv", "--found", "m.sssom.tsv", "--partial"];
    assert!(folder.run(&partial).out.contains("1 found with at least 0, 1 right\nprecision 100.00 %"));

    let import = folder.run(&["kb", "import", "mouse.tsv", "m.sssom.tsv", "--out", "kb"]);
    assert_eq!(import.code, 0, "{}", import.err);
    let shown = folder.run(&["kb", "show", "M:2", "--kb", "kb"]).out;
    assert!(shown.contains("\"H:2\""), "{shown}");
    assert_eq!(ids(&folder.run(&["-q", "align", "kb", "human.tsv"]).out), ["M:1 H:1", "M:2 H:2"]);
}

#[test]
fn judgements_formats_and_relations_are_taken() {
    let folder = folder();
    folder.write("known.tsv", "subject_id\tobject_id\nm:3\th:3\nX:1\tH:1\n");
    folder.write("wrong.tsv", "subject_id\tobject_id\nM:1\tH:1\n");
    let run = folder.run(&["align", "mouse.tsv", "human.tsv", "--known", "known.tsv", "--exclude", "wrong.tsv"]);
    assert_eq!(ids(&run.out), ["M:2 H:2", "M:3 H:3"]);
    let unknown = "warning: left out the judged mapping of x:1 onto h:1: not both vocabularies have their concept";
    assert!(run.out.contains("semapv:ManualMappingCuration") && run.err.contains(unknown), "{run:?}");
    for (format, part) in [
        ("oaei", "<entity1 rdf:resource=\"http://purl.obolibrary.org/obo/M_1\"/>"),
        ("owl", "<owl:equivalentClass rdf:resource=\"http://purl.obolibrary.org/obo/H_1\"/>"),
        ("json", "\"subject_id\": \"M:1\""),
    ] {
        let run = folder.run(&["-q", "align", "mouse.tsv", "human.tsv", "--format", format]);
        assert!(run.code == 0 && run.out.contains(part), "{format}: {run:?}");
    }
}

#[test]
fn candidates_are_ranked() {
    let folder = folder();
    folder.run(&["-q", "align", "mouse.tsv", "human.tsv", "--many", "--threshold", "0", "--out", "all.sssom.tsv"]);
    let lists = "SrcEntity\tTgtEntity\tTgtCandidates\nM:1\tH:1\t('H:1', 'H:2', 'H:3')\nM:9\tH:3\t['H:3', 'H:1']\n";
    folder.write("test.cands.tsv", lists);
    let rank =
        ["evaluate", "mappings", "--found", "all.sssom.tsv", "--candidates", "test.cands.tsv", "--json", "r.json"];
    let expected = "2 lists of candidates, 1 of the right ones not found\n\
                    MRR 0.8333, Hits@1 0.5000, Hits@5 1.0000, Hits@10 1.0000\n";
    assert_eq!(folder.run(&rank), ran(0, expected, ""));
    assert!(text(&folder, "r.json").contains("\"hits@1\": 0.5"));
    let both = [&rank[..4], &["--candidates", "test.cands.tsv", "--gold", "all.sssom.tsv"]].concat();
    let both = folder.run(&both).out;
    assert!(both.contains("names alike by 1.0: ") && both.ends_with(expected), "{both}");
    let neither = folder.run(&rank[..4]);
    assert!(neither.code == 2 && neither.err.contains("--gold"), "{neither:?}");
}

#[test]
fn judgements_of_a_page_are_taken() {
    let folder = folder();
    let align = ["-q", "align", "mouse.tsv", "human.tsv", "--page", "review.html"];
    assert_eq!(folder.run(&align).code, 0);
    let page = text(&folder, "review.html");
    assert!(
        page.contains("2 mappings of 2") && page.contains("data-subject=\"M:2\"") && !page.contains("src="),
        "{page}"
    );
    // What the page saves: the lines of `data-head`, then a row as `sssom.js` writes it.
    let head = page.split_once("data-head=\"").unwrap().1.split_once("\">").unwrap().0;
    let row = "M:2\trenal cortex\tskos:exactMatch\tNot\tH:2\tCortex of the Kidney\tsemapv:ManualMappingCuration\t2026-11-27\n";
    folder.write("judgements.sssom.tsv", &(head.replace("&quot;", "\"") + row));
    for option in ["--known", "--exclude"] {
        assert_eq!(
            ids(&folder.run(&["-q", "align", "mouse.tsv", "human.tsv", option, "judgements.sssom.tsv"]).out),
            ["M:1 H:1"]
        );
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = folder();
    folder.write("bad.tsv", "subject_id\tobject_id\tconfidence\nM:1\tH:1\thigh\n");
    folder.write("empty.tsv", "id\tname\n");
    for (arguments, code, message) in [
        (&["align", "-", "-"][..], 2, "error: stdin can be one of the vocabularies alone"),
        (&["align", "mouse.tsv", "human.tsv", "--many", "--one-to-one"], 2, "error: "),
        (&["align", "mouse.tsv", "human.tsv", "--threshold", "2"], 2, "error: "),
        (&["align", "mouse.tsv", "empty.tsv"], 1, "error: no concept was found in empty.tsv"),
        (
            &["align", "mouse.tsv", "human.tsv", "--known", "bad.tsv"],
            1,
            "error: bad.tsv:2: the confidence \"high\" is no number from 0 to 1",
        ),
        (
            &["evaluate", "mappings", "--gold", "mouse.tsv", "--found", "bad.tsv"],
            1,
            "error: mouse.tsv:1: no column \"subject_id\"",
        ),
    ] {
        let run = folder.run(arguments);
        assert!(run.code == code && run.err.starts_with(message) && run.out.is_empty(), "{arguments:?}: {run:?}");
    }
}
