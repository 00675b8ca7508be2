//! The binary in a fresh folder: exit code, stdout, stderr.

use std::process::{Command, Stdio};

use crate::folder::{Folder, Ran, ran};

#[test]
fn a_table_keeps_its_bytes_and_gains_columns() {
    let folder = Folder::with_kb();
    folder.write(
        "in.csv",
        "\u{FEFF}\"row\",name,note\r\n1,\"Heart, attack\",\"a \"\"b\"\"\"\r\n\"2\",Aspirin,x\r\n3,zzz qqq,",
    );
    let out = folder.run(&["-q", "match", "in.csv", "--kb", "kb"]);
    let expected = "\u{FEFF}\"row\",name,note,id,matched_name,preferred_name,probability\r\n\
        1,\"Heart, attack\",\"a \"\"b\"\"\",X:1,heart attack,myocardial infarction,P\r\n\
        \"2\",Aspirin,x,X:3,aspirin,aspirin,P\r\n\
        3,zzz qqq,,,,,0.0000";
    let shown = out.out.replace(&probability_in(&out.out, 1), "P");
    assert_eq!((out.code, shown.as_str(), out.err.as_str()), (0, expected, ""));
}

/// The probability in a row of CSV: its last cell.
fn probability_in(text: &str, row: usize) -> String {
    text.lines().nth(row).unwrap().trim_end().rsplit(',').next().unwrap().to_owned()
}

#[test]
fn text_becomes_a_table_and_stdin_is_read() {
    let folder = Folder::with_kb();
    let out = folder
        .run_with_input(&["-q", "match", "-", "--kb", "kb", "--min-probability", "0"], b"heart attack\n\na\tb\"\n");
    let lines: Vec<&str> = out.out.lines().collect();
    assert_eq!(lines[0], "name\tid\tmatched_name\tpreferred_name\tprobability");
    assert!(lines[1].starts_with("heart attack\tX:1\theart attack\tmyocardial infarction\t0."));
    assert_eq!(lines[2], "\t\t\t\t0.0000");
    assert!(lines[3].starts_with("a b\"\t"), "{}", lines[3]);
    assert_eq!(out.code, 0);
}

#[test]
fn jsonl_gives_candidates_with_scores() {
    let folder = Folder::with_kb();
    folder.write("in.txt", "hart failure\nqqqq zzzz\n");
    let out = folder.run(&["-q", "match", "in.txt", "--kb", "kb", "--format", "jsonl", "--top", "2", "--explain"]);
    let lines: Vec<serde_json::Value> = out.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["name"], "hart failure");
    assert_eq!(lines[0]["candidates"][0]["id"], "X:2");
    assert_eq!(lines[0]["candidates"].as_array().unwrap().len(), 2);
    assert!(lines[0]["candidates"][0]["scores"]["ngram"].as_f64().unwrap() > 0.3);
    assert!(lines[0]["explanation"].as_str().unwrap().contains("heart failure"));
    assert_eq!(lines[1]["id"], serde_json::Value::Null);
    assert_eq!(lines[1]["candidates"], serde_json::json!([]));
}

#[test]
fn columns_are_found_named_and_kept_apart() {
    let folder = Folder::with_kb();
    folder.write("one.tsv", "term\naspirin\n");
    assert!(folder.run(&["-q", "match", "one.tsv", "--kb", "kb"]).out.contains("aspirin\tX:3"));
    folder.write("ids.csv", "id,what\n7,aspirin\n");
    let out = folder.run(&["-q", "match", "ids.csv", "--kb", "kb", "--column", "what"]);
    assert!(out.out.starts_with("id,what,truename_id,truename_matched_name,"), "{}", out.out);
    let out = folder.run(&["-q", "match", "ids.csv", "--kb", "kb"]);
    assert_eq!(out, ran(2, "", "error: no column \"name\" among \"id\", \"what\"\nhint: name one with --column\n"));
}

