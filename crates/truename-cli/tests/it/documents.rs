//! `link`, `annotate`, `evaluate link` and `evaluate mentions`: exit code, stdout, stderr.

use crate::folder::{Folder, ran};

const PUBTATOR: &str = "\
1|t|Aspirin after a heart attack
1|a|ASA (acetylsalicylic acid) helps; ASA costs little.
1\t16\t28\theart attack\tDisease\tX:1

2|t|Heart failure
2|a|No known name here.
2\t0\t13\tHeart failure\tDisease\tX:2
";

fn mentions(line: &str) -> Vec<(u64, u64, String, Option<String>)> {
    let document: serde_json::Value = serde_json::from_str(line).unwrap();
    let text: Vec<char> = document["text"].as_str().unwrap().chars().collect();
    let mention = |mention: &serde_json::Value| {
        let (start, end) = (mention["start"].as_u64().unwrap(), mention["end"].as_u64().unwrap());
        let surface: String = text[start as usize..end as usize].iter().collect();
        assert_eq!(mention["text"].as_str(), Some(surface.as_str()));
        (start, end, surface, mention["id"].as_str().map(str::to_owned))
    };
    document["mentions"].as_array().unwrap().iter().map(mention).collect()
}

#[test]
fn text_becomes_json_with_offsets_in_characters() {
    let folder = Folder::with_kb();
    folder.write("note.txt", "Naïve 🙂 patients took Aspirin after heart attacks.\r\n");
    let run = folder.run(&["link", "note.txt", "--kb", "kb"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.starts_with("1 document: 2 mentions, 2 linked, 0 NIL"), "{}", run.err);
    let found = mentions(&run.out);
    assert_eq!(found[0], (22, 29, "Aspirin".into(), Some("X:3".into())));
    assert_eq!(found[1], (36, 49, "heart attacks".into(), Some("X:1".into())));
    let start = |unit: &str| {
        let run = folder.run(&["-q", "link", "note.txt", "--kb", "kb", "--offsets", unit]);
        serde_json::from_str::<serde_json::Value>(&run.out).unwrap()["mentions"][0]["start"].as_u64().unwrap()
    };
    assert_eq!([start("bytes"), start("chars"), start("utf16")], [26, 22, 23]);
}

#[test]
fn every_format_is_written_and_read_again() {
    let folder = Folder::with_kb();
    folder.write("in.pubtator", PUBTATOR);
    let first = folder.run(&["-q", "link", "in.pubtator", "--kb", "kb"]);
    assert_eq!((first.code, first.err.as_str()), (0, ""));
    let expected: Vec<_> = first.out.lines().map(mentions).collect();
    assert_eq!(expected[0].len(), 5, "{expected:?}");
    for (format, file) in
        [("jsonl", "out.jsonl"), ("pubtator", "out.pubtator"), ("bioc-xml", "out.xml"), ("bioc-json", "out.json")]
    {
        let run = folder.run(&["-q", "link", "in.pubtator", "--kb", "kb", "--format", format, "--out", file]);
        assert_eq!(run, ran(0, "", ""), "{format}");
        let again = folder.run(&["-q", "link", file, "--kb", "kb", "--mentions"]);
        assert_eq!(again.out.lines().map(mentions).collect::<Vec<_>>(), expected, "{format}: {}", again.err);
    }
    let run = folder.run(&["-q", "link", "in.pubtator", "--kb", "kb", "--format", "brat", "--out", "brat"]);
    assert_eq!(run, ran(0, "", ""));
    let again = folder.run(&["-q", "link", "brat", "--kb", "kb", "--mentions"]);
    assert_eq!(again.out.lines().map(mentions).collect::<Vec<_>>(), expected, "{}", again.err);
}

#[test]
fn a_page_and_a_terminal_show_the_text() {
    let folder = Folder::with_kb();
    folder.write("a.txt", "aspirin <b>&\u{1b}[31m</b>");
    let page = folder.run(&["-q", "link", "a.txt", "--kb", "kb", "--format", "html"]).out;
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("&lt;b&gt;&amp;") && page.contains("X:3"), "{page}");
    // Its own script and the document as data; it loads nothing.
    assert!(page.matches("<script").count() == 2 && page.contains("content=\"default-src 'none'; "), "{page}");
    assert!(!page.contains(" src=") && !page.contains(" href="), "{page}");
    let shown = folder.run(&["-q", "link", "a.txt", "--kb", "kb", "--format", "terminal"]).out;
    assert!(shown.contains("«aspirin»[X:3] <b>&\u{FFFD}[31m</b>") && !shown.contains('\u{1b}'), "{shown}");
}

