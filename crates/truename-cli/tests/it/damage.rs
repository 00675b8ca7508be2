//! A file that was changed, cut off or outgrown: every command gives an answer or an error.
#![cfg(target_os = "linux")]

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};

use crate::folder::{Folder, Ran};

/// With a knowledge base of so many concepts in `kb`.
fn with_concepts(concepts: usize) -> Folder {
    let folder = Folder::new();
    let lines: String = (0..concepts)
        .map(|n| format!("{{\"id\": \"X:{n}\", \"name\": \"thing {n}\", \"synonyms\": [\"entity {n}\"]}}\n"))
        .collect();
    folder.write("a.jsonl", &lines);
    folder.write("b.jsonl", lines.replace("entity", "being"));
    let imported = folder.run(&["-q", "kb", "import", "a.jsonl", "--out", "kb"]);
    assert_eq!(imported.code, 0, "{}", imported.err);
    folder
}

fn flip(folder: &Folder, at: u64) {
    let file = OpenOptions::new().read(true).write(true).open(folder.path("kb/data.mdb")).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ 0x40], at).unwrap();
}

fn check(folder: &Folder) -> Ran {
    folder.run(&["kb", "check", "--kb", "kb"])
}

fn length(folder: &Folder) -> u64 {
    File::open(folder.path("kb/data.mdb")).unwrap().metadata().unwrap().len()
}

#[test]
fn check_finds_damage_and_nothing_writes_over_it() {
    let folder = with_concepts(300);
    let whole = check(&folder);
    assert_eq!((whole.code, whole.err.as_str()), (0, ""));
    assert_eq!(whole.out, "kb: every byte is as the last commit left it\n");
    let (mut found, mut unused) = (0, 0);
    for at in (5..length(&folder)).step_by(40_009) {
        flip(&folder, at);
        let damaged = check(&folder);
        if damaged.code == 0 {
            assert!(damaged.out.contains("others differ"), "byte {at}: {}", damaged.out);
            unused += 1;
        } else {
            assert!(damaged.err.starts_with("error: knowledge base kb is damaged: byte"), "byte {at}: {}", damaged.err);
            assert!(damaged.err.contains("\nhint: restore a copy of the folder, or import"), "{}", damaged.err);
            let before = folder.read("kb/data.mdb");
            let refused = folder.run(&["kb", "update", "b.jsonl", "--kb", "kb"]);
            assert!(refused.code == 1 && refused.err.contains("is damaged"), "{}", refused.err);
            assert!(folder.read("kb/data.mdb") == before, "a damaged file was written to");
            found += 1;
        }
        flip(&folder, at);
    }
    assert!(found > unused && found + unused > 5, "{found} {unused}");
    assert_eq!(check(&folder), whole);

    // The way out that the hint names.
    flip(&folder, 3 * 4096 + 9);
    let replaced = folder.run(&["-q", "kb", "import", "a.jsonl", "--out", "kb", "--force"]);
    assert_eq!((replaced.code, replaced.err.as_str()), (0, ""));
    assert_eq!(check(&folder), whole);
}

#[test]
fn a_store_without_checksums_is_read_record_by_record_and_gets_them() {
    let folder = with_concepts(300);
    std::fs::remove_file(folder.path("kb/data.sum")).unwrap();
    assert!(check(&folder).out.contains("no checksums"), "{:?}", check(&folder));
    assert_eq!(folder.run(&["-q", "kb", "update", "b.jsonl", "--kb", "kb"]).code, 0);
    assert_eq!(check(&folder).out, "kb: every byte is as the last commit left it\n");
    folder.write("kb/data.sum", "tnsums01 and then something else");
    let unreadable = check(&folder);
    assert!(unreadable.code == 1 && unreadable.err.contains("hint: remove kb/data.sum"), "{}", unreadable.err);
    assert_eq!(folder.run(&["kb", "show", "X:1", "--kb", "kb"]).code, 0);
}

