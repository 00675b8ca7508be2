//! Killed at any moment, a store opens and holds a committed state.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const CONCEPTS: usize = 4000;

fn truename(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_truename"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// The number of concepts with the version of their names, or nothing where there is no store.
fn state(folder: &Path) -> Option<(usize, String)> {
    if !folder.join("kb/data.mdb").exists() {
        return None;
    }
    let out = truename(folder, &["kb", "export", "--kb", "kb"]).output().unwrap();
    assert!(out.status.success(), "the store does not open");
    let text = String::from_utf8(out.stdout).unwrap();
    let versions: std::collections::BTreeSet<&str> =
        text.lines().map(|line| line.split("version ").nth(1).unwrap().split('"').next().unwrap()).collect();
    assert_eq!(versions.len(), 1, "a half-written state was read");
    let found = truename(folder, &["-q", "match", "names.txt", "--kb", "kb"]).output().unwrap();
    assert!(found.status.success());
    Some((text.lines().count(), versions.into_iter().next().unwrap().to_owned()))
}

/// Runs a command and kills it after a share of the time it takes when it is let be.
fn run_and_kill(folder: &Path, arguments: &[&str], whole: Duration, share: f64) {
    let mut child = truename(folder, arguments).stdout(Stdio::null()).spawn().unwrap();
    sleep(whole.mul_f64(share));
    let _ = child.kill();
    child.wait().unwrap();
}

fn write_version(folder: &Path, version: &str) {
    let lines: String =
        (0..CONCEPTS).map(|n| format!("{{\"id\": \"C{n}\", \"name\": \"thing {n} version {version}\"}}\n")).collect();
    std::fs::write(folder.join(format!("{version}.jsonl")), lines).unwrap();
}

/// A share between 0 and 1.2 that differs from run to run.
fn random_share() -> f64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().subsec_nanos();
    f64::from(now % 1_000_003) / 1_000_003.0 * 1.2
}

#[test]
fn a_killed_import_or_update_leaves_a_committed_state() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    ["a", "b", "c"].iter().for_each(|version| write_version(folder, version));
    std::fs::write(folder.join("names.txt"), "thing 17\n").unwrap();
    let import = |version: &str| ["-q", "kb", "import", version, "--out", "kb", "--force"].map(str::to_owned);
    let start = Instant::now();
    let probe: Vec<&str> = vec!["-q", "kb", "import", "a.jsonl", "--out", "probe"];
    assert!(truename(folder, &probe).status().unwrap().success());
    let whole = start.elapsed();
    for step in 0..12 {
        let arguments = import(if step % 2 == 0 { "a.jsonl" } else { "b.jsonl" });
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let before = state(folder);
        run_and_kill(folder, &arguments, whole, random_share());
        let after = state(folder);
        let wanted = Some((CONCEPTS, if step % 2 == 0 { "a" } else { "b" }.to_owned()));
        assert!(after == before || after == wanted, "{before:?} became {after:?}");
    }
    assert!(truename(folder, &["-q", "kb", "import", "a.jsonl", "--out", "kb", "--force"]).status().unwrap().success());
    let start = Instant::now();
    assert!(truename(folder, &["-q", "kb", "update", "b.jsonl", "--kb", "kb"]).status().unwrap().success());
    let whole = start.elapsed();
    for step in 0..12 {
        let version = ["c", "a", "b"][step % 3];
        let before = state(folder);
        run_and_kill(folder, &["-q", "kb", "update", &format!("{version}.jsonl"), "--kb", "kb"], whole, random_share());
        let after = state(folder);
        let wanted = Some((CONCEPTS, version.to_owned()));
        assert!(after == before || after == wanted, "{before:?} became {after:?}");
    }
}