#[test]
fn what_a_text_says_of_its_mentions_is_written() {
    let folder = Folder::with_kb();
    folder.write("a.txt", "No heart attack. Takes aspirin.\n");
    let written = |arguments: &[&str]| folder.run(&[&["-q", "link", "a.txt", "--kb", "kb"], arguments].concat());
    let assertions = |line: &str| -> Vec<serde_json::Value> {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["mentions"].as_array().unwrap().iter().map(|mention| mention["assertions"].clone()).collect()
    };
    let negated = serde_json::json!(["negated"]);
    assert_eq!(assertions(&written(&[]).out), [negated, serde_json::Value::Null]);
    assert_eq!(mentions(&written(&["--asserted"]).out), [(23, 30, "aspirin".into(), Some("X:3".into()))]);
    assert_eq!(assertions(&written(&["--assertions", "none"]).out), [serde_json::Value::Null, serde_json::Value::Null]);
    let terminal = written(&["--format", "terminal"]).out;
    assert!(terminal.contains("«heart attack»[X:1 negated]") && terminal.contains("negated 1"), "{terminal}");
    let pubtator = written(&["--format", "pubtator"]).out;
    assert!(pubtator.contains("a\tnegated\t3\t15\n"), "{pubtator}");
    let page = written(&["--format", "html"]).out;
    assert!(page.contains(" negated\"") && page.contains("</i>negated <b>1</b>"), "{page}");
    assert_eq!(written(&["--format", "brat", "--out", "brat"]), ran(0, "", ""));
    assert!(String::from_utf8(folder.read("brat/a.ann")).unwrap().contains("A1\tNegation T1\n"));
    folder.write("rules.tsv", "takes\thistorical\tforward\n");
    let own = written(&["--assertions", "rules.tsv"]).out;
    assert_eq!(assertions(&own), [serde_json::Value::Null, serde_json::json!(["historical"])]);
    folder.write("rules.tsv", "takes\thistorical\n");
    let wrong = written(&["--assertions", "rules.tsv"]);
    assert_eq!(wrong.code, 1);
    assert!(wrong.err.contains("rules.tsv:1: \"\" is no direction; they are forward and backward"), "{}", wrong.err);
    assert_eq!(written(&["--asserted", "--assertions", "none"]).code, 2);

    folder.write("gold.tsv", "sentence\tconcept\tnegation\nNo FEVER.\tfever\tNegated\nA cough.\tcough\tAffirmed\n");
    let scores = folder.run(&["evaluate", "assertions", "--gold", "gold.tsv", "--json", "scores.json"]);
    assert!(scores.out.contains("negated          100.00    100.00    100.00      1      1"), "{}", scores.out);
    let scores: serde_json::Value = serde_json::from_slice(&folder.read("scores.json")).unwrap();
    assert_eq!(scores["assertions"]["negated"]["f1"], 1.0);
}

#[test]
fn given_mentions_are_linked_and_no_others() {
    let folder = Folder::with_kb();
    folder.write("in.pubtator", PUBTATOR);
    let run = folder.run(&["-q", "link", "in.pubtator", "--kb", "kb", "--mentions", "--top", "2", "--explain"]);
    let found: Vec<_> = run.out.lines().map(mentions).collect();
    assert_eq!(found[0], [(16, 28, "heart attack".into(), Some("X:1".into()))]);
    let line: serde_json::Value = serde_json::from_str(run.out.lines().next().unwrap()).unwrap();
    assert_eq!(line["mentions"][0]["types"][0], "Disease");
    assert!(line["mentions"][0]["explanation"].as_str().unwrap().contains("X:1"), "{line}");
    assert_eq!(line["mentions"][0]["candidates"].as_array().unwrap().len(), 2);
}

#[test]
fn types_and_probabilities_keep_mentions_out() {
    let folder = Folder::with_kb();
    folder.write("a.txt", "aspirin after a heart attack");
    let of_type = folder.run(&["-q", "link", "a.txt", "--kb", "kb", "--type", "drug"]);
    assert_eq!(mentions(&of_type.out), [(0, 7, "aspirin".into(), Some("X:3".into()))]);
    let sure = folder.run(&["-q", "link", "a.txt", "--kb", "kb", "--min-probability", "1"]);
    assert!(mentions(&sure.out).iter().all(|(.., id)| id.is_none()), "{}", sure.out);
    let unknown = folder.run(&["link", "a.txt", "--kb", "kb", "--type", "gene"]);
    assert_eq!(unknown.code, 1);
    assert!(unknown.err.contains("hint: its types are disease, drug"), "{}", unknown.err);
}