#[test]
fn placeholders_are_nil_and_the_list_can_be_changed() {
    let folder = Folder::with_kb();
    folder.write("in.txt", "unknown aspirin\nunknown\n7\nsee Jira\n");
    folder.write("unknown.tsv", "id\tname\nU:1\tunknown fever\n");
    assert_eq!(folder.run(&["-q", "kb", "update", "unknown.tsv", "--kb", "kb"]).code, 0);
    let explained = |more: &[&str]| -> Vec<bool> {
        let arguments = [&["-q", "match", "in.txt", "--kb", "kb", "--format", "jsonl", "--explain"], more].concat();
        let run = folder.run(&arguments);
        assert_eq!(run.code, 0, "{}", run.err);
        run.out.lines().map(|line| line.contains("is a placeholder and no name")).collect()
    };
    assert_eq!(explained(&[]), [false, true, true, false]);
    folder.write("words.txt", "# ours\nSee JIRA\n!unknown\n");
    assert_eq!(explained(&["--placeholders", "words.txt"]), [false, false, true, true]);
    let missing = folder.run(&["match", "in.txt", "--kb", "kb", "--placeholders", "nowhere.txt"]);
    assert!(missing.code == 1 && missing.err.contains("nowhere.txt"), "{}", missing.err);
    // A search lists what is near, whatever is asked for.
    assert!(folder.run(&["kb", "search", "unknown", "--kb", "kb"]).out.starts_with("U:1\t"));
    folder.write("gold.tsv", "name\tid\nunknown\tU:1\n");
    let judged = |more: &[&str]| {
        let arguments = ["evaluate", "names", "--gold", "gold.tsv", "--kb", "kb", "--min-probability", "0"];
        folder.run(&[&arguments, more].concat()).out
    };
    assert!(judged(&[]).contains("acc@1          0.00"), "{}", judged(&[]));
    assert!(judged(&["--placeholders", "words.txt"]).contains("acc@1        100.00"));
    folder.write("in.pubtator", "1|t|It is unknown.\n1|a|\n1\t6\t13\tunknown\tDisease\t-\n");
    let linked = |more: &[&str]| {
        let arguments = ["-q", "link", "in.pubtator", "--mentions", "--kb", "kb", "--min-probability", "0"];
        folder.run(&[&arguments, more].concat()).out
    };
    assert!(!linked(&[]).contains("U:1") && linked(&["--placeholders", "words.txt"]).contains("U:1"));
}

#[test]
fn other_encodings_come_back_as_they_were() {
    let folder = Folder::with_kb();
    folder.write("latin.csv", b"name,ort\naspirin,K\xf6ln\n");
    let out =
        folder.command(&["-q", "match", "latin.csv", "--kb", "kb", "--encoding", "windows-1252"]).output().unwrap();
    assert!(out.stdout.starts_with(b"name,ort,id,matched_name,preferred_name,probability\naspirin,K\xf6ln,X:3,"));
    let utf16: Vec<u8> = "\u{FEFF}name\r\naspirin\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.write("wide.csv", &utf16);
    let out = folder.command(&["-q", "match", "wide.csv", "--kb", "kb"]).output().unwrap();
    let units: Vec<u16> = out.stdout.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    let text = String::from_utf16(&units).unwrap();
    assert!(text.starts_with("\u{FEFF}name,id,") && text.contains("\r\naspirin,X:3,"), "{text}");
}

#[test]
fn malformed_rows_are_listed_and_pass_through() {
    let folder = Folder::with_kb();
    folder.write("in.csv", b"name,x\n\xff\xfe,1\naspirin\naspirin,2\n");
    let out = folder.run(&["match", "in.csv", "--kb", "kb"]);
    assert_eq!(out.code, 0);
    assert!(out.err.contains("in.csv:2: not in the expected encoding"), "{}", out.err);
    assert!(out.err.contains("in.csv:3: row has 1 of 2 cells; filled up"), "{}", out.err);
    assert!(
        out.err.contains("2 malformed rows, 1 left without an answer (--strict makes this an error)"),
        "{}",
        out.err
    );
    let strict = folder.run(&["-q", "match", "in.csv", "--kb", "kb", "--strict", "--out", "out.csv"]);
    assert_eq!(strict.code, 1);
    assert!(!folder.path("out.csv").exists());
    let left = std::fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(!left.into_iter().any(|name| name.to_string_lossy().ends_with("partial")));
    folder.write("open.csv", "name\n\"never closed\n");
    let open = folder.run(&["-q", "match", "open.csv", "--kb", "kb"]);
    assert!(open.code == 1 && open.err.contains("open.csv:2: a quote that is never closed"), "{}", open.err);
}