#[test]
fn damaged_pages_end_no_command_by_a_signal() {
    let folder = with_concepts(300);
    let whole = folder.read("kb/data.mdb");
    folder.write("names.txt", "thing 17\nentitty 4\n");
    folder.write("text.txt", "Thing 17 and entity 4.");
    let commands: [&[&str]; 7] = [
        &["kb", "info", "--kb", "kb"],
        &["kb", "search", "thing", "--kb", "kb"],
        &["kb", "show", "X:17", "--kb", "kb"],
        &["kb", "export", "--kb", "kb"],
        &["kb", "check", "--deep", "--kb", "kb"],
        &["match", "names.txt", "--kb", "kb"],
        &["link", "text.txt", "--kb", "kb"],
    ];
    // The heads of pages: flags, bounds, places of nodes. With all of them damaged every walk meets some.
    let mut ended_by_guard = 0;
    for (place, value) in [(11, 0xff), (13, 0x7f), (12, 0x01), (17, 0xf0), (16, 0x02), (21, 0xff)] {
        let mut bytes = whole.clone();
        bytes.chunks_mut(4096).skip(2).step_by(2).for_each(|page| page[place] = value);
        folder.write("kb/data.mdb", &bytes);
        for command in commands {
            let ran = folder.run(command);
            assert!([0, 1].contains(&ran.code), "{command:?} with byte {place}: {} {}", ran.code, ran.err);
            assert!(ran.code == 0 || ran.err.contains("error: "), "{command:?} with byte {place}: {}", ran.err);
            ended_by_guard += usize::from(ran.err.contains("or its file was changed while it was read"));
        }
    }
    assert!(ended_by_guard > 0);
}