#[test]
fn conll_is_read() {
    let folder = Folder::with_kb();
    folder
        .write("a.tsv", "Aspirin\tO\nafter\tO\na\tO\nheart\tB-Disease\nattack\tI-Disease\n\nNo\tO\ncold\tB-Disease\n");
    let run = folder.run(&["-q", "link", "a.tsv", "--kb", "kb", "--mentions"]);
    let found: Vec<_> = run.out.lines().map(mentions).collect();
    assert_eq!(found, [vec![(16, 28, "heart attack".into(), Some("X:1".into()))], vec![(3, 7, "cold".into(), None)]]);
    let run = folder.run(&["evaluate", "link", "--gold", "a.tsv", "--kb", "kb", "--gold-type", "Disease"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.starts_with("2 documents, 2 mentions, 0 of them with an id"), "{}", run.out);
    folder.write("a.conll", "cold\tDisease\n");
    let run = folder.run(&["link", "a.conll", "--kb", "kb", "--mentions"]);
    assert!(run.err.contains("warning: a.conll:1: document a:1: \"Disease\" is no tag"), "{}", run.err);
}

#[test]
fn one_bad_document_does_not_end_the_run() {
    let folder = Folder::with_kb();
    let bad = PUBTATOR.replace("1\t16\t28\theart", "1\t17\t2800\theart");
    folder.write("bad.pubtator", &bad);
    folder.write("good.txt", "aspirin");
    let files = ["bad.pubtator", "nowhere.txt", "good.txt"];
    let run = folder.run(&[&["link", "--kb", "kb", "--mentions"][..], &files].concat());
    assert_eq!(run.code, 1);
    assert_eq!(run.out.lines().count(), 2, "{}", run.out);
    assert!(run.err.contains("warning: bad.pubtator:3: document 1: "), "{}", run.err);
    assert!(run.err.contains("2800"), "{}", run.err);
    assert!(run.err.contains("warning: cannot open nowhere.txt"), "{}", run.err);
    assert!(run.err.contains("1 malformed document left out (--strict makes this an error)"), "{}", run.err);
    assert!(run.err.contains("error: 1 file could not be read"), "{}", run.err);
    // Without --mentions what the file says of them does not matter.
    assert_eq!(folder.run(&["-q", "link", "bad.pubtator", "--kb", "kb"]).code, 0);
}

#[test]
fn documents_in_other_encodings_are_read_where_they_are_named() {
    let folder = Folder::with_kb();
    folder.write("latin.txt", b"na\xefve aspirin");
    let run = folder.run(&["link", "latin.txt", "--kb", "kb"]);
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert!(run.err.contains("latin.txt") && run.err.contains("--encoding"), "{}", run.err);
    let run = folder.run(&["-q", "link", "latin.txt", "--kb", "kb", "--encoding", "windows-1252"]);
    assert_eq!(mentions(&run.out), [(6, 13, "aspirin".into(), Some("X:3".into()))]);
}

#[test]
fn stdin_is_read_and_mistakes_are_told() {
    let folder = Folder::with_kb();
    let run = folder.run_with_input(&["-q", "link", "-", "--kb", "kb"], PUBTATOR.as_bytes());
    assert_eq!(run.out.lines().count(), 2, "{}", run.err);
    assert_eq!(folder.run(&["link", "x", "--input-format", "bioc"]).code, 2);
    assert_eq!(folder.run(&["link", "x", "--offsets", "words"]).code, 2);
    assert_eq!(folder.run(&["link", "x", "--mentions", "--nested"]).code, 2);
    assert_eq!(folder.run(&["link", "x", "--kb", "kb", "--encoding", "klingon"]).code, 2);
    assert_eq!(folder.run(&["evaluate", "link", "--gold", "x", "--kb", "kb", "--encoding", "klingon"]).code, 2);
    assert_eq!(folder.run(&["link", "x", "--kb", "kb", "--explain", "--format", "pubtator"]).code, 2);
    folder.write("out.jsonl", "kept");
    assert_eq!(folder.run(&["link", "x", "--kb", "kb", "--out", "out.jsonl"]).code, 1);
    assert_eq!(folder.read("out.jsonl"), b"kept");
    folder.write("a.txt", "aspirin");
    std::fs::create_dir(folder.path("texts")).unwrap();
    folder.write("texts/a.txt", "aspirin");
    let occupied = folder.run(&["link", "a.txt", "--kb", "kb", "--format", "brat", "--out", "texts"]);
    assert!(occupied.err.contains("is not empty\nhint: name a new or an empty one"), "{}", occupied.err);
    let brat = folder.run(&["link", "a.txt", "--kb", "kb", "--format", "brat"]);
    assert_eq!(brat.code, 2);
    assert!(brat.err.contains("--out DIR"), "{}", brat.err);
}

#[test]
fn a_corpus_is_scored() {
    let folder = Folder::with_kb();
    folder.write("gold.pubtator", PUBTATOR);
    let run = folder.run(&["evaluate", "link", "--gold", "gold.pubtator", "--kb", "kb", "--json", "scores.json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    for piece in [
        "2 documents, 2 mentions, 2 of them with an id",
        "mentions, strict             33.33    100.00     50.00         6         2",
        "id of given mentions    acc@1 100.00 %  acc@5 100.00 %",
        "found “asa” (X:3), where the corpus has no mention",
    ] {
        assert!(run.out.contains(piece), "{piece:?} in\n{}", run.out);
    }
    let scores: serde_json::Value = serde_json::from_slice(&folder.read("scores.json")).unwrap();
    assert_eq!(scores["mentions"]["strict"]["recall"], 1.0);
    assert_eq!(scores["linking"]["acc@1"], 1.0);
    for key in ["start", "end", "loose"] {
        assert_eq!(scores["mentions"][key]["recall"], 1.0, "{key}");
    }
    assert_eq!(scores["end_to_end"]["recall"], 1.0);
    assert_eq!(scores["documents"]["recall"], 1.0);
    assert_eq!(scores["types"]["Disease"]["mentions"]["strict"]["f1"], 1.0);

    folder.write("other.pubtator", PUBTATOR.replace("X:2", "Y:9|Y:8"));
    let other = folder.run(&["evaluate", "link", "--gold", "other.pubtator", "--kb", "kb"]).out;
    assert!(other.contains("1 mention cannot be found: the knowledge base does not have the id"), "{other}");

    let none = folder.run(&["evaluate", "link", "--gold", "gold.pubtator", "--kb", "kb", "--gold-type", "Gene"]);
    assert_eq!(none.code, 1);
    assert!(none.err.contains("no mention to compare with of the type Gene"), "{}", none.err);
}

#[test]
fn documents_are_labelled_by_a_dictionary() {
    let folder = Folder::new();
    folder.write(
        "kb.tsv",
        "id\tname\ttype\nX:1\theart attack\tDisease\nX:2\tcold\tDisease\nX:3\tcold\tFinding\nX:4\taspirin\tChemical\n",
    );
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "kb"]), ran(0, "", ""));
    folder.write("in.pubtator", "1|t|Aspirin\n1|a|A cold, no heart attack\n1\t0\t7\tAspirin\tGold\tX:9\n");
    let run = folder.run(&["annotate", "in.pubtator", "--kb", "kb", "--format", "pubtator"]);
    let labels = "1\t0\t7\tAspirin\tChemical\t-\n1\t10\t14\tcold\tunknown\t-\n1\t19\t31\theart attack\tDisease\t-\n";
    assert_eq!(run.out, format!("1|t|Aspirin\n1|a|A cold, no heart attack\n{labels}\n"), "{}", run.err);
    assert!(run.err.starts_with("1 document: 2 labels (Chemical 1, Disease 1), 1 of unknown type ("), "{}", run.err);

    let run = folder.run(&["-q", "annotate", "in.pubtator", "--kb", "kb", "--type", "Entity", "--ids"]);
    let line: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let shown = |at: usize| (line["mentions"][at]["type"].clone(), line["mentions"][at]["id"].clone());
    assert_eq!(shown(0), ("Entity".into(), "X:4".into()), "{}", run.err);
    assert_eq!(shown(1), ("Entity".into(), serde_json::Value::Null));

    // Every format is written, and read again as gold mentions.
    for (format, file) in [("jsonl", "out.jsonl"), ("bioc-xml", "out.xml"), ("bioc-json", "out.json"), ("brat", "brat")]
    {
        let run = folder.run(&["-q", "annotate", "in.pubtator", "--kb", "kb", "--format", format, "--out", file]);
        assert_eq!(run, ran(0, "", ""), "{format}");
        let run = folder.run(&["evaluate", "mentions", "--gold", file, "--kb", "kb"]);
        assert!(
            run.out.contains("mentions, strict            100.00    100.00    100.00         2         2"),
            "{run:?}"
        );
        assert!(run.out.contains("(not compared: 1 mention of unknown type)"), "{format}: {}", run.out);
    }
}

