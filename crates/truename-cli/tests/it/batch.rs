//! Tables that are matched in parts by several processes.

use crate::folder::{Folder, Ran};

const NAMES: [&str; 3] =
    ["x,name\n1,aspirin\n2,hart failure\n", "x,name\n3,heart attack\n4,zzz\n", "x,name\n5,asprin\n"];

fn with_tables() -> Folder {
    let folder = Folder::with_kb();
    std::fs::create_dir(folder.path("in")).unwrap();
    for (name, text) in ["a", "b", "c"].iter().zip(NAMES) {
        folder.write(&format!("in/{name}.csv"), text);
    }
    folder
}

fn batch(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.run(&[&["batch", "match", "--kb", "kb"], arguments].concat())
}

/// Returns the rows of all parts below their headers, which are the same.
fn rows(folder: &Folder, out: &str) -> (String, String) {
    let entries = std::fs::read_dir(folder.path(out)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut parts: Vec<String> = names.filter(|name| name.starts_with("part-")).collect();
    parts.sort();
    let mut all = String::new();
    let mut header = None;
    for part in parts {
        let text = String::from_utf8(folder.read(&format!("{out}/{part}"))).unwrap();
        let (first, rest) = text.split_once('\n').unwrap();
        assert_eq!(header.get_or_insert(first.to_owned()), first, "{part}");
        all += rest;
    }
    (header.unwrap(), all)
}

#[test]
fn parts_together_are_what_one_match_writes() {
    let folder = with_tables();
    for options in [&[][..], &["--top", "2", "--suggest", "--explain", "--type=drug", "--csv-safe"]] {
        let one = folder.run(&[&["-q", "match", "--kb", "kb", "in"], options].concat()).out;
        let (header, expected) = one.split_once('\n').unwrap();
        let out = format!("out{}", options.len());
        let ran = batch(&folder, &[&["in", "--out", &out, "--workers", "2"], options].concat());
        assert_eq!((ran.code, rows(&folder, &out)), (0, (header.to_owned(), expected.to_owned())), "{}", ran.err);
        assert!(ran.err.starts_with(&format!("{out}: 0 parts there before, 3 made\n5 names: ")), "{}", ran.err);
    }
    let objects = ["in", "--format", "jsonl", "--out", "objects"];
    assert_eq!(batch(&folder, &objects).code, 0);
    let one = folder.run(&["-q", "match", "--kb", "kb", "in", "--format", "jsonl"]).out;
    let parts = ["0", "1", "2"].map(|part| folder.read(&format!("objects/part-0000{part}.jsonl")));
    assert_eq!(String::from_utf8(parts.concat()).unwrap(), one);
    // What has a format by the first file alone has it as a part too.
    folder.write("list", "name\naspirin\n");
    assert_eq!(batch(&folder, &["in/a.csv", "list", "--column", "name", "--out", "told"]).code, 1);
    folder.write("list", "x,name\n6,aspirin\n");
    assert_eq!(batch(&folder, &["-q", "in/a.csv", "list", "--out", "told"]).code, 0);
    assert!(rows(&folder, "told").1.contains("\n6,aspirin,X:3,"), "{:?}", rows(&folder, "told"));
}

#[test]
fn a_second_call_makes_what_is_missing_and_nothing_else() {
    let folder = with_tables();
    let run = |options: &[&str]| batch(&folder, &[&["in", "--out", "out"], options].concat());
    assert_eq!(run(&[]).code, 0);
    let whole = rows(&folder, "out");
    folder.write("out/part-00002.csv", "as it was\n");
    std::fs::remove_file(folder.path("out/part-00001.csv")).unwrap();
    folder.write("out/.part-00001.csv.1-0.partial", "half");
    let again = run(&[]);
    assert!(again.code == 0 && again.err.starts_with("out: 2 parts there before, 1 made\n2 names: "), "{}", again.err);
    assert!(!folder.path("out/.part-00001.csv.1-0.partial").exists());
    assert_eq!(folder.read("out/part-00002.csv"), b"as it was\n");

    let refused = |options: &[&str], what: &str| {
        let ran = run(options);
        assert!(ran.code == 1 && ran.err.contains(what), "{options:?}: {}", ran.err);
        assert!(ran.err.ends_with("hint: name another folder, or replace its parts with --restart\n"), "{}", ran.err);
    };
    refused(&["--top", "2"], "--top was not given and is \"2\"");
    refused(&["--explain"], "--explain was not given and is given");
    refused(&["--rows", "7"], "--rows was 100000 and is 7");
    refused(&["in/a.csv"], "the number of files was 3 and is 4");
    folder.write("in/b.csv", "x,name\n3,heart attack\n");
    refused(&[], "a file was in/b.csv of 28 bytes, changed at ");
    folder.write("more.tsv", "id\tname\nX:4\tstroke\n");
    assert_eq!(folder.run(&["-q", "kb", "update", "more.tsv", "--kb", "kb"]).code, 0);
    refused(&[], "the fingerprint of the knowledge base was ");
    folder.write("out/batch.json", "{}");
    refused(&[], "its plan cannot be read");
    let restarted = run(&["--restart"]);
    assert!(
        restarted.code == 0 && restarted.err.starts_with("out: 0 parts there before, 3 made\n"),
        "{}",
        restarted.err
    );
    let (header, rows) = rows(&folder, "out");
    assert_eq!(header, whole.0);
    assert!(!rows.contains("zzz") && rows.contains("5,asprin,X:3,"), "{rows}");

    let other = batch(&folder, &["in", "--out", "in"]);
    assert!(other.code == 1 && other.err.contains("in holds "), "{}", other.err);
    assert!(other.err.ends_with("hint: name a new folder, or an empty one\n"), "{}", other.err);
    assert!(!folder.path("in/.lock").exists());
    let stdin = batch(&folder, &["-", "--out", "other"]);
    assert!(stdin.code == 2 && stdin.err.contains("- is no file, and cannot be cut into parts"), "{}", stdin.err);
    let column = batch(&folder, &["in", "--column", "dx", "--out", "other"]);
    assert!(column.code == 1 && column.err.contains("error: part-0000"), "{}", column.err);
    assert!(column.err.contains("no column \"dx\""), "{}", column.err);
}

#[cfg(target_os = "linux")]
mod processes {
    use std::path::Path;
    use std::process::{Child, Stdio};
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, kill_process};

    use super::*;
    use crate::interrupt::large;

    /// Returns the processes that match a file of a batch.
    fn workers(file: &str) -> Vec<Pid> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let arguments = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let arguments: Vec<&[u8]> = arguments.split(|byte| *byte == 0).collect();
            let number = entry.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
            if arguments.contains(&&b"--worker"[..]) && arguments.contains(&file.as_bytes()) {
                found.extend(number);
            }
        }
        found
    }

    /// Waits for the processes that match a file.
    fn worker(file: &str, other_than: &[Pid]) -> Pid {
        let start = Instant::now();
        loop {
            if let Some(found) = workers(file).into_iter().find(|found| !other_than.contains(found)) {
                return found;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "no process for {file}");
            sleep(Duration::from_millis(2));
        }
    }

    fn wait_for_none(file: &str) {
        let start = Instant::now();
        while !workers(file).is_empty() {
            assert!(start.elapsed() < Duration::from_secs(10), "a process for {file} goes on");
            sleep(Duration::from_millis(10));
        }
    }

    /// Starts a batch of a list that takes a while, called `slow`, between two that do not.
    fn begin(folder: &Folder, slow: &str) -> Child {
        if !folder.path("1.txt").exists() {
            folder.write("1.txt", "alpha1 disease\n");
            folder.write("3.txt", "beta2 disease\n");
            folder.write(slow, (0..8000).map(|n| format!("alpah{n} desease\n")).collect::<String>());
        }
        let mut command = folder.command(&["batch", "match", "--kb", "kb", "1.txt", slow, "3.txt", "--out", "out"]);
        command.args(["--workers", "2"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn end(child: Child) -> Ran {
        Ran::of(child.wait_with_output().unwrap())
    }

    fn parts(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder.join("out")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut parts: Vec<String> = names.filter(|name| name.contains("part-")).collect();
        parts.sort();
        parts
    }

    #[test]
    fn a_killed_process_is_replaced_once() {
        let folder = large();
        let slow = "slow-killed.txt";
        let child = begin(&folder, slow);
        let first = worker(slow, &[]);
        kill_process(first, Signal::KILL).unwrap();
        kill_process(worker(slow, &[first]), Signal::KILL).unwrap();
        let ended = end(child);
        let message = format!("error: part-00001.tsv of {slow}: the process ended twice by signal: 9 (SIGKILL)");
        assert!(ended.code == 1 && ended.err.contains(&message), "{}", ended.err);
        assert!(
            ended.err.ends_with("error: 1 of 3 parts could not be made\nhint: the same command tries them again\n"),
            "{}",
            ended.err
        );
        assert_eq!(parts(&folder.path("")), ["part-00000.tsv", "part-00002.tsv"]);
        let child = begin(&folder, slow);
        kill_process(worker(slow, &[]), Signal::KILL).unwrap();
        let ended = end(child);
        assert!(ended.code == 0 && ended.err.contains("out: 2 parts there before, 1 made\n"), "{}", ended.err);
        let one = folder.run(&["-q", "match", "--kb", "kb", slow]).out;
        assert!(String::from_utf8(folder.read("out/part-00001.tsv")).unwrap() == one);
    }

    #[test]
    fn a_stopped_or_killed_batch_ends_its_processes_and_goes_on() {
        let folder = large();
        let slow = "slow-stopped.txt";
        for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
            let child = begin(&folder, slow);
            worker(slow, &[]);
            sleep(Duration::from_millis(100));
            let (sent, pid) = (Instant::now(), Pid::from_child(&child));
            kill_process(pid, signal).unwrap();
            let output = child.wait_with_output().unwrap();
            assert!(sent.elapsed() < Duration::from_millis(2500), "{signal:?} took {:?}", sent.elapsed());
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            wait_for_none(slow);
            if signal != Signal::KILL {
                let expected = "error: interrupted; the parts that are done stay, and the same command goes on\n";
                assert_eq!((output.status.code(), err.as_str()), (Some(1), expected));
                let parts = parts(&folder.path(""));
                assert!(parts.iter().all(|part| part.starts_with("part-")), "{parts:?}");
            }
            assert!(!folder.path("out/part-00001.tsv").exists());
        }
        let ended = end(begin(&folder, slow));
        assert_eq!((ended.code, parts(&folder.path("")).len()), (0, 3), "{}", ended.err);
        // One process works on a folder at a time.
        std::fs::remove_file(folder.path("out/part-00001.tsv")).unwrap();
        let child = begin(&folder, slow);
        worker(slow, &[]);
        let refused = end(begin(&folder, slow));
        assert!(
            refused.code == 1 && refused.err.contains("error: another process works on out\nhint: "),
            "{}",
            refused.err
        );
        assert_eq!(end(child).code, 0);
    }
}

#[cfg(feature = "parquet")]
#[test]
fn a_parquet_table_is_cut_into_ranges_of_rows() {
    use std::sync::Arc;

    use arrow_array::{Int64Array, RecordBatch, StringArray};
    use parquet::file::properties::WriterProperties;
    use truename_read::{Source, SourceOptions};

    let folder = Folder::with_kb();
    let names = ["aspirin", "hart failure", "heart attack", "zzz", "asprin"];
    let rows = 53;
    let name = (0..rows).map(|row| (row % 7 != 0).then(|| names[row % 5]));
    let batch_of_rows = RecordBatch::try_from_iter([
        ("row", Arc::new((0..rows as i64).collect::<Int64Array>()) as arrow_array::ArrayRef),
        ("name", Arc::new(name.collect::<StringArray>())),
    ])
    .unwrap();
    let file = std::fs::File::create(folder.path("in.parquet")).unwrap();
    let groups = WriterProperties::builder().set_max_row_group_row_count(Some(20)).build();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch_of_rows.schema(), Some(groups)).unwrap();
    writer.write(&batch_of_rows).unwrap();
    writer.close().unwrap();
    assert_eq!(truename_read::row_groups(&folder.path("in.parquet")).unwrap(), [20, 20, 13]);

    let text = |name: &str| {
        let source = Source::open_table(&folder.path(name), &SourceOptions::default()).unwrap();
        source.into_string().unwrap()
    };
    assert_eq!(folder.run(&["-q", "match", "in.parquet", "--kb", "kb", "--out", "one.parquet"]).code, 0);
    let one = text("one.parquet");
    for (most, parts) in [("7", 8), ("20", 3), ("33", 2), ("40", 2), ("100", 1)] {
        let out = format!("out{most}");
        let ran = batch(&folder, &["in.parquet", "--rows", most, "--out", &out, "--workers", "3"]);
        assert!(ran.code == 0 && ran.err.contains("53 names: "), "{}", ran.err);
        let (mut all, mut names) = (String::new(), 0);
        while folder.path(&format!("{out}/part-{names:05}.parquet")).exists() {
            let part = text(&format!("{out}/part-{names:05}.parquet"));
            all += if names == 0 { &part } else { part.split_once('\n').unwrap().1 };
            names += 1;
        }
        assert_eq!((all == one, names), (true, parts), "{most}");
    }
    let jsonl = ["-q", "in.parquet", "--rows", "20", "--format", "jsonl", "--out", "objects"];
    assert_eq!(batch(&folder, &jsonl).code, 0);
    let objects = (0..3).flat_map(|part| folder.read(&format!("objects/part-0000{part}.jsonl")));
    let expected = folder.run(&["-q", "match", "in.parquet", "--kb", "kb", "--format", "jsonl"]).out;
    assert_eq!(String::from_utf8(objects.collect()).unwrap(), expected);
    folder.write("in.csv", "name\naspirin\n");
    let range = |file: &str, range: &str| {
        folder.run(&["-q", "match", file, "--kb", "kb", "--format", "jsonl", "--row-range", range])
    };
    assert!(range("in.parquet", "50..54").err.contains("it has 53 rows, and not rows 50..54"));
    assert!(range("in.csv", "0..1").err.contains("this is no Parquet table, of which rows 0..1 can be read"));
    assert_eq!(range("in.parquet", "50..53").out.lines().count(), 3);
}
