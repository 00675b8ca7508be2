//! `--encoder` and `kb embed`, with small encoders of random weights.

use std::ops::ControlFlow;
use std::path::Path;

use crate::folder::{Folder, Ran, model};

#[test]
fn vectors_are_made_used_updated_and_replaced() {
    let folder = Folder::with_kb();
    let (bert, mpnet) = (model("bert"), model("mpnet"));
    folder.write("names.txt", "heart attak\nasprin\n");

    let refused = folder.run(&["match", "names.txt", "--kb", "kb", "--encoder", &bert]);
    assert_eq!((refused.code, refused.out.as_str()), (1, ""));
    assert!(refused.err.contains("have no vectors") && refused.err.contains("hint: make them: `truename kb embed"));

    let made = folder.run(&["kb", "embed", "--kb", "kb", "--encoder", &bert]);
    assert_eq!((made.code, made.out.as_str()), (0, ""), "{}", made.err);
    assert!(made.err.starts_with("5 names encoded ("), "{}", made.err);
    assert!(folder.run(&["kb", "embed", "--kb", "kb", "--encoder", &bert]).err.starts_with("0 names encoded ("));
    let info = folder.run(&["kb", "info", "--kb", "kb"]).out;
    assert!(info.contains("vectors            5 of 5 names, 16 dimensions\n"), "{info}");

    let linked =
        folder.run(&["-q", "match", "names.txt", "--kb", "kb", "--encoder", &bert, "--format", "jsonl", "--explain"]);
    let lines: Vec<serde_json::Value> = linked.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((linked.code, lines.len(), linked.err.as_str()), (0, 2, ""));
    for line in &lines {
        assert!(line["candidates"][0]["scores"]["dense"].is_f64(), "{line}");
        assert!(line["explanation"].as_str().unwrap().contains("has a cosine of"), "{line}");
    }
    let without = folder.run(&["-q", "match", "names.txt", "--kb", "kb", "--encoder", "none", "--format", "jsonl"]).out;
    assert!(!without.contains("dense"), "{without}");

    // An update without an encoder says what is missing; one with it makes that.
    folder.write("more.tsv", "id\tname\nX:4\tfever\n");
    let updated = folder.run(&["kb", "update", "more.tsv", "--kb", "kb", "--encoder", "none"]);
    assert!(updated.err.contains("1 name has no vector"), "{}", updated.err);
    let incomplete = folder.run(&["match", "names.txt", "--kb", "kb", "--encoder", &bert]);
    assert!(incomplete.err.contains("1 name has no vector"), "{}", incomplete.err);
    folder.write("yet_more.tsv", "id\tname\nX:5\tcough\n");
    let refused = folder.run(&["kb", "update", "yet_more.tsv", "--kb", "kb", "--encoder", &mpnet]);
    assert!(refused.code == 1 && refused.err.contains("by another encoder than"), "{}", refused.err);
    let updated = folder.run(&["kb", "update", "yet_more.tsv", "--kb", "kb"]);
    assert!(updated.err.contains("2 names encoded ("), "{}", updated.err);

    let refused = folder.run(&["kb", "search", "fever", "--kb", "kb", "--encoder", &mpnet]);
    assert!(refused.code == 1 && refused.err.contains("hint: give that of "), "{}", refused.err);
    // Stopped before the end, the change goes on with the next call.
    let mut calls = 0;
    let stop = |_, _| {
        calls += 1;
        if calls == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let encoder = truename::Encoder::open(Path::new(&mpnet)).unwrap();
    truename::KnowledgeBase::open(folder.path("kb")).unwrap().embed(&encoder, stop).unwrap();
    let info = folder.run(&["kb", "info", "--kb", "kb"]).out;
    assert!(info.contains("\nchange of encoder  under way: 7 of 7 names have a vector by "), "{info}");
    let replaced = folder.run(&["kb", "embed", "--kb", "kb", "--encoder", &mpnet]);
    assert!(
        replaced.err.starts_with("Replaced 7 vectors made by another encoder.\n0 names encoded"),
        "{}",
        replaced.err
    );
}

#[test]
fn an_import_with_an_encoder_serves_every_command() {
    let folder = Folder::new();
    let bert = model("bert");
    folder.write("kb.tsv", crate::folder::KB);
    let imported = folder.run(&["kb", "import", "kb.tsv", "--out", "kb", "--encoder", &bert]);
    assert!(imported.code == 0 && imported.err.contains("5 names encoded ("), "{}", imported.err);
    folder.write("gold.tsv", "name\tid\nheart attak\tX:1\n");
    folder.write("doc.txt", "Aspirin after a heart attack.");
    folder.write("doc.pubtator", "1|t|Aspirin after a heart attack.\n1|a|\n1\t0\t7\tAspirin\tdrug\tX:3\n\n");
    let with = |arguments: &[&str]| {
        let ran = folder.run(&[arguments, &["--kb", "kb", "--encoder", &bert]].concat());
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.err);
        let own = folder.run(&[arguments, &["--kb", "kb"]].concat());
        assert_eq!((own.code, &own.out), (0, &ran.out), "{arguments:?}: {}", own.err);
        ran.out
    };
    assert!(with(&["kb", "search", "heart", "attak"]).starts_with("X:1"));
    // Both names of X:1 are listed, each by itself.
    let names = with(&["kb", "search", "--names", "--top", "5", "heart", "attak"]);
    assert_eq!((names.lines().count(), names.matches("X:1\t").count()), (5, 2), "{names}");
    let unable =
        folder.run(&["evaluate", "names", "--gold", "gold.tsv", "--kb", "kb", "--encoder", "none", "--vote", "3"]);
    assert!(unable.code == 2 && unable.err.contains("--vote needs an encoder"), "{unable:?}");
    assert!(with(&["evaluate", "names", "--gold", "gold.tsv", "--vote", "3"]).contains("acc@1"));
    let by_letters = folder.run(&["kb", "search", "--names", "heart attak", "--kb", "kb", "--encoder", "none"]);
    assert!(by_letters.out.starts_with("X:1\t0.") && by_letters.out.lines().count() < 5, "{by_letters:?}");
    assert!(with(&["link", "doc.txt"]).contains("\"X:3\""));
    assert!(with(&["evaluate", "names", "--gold", "gold.tsv"]).contains("1"));
    assert!(with(&["evaluate", "link", "--gold", "doc.pubtator"]).contains("mentions, strict"));
}