#[test]
fn labels_need_types() {
    let folder = Folder::new();
    folder.write("kb.tsv", "id\tname\nX:1\theart attack\n");
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "kb"]), ran(0, "", ""));
    folder.write("a.txt", "a heart attack");
    let run = folder.run(&["annotate", "a.txt", "--kb", "kb"]);
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert!(run.err.contains("have no types\nhint: --type NAME gives all labels one type"), "{}", run.err);
    let run = folder.run(&["-q", "annotate", "a.txt", "--kb", "kb", "--type", "Disease"]);
    assert!(run.out.contains("\"type\":\"Disease\""), "{}", run.out);
    assert_eq!(folder.run(&["annotate", "a.txt", "--kb", "kb", "--format", "html"]).code, 2);
    assert_eq!(folder.run(&["annotate", "a.txt", "--kb", "kb", "--encoding", "klingon"]).code, 2);
    let brat = folder.run(&["annotate", "a.txt", "--kb", "kb", "--type", "Disease", "--format", "brat"]);
    assert!(brat.code == 2 && brat.err.contains("--out DIR"), "{}", brat.err);
    let bad = folder.run(&["-q", "annotate", "a.txt", "none.txt", "--kb", "kb", "--type", "Disease"]);
    assert!(bad.code == 1 && bad.out.lines().count() == 1 && bad.err.contains("none.txt"), "{bad:?}");
}

