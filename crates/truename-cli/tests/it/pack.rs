//! Packs: read in the place of a folder, unpacked by several processes, and what is in no pack.

use std::process::Stdio;

use crate::folder::{Folder, Ran, model};

/// Runs the binary with a cache of its own.
fn run(folder: &Folder, arguments: &[&str]) -> Ran {
    Ran::of(folder.command(arguments).env("TRUENAME_CACHE", folder.path("cache")).output().unwrap())
}

fn packed(folder: &Folder) -> String {
    let packed = run(folder, &["kb", "pack", "kb", "--out", "packs"]);
    assert_eq!(packed.code, 0, "{}", packed.err);
    packed.out.trim_end().to_owned()
}

/// Returns the names in a folder, sorted.
fn names(folder: &Folder, name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path(name)).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn fingerprint(folder: &Folder, kb: &str) -> String {
    let info = run(folder, &["kb", "info", "--json", "--kb", kb]);
    let info: serde_json::Value = serde_json::from_str(&info.out).unwrap();
    info["fingerprint"].as_str().unwrap().to_owned()
}

#[test]
fn a_pack_is_read_in_the_place_of_a_folder() {
    let folder = Folder::with_kb();
    assert_eq!(run(&folder, &["-q", "kb", "embed", "--kb", "kb", "--encoder", &model("bert")]).code, 0);
    folder.write("names.txt", "hart attack\naspirin\nnothing\n");
    folder.write("more.tsv", "id\tname\nX:4\tstroke\n");
    let pack = packed(&folder);
    let name = pack.strip_prefix("packs/kb-").and_then(|name| name.strip_suffix(".tar.zst")).unwrap();
    assert!(name.len() == 32 && names(&folder, "packs").len() == 1, "{pack}");
    assert_eq!(packed(&folder), pack);
    for command in [
        &["match", "names.txt", "--format", "jsonl"][..],
        &["link", "names.txt"],
        &["kb", "search", "heart"],
        &["kb", "export"],
    ] {
        let [kb, of_pack] = ["kb", &pack].map(|kb| run(&folder, &[&["-q"], command, &["--kb", kb]].concat()));
        assert_eq!(of_pack, kb, "{command:?}");
        assert_eq!(kb.code, 0, "{}", kb.err);
    }
    assert_eq!(fingerprint(&folder, &pack), fingerprint(&folder, "kb"));
    assert_eq!(run(&folder, &["kb", "check", "--deep", "--kb", &pack]).code, 0);
    assert_eq!(names(&folder, "cache/packs"), [".lock".to_owned(), format!("kb-{name}")]);
    let (bert, models) = (model("bert"), ["kb", "models", "--kb", &pack]);
    for command in [
        &["kb", "update", "more.tsv", "--kb", &pack][..],
        &["kb", "embed", "--kb", &pack, "--encoder", &model("mpnet")],
        &["kb", "compact", "--kb", &pack],
        &["calibrate", "--kb", &pack],
        &[&models[..], &["add", &bert]].concat(),
        &[&models[..], &["remove", "encoder"]].concat(),
    ] {
        let refused = run(&folder, &[&["-q"], command].concat());
        let expected = format!(
            "error: {pack} is a pack, which is not written to\n\
             hint: `truename kb unpack {pack} --out DIR` makes a folder of it\n"
        );
        // An encoder that is there already needs no write.
        let is_done = command.contains(&"add");
        assert!(is_done || (refused.code == 1 && refused.err == expected), "{command:?}: {}", refused.err);
    }
    assert_eq!(fingerprint(&folder, &pack), fingerprint(&folder, "kb"));
    // A folder of one's own can be changed.
    let unpacked = run(&folder, &["kb", "unpack", &pack, "--out", "own"]);
    assert_eq!(unpacked.out, format!("own/kb-{name}\n"));
    let own = unpacked.out.trim_end();
    assert_eq!(fingerprint(&folder, own), fingerprint(&folder, "kb"));
    assert_eq!(run(&folder, &["-q", "kb", "update", "more.tsv", "--kb", own]).code, 0);
    assert_ne!(fingerprint(&folder, own), fingerprint(&folder, "kb"));
    assert_eq!(run(&folder, &["-q", "kb", "import", "more.tsv", "--aliases", &pack, "--out", "other"]).code, 0);
}