#[test]
fn mistakes_are_told_with_a_way_out() {
    let folder = Folder::with_kb();
    folder.write("junk.bin", "junk");
    folder.write("gold.tsv", "name\tcode\n");
    let cases: [(&[&str], i32, &str); 10] = [
        (&["match", "no-such-file.txt", "--kb", "kb"], 1, "cannot open no-such-file.txt"),
        (&["match", "kb.tsv", "--kb", "nowhere"], 1, "hint: make a knowledge base with `truename kb import"),
        (&["match", "kb.tsv", "--kb", "kb", "--min-probability", "2"], 2, "a probability lies between 0 and 1"),
        (&["match", "kb.tsv", "--kb", "kb", "--type", "colour"], 1, "hint: its types are disease, drug"),
        (&["kb", "import", "kb.tsv", "--out", "kb"], 1, "kb exists already"),
        (&["kb", "import", "kb.tsv", "--out", "other", "--id-column", "key"], 2, "no column \"key\" among"),
        (&["kb", "import", "junk.bin", "--out", "other"], 1, "hint: name it with --format"),
        (&["kb", "show", "X:9", "--kb", "kb"], 1, "no concept has the id \"X:9\""),
        (&["evaluate", "names", "--gold", "gold.tsv", "--kb", "kb"], 1, "gold.tsv:1: no column \"id\""),
        (&["calibrate", "--kb", "kb"], 1, "names that can be held out"),
    ];
    for (arguments, code, message) in cases {
        let out = folder.run(arguments);
        assert_eq!(out.code, code, "{arguments:?}: {}", out.err);
        assert!(out.err.contains(message), "{arguments:?}: {}", out.err);
        assert_eq!(out.out, "", "{arguments:?}");
    }
}

#[test]
fn knowledge_bases_are_shown_searched_changed_and_exported() {
    let folder = Folder::with_kb();
    let shown = folder.run(&["kb", "show", "X:1", "--kb", "kb"]).out;
    let concept: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(concept["synonyms"], serde_json::json!(["heart attack"]));
    assert!(folder.run(&["kb", "search", "hart", "atack", "--kb", "kb"]).out.starts_with("X:1\t"));
    let info: serde_json::Value =
        serde_json::from_str(&folder.run(&["kb", "info", "--json", "--kb", "kb"]).out).unwrap();
    assert_eq!((&info["concepts"], &info["names"]), (&3.into(), &5.into()));
    folder.write(
        "more.jsonl",
        "{\"id\": \"X:4\", \"name\": \"migraine\"}\n{\"id\": \"X:2\", \"name\": \"cardiac failure\"}\n",
    );
    let update = ["kb", "update", "more.jsonl", "--kb", "kb", "--remove", "X:3"];
    let refused = folder.run(&update);
    assert!(
        refused.code == 1 && refused.err.contains("the update would take from 1 of 1 replaced concept"),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("`truename kb learn`, or take these away by --replace"), "{}", refused.err);
    let updated = folder.run(&[&update[..], &["--replace"]].concat());
    assert_eq!(updated.err, "1 added, 1 changed, 1 removed; 3 concepts with 4 names\n");
    let missing = folder.run(&["-q", "kb", "update", "--kb", "kb", "--remove", "X:3"]);
    assert_eq!(
        (missing.code, missing.err.as_str()),
        (1, "error: not removed, as the knowledge base has no such id: X:3\n")
    );
    assert_eq!(folder.run(&["kb", "export", "--kb", "kb", "--out", "all.jsonl"]).code, 0);
    let exported = String::from_utf8(folder.read("all.jsonl")).unwrap();
    let ids: Vec<&str> = exported.lines().map(|line| &line[7..10]).collect();
    assert_eq!(ids, ["X:1", "X:2", "X:4"]);
    assert_eq!(folder.run(&["-q", "kb", "import", "all.jsonl", "--out", "again"]).code, 0);
    assert_eq!(folder.run(&["kb", "export", "--kb", "again"]).out, exported);
}

