//! Ctrl-C and SIGTERM at any moment: the command stops within a second and changes nothing.
#![cfg(unix)]

use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::folder::{Folder, Ran, model};
use rustix::process::{Pid, Signal, kill_process};

const CONCEPTS: usize = 6000;
/// When signals are sent, after the start of the command.
const MOMENTS_MS: [u64; 3] = [20, 250, 1000];
/// A second, and what a machine that does other work takes to look at the clock.
const LIMIT: Duration = Duration::from_millis(1800);

/// A knowledge base `kb` of several ten thousand names, others to change it by, and names to ask for.
pub fn large() -> Folder {
    let folder = Folder::new();
    let concepts = |version: &str| -> String {
        let word =
            |number: usize| format!("{}{}", ["alpha", "beta", "gamma", "delta"][number % 4], number * 7919 % 10_007);
        let concept = |number: usize| {
            let (one, two, three) = (word(number), word(number / 3 + 5000), word(number / 7 + 9000));
            format!(
                "{{\"id\": \"C{number}\", \"name\": \"{one} {two} {version}\", \"synonyms\": [\"{two} of {three} {number}\", \
                 \"{three} {one}\", \"{one} disease\", \"{three}, {two} type {number}\"]}}\n"
            )
        };
        (0..CONCEPTS).map(concept).collect()
    };
    folder.write("old.jsonl", concepts("old"));
    folder.write("new.jsonl", concepts("new"));
    folder.write("names.txt", (0..60_000).map(|n| format!("alpah{n} desease\n")).collect::<String>());
    folder.write("gold.tsv", format!("name\tid\n{}", (0..40_000).map(|n| format!("bta{n}\tC1\n")).collect::<String>()));
    let documents =
        (0..20_000).map(|n| format!("{{\"id\": \"{n}\", \"text\": \"alpha{n} disease and beta{n} disease\"}}\n"));
    folder.write("documents.jsonl", documents.collect::<String>());
    assert_eq!(folder.run(&["-q", "kb", "import", "old.jsonl", "--out", "kb"]).code, 0);
    folder
}

/// Runs a command, sends it a signal after a time, and says how it ended and how long after the signal.
fn interrupted(folder: &Folder, arguments: &[&str], after: Duration, signal: Signal) -> (Ran, Duration) {
    let command = &mut folder.command(arguments);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    sleep(after);
    let sent = Instant::now();
    kill_process(Pid::from_child(&child), signal).unwrap();
    let output = child.wait_with_output().unwrap();
    let took = sent.elapsed();
    let code = output.status.code();
    // Before the handler is set a signal ends the process at once.
    assert!(code.is_some() || after < Duration::from_millis(100), "{arguments:?} ended by a signal");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    (Ran { code: code.unwrap_or(1), out: String::new(), err }, took)
}

fn names(folder: &Folder) -> Vec<String> {
    let names = std::fs::read_dir(folder.path("")).unwrap();
    let mut names: Vec<String> = names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn exported(folder: &Folder) -> String {
    folder.run(&["kb", "export", "--kb", "kb"]).out
}

#[test]
fn every_command_stops_soon_and_changes_nothing() {
    let folder = large();
    let before = (exported(&folder), names(&folder));
    let commands: [&[&str]; 12] = [
        &["kb", "import", "new.jsonl", "--out", "other"],
        &["kb", "import", "new.jsonl", "--out", "kb", "--force"],
        &["kb", "update", "new.jsonl", "--replace", "--kb", "kb"],
        &["kb", "learn", "gold.tsv", "--kb", "kb"],
        &["kb", "export", "--kb", "kb", "--out", "out"],
        &["calibrate", "--kb", "kb"],
        &["match", "names.txt", "--kb", "kb", "--out", "out"],
        &["match", "names.txt", "--kb", "kb"],
        &["link", "documents.jsonl", "--kb", "kb", "--format", "brat", "--out", "out"],
        &["link", "documents.jsonl", "--kb", "kb", "--format", "html", "--out", "out"],
        &["evaluate", "names", "--gold", "gold.tsv", "--kb", "kb", "--json", "out"],
        &["evaluate", "names", "--folds", "2", "--kb", "kb", "--json", "out"],
    ];
    for (number, arguments) in commands.iter().enumerate() {
        let arguments = &[&["-q"], *arguments].concat();
        for (at, after) in MOMENTS_MS.into_iter().enumerate() {
            let signal = if (number + at).is_multiple_of(2) { Signal::INT } else { Signal::TERM };
            let (ended, took) = interrupted(&folder, arguments, Duration::from_millis(after), signal);
            assert!(took < LIMIT, "{arguments:?} went on for {took:?} after {after} ms");
            if ended.code == 0 {
                // It was done before.
                for out in ["out", "other"] {
                    let _ =
                        std::fs::remove_file(folder.path(out)).or_else(|_| std::fs::remove_dir_all(folder.path(out)));
                }
                if exported(&folder) != before.0 {
                    assert_eq!(folder.run(&["-q", "kb", "import", "old.jsonl", "--out", "kb", "--force"]).code, 0);
                }
                break;
            }
            assert_eq!(ended.code, 1, "{arguments:?}: {}", ended.err);
            assert!(after < 100 || ended.err.starts_with("error: interrupted"), "{arguments:?}: {}", ended.err);
            assert!(names(&folder) == before.1, "{arguments:?} left {:?}", names(&folder));
            assert!(exported(&folder) == before.0, "{arguments:?} changed the knowledge base");
        }
    }
}

#[test]
fn what_keeps_its_work_goes_on_from_there() {
    let folder = large();
    let encoder = model("bert");
    let embed = ["-q", "kb", "embed", "--kb", "kb", "--encoder", &encoder];
    let (ended, took) = interrupted(&folder, &embed, Duration::from_millis(700), Signal::TERM);
    assert!(took < LIMIT, "{took:?}");
    assert!(ended.code == 0 || ended.err.contains("goes on from there"), "{}", ended.err);
    assert_eq!(folder.run(&embed).code, 0);

    let small = Folder::with_kb();
    small.write(
        "recipe.toml",
        "[task]\nkind = \"groups\"\n[sampler]\ngroup = 2\ngroups = 2\n[schedule]\nepochs = 10000\n[evaluation]\nevery = 10000\n",
    );
    let train = ["-q", "train", "recipe.toml", "--out", "mine", "--kb", "kb", "--encoder", &encoder];
    let (ended, took) = interrupted(&small, &train, Duration::from_millis(1500), Signal::INT);
    assert!(took < LIMIT, "{took:?}");
    assert!(ended.code == 1 && ended.err.contains("`--resume` goes on from there"), "{}", ended.err);
    assert!(small.path("mine/checkpoint/state.json").exists());

    let map =
        ["-q", "map", "--kb", "kb", "--encoder", &encoder, "--name", "alpha1", "--sample", "3000", "--out", "m.html"];
    let (ended, took) = interrupted(&folder, &map, Duration::from_millis(2500), Signal::INT);
    assert!(took < LIMIT, "{took:?}");
    assert!(ended.code == 0 || !names(&folder).iter().any(|name| name.contains("m.")), "{:?}", names(&folder));
}