#[test]
fn a_pack_is_learnt_from_as_its_folder_is() {
    let folder = Folder::with_kb();
    folder.write("pairs.toml", "[task]\nkind = \"pairs\"\n[encoder]\ncharacters = \"lstm\"\nhidden = 16\n");
    let pack = packed(&folder);
    let weights = [("kb", "of-folder"), (&pack, "of-pack")].map(|(kb, out)| {
        let train = ["-q", "train", "pairs.toml", "--kb", kb, "--out", out, "--set", "schedule.epochs=1"];
        let trained = run(&folder, &train);
        assert_eq!(trained.code, 0, "{}", trained.err);
        std::fs::read(folder.path(out).join("model.safetensors")).unwrap()
    });
    assert!(weights[0] == weights[1]);
}

#[test]
fn one_file_makes_one_fingerprint() {
    let folder = Folder::with_kb();
    for (out, threads) in [("once", "1"), ("twice", "4")] {
        let import = ["-q", "kb", "import", "kb.tsv", "--out", out, "--threads", threads];
        assert_eq!(run(&folder, &import).code, 0);
    }
    assert_eq!(fingerprint(&folder, "once"), fingerprint(&folder, "twice"));
    folder.write("kb.tsv", "id\tname\nX:4\tstroke\n");
    assert_eq!(run(&folder, &["-q", "kb", "import", "kb.tsv", "--out", "other"]).code, 0);
    assert_ne!(fingerprint(&folder, "once"), fingerprint(&folder, "other"));
    std::fs::remove_file(folder.path("once/data.sum")).unwrap();
    let without = run(&folder, &["kb", "info", "--kb", "once"]);
    assert!(without.out.starts_with("fingerprint        none: "), "{}", without.out);
    let refused = run(&folder, &["kb", "pack", "once"]);
    let hint = "hint: `truename kb compact --kb once` makes them, and so does any change\n";
    assert!(refused.code == 1 && refused.err.ends_with(hint), "{}", refused.err);
    assert_eq!(run(&folder, &["-q", "kb", "compact", "--kb", "once"]).code, 0);
    assert_eq!(run(&folder, &["-q", "kb", "pack", "once"]).code, 0);
}

#[test]
fn processes_that_unpack_at_the_same_time_make_one_folder() {
    let folder = Folder::with_kb();
    assert_eq!(run(&folder, &["-q", "kb", "embed", "--kb", "kb", "--encoder", &model("bert")]).code, 0);
    let pack = packed(&folder);
    let spawn = || folder.command(&["kb", "unpack", &pack, "--out", "into"]).stdout(Stdio::piped()).spawn().unwrap();
    let processes: Vec<_> = (0..6).map(|_| spawn()).collect();
    let ended: Vec<Ran> = processes.into_iter().map(|process| Ran::of(process.wait_with_output().unwrap())).collect();
    assert!(ended.iter().all(|ran| ran.code == 0 && ran.out == ended[0].out), "{ended:?}");
    assert_eq!(names(&folder, "into").len(), 2, "{:?}", names(&folder, "into"));
    assert_eq!(run(&folder, &["kb", "check", "--kb", ended[0].out.trim_end()]).code, 0);
}

#[cfg(unix)]
#[test]
fn nothing_is_packed_that_a_link_leads_to() {
    let folder = Folder::with_kb();
    folder.write("diary", "dear diary\n");
    assert_eq!(run(&folder, &["-q", "kb", "embed", "--kb", "kb", "--encoder", &model("bert")]).code, 0);
    // What is no file of the knowledge base is left out.
    folder.write("kb/diary", "dear diary\n");
    let pack = packed(&folder);
    let unpacked = run(&folder, &["kb", "unpack", &pack, "--out", "own"]).out;
    assert_eq!(names(&folder, unpacked.trim_end()), ["data.mdb", "data.sum", "models"]);
    let models = names(&folder, "kb/models");
    for file in ["data.mdb", "data.sum", &format!("models/{}/config.json", models[0]), &format!("models/{}", models[0])]
    {
        let (place, moved) = (folder.path(&format!("kb/{file}")), folder.path("moved"));
        std::fs::rename(&place, &moved).unwrap();
        std::os::unix::fs::symlink(&moved, &place).unwrap();
        let refused = run(&folder, &["kb", "pack", "kb", "--out", "none"]);
        assert!(refused.code == 1 && refused.err.contains("may lead elsewhere: remove it"), "{file}: {}", refused.err);
        assert!(!folder.path("none").exists() || names(&folder, "none").is_empty(), "{file}");
        std::fs::remove_file(&place).unwrap();
        std::fs::rename(&moved, &place).unwrap();
    }
    assert_eq!(packed(&folder), pack);
}
