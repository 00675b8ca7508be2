//! Several files, folders, patterns, links and pipes as one input.

use crate::folder::{Folder, ran};

const ADDED: &str = "id,matched_name,preferred_name,probability";

/// A knowledge base, and one table in parts: in a folder, the last packed and without a line end.
fn parts() -> Folder {
    let folder = Folder::with_kb();
    std::fs::create_dir_all(folder.path("parts/more")).unwrap();
    folder.write("parts/a.csv", "x,name\n1,aspirin\n2,heart failure");
    folder.write("parts/b.csv", "X, Name\r\n3,heart attack\r\n\r\n4,zzz,7\r\n");
    folder.write("parts/more/c.csv.zst", zstd::encode_all(&b"x,name\n5,aspirin"[..], 1).unwrap());
    folder.write("parts/.hidden", "not a table");
    folder
}

#[test]
fn parts_of_a_table_are_one_table() {
    let folder = parts();
    let matched = |arguments: &[&str]| folder.run(&[&["match", "--kb", "kb"], arguments].concat());
    let all = ["parts/a.csv", "parts/b.csv", "parts/more/c.csv.zst"];
    let several = matched(&all);
    assert_eq!(several.code, 0, "{}", several.err);
    let lines: Vec<&str> = several.out.split('\n').collect();
    assert_eq!(lines[0], format!("x,name,extra_1,{ADDED}"));
    assert!(lines[1].starts_with("1,aspirin,,X:3,") && lines[2].starts_with("2,heart failure,,X:2,"), "{lines:?}");
    assert!(lines[3].starts_with("3,heart attack,,X:1,") && lines[3].ends_with('\r'), "{lines:?}");
    assert_eq!(lines[4], "\r");
    assert!(lines[5].starts_with("4,zzz,7,") && lines[6].starts_with("5,aspirin,,X:3,"), "{lines:?}");
    assert_eq!(lines.len(), 7, "the last row has no line end");
    let message = "warning: parts/b.csv:4: row has 3 cells, the header has 2; the last stands under \"extra_1\"";
    assert!(several.err.contains(message), "{}", several.err);
    for paths in [&["parts"][..], &["parts/*.csv", "parts/more"]] {
        assert_eq!(matched(paths).out, several.out, "{paths:?}");
    }
    let strict = matched(&["parts", "--strict", "-q", "--out", "out.csv"]);
    assert_eq!((strict.code, folder.path("out.csv").exists()), (1, false));
    assert!(strict.err.starts_with("error: parts/b.csv:4: "), "{}", strict.err);
    // A pipe is read when it is its turn.
    let piped = ["-q", "match", "--kb", "kb", "parts/a.csv", "-", "--format", "jsonl"];
    let piped = folder.run_with_input(&piped, b"x,name\n9,aspirin\n");
    assert_eq!((piped.code, piped.out.lines().count()), (0, 3), "{}", piped.err);
    let other = ["-q", "match", "--kb", "kb", "parts/a.csv", "-", "--out", "out.csv"];
    let other = folder.run_with_input(&other, b"name\naspirin\n");
    assert!(other.code == 1 && other.err.starts_with("error: -: the columns are \"name\", "), "{}", other.err);
    assert!(!folder.path("out.csv").exists());
}

#[cfg(unix)]
#[test]
fn links_and_named_pipes_are_files() {
    let folder = parts();
    let matched =
        |paths: &[&str]| folder.run(&[&["-q", "match", "--kb", "kb", "--input-format", "csv"], paths].concat());
    let expected = matched(&["parts/a.csv"]);
    std::os::unix::fs::symlink(folder.path("parts/a.csv"), folder.path("link")).unwrap();
    std::fs::create_dir(folder.path("links")).unwrap();
    std::os::unix::fs::symlink(folder.path("parts/a.csv"), folder.path("links/a.csv")).unwrap();
    std::os::unix::fs::symlink(folder.path("links"), folder.path("up")).unwrap();
    for path in ["link", "links", "up", "up/*"] {
        assert_eq!(matched(&[path]), expected, "{path}");
    }
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.path("pipe"), rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR)
        .unwrap();
    let (pipe, table) = (folder.path("pipe"), folder.read("parts/a.csv"));
    let writer = std::thread::spawn(move || std::fs::write(pipe, table).unwrap());
    assert_eq!(matched(&["pipe"]), expected);
    writer.join().unwrap();
}

