//! `match` and `link` with `--resume`: killed and run again, they write the file of one run.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::folder::{Folder, ran};

/// More rows than one piece, which is recorded when it is answered.
const ROWS: usize = 60_000;

fn with_input() -> Folder {
    let folder = Folder::with_kb();
    let (mut names, mut rows, mut lines) = (String::from("n,name\n"), String::new(), String::new());
    for n in 0..ROWS {
        let name = ["aspirin", "haert atack", "heart failur", "nothing at all"][n % 4];
        writeln!(names, "{n},\"{name} {n}\"").unwrap();
        let row = if n % 7000 == 5 { "no json".into() } else { format!("{{\"n\":{n},\"name\":\"{name} {n}\"}}") };
        writeln!(rows, "{row}").unwrap();
        writeln!(lines, "{name} and {name} {n}").unwrap();
    }
    folder.write("names.csv", names);
    folder.write("rows.jsonl", rows);
    folder.write("lines.txt", lines);
    folder
}

/// Runs a command, kills it once a record of its output is there, and returns how many items the record says are answered.
fn run_and_kill(folder: &Folder, arguments: &[&str], record: &Path) -> u64 {
    let mut child = folder.command(arguments).spawn().unwrap();
    let start = Instant::now();
    while !record.exists() {
        assert!(start.elapsed() < Duration::from_secs(120) && child.try_wait().unwrap().is_none(), "no record in time");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let record: serde_json::Value = serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
    record["items"].as_u64().unwrap()
}

#[test]
fn a_killed_run_goes_on_to_the_file_of_one_run() {
    let folder = with_input();
    let cases: [&[&str]; 6] = [
        &["match", "names.csv", "--out", "out.csv"],
        &["match", "names.csv", "--out", "out.jsonl"],
        &["match", "rows.jsonl", "--out", "out.jsonl"],
        &["match", "rows.jsonl", "--format", "jsonl", "--top", "2", "--out", "out.jsonl"],
        &["link", "lines.txt", "--lines", "--out", "out.jsonl"],
        &["link", "lines.txt", "--lines", "--format", "csv", "--out", "out.csv"],
    ];
    for arguments in cases {
        let out = arguments.last().unwrap();
        // A line of progress comes after ten seconds, where a run takes so long.
        let arguments = [arguments, &["--kb", "kb", "--progress", "none"]].concat();
        let whole = folder.run(&arguments);
        assert_eq!(whole.code, 0, "{}", whole.err);
        let expected = folder.read(out);
        std::fs::remove_file(folder.path(out)).unwrap();
        let resumed = [&arguments[..], &["--resume"]].concat();
        let (partial, record) = (format!("{out}.partial"), folder.path(&format!("{out}.resume")));
        let answered = run_and_kill(&folder, &resumed, &record);
        assert!(answered > 0 && answered < ROWS as u64, "{answered}");
        assert!(!folder.path(out).exists() && folder.path(&partial).exists());
        // What was written behind the record is cut off.
        let mut rest = folder.read(&partial);
        rest.extend_from_slice(b"half a li");
        folder.write(&partial, rest);
        let run = folder.run(&resumed);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(folder.read(out) == expected, "{arguments:?}");
        assert!(!record.exists() && !folder.path(&partial).exists());
        // Counts and problems are those of the whole.
        let said = |err: &str| err.lines().map(|line| line.split(" (").next().unwrap().to_owned()).collect::<Vec<_>>();
        assert_eq!(said(&run.err), said(&whole.err), "{arguments:?}");
    }
}

#[test]
fn another_run_is_refused() {
    let folder = with_input();
    let arguments = ["-q", "match", "names.csv", "--kb", "kb", "--out", "out.csv", "--resume"];
    let record = folder.path("out.csv.resume");
    run_and_kill(&folder, &arguments, &record);
    let refused = |arguments: &[&str], reason: &str| {
        let run = folder.run(arguments);
        assert!(run.code == 1 && run.err.contains("out.csv.partial cannot be gone on with: "), "{}", run.err);
        assert!(run.err.contains(reason) && run.err.contains("hint: give the same input"), "{}", run.err);
        assert!(record.exists());
    };
    refused(&[&arguments[..], &["--top", "2"]].concat(), "--top was not given and is \"2\"");
    refused(&["-q", "match", "rows.jsonl", "--kb", "kb", "--out", "out.csv", "--resume"], "a file was ");
    let names = folder.read("names.csv");
    let end = names[..names.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap();
    folder.write("names.csv", &names[..=end]);
    refused(&arguments, "a file was ");
    folder.write("more.tsv", "id\tname\nX:9\tpain\n");
    assert_eq!(folder.run(&["-q", "kb", "update", "more.tsv", "--kb", "kb"]).code, 0);
    refused(&arguments, "the fingerprint of the knowledge base was ");
    // The way out.
    std::fs::remove_file(&record).unwrap();
    assert_eq!(folder.run(&arguments), ran(0, "", ""));
}

#[test]
fn what_cannot_be_gone_on_with_is_refused() {
    let folder = Folder::with_kb();
    folder.write("names.txt", "aspirin\n");
    let cases: [(&[&str], &str); 6] = [
        (&["match", "names.txt", "--resume"], "--out"),
        (&["match", "-", "--resume", "--out", "out.tsv"], "--resume reads its input again, and - can be read once"),
        (&["match", "names.txt", "--resume", "--out", "out.tsv.gz"], "within a gzipped file"),
        (&["match", "names.txt", "--resume", "--out", "out.parquet"], "Parquet"),
        (
            &["link", "names.txt", "--resume", "--format", "html", "--out", "out.html"],
            "--format jsonl, csv, pubtator or conll",
        ),
        (&["link", "-", "--resume", "--out", "out.jsonl"], "can be read once"),
    ];
    for (arguments, reason) in cases {
        let run = folder.run(&[&["-q"], arguments, &["--kb", "kb"]].concat());
        assert!(run.code == 2 && run.err.contains(reason), "{arguments:?}: {}", run.err);
    }
    assert!(
        std::fs::read_dir(folder.path(""))
            .unwrap()
            .all(|entry| { !entry.unwrap().file_name().to_string_lossy().starts_with("out") })
    );
}