#[test]
fn a_file_cut_while_it_is_read_ends_with_an_error() {
    let folder = with_concepts(3000);
    let mut child = folder
        .command(&["-q", "match", "-", "--kb", "kb"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"name\nthing 1\n").unwrap();
    // The process has the file open once it has its map.
    let maps = format!("/proc/{}/maps", child.id());
    while !std::fs::read_to_string(&maps).unwrap().contains("data.mdb") {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    OpenOptions::new().write(true).open(folder.path("kb/data.mdb")).unwrap().set_len(8192).unwrap();
    let names: String = (0..3000).map(|n| format!("thing {n}\n")).collect();
    let _ = stdin.write_all(names.as_bytes());
    drop(stdin);
    let ended = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(ended.err.contains("knowledge base kb is damaged"), "{}", ended.err);
}

/// Runs the binary with so many kilobytes of address space.
fn run_limited(folder: &Folder, kilobytes: u64, arguments: &[&str]) -> Ran {
    let script = format!("ulimit -v {kilobytes} && exec \"$0\" \"$@\"");
    let mut command = Command::new("bash");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_truename"), "--threads", "2"]).args(arguments);
    Ran::of(command.current_dir(folder.path("")).stdin(Stdio::null()).output().unwrap())
}

#[test]
fn a_limited_address_space_is_enough() {
    let folder = with_concepts(300);
    let eight_gigabytes = 8_000_000;
    for arguments in [
        &["kb", "show", "X:1", "--kb", "kb"][..],
        &["-q", "kb", "update", "b.jsonl", "--kb", "kb"],
        &["-q", "kb", "import", "a.jsonl", "--out", "other"],
        &["-q", "kb", "compact", "--kb", "kb"],
        &["kb", "check", "--deep", "--kb", "kb"],
    ] {
        let ran = run_limited(&folder, eight_gigabytes, arguments);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{arguments:?}");
    }
    // Room for the file and no more: reading goes on, writing says what it lacks.
    let shown = run_limited(&folder, 700_000, &["kb", "show", "X:1", "--kb", "kb"]);
    assert_eq!((shown.code, shown.err.as_str()), (0, ""));
    let refused = run_limited(&folder, 700_000, &["-q", "kb", "update", "a.jsonl", "--kb", "kb"]);
    assert!(
        refused.code == 1 && refused.err.contains("hint: raise the limit of the address space"),
        "{} {}",
        refused.code,
        refused.err
    );
    assert_eq!(check(&folder).code, 0);
}

#[test]
fn compact_frees_what_updates_left() {
    let folder = with_concepts(3000);
    let export = |folder: &Folder| folder.run(&["kb", "export", "--kb", "kb"]).out;
    for file in ["b.jsonl", "a.jsonl"] {
        assert_eq!(folder.run(&["-q", "kb", "update", file, "--kb", "kb"]).code, 0);
    }
    let (before, concepts) = (length(&folder), export(&folder));
    let info = folder.run(&["kb", "info", "--kb", "kb"]);
    assert!(info.err.contains("hint: `truename kb compact` would free"), "{} {}", info.out, info.err);
    assert!(info.out.contains("\nbytes on disk      "), "{}", info.out);

    // Refused while another process has it open, which keeps its file.
    let mut reader = folder.command(&["-q", "match", "-", "--kb", "kb"]).stdin(Stdio::piped()).spawn().unwrap();
    let maps = format!("/proc/{}/maps", reader.id());
    while !std::fs::read_to_string(&maps).unwrap().contains("data.mdb") {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let refused = folder.run(&["kb", "compact", "--kb", "kb"]);
    let expected = format!("error: process {} has knowledge base kb open\n", reader.id());
    assert!(refused.code == 1 && refused.err.starts_with(&expected), "{}", refused.err);
    assert_eq!(length(&folder), before);
    drop(reader.stdin.take());
    reader.wait().unwrap();

    let compacted = folder.run(&["kb", "compact", "--kb", "kb"]);
    assert_eq!(compacted.code, 0, "{}", compacted.err);
    assert!(length(&folder) < before * 2 / 3, "{before} {}", length(&folder));
    assert_eq!(export(&folder), concepts);
    assert_eq!(folder.run(&["kb", "check", "--deep", "--kb", "kb"]).code, 0);
    let info: serde_json::Value =
        serde_json::from_str(&folder.run(&["kb", "info", "--json", "--kb", "kb"]).out).unwrap();
    assert_eq!((info["bytes"].as_u64(), info["unused_bytes"].as_u64()), (Some(length(&folder)), Some(0)));
    let mut files: Vec<String> = std::fs::read_dir(folder.path("kb"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["data.mdb", "data.sum", "lock.mdb"]);
    assert_eq!(folder.run(&["-q", "kb", "update", "b.jsonl", "--kb", "kb"]).code, 0);
    assert_eq!(check(&folder).out, "kb: every byte is as the last commit left it\n");
}

#[test]
fn a_store_that_cannot_be_written_to_says_so() {
    let folder = with_concepts(10);
    std::fs::create_dir(folder.path("empty")).unwrap();
    for file in ["kb/data.mdb", "kb/lock.mdb"] {
        let mut permissions = std::fs::metadata(folder.path(file)).unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(folder.path(file), permissions).unwrap();
    }
    if OpenOptions::new().write(true).open(folder.path("kb/data.mdb")).is_ok() {
        return; // The superuser may write to anything.
    }
    let refused = folder.run(&["-q", "kb", "update", "b.jsonl", "--kb", "kb"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.starts_with("error: cannot write to knowledge base kb: "), "{}", refused.err);
}

#[test]
fn a_full_disk_is_said_to_be_full() {
    let folder = with_concepts(3000);
    std::fs::create_dir(folder.path("disk")).unwrap();
    // A disk of two megabytes, with room for ten concepts. Not every machine lets a test have one.
    let script = "mount -t tmpfs -o size=2m tmpfs disk 2>/dev/null || exit 77
        \"$0\" -q kb import few.jsonl --out disk/kb || exit 78
        \"$0\" -q kb update a.jsonl --kb disk/kb; echo $?
        \"$0\" kb check --kb disk/kb
        cat /dev/zero > disk/rest 2>/dev/null
        \"$0\" -q kb import few.jsonl --out disk/other; echo $?
        ls disk";
    let few: Vec<u8> =
        folder.read("a.jsonl").split_inclusive(|byte| *byte == b'\n').take(10).flatten().copied().collect();
    folder.write("few.jsonl", few);
    let mut command = Command::new("unshare");
    command.args(["-rm", "bash", "-c", script, env!("CARGO_BIN_EXE_truename")]).current_dir(folder.path(""));
    let Ok(output) = command.stdin(Stdio::null()).output() else { return };
    let ran = Ran::of(output);
    if ran.code != 0 {
        assert_ne!(ran.code, 78, "{}", ran.err);
        return;
    }
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines[0] == "1" && lines[1].starts_with("disk/kb: every byte in use is") && lines[2] == "1", "{}", ran.out);
    assert_eq!(lines[3..], ["kb", "rest"]);
    assert_eq!(ran.err.matches("No space left on device").count(), 2, "{}", ran.err);
    assert!(ran.err.contains("hint: free some disk space; the store is as it was before"), "{}", ran.err);
}