#[test]
fn what_is_longer_than_the_window_is_said() {
    let folder = Folder::new();
    let long = "fever on the day ".repeat(40);
    folder.write("kb.tsv", format!("id\tname\nX:1\t{long}\n"));
    let imported = folder.run(&["kb", "import", "kb.tsv", "--out", "kb", "--encoder", &model("bert")]);
    assert!(
        imported.err.contains("only the beginning of 1 name, longer than the encoder's 48 tokens, is encoded"),
        "{}",
        imported.err
    );
    folder.write("names.txt", format!("{long} again\n"));
    let linked = folder.run(&["match", "names.txt", "--kb", "kb", "--encoder", &model("bert")]);
    assert!(linked.err.contains("1 name is longer than the window of a model"), "{}", linked.err);
}

#[test]
fn a_folder_that_is_no_encoder_is_refused_before_anything_is_done() {
    let folder = Folder::new();
    folder.write("kb.tsv", crate::folder::KB);
    let refused = folder.run(&["kb", "import", "kb.tsv", "--out", "kb", "--encoder", "nowhere"]);
    assert!(refused.code == 1 && refused.err.contains("nowhere"), "{}", refused.err);
    assert!(!folder.path("kb").exists());
}

#[test]
fn a_knowledge_base_carries_its_encoder() {
    let folder = Folder::with_kb();
    folder.write("names.txt", "heart attak\nasprin\n");
    copy(Path::new(&model("bert")), &folder.path("trained"));
    let embedded = folder.run(&["kb", "embed", "--kb", "kb", "--encoder", "trained"]);
    assert_eq!(embedded.code, 0, "{}", embedded.err);
    std::fs::remove_dir_all(folder.path("trained")).unwrap();
    let answers = |kb: &str| {
        let ran = folder.run(&["-q", "match", "names.txt", "--kb", kb, "--format", "jsonl"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out
    };
    let of_own = answers("kb");
    assert!(of_own.contains("\"dense\""), "{of_own}");
    copy(&folder.path("kb"), &folder.path("elsewhere"));
    assert_eq!(answers("elsewhere"), of_own);
    let listed = folder.run(&["kb", "models", "--kb", "kb"]).out;
    assert!(listed.starts_with("model encoder: kb/models/encoder-") && listed.lines().count() == 1, "{listed}");
    assert!(folder.run(&["kb", "info", "--kb", "kb"]).out.contains(&listed));
    let again = folder.run(&["kb", "embed", "--kb", "kb"]);
    assert!(again.err.starts_with("0 names encoded ("), "{}", again.err);

    let place = listed.trim_start_matches("model encoder: ").split(' ').next().unwrap();
    let weights = folder.path(place).join("model.safetensors");
    let mut bytes = std::fs::read(&weights).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&weights, bytes).unwrap();
    let fails = |words: &str| {
        for command in [&["match", "names.txt"][..], &["kb", "search", "fever"], &["kb", "update", "kb.tsv"]] {
            let ran = folder.run(&[command, &["--kb", "kb"]].concat());
            assert!(
                ran.code == 1 && ran.err.contains(words) && ran.err.contains("hint: copy it there again: "),
                "{}",
                ran.err
            );
        }
    };
    fails("was changed");
    let checked = folder.run(&["kb", "check", "--kb", "kb"]);
    assert!(checked.code == 1 && checked.err.contains("was changed"), "{}", checked.err);
    std::fs::remove_dir_all(folder.path(place)).unwrap();
    fails("is missing");
    assert_eq!(folder.run(&["match", "names.txt", "--kb", "kb", "--encoder", "none"]).code, 0);

    let added = folder.run(&["kb", "models", "add", &model("bert"), "--kb", "kb"]);
    assert!(added.code == 0 && added.err.starts_with("0 names encoded ("), "{}", added.err);
    assert_eq!(answers("kb"), of_own);
    let removed = folder.run(&["kb", "models", "remove", "encoder", "--kb", "kb"]);
    assert_eq!((removed.code, folder.path("kb/models").exists()), (0, false), "{}", removed.err);
    assert!(!answers("kb").contains("dense"));
    let removed = folder.run(&["kb", "models", "remove", "encoder", "--kb", "kb"]);
    assert!(removed.code == 1 && removed.err.contains("kb has no encoder"), "{}", removed.err);
    let embed = folder.run(&["kb", "embed", "--kb", "kb"]);
    assert!(embed.code == 2 && embed.err.contains("name one by --encoder DIR"), "{}", embed.err);
}

#[test]
fn another_encoder_takes_the_place_of_the_first_in_the_folder() {
    let folder = Folder::with_kb();
    for family in ["bert", "mpnet"] {
        assert_eq!(folder.run(&["kb", "embed", "--kb", "kb", "--encoder", &model(family)]).code, 0);
        assert_eq!(std::fs::read_dir(folder.path("kb/models")).unwrap().count(), 1, "{family}");
    }
    // A new import has no vectors, and so no model.
    assert_eq!(folder.run(&["kb", "import", "kb.tsv", "--out", "kb", "--force"]).code, 0);
    assert!(!folder.path("kb/models").exists());
}

#[test]
fn vectors_whose_encoder_was_never_copied_are_not_used_and_that_is_said() {
    let folder = Folder::with_kb();
    folder.write("names.txt", "heart attak\n");
    let encoder = truename::Encoder::open(Path::new(&model("bert"))).unwrap();
    let kb = truename::KnowledgeBase::open(folder.path("kb")).unwrap();
    kb.embed(&encoder, |_, _| ControlFlow::Continue(())).unwrap();
    let ran = folder.run(&["match", "names.txt", "--kb", "kb"]);
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("the vectors are not used") && ran.err.contains("truename kb models add "), "{}", ran.err);
    // Too few names to fit a ranker to; the encoder named is copied all the same.
    let calibrated = folder.run(&["calibrate", "--kb", "kb", "--encoder", &model("bert")]);
    assert!(calibrated.code == 1 && calibrated.err.contains("a ranker needs at least"), "{}", calibrated.err);
    assert!(folder.run(&["kb", "models", "--kb", "kb"]).out.starts_with("model encoder: "));
    let ran = folder.run(&["match", "names.txt", "--kb", "kb", "--format", "jsonl"]);
    assert!(ran.out.contains("\"dense\"") && !ran.err.contains("not used"), "{}", ran.err);
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

#[test]
fn an_encoder_is_quantised_at_load() {
    let folder = Folder::with_kb();
    let bert = model("bert");
    let run = |arguments: &[&str]| {
        let ran = Ran::of(folder.command(arguments).env("TRUENAME_CACHE", folder.path("cache")).output().unwrap());
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out
    };
    run(&["kb", "embed", "--kb", "kb", "--encoder", &bert, "--precision", "int8"]);
    let copies = std::fs::read_dir(folder.path("cache")).unwrap();
    let copy = copies.map(|entry| entry.unwrap().path()).find(|path| path.to_string_lossy().contains("int8-")).unwrap();
    folder.write("names.txt", "heart attak\nasprin\n");
    let own = run(&["-q", "match", "names.txt", "--kb", "kb", "--explain"]);
    assert_eq!(
        run(&["-q", "match", "names.txt", "--kb", "kb", "--explain", "--encoder", &bert, "--precision", "int8"]),
        own
    );
    assert_eq!(run(&["-q", "match", "names.txt", "--kb", "kb", "--explain", "--encoder", copy.to_str().unwrap()]), own);

    let refused = |encoder: &str, precision| {
        folder.run(&["match", "names.txt", "--kb", "kb", "--encoder", encoder, "--precision", precision])
    };
    let single = refused(copy.to_str().unwrap(), "f32");
    assert!(single.code == 1 && single.err.contains("is quantised") && single.err.contains("hint: "), "{}", single.err);
    let other = refused(&bert, "f32");
    assert!(other.code == 1 && other.err.contains("hint: give that of "), "{}", other.err);
    assert_eq!(refused(&bert, "int4").code, 2);
}