#[test]
fn evaluation_scores_plots_and_compares() {
    let folder = Folder::with_kb();
    folder.write("gold.tsv", "name\tid\ttype\nHeart attack\tX:1\tdisease\naspirine\tX:3|X:9\tdrug\nqqqq\t\tdrug\n");
    let arguments = ["-q", "evaluate", "names", "--gold", "gold.tsv", "--kb", "kb", "--min-probability", "0.0001"];
    let files = ["--json", "scores.json", "--plots", "plots", "--predictions", "a.jsonl"];
    let out = folder.run(&[&arguments[..], &files[..]].concat());
    assert_eq!(out.code, 0, "{}", out.err);
    let scores: serde_json::Value = serde_json::from_slice(&folder.read("scores.json")).unwrap();
    assert_eq!((&scores["mentions"], &scores["acc@1"], &scores["mrr"]), (&3.into(), &1.0.into(), &1.0.into()));
    for key in ["acc@3", "acc@5", "acc@10", "nil_auc", "ece"] {
        assert!(scores[key].is_number(), "{key}");
    }
    assert!(out.out.contains("drug: 2 mentions, acc@1 100.00"), "{}", out.out);
    for plot in ["plots/nil-roc.svg", "plots/reliability.svg"] {
        assert!(folder.read(plot).starts_with(b"<svg"), "{plot}");
    }
    assert_eq!(folder.run(&[&arguments[..], &["--predictions", "b.jsonl"]].concat()).code, 0);
    let compared = folder.run(&["evaluate", "names", "--compare", "a.jsonl", "b.jsonl"]);
    assert!(compared.out.contains("acc@1   100.00   100.00    +0.00"), "{}", compared.out);
    folder.write("d.jsonl", folder.read("a.jsonl"));
    let three = ["evaluate", "names", "--compare", "a.jsonl", "b.jsonl", "d.jsonl", "--plots", "rocs"];
    let compared = folder.run(&three);
    assert!(compared.out.contains("a.jsonl and b.jsonl\n") && compared.out.contains("a.jsonl and d.jsonl\n"));
    let drawn = String::from_utf8(folder.read("rocs/nil-roc.svg")).unwrap();
    assert_eq!((drawn.matches("class=\"curve").count(), drawn.matches(">b, AUC 1.0000<").count()), (6, 1), "{drawn}");
    folder.write("c.jsonl", "");
    assert_eq!(folder.run(&["evaluate", "names", "--compare", "a.jsonl", "c.jsonl"]).code, 1);
}

