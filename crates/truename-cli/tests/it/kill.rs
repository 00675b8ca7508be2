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
    // Nothing that a killed process leaves counts as damage.
    assert!(truename(folder, &["kb", "check", "--kb", "kb"]).status().unwrap().success());
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

/// The answers with an encoder, or nothing where the vectors are not its own.
fn answers(folder: &Path, encoder: &str) -> Option<String> {
    let arguments = ["-q", "match", "names.txt", "--kb", "kb", "--encoder", encoder, "--format", "jsonl"];
    let out = truename(folder, &arguments).output().unwrap();
    out.status.success().then(|| String::from_utf8(out.stdout).unwrap())
}

#[test]
fn a_killed_change_of_encoder_leaves_the_old_vectors_or_the_new() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    write_version(folder, "a");
    std::fs::write(folder.join("names.txt"), "thng 17\n").unwrap();
    // Cargo runs tests in the folder of their crate, which may be elsewhere than it was built.
    let models = std::path::absolute("../truename-infer/tests/models").unwrap();
    let encoders = ["bert", "mpnet"].map(|family| models.join(family).display().to_string());
    let import = ["-q", "kb", "import", "a.jsonl", "--out", "kb", "--encoder", &encoders[0]];
    assert!(truename(folder, &import).status().unwrap().success());
    let embed = |encoder: usize| ["-q", "kb", "embed", "--kb", "kb", "--encoder", &encoders[encoder]];
    let expected = [0, 1].map(|encoder| {
        let start = Instant::now();
        assert!(truename(folder, &embed(encoder)).status().unwrap().success());
        (answers(folder, &encoders[encoder]).unwrap(), start.elapsed())
    });
    let mut current = 1;
    for _ in 0..8 {
        let wanted = 1 - current;
        run_and_kill(folder, &embed(wanted), expected[1].1, random_share());
        if answers(folder, &encoders[wanted]).is_some() {
            current = wanted;
        }
        assert_eq!(answers(folder, &encoders[current]).as_ref(), Some(&expected[current].0));
    }
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
    assert!(
        truename(folder, &["-q", "kb", "update", "b.jsonl", "--replace", "--kb", "kb"]).status().unwrap().success()
    );
    let whole = start.elapsed();
    for step in 0..12 {
        let version = ["c", "a", "b"][step % 3];
        let before = state(folder);
        run_and_kill(
            folder,
            &["-q", "kb", "update", &format!("{version}.jsonl"), "--replace", "--kb", "kb"],
            whole,
            random_share(),
        );
        let after = state(folder);
        let wanted = Some((CONCEPTS, version.to_owned()));
        assert!(after == before || after == wanted, "{before:?} became {after:?}");
    }
}

#[test]
fn a_killed_unpacking_leaves_the_next_one_its_place() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    write_version(folder, "a");
    assert!(truename(folder, &["-q", "kb", "import", "a.jsonl", "--out", "kb"]).status().unwrap().success());
    let packed = truename(folder, &["kb", "pack", "kb"]).output().unwrap();
    let pack = String::from_utf8(packed.stdout).unwrap();
    let unpack = ["kb", "unpack", pack.trim_end(), "--out", "into"];
    let start = Instant::now();
    let unpacked = truename(folder, &unpack).output().unwrap();
    let whole = start.elapsed();
    let target = folder.join(String::from_utf8(unpacked.stdout).unwrap().trim_end());
    for _ in 0..12 {
        std::fs::remove_dir_all(&target).unwrap();
        run_and_kill(folder, &unpack, whole, random_share());
        // What is there is whole.
        let check = ["-q", "kb", "check", "--kb", target.to_str().unwrap()];
        assert!(!target.exists() || truename(folder, &check).status().unwrap().success());
        assert!(truename(folder, &unpack).status().unwrap().success());
        assert!(truename(folder, &check).status().unwrap().success());
        assert_eq!(std::fs::read_dir(folder.join("into")).unwrap().count(), 2, "the folder and its lock");
    }
}
