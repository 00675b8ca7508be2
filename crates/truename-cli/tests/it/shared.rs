//! A knowledge base whose folder somebody else has filled.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::folder::{Folder, Ran, model, ran};
use truename::{Concept, KnowledgeBase};

const MORE: &str = "id\tname\nX:4\tstroke\n";

/// Runs a command that must end within a minute.
fn run(folder: &Folder, arguments: &[&str]) -> Ran {
    let mut command = folder.command(arguments);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("{arguments:?} waits");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ran::of(child.wait_with_output().unwrap())
}

fn pipe(folder: &Folder, name: &str) {
    assert!(std::process::Command::new("mkfifo").arg(folder.path(name)).status().unwrap().success());
}

/// Returns the names in a folder, sorted.
fn names(folder: &Folder, name: &str) -> Vec<String> {
    let entries = fs::read_dir(folder.path(name)).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_link_or_pipe_in_the_place_of_a_file_is_not_followed() {
    let commands: [&[&str]; 6] = [
        &["kb", "info", "--kb", "kb"],
        &["kb", "check", "--kb", "kb"],
        &["kb", "search", "heart", "--kb", "kb"],
        &["-q", "kb", "update", "more.tsv", "--kb", "kb"],
        &["-q", "kb", "compact", "--kb", "kb"],
        &["-q", "review", "export", "--kb", "kb"],
    ];
    for file in ["lock.mdb", "data.mdb", "data.sum", "data.sum.partial", ".data.mdb.compact", "judgements.jsonl"] {
        let folder = Folder::with_kb();
        folder.write("more.tsv", MORE);
        folder.write("diary", "dear diary\n");
        for is_link in [true, false] {
            let _ = fs::remove_file(folder.path(&format!("kb/{file}")));
            match is_link {
                true => symlink("../diary", folder.path(&format!("kb/{file}"))).unwrap(),
                false => pipe(&folder, &format!("kb/{file}")),
            }
            for command in commands {
                let ran = run(&folder, command);
                let is_refused = ran.err.contains(if is_link { "it is a symbolic link" } else { "it is a pipe" });
                assert!(ran.code == 0 || ran.code == 1, "{file} {command:?}: {}", ran.err);
                assert_eq!(
                    ran.err.contains("may lead elsewhere: remove it"),
                    is_refused,
                    "{file} {command:?}: {}",
                    ran.err
                );
                if ["lock.mdb", "data.mdb"].contains(&file) && command[0] == "kb" {
                    assert!(is_refused, "{file} {command:?}: {}", ran.err);
                }
            }
            assert_eq!(folder.read("diary"), b"dear diary\n", "{file}");
        }
    }
}

#[test]
fn a_file_with_another_name_is_read_and_not_written() {
    let folder = Folder::with_kb();
    folder.write("more.tsv", MORE);
    fs::create_dir(folder.path("snapshot")).unwrap();
    for name in names(&folder, "kb") {
        fs::hard_link(folder.path(&format!("kb/{name}")), folder.path(&format!("snapshot/{name}"))).unwrap();
    }
    let before = folder.read("snapshot/data.mdb");
    assert_eq!(run(&folder, &["kb", "check", "--kb", "kb", "--deep"]).code, 0);
    let update = ["-q", "kb", "update", "more.tsv", "--kb", "kb"];
    let refused = run(&folder, &update);
    assert!(
        refused.code == 1 && refused.err.contains("hint: `truename kb compact --kb kb` gives it files of its own"),
        "{}",
        refused.err
    );
    assert_eq!(run(&folder, &["-q", "kb", "compact", "--kb", "kb"]), ran(0, "", ""));
    assert_eq!(run(&folder, &update), ran(0, "", ""));
    assert!(folder.read("snapshot/data.mdb") == before);
    assert_eq!(run(&folder, &["-q", "kb", "update", "more.tsv", "--kb", "snapshot"]), ran(0, "", ""));

    // A lock file that is a name of somebody's file.
    folder.write("diary", "dear diary\n");
    fs::remove_file(folder.path("kb/lock.mdb")).unwrap();
    fs::hard_link(folder.path("diary"), folder.path("kb/lock.mdb")).unwrap();
    assert_eq!(run(&folder, &["kb", "show", "X:4", "--kb", "kb"]).code, 0);
    assert_eq!(run(&folder, &update).code, 1);
    assert_eq!(run(&folder, &["-q", "kb", "compact", "--kb", "kb"]).code, 0);
    assert_eq!(run(&folder, &update).code, 0);
    assert_eq!(folder.read("diary"), b"dear diary\n");
}

#[test]
fn a_folder_that_is_a_link_is_opened() {
    let folder = Folder::with_kb();
    folder.write("more.tsv", MORE);
    symlink("kb", folder.path("current")).unwrap();
    for command in [
        &["-q", "kb", "update", "more.tsv", "--kb", "current"][..],
        &["-q", "kb", "embed", "--kb", "current", "--encoder", &model("bert")],
        &["-q", "kb", "models", "--kb", "current", "remove", "encoder"],
        &["-q", "kb", "compact", "--kb", "current"],
    ] {
        assert_eq!(run(&folder, command), ran(0, "", ""), "{command:?}");
    }
    assert!(!folder.path("kb/models").exists());
}

#[test]
fn only_copied_models_are_removed() {
    let folder = Folder::with_kb();
    folder.write("more.tsv", MORE);
    fs::create_dir_all(folder.path("kb/models/mine")).unwrap();
    folder.write("kb/models/mine/model.safetensors", "mine");
    folder.write("kb/models/.DS_Store", "");
    for command in [
        &["-q", "kb", "embed", "--kb", "kb", "--encoder", &model("bert")][..],
        &["-q", "kb", "update", "more.tsv", "--kb", "kb"],
        &["-q", "kb", "embed", "--kb", "kb", "--encoder", &model("mpnet")],
        &["-q", "kb", "import", "kb.tsv", "--out", "kb", "--force"],
        &["-q", "kb", "embed", "--kb", "kb", "--encoder", &model("bert")],
        &["-q", "kb", "models", "--kb", "kb", "remove", "encoder"],
    ] {
        assert_eq!(run(&folder, command), ran(0, "", ""), "{command:?}");
        let models = names(&folder, "kb/models").len() - 2;
        assert_eq!(models, usize::from(command[2] != "models" && command[2] != "import"), "{command:?}");
    }
    assert_eq!(names(&folder, "kb/models"), [".DS_Store", "mine"]);
    assert_eq!(folder.read("kb/models/mine/model.safetensors"), b"mine");
}

#[test]
fn models_that_lead_elsewhere_are_refused_and_left_alone() {
    let folder = Folder::with_kb();
    let embed = ["-q", "kb", "embed", "--kb", "kb", "--encoder", &model("bert")];
    fs::create_dir_all(folder.path("victim/photos")).unwrap();
    symlink("../victim", folder.path("kb/models")).unwrap();
    let refused = run(&folder, &embed);
    assert!(refused.code == 1 && refused.err.contains("kb/models: it is a symbolic link"), "{}", refused.err);
    assert_eq!(names(&folder, "victim"), ["photos"]);

    fs::remove_file(folder.path("kb/models")).unwrap();
    assert_eq!(run(&folder, &embed), ran(0, "", ""));
    let attached = format!("kb/models/{}", names(&folder, "kb/models")[0]);
    let matched = ["-q", "match", "kb.tsv", "--kb", "kb", "--column", "name"];
    for file in ["model.safetensors", "tokenizer.json", "notes"] {
        let (place, aside) = (folder.path(&format!("{attached}/{file}")), folder.path("aside"));
        let is_there = fs::rename(&place, &aside).is_ok();
        for is_link in [true, false] {
            match is_link {
                true => symlink("/dev/zero", &place).unwrap(),
                false => pipe(&folder, &format!("{attached}/{file}")),
            }
            for command in [&matched[..], &["kb", "check", "--kb", "kb"]] {
                let refused = run(&folder, command);
                assert!(refused.code == 1 && refused.err.contains(&format!("{file}: it is a ")), "{}", refused.err);
            }
            fs::remove_file(&place).unwrap();
        }
        if is_there {
            fs::rename(&aside, &place).unwrap();
        }
    }
    // The files of the model lie behind a link.
    fs::rename(folder.path("kb/models"), folder.path("victim/models")).unwrap();
    symlink("../victim/models", folder.path("kb/models")).unwrap();
    assert_eq!(run(&folder, &matched).code, 1);
    assert_eq!(run(&folder, &["-q", "kb", "models", "--kb", "kb", "remove", "encoder"]), ran(0, "", ""));
    assert!(folder.path(&format!("victim/models/{}/model.safetensors", &attached[10..])).is_file());
}

#[test]
fn written_files_have_the_permissions_of_new_ones() {
    let folder = Folder::with_kb();
    let mode = |name: &str| fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777;
    folder.write("new", "");
    // As the files of a model that only its owner may read.
    fs::create_dir(folder.path("encoder")).unwrap();
    for file in fs::read_dir(model("bert")).unwrap().flatten().filter(|file| file.path().is_file()) {
        let copy = folder.path("encoder").join(file.file_name());
        fs::write(&copy, fs::read(file.path()).unwrap()).unwrap();
        fs::set_permissions(copy, fs::Permissions::from_mode(0o600)).unwrap();
    }
    fs::remove_file(folder.path("kb/lock.mdb")).unwrap();
    for command in [
        &["-q", "kb", "embed", "--kb", "kb", "--encoder", "encoder"][..],
        &["-q", "kb", "export", "--kb", "kb", "--out", "out.jsonl"],
        &["-q", "match", "kb.tsv", "--kb", "kb", "--column", "name", "--out", "out.csv"],
    ] {
        assert_eq!(run(&folder, command), ran(0, "", ""), "{command:?}");
    }
    let weights = format!("kb/models/{}/model.safetensors", names(&folder, "kb/models")[0]);
    for file in ["kb/data.mdb", "kb/data.sum", "kb/lock.mdb", "out.jsonl", "out.csv", &weights] {
        assert_eq!(mode(file), mode("new"), "{file}");
    }
}

#[test]
fn a_stored_name_cannot_command_the_terminal() {
    let folder = Folder::new();
    let mut concept = Concept::new("X:1".parse().unwrap(), "heart\u{1b}]0;title\u{7} attack");
    concept.types.push("disease\u{1b}[2J".into());
    drop(KnowledgeBase::create(vec![concept], &folder.path("kb")).unwrap());
    for command in [
        &["kb", "search", "heart", "attack", "--kb", "kb"][..],
        &["kb", "search", "--names", "heart", "--kb", "kb"],
        &["kb", "info", "--kb", "kb"],
        &["kb", "show", "X:1", "--kb", "kb"],
        &["-q", "match", "nothing", "--kb", "kb", "--types", "x"],
    ] {
        let ran = run(&folder, command);
        assert!(!ran.out.contains(['\u{1b}', '\u{7}']) && !ran.err.contains('\u{1b}'), "{command:?}: {ran:?}");
    }
}