#[test]
fn lists_and_objects_are_read_one_after_another() {
    let folder = Folder::with_kb();
    folder.write("a.txt", "aspirin");
    folder.write("b.txt", "heart attack\n");
    let list = folder.run(&["-q", "match", "--kb", "kb", "a.txt", "b.txt"]).out;
    assert!(list.starts_with("name\tid\t") && list.contains("\naspirin\tX:3\t"), "{list}");
    assert!(list.contains("\nheart attack\tX:1\t") && list.ends_with('\n'), "{list}");
    folder.write("a.jsonl", "{\"name\":\"aspirin\"}");
    folder.write("b.jsonl", "[{\"name\":\"heart attack\",\"id\":4}]");
    let objects = folder.run(&["-q", "match", "--kb", "kb", "*.jsonl"]).out;
    // Fields of all files are known before the first is linked.
    assert!(objects.starts_with("{\"name\":\"aspirin\",\"truename_id\":\"X:3\","), "{objects}");
    assert!(objects.contains("\n{\"name\":\"heart attack\",\"id\":4,\"truename_id\":\"X:1\","), "{objects}");
    let clusters = folder.run(&["-q", "cluster", "a.txt", "b.txt", "--threshold", "0.5"]).out;
    assert_eq!(clusters, "name,cluster,canonical,count\naspirin,1,aspirin,1\nheart attack,2,heart attack,1\n");
}

#[test]
fn files_that_differ_are_refused_before_the_first_name_is_linked() {
    let folder = parts();
    folder.write("first.csv", "name,x\naspirin,1\n");
    folder.write("columns.csv", "name,y\naspirin,1\n");
    folder.write("dialect.csv", "name;x\naspirin;1\n");
    folder.write("list.txt", "aspirin\n");
    folder.write("objects.jsonl", "{\"name\":\"aspirin\"}\n");
    folder.write("empty.csv", "");
    let wide: Vec<u8> = "\u{FEFF}name,x\naspirin,1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.write("wide.csv", wide);
    let cases = [
        ("columns.csv", "columns.csv: the columns are \"name\", \"y\", those of first.csv \"name\", \"x\"\nhint: "),
        ("dialect.csv", "dialect.csv: cells are separated by ';', those of first.csv by ','\nhint: "),
        ("wide.csv", "wide.csv: the text is in UTF-16LE, that of first.csv in UTF-8\nhint: convert both to UTF-8\n"),
        ("list.txt", "list.txt: the columns are \"aspirin\", those of first.csv \"name\", \"x\"\nhint: "),
        ("objects.jsonl", "objects.jsonl: this is JSONL, and the first file is CSV\nhint: "),
        ("empty.csv", "empty.csv: the file is empty: no header\n"),
        ("none.csv", "cannot open none.csv: "),
    ];
    for (file, message) in cases {
        for command in [&["match", "--kb", "kb"][..], &["cluster"]] {
            let run = folder.run(&[&["-q"], command, &["first.csv", file, "--out", "out.csv"]].concat());
            assert!(run.code == 1 && run.err.starts_with(&format!("error: {message}")), "{command:?}: {}", run.err);
            assert!(!folder.path("out.csv").exists());
        }
    }
    let twice = folder.run(&["-q", "match", "--kb", "kb", "-", "-"]);
    assert_eq!(twice, ran(2, "", "error: stdin can be given once\n"));
    std::fs::create_dir(folder.path("nothing")).unwrap();
    let nothing = folder.run(&["-q", "match", "--kb", "kb", "nothing"]);
    assert_eq!(nothing, ran(2, "", "error: nothing has no files\n"));
}

#[test]
fn folders_of_records_are_one_table() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("left")).unwrap();
    folder.write("left/1.csv", "id,name\na,alpha beta gamma\n");
    folder.write("left/2.csv", "id,name\nb,alpha beta gamma\n");
    folder.write("right.csv", "id,name\nc,alpha beta gamma\n");
    let one = folder.run(&["-q", "dedupe", "left", "--id-column", "id"]);
    assert!(one.out.starts_with("left,right,probability,cluster\na,b,"), "{one:?}");
    let two = folder.run(&["-q", "dedupe", "left/*.csv", "right.csv", "--id-column", "id"]);
    assert!(two.out.contains("\na,c,") && two.out.contains("\nb,c,"), "{two:?}");
}