#[test]
fn recognized_mentions_are_scored() {
    let folder = Folder::with_kb();
    folder.write("gold.pubtator", PUBTATOR);
    let evaluate = ["evaluate", "mentions", "--gold", "gold.pubtator", "--kb", "kb"];
    let run = folder.run(&[&evaluate[..], &["--json", "scores.json", "--train", "gold.pubtator"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    for piece in [
        "2 documents, 2 mentions\n",
        "mentions, strict             33.33    100.00     50.00         6         2",
        "(found, of types that the corpus does not have: drug 4)",
        "\nDisease\n  mentions, strict          100.00    100.00    100.00         2         2",
        "errors: spurious 4\n",
        "the commonest errors, found ↔ gold\n     2  spurious, drug: “ASA” (0); first in document 1 at byte 29",
    ] {
        assert!(run.out.contains(piece), "{piece:?} in\n{}", run.out);
    }
    let scores: serde_json::Value = serde_json::from_slice(&folder.read("scores.json")).unwrap();
    assert_eq!(scores["mentions"]["strict"]["recall"], 1.0);
    assert_eq!(scores["types"]["Disease"]["mentions"]["strict"]["f1"], 1.0);
    assert_eq!(scores["error_kinds"], serde_json::json!({"spurious": 4}));
    assert_eq!(
        (&scores["errors"][0]["count"], &scores["errors"][0]["found"][0]["in_training"]),
        (&2.into(), &0.into())
    );
    assert!(scores.get("thresholds").is_none());

    let of_type = folder.run(&[&evaluate[..], &["--gold-type", "disease"]].concat());
    assert!(of_type.out.contains("mentions, strict            100.00    100.00    100.00         2         2"));
    let none = folder.run(&[&evaluate[..], &["--gold-type", "Gene"]].concat());
    assert!(none.code == 1 && none.err.contains("no mention to compare with of the type Gene"), "{}", none.err);
    let plot = folder.run(&[&evaluate[..], &["--plot", "curve.svg"]].concat());
    assert_eq!((plot.code, plot.out.as_str()), (2, ""));
    assert!(plot.err.contains("--plot needs mentions with scores"), "{}", plot.err);

    folder.write("plain.tsv", "id\tname\nX:1\theart attack\n");
    assert_eq!(folder.run(&["-q", "kb", "import", "plain.tsv", "--out", "plain"]).code, 0);
    let spans = folder.run(&["evaluate", "mentions", "--gold", "gold.pubtator", "--kb", "plain"]).out;
    assert!(spans.contains("(types are not compared: recognizer or corpus has none)"), "{spans}");
    assert!(spans.contains("mentions, strict            100.00     50.00     66.67         1         2"), "{spans}");
    assert!(
        spans.contains("\nDisease\n  mentions, strict                     50.00                             2\n"),
        "{spans}"
    );
}

#[test]
fn the_mentions_of_another_tool_are_scored() {
    let folder = Folder::new();
    folder.write("gold.pubtator", PUBTATOR);
    folder.write("found.pubtator", PUBTATOR.replace("16\t28\theart attack", "14\t28\ta heart attack"));
    let evaluate = |found: &str| folder.run(&["evaluate", "mentions", "--gold", "gold.pubtator", "--found", found]);
    let run = evaluate("found.pubtator");
    assert_eq!(run.code, 0, "{}", run.err);
    for piece in [
        "mentions, strict             50.00     50.00     50.00         2         2",
        "mentions, end               100.00    100.00    100.00         2         2",
        "     1  modifier, Disease: “a heart attack” ↔ “heart attack”; first in document 1 at byte 16",
    ] {
        assert!(run.out.contains(piece), "{piece:?} in\n{}", run.out);
    }
    folder.write("untyped.pubtator", PUBTATOR.replace("\tDisease\t", "\t\t"));
    let run = folder.run(&["evaluate", "mentions", "--gold", "untyped.pubtator", "--found", "found.pubtator"]);
    assert!(run.out.contains("(types are not compared") && run.out.contains("without a type\n"), "{run:?}");
    folder.write("short.pubtator", PUBTATOR.split("\n2|t").next().unwrap());
    let short = evaluate("short.pubtator");
    assert!(short.code == 1 && short.err.contains("the found documents lack \"2\""), "{}", short.err);
    folder.write("other.pubtator", PUBTATOR.replace("No known name", "No other name"));
    let other = evaluate("other.pubtator");
    assert!(other.code == 1 && other.err.contains("the found document \"2\" has another text"), "{}", other.err);
}

#[test]
fn long_lines_are_passed_over() {
    let folder = Folder::with_kb();
    let long = "x".repeat(500);
    folder
        .write("a.jsonl", format!("{{\"text\":\"aspirin\"}}\n{{\"text\":\"{long}\"}}\n[]\n{{\"text\":\"aspirin\"}}\n"));
    let run = folder.run(&["link", "a.jsonl", "--kb", "kb", "--max-line-bytes", "100"]);
    assert_eq!((run.code, run.out.lines().count()), (0, 2), "{}", run.err);
    let message = "warning: a.jsonl:2: the line is longer than 100 bytes (--max-line-bytes reads longer ones)\n\
                   warning: a.jsonl:3: expected an object with `id` and `text`, found a list\n";
    assert!(run.err.contains(message), "{}", run.err);
    assert_eq!(folder.run(&["link", "a.jsonl", "--kb", "kb", "--max-line-bytes", "0"]).code, 2);
    folder.write("gold.pubtator", PUBTATOR);
    let run = folder.run(&["evaluate", "link", "--gold", "gold.pubtator", "--kb", "kb", "--max-line-bytes", "20"]);
    assert!(run.code == 1 && run.err.contains("longer than 20 bytes"), "{}", run.err);
}

#[test]
fn a_brat_folder_is_whole_or_not_there() {
    let folder = Folder::with_kb();
    folder.write("bad.jsonl", "no JSON\n");
    let brat = |input: &str| folder.run(&["-q", "link", input, "--kb", "kb", "--format", "brat", "--out", "brat"]);
    assert_eq!(brat("bad.jsonl").code, 1);
    folder.write("good.txt", "aspirin");
    assert_eq!(brat("good.txt"), ran(0, "", ""));
    let run = brat("good.txt");
    assert!(run.code == 1 && run.err.contains("the folder is not empty"), "{}", run.err);
}

#[test]
fn folders_patterns_links_and_pipes_are_read_alike() {
    let folder = Folder::with_kb();
    std::fs::create_dir_all(folder.path("notes/more")).unwrap();
    folder.write("notes/a.txt", "aspirin");
    folder.write("notes/more/b.jsonl", "{\"id\": \"b\", \"text\": \"heart attack\"}\n");
    folder.write("c.txt", "heart failure");
    folder.write("bad.json", "{}");
    let ids = |out: &str| -> Vec<String> {
        let id =
            |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
        out.lines().map(id).collect()
    };
    let link = |command: &[&str], files: &[&str], input: &str| {
        let arguments = [&["-q"][..], command, files, &["--kb", "kb"]].concat();
        folder.run_with_input(&arguments, input.as_bytes())
    };
    let commands: [&[&str]; 4] = [&["link"], &["link", "--mentions"], &["annotate"], &["recognize"]];
    for command in commands {
        let run = link(command, &["notes", "-", "c.txt"], "aspirin");
        assert_eq!((ids(&run.out), run.code), (["a", "b", "stdin", "c"].map(str::to_owned).to_vec(), 0), "{run:?}");
        let run = link(command, &["notes/*.txt", "?.txt"], "");
        assert_eq!((ids(&run.out), run.code), (["a", "c"].map(str::to_owned).to_vec(), 0), "{run:?}");
        let run = link(command, &["bad.*", "c.txt"], "");
        assert_eq!((ids(&run.out), run.code), (vec!["c".to_owned()], 1), "{run:?}");
        #[cfg(unix)]
        {
            let run = link(command, &["/dev/stdin"], "aspirin");
            assert_eq!((ids(&run.out), run.code), (vec!["stdin".to_owned()], 0), "{run:?}");
            let _ = std::os::unix::fs::symlink(folder.path("notes"), folder.path("linked"));
            assert_eq!(ids(&link(command, &["linked"], "").out), ["a", "b"]);
        }
    }
    std::fs::create_dir(folder.path("gold")).unwrap();
    let (one, other) = PUBTATOR.split_once("\n\n").unwrap();
    folder.write("gold/1.pubtator", format!("{one}\n"));
    folder.write("gold/2.pubtator", other);
    folder.write("gold.pubtator", PUBTATOR);
    for task in ["link", "mentions"] {
        let wanted = folder.run(&["evaluate", task, "--kb", "kb", "--gold", "gold.pubtator"]);
        assert_eq!((wanted.code, wanted.out.starts_with("2 documents, 2 mentions")), (0, true), "{wanted:?}");
        for gold in ["gold", "gold/*.pubtator"] {
            assert_eq!(folder.run(&["evaluate", task, "--kb", "kb", "--gold", gold]), wanted, "{task} {gold}");
        }
        let arguments = ["evaluate", task, "--kb", "kb", "--gold", "-"];
        assert_eq!(folder.run_with_input(&arguments, PUBTATOR.as_bytes()), wanted, "{task}");
    }
}

#[test]
fn stop_names_are_no_mentions() {
    let folder = Folder::with_kb();
    folder.write("a.txt", "Heart attack.\n");
    folder.write("stop.txt", "# not here\nheart attack\n");
    let link = |more: &[&str]| folder.run(&[&["-q", "link", "a.txt", "--kb", "kb"], more].concat());
    assert!(link(&[]).out.contains("\"X:1\""));
    let without = link(&["--stop-names", "stop.txt"]);
    assert_eq!(without.code, 0, "{}", without.err);
    assert!(without.out.contains("\"mentions\":[]"), "{}", without.out);
    assert_eq!(link(&["--stop-names", "none.txt"]).code, 1);
}

/// A knowledge base in `plain`, whose concepts have no types.
fn without_types() -> Folder {
    let folder = Folder::with_kb();
    folder.write("plain.tsv", "id\tname\nX:1\theart attack\nX:3\taspirin\nX:4\t=cmd|1\n");
    assert_eq!(folder.run(&["-q", "kb", "import", "plain.tsv", "--out", "plain"]).code, 0);
    folder
}

#[test]
fn exchanged_mentions_have_a_type() {
    let folder = without_types();
    folder.write("a.txt", "Aspirin after a heart attack.");
    let written = |command: &str, arguments: &[&str]| {
        let run = folder.run(&[&["-q", command, "a.txt", "--kb", "plain"], arguments].concat());
        assert_eq!((run.code, run.err.as_str()), (0, ""));
        run.out
    };
    for command in ["link", "recognize"] {
        assert!(written(command, &[]).contains("\"types\":[]"));
        assert!(written(command, &["--type-name", "Drug"]).contains("\"types\":[\"Drug\"]"));
        let pubtator = written(command, &["--format", "pubtator"]);
        assert!(pubtator.contains("a\t0\t7\tAspirin\tEntity\t"), "{pubtator}");
        let pubtator = written(command, &["--format", "pubtator", "--type-name", "Drug"]);
        assert!(pubtator.contains("a\t0\t7\tAspirin\tDrug\t"), "{pubtator}");
        for format in ["bioc-xml", "bioc-json", "conll"] {
            let text = written(command, &["--format", format]);
            assert!(text.contains("Entity") && !text.contains("\"type\":\"\""), "{text}");
        }
        let out = format!("brat-{command}");
        written(command, &["--format", "brat", "--out", &out]);
        assert!(
            String::from_utf8(folder.read(&format!("{out}/a.ann"))).unwrap().starts_with("T1\tEntity 0 7\tAspirin")
        );
    }
    // Types of concepts stay.
    let typed = folder.run(&["-q", "link", "a.txt", "--kb", "kb", "--type-name", "X", "--format", "pubtator"]).out;
    assert!(typed.contains("\tAspirin\tdrug\tX:3"), "{typed}");
    assert_eq!(folder.run(&["link", "a.txt", "--kb", "kb", "--type-name", " "]).code, 2);
}

#[test]
fn mentions_are_rows_of_a_table() {
    let folder = without_types();
    folder.write("a.txt", "No heart attack, \"aspirin\". =cmd|1");
    let table = |arguments: &[&str]| {
        let run = folder.run(&[&["-q", "link", "a.txt", "--format", "csv"], arguments].concat());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
        run.out
    };
    let header = "document,start,end,text,type,id,matched_name,preferred_name,probability,assertions\n";
    let rows = table(&["--kb", "kb"]);
    assert!(rows.starts_with(header), "{rows}");
    assert!(rows.contains("\na,3,15,heart attack,disease,X:1,heart attack,myocardial infarction,0."), "{rows}");
    assert!(rows.lines().nth(1).unwrap().ends_with(",negated") && rows.lines().count() == 3, "{rows}");
    let all = table(&["--kb", "kb", "--top", "2", "--explain", "--type-name", "X"]);
    assert!(all.starts_with(&header.replace("assertions", "candidates,explanation,assertions")), "{all}");
    let plain = table(&["--kb", "plain", "--type-name", "X"]);
    assert!(plain.contains(",heart attack,X,X:1,"), "{plain}");
    let mention = "{\"id\": \"=1+1\", \"text\": \"aspirin\", \"mentions\": [{\"start\": 0, \"end\": 7}]}\n";
    folder.write("formula.jsonl", mention);
    let formula = |safe: &[&str]| {
        let arguments = ["-q", "link", "formula.jsonl", "--kb", "kb", "--mentions", "--format", "csv"];
        folder.run(&[&arguments[..], safe].concat()).out
    };
    assert!(formula(&[]).contains("\n=1+1,0,7,") && formula(&["--csv-safe"]).contains("\n'=1+1,0,7,"));
    let found = folder.run(&["-q", "recognize", "a.txt", "--kb", "kb", "--format", "csv"]).out;
    assert!(found.starts_with("document,start,end,text,type,score\na,3,15,heart attack,disease,\n"), "{found}");
    for arguments in
        [&["link", "a.txt", "--kb", "kb", "--csv-safe"][..], &["recognize", "a.txt", "--kb", "kb", "--csv-safe"]]
    {
        assert_eq!(folder.run(arguments).code, 2);
    }
}

#[test]
fn tokens_with_tags_are_written_and_read_again() {
    let folder = Folder::with_kb();
    folder.write("in.pubtator", PUBTATOR);
    for command in ["link", "recognize", "annotate"] {
        let run = folder.run(&["-q", command, "in.pubtator", "--kb", "kb", "--format", "conll"]);
        let start =
            "# newdoc id = 1\nAspirin\tB-drug\nafter\tO\na\tO\nheart\tB-disease\nattack\tI-disease\n\nASA\tB-drug\n";
        assert!(run.out.starts_with(start), "{}", run.out);
        folder.write("again.conll", run.out);
        let again = folder.run(&["-q", "link", "again.conll", "--kb", "kb", "--mentions"]);
        let found: Vec<_> =
            mentions(again.out.lines().next().unwrap()).into_iter().map(|(.., text, id)| (text, id)).collect();
        assert_eq!(found[..2], [("Aspirin".into(), Some("X:3".into())), ("heart attack".into(), Some("X:1".into()))]);
    }
    folder.write("kb2.tsv", "id\tname\ttype\nY:1\theart\torgan\nY:2\theart attack\tdisease\n");
    assert_eq!(folder.run(&["-q", "kb", "import", "kb2.tsv", "--out", "kb2"]).code, 0);
    folder.write("a.txt", "A heart attack.");
    let nested = folder.run(&["link", "a.txt", "--kb", "kb2", "--nested", "--format", "conll"]);
    assert!(nested.out.contains("heart\tB-disease\nattack\tI-disease\n"), "{}", nested.out);
    assert!(nested.err.contains("1 mention left out, which others overlap"), "{}", nested.err);
    folder.write("pages.txt", "A heart\u{c}A heart attack.\u{1}\n");
    for command in ["link", "recognize"] {
        let run = folder.run(&[command, "pages.txt", "--kb", "kb2", "--format", "bioc-xml"]);
        assert!(run.out.contains("<text>A heart A heart attack. \n</text>"), "{}", run.out);
        assert!(run.err.starts_with("2 characters replaced that XML cannot hold"), "{}", run.err);
    }
}

#[test]
fn each_line_is_a_document_where_that_is_said() {
    let folder = Folder::with_kb();
    folder.write("notes.txt", b"Aspirin.\n\n\xff\nHeart attack.\n");
    let run = folder.run(&["link", "notes.txt", "--kb", "kb", "--lines"]);
    let ids: Vec<serde_json::Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(ids.iter().map(|line| line["id"].as_str().unwrap()).collect::<Vec<_>>(), ["1", "4"]);
    assert!(
        run.code == 0 && run.err.contains("notes.txt:3: document 3: byte 1 of the line is not UTF-8"),
        "{}",
        run.err
    );
    for command in ["recognize", "annotate"] {
        assert_eq!(folder.run(&["-q", command, "notes.txt", "--kb", "kb", "--lines"]).out.lines().count(), 2);
    }
    let piped = folder.run_with_input(&["-q", "link", "-", "--kb", "kb", "--lines"], b"Aspirin\nheart attack");
    assert_eq!(piped.out.lines().count(), 2);
    assert_eq!(folder.run(&["link", "notes.txt", "--kb", "kb", "--lines", "--input-format", "text"]).code, 2);
}

#[test]
fn malformed_lines_are_listed_and_the_rest_is_answered() {
    let folder = Folder::with_kb();
    folder.write("in.jsonl", "{\"text\": \"aspirin\"}\nno json\n{\"id\": 3}\n{\"text\": \"heart attack\"}\n");
    for command in ["link", "recognize", "annotate"] {
        let run = folder.run(&[command, "in.jsonl", "--kb", "kb"]);
        assert_eq!((run.code, run.out.lines().count()), (0, 2), "{command}: {}", run.err);
        assert!(run.err.contains("warning: in.jsonl:2: not JSON"), "{}", run.err);
        assert!(run.err.contains("warning: in.jsonl:3: document 3: `text` is missing"), "{}", run.err);
        assert!(run.err.contains("2 malformed documents left out (--strict makes this an error)"), "{}", run.err);
        let strict = folder.run(&["-q", command, "in.jsonl", "--kb", "kb", "--strict", "--out", "out.jsonl"]);
        assert!(strict.code == 1 && strict.err.starts_with("error: in.jsonl:2: not JSON"), "{}", strict.err);
        assert!(!folder.path("out.jsonl").exists() && !strict.err.contains("in.jsonl:3"));
        let nothing =
            folder.run_with_input(&["-q", command, "-", "--kb", "kb", "--input-format", "jsonl"], b"no\n{}\n");
        assert_eq!((nothing.code, nothing.out.as_str()), (1, ""));
        assert!(nothing.err.ends_with("error: no document could be read\n"), "{}", nothing.err);
    }
    // What is behind it is lost.
    folder.write("cut.json", "{\"documents\": [{\"id\": \"1\", \"passages\": []}, {\"id\": \"2\", ");
    let cut = folder.run(&["link", "cut.json", "--kb", "kb"]);
    assert!(cut.code == 1 && cut.err.contains("error: 1 file could not be read"), "{}", cut.err);
    // A pipe tells its fields by the first object; a malformed line before it has none.
    let arguments = ["match", "-", "--kb", "kb", "--input-format", "jsonl", "--format", "jsonl"];
    let run = folder.run_with_input(&arguments, b"no\n{\"name\": \"aspirin\"}\n");
    assert_eq!((run.code, run.out.lines().count()), (0, 2), "{}", run.err);
    assert!(
        run.out.starts_with("{\"error\":\"not JSON at column 2: expected ident\",\"row\":\"no\"}\n"),
        "{}",
        run.out
    );
    let nothing = folder.run_with_input(&arguments, b"no\nnothing\n");
    assert!(
        nothing.code == 1 && nothing.err.contains("error: no row could be read; the first problem: -:1: not JSON"),
        "{}",
        nothing.err
    );
}

#[test]
fn types_of_a_corpus_are_scored_by_their_names() {
    let folder = Folder::with_kb();
    folder.write(
        "in.pubtator",
        PUBTATOR
            .replace("\tDisease\t", "\tSpecificDisease\t")
            .replace("0\t13\tHeart failure\tSpecific", "0\t13\tHeart failure\t"),
    );
    let scored = |types: &[&str]| {
        let run = folder.run(&[&["evaluate", "link", "--gold", "in.pubtator", "--kb", "kb"], types].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        run.out
    };
    let plain = scored(&[]);
    assert!(plain.starts_with("2 documents, 2 mentions") && plain.contains("has no type"), "{plain}");
    let named = scored(&["--types", "SpecificDisease=disease"]);
    assert!(named.starts_with("2 documents, 1 mention,") && !named.contains("has no type"), "{named}");
    assert!(scored(&["--types", "SpecificDisease=disease,Disease=disease"]).starts_with("2 documents, 2 mentions"));
}