#[test]
fn errors_of_names_are_told_by_kind() {
    let folder = Folder::with_kb();
    folder.write("gold.tsv", "name\tid\nheart attack\tX:3\naspirin\tX:3\nheart attack\tX:3\nheart attack\tX:9\n");
    let arguments = ["-q", "evaluate", "names", "--gold", "gold.tsv", "--kb", "kb", "--json", "scores.json"];
    let judged = folder.run(&arguments);
    assert!(judged.out.contains("\nerrors, asked → right; answered\n"), "{judged:?}");
    assert!(judged.out.contains("no shared word 2\n     2  “heart attack” → "), "{}", judged.out);
    let scores: serde_json::Value = serde_json::from_slice(&folder.read("scores.json")).unwrap();
    assert_eq!(scores["error_kinds"]["no_shared_word"], 2);
    assert_eq!((&scores["errors"][0]["count"], &scores["errors"][0]["name"]), (&2.into(), &"heart attack".into()));
    let few = folder.run(&[&arguments[..], &["--errors", "0"]].concat());
    assert!(few.out.contains("no shared word 2\n") && !few.out.contains("“heart attack”"), "{}", few.out);
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = Folder::with_kb();
    folder.write("many.txt", "aspirin\n".repeat(200_000));
    let mut child = folder
        .command(&["-q", "match", "many.txt", "--kb", "kb"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(Ran::of(child.wait_with_output().unwrap()), ran(0, "", ""));
}

#[test]
fn a_reader_of_an_export_or_of_json_may_leave_too() {
    let folder = Folder::new();
    let concepts = (0..20_000).map(|n| format!("{{\"id\": \"C{n}\", \"name\": \"name number {n}\"}}\n"));
    folder.write("kb.jsonl", concepts.collect::<String>());
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.jsonl", "--out", "kb"]).code, 0);
    for arguments in [&["kb", "export", "--kb", "kb"][..], &["kb", "info", "--json", "--kb", "kb"], &["man"]] {
        let mut child = folder.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(Ran::of(child.wait_with_output().unwrap()), ran(0, "", ""), "{arguments:?}");
    }
}

#[test]
fn numbers_that_cannot_be_meant_are_refused() {
    let folder = Folder::with_kb();
    let huge = "1000000000000";
    let cases: [(&[&str], &str); 12] = [
        (&["kb", "info", "--kb", "kb", "--threads", "5000"], "5000 is not in 1..=1024"),
        (&["kb", "info", "--kb", "kb", "--threads", "0"], "0 is not in 1..=1024"),
        (&["kb", "search", "a", "--kb", "kb", "--top", huge], "--top"),
        (&["kb", "search", "a", "--kb", "kb", "--top", "0"], "0 is not in 1..=10000"),
        (&["match", "kb.tsv", "--kb", "kb", "--top", huge], "--top"),
        (&["link", "kb.tsv", "--kb", "kb", "--top", "100000"], "100000 is not in 1..=10000"),
        (&["calibrate", "--kb", "kb", "--names", huge], "--names"),
        (&["calibrate", "--kb", "kb", "--names", "0"], "0 is not in 50..=1000000"),
        (&["evaluate", "names", "--kb", "kb", "--folds", huge], "2 to 20 folds"),
        (&["evaluate", "link", "--gold", "x", "--kb", "kb", "--errors", huge], "--errors"),
        (&["tune", "x.toml", "--out", "x", "--try", "a=1", "--random", huge], "--random"),
        (&["map", "--kb", "kb", "--encoder", "x", "--name", "x", "--out", "x", "--sample", huge], "--sample"),
    ];
    for (arguments, message) in cases {
        let out = folder.run(arguments);
        assert!(out.code == 2 && out.err.contains(message), "{arguments:?}: {}", out.err);
    }
}

#[test]
fn a_folder_of_other_files_is_not_replaced() {
    let folder = Folder::with_kb();
    for force in [&[][..], &["--force"]] {
        let out = folder.run(&[&["kb", "import", "kb.tsv", "--out", "."], force].concat());
        assert_eq!((out.code, out.out.as_str()), (1, ""));
        assert!(out.err.contains("holds other files and no knowledge base\nhint: name a new folder"), "{}", out.err);
    }
    let there = folder.run(&["kb", "import", "kb.tsv", "--out", "kb"]);
    assert!(there.err.contains("replace it with --force"), "{}", there.err);
}

#[cfg(unix)]
#[test]
fn a_home_that_cannot_be_written_to_is_no_hindrance() {
    let folder = Folder::new();
    folder.write("home", "a file, in which no folder can be made");
    std::fs::create_dir(folder.path("tmp")).unwrap();
    let mut command = folder.command(&["--verbose", "kb", "show", "D009203"]);
    command.env_remove("TRUENAME_CACHE").env_remove("XDG_CACHE_HOME").env("HOME", folder.path("home"));
    let shown = Ran::of(command.env("TMPDIR", folder.path("tmp")).output().unwrap());
    assert!(shown.code == 0 && shown.out.contains("Myocardial Infarction"), "{}", shown.err);
    assert!(shown.err.contains("is unpacked into"), "{}", shown.err);
    // What another could have put there is not used.
    let private = std::fs::read_dir(folder.path("tmp")).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_dir_all(&private).unwrap();
    std::fs::create_dir(folder.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(folder.path("elsewhere"), &private).unwrap();
    let refused = Ran::of(command.output().unwrap());
    assert!(refused.code == 1 && refused.err.contains("home"), "{}", refused.err);
    assert_eq!(std::fs::read_dir(folder.path("elsewhere")).unwrap().count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing_behind() {
    let folder = Folder::with_kb();
    folder.write("in.txt", "aspirin\n");
    let out = folder
        .command(&["-q", "match", "in.txt", "--kb", "kb"])
        .stdout(std::fs::File::create("/dev/full").unwrap())
        .output()
        .unwrap();
    let out = Ran::of(out);
    assert!(out.code == 1 && out.err.contains("No space left"), "{out:?}");
    // The limit on file size stands for a disk that fills up while a store is written.
    let big: String = (0..60_000).map(|n| format!("{n}\tsome name number {n}\n")).collect();
    folder.write("big.tsv", format!("id\tname\n{big}"));
    let script = format!(
        "ulimit -f 4000; trap '' XFSZ; exec {} -q kb import big.tsv --out full",
        env!("CARGO_BIN_EXE_truename")
    );
    let out = Command::new("bash").args(["-c", &script]).current_dir(folder.path("")).output().unwrap();
    assert_eq!(Ran::of(out).code, 1);
    assert!(!folder.path("full").exists() && !folder.path(".full.partial").exists());
}

#[test]
fn completions_and_manual_come_from_the_binary() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(folder.run(&["completions", shell]).out.contains("calibrate"), "{shell}");
    }
    let page = folder.run(&["man"]).out;
    assert!(page.starts_with(".ie") && page.contains(".SH TRUENAME KB IMPORT") && page.contains("min\\-probability"));
    let page = folder.run(&["man", "kb", "import"]).out;
    assert!(
        page.contains("truename\\-kb\\-import") && page.contains("id\\-column") && !page.contains("min\\-prob"),
        "{page}"
    );
    assert!(folder.run(&["man", "calibrate"]).out.contains("Fit ranker"));
    let unknown = folder.run(&["man", "kb", "imprt"]);
    let expected = "error: there is no command `truename kb imprt`; `truename kb` has import, info, check, compact, pack, unpack, search, show, update, learn, embed, models, frequencies, weigh, gather, export";
    assert!(unknown.code == 2 && unknown.err.starts_with(expected), "{}", unknown.err);
    assert!(folder.run(&["man", "match", "x"]).err.contains("`truename match` has no commands of its own"));
    assert!(folder.run(&["--version"]).out.starts_with("truename 0."));
    assert_eq!(folder.run(&["mtach"]).code, 2);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_tables_gain_columns() {
    use std::sync::Arc;

    use arrow_array::cast::AsArray;
    use arrow_array::{DictionaryArray, Int64Array, RecordBatch, StringArray, types::Int32Type};

    let folder = Folder::with_kb();
    let names: DictionaryArray<Int32Type> = vec![Some("aspirin"), None, Some("heart attack")].into_iter().collect();
    let batch = RecordBatch::try_from_iter([
        ("n", Arc::new(Int64Array::from(vec![1, 2, 3])) as arrow_array::ArrayRef),
        ("name", Arc::new(names)),
    ])
    .unwrap();
    let file = std::fs::File::create(folder.path("in.parquet")).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let out = folder.run(&["-q", "match", "in.parquet", "--kb", "kb", "--out", "out.parquet"]);
    assert_eq!(out, ran(0, "", ""));
    let read = std::fs::File::open(folder.path("out.parquet")).unwrap();
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(read).unwrap();
    let batch = reader.build().unwrap().next().unwrap().unwrap();
    let ids: &StringArray = batch.column_by_name("id").unwrap().as_string();
    assert_eq!(ids.iter().collect::<Vec<_>>(), [Some("X:3"), None, Some("X:1")]);
    assert_eq!(batch.num_columns(), 6);
    assert_eq!(folder.run(&["-q", "match", "in.parquet", "--kb", "kb"]).code, 2);
    assert_eq!(folder.run(&["-q", "match", "in.parquet", "--kb", "kb", "--format", "jsonl"]).out.lines().count(), 3);
    assert!(!std::path::Path::new("out.parquet").exists());
}

#[test]
fn of_two_imports_at_once_one_succeeds() {
    for _ in 0..4 {
        let folder = Folder::new();
        let rows: String = (0..2000).map(|n| format!("{n},thing {n}\n")).collect();
        folder.write("a.csv", format!("id,name\n{rows}"));
        let begin = || {
            let mut command = folder.command(&["-q", "kb", "import", "a.csv", "--out", "kb"]);
            command.stderr(std::process::Stdio::null()).spawn().unwrap()
        };
        let mut imports = [begin(), begin()];
        let mut codes = imports.each_mut().map(|import| import.wait().unwrap().code().unwrap());
        codes.sort_unstable();
        assert_eq!(codes, [0, 1]);
        assert_eq!(folder.run(&["kb", "export", "--kb", "kb"]).out.lines().count(), 2000);
    }
}

#[test]
fn no_output_takes_the_place_of_a_store() {
    let folder = Folder::with_kb();
    folder.write("names.txt", "heart attack\n");
    let commands: [&[&str]; 3] = [
        &["kb", "export", "--kb", "kb", "--out", "kb/data.mdb"],
        &["match", "names.txt", "--kb", "kb", "--out", "kb/data.mdb"],
        &["link", "names.txt", "--kb", "kb", "--out", "kb/lock.mdb"],
    ];
    let before = folder.read("kb/data.mdb");
    for command in commands {
        let refused = folder.run(command);
        assert!(refused.code == 2 && refused.err.contains("is a file of the knowledge base"), "{refused:?}");
    }
    assert!(folder.read("kb/data.mdb") == before);
}
