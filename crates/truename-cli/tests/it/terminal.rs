//! The screen of a person at a terminal.
#![cfg(unix)]

use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::sync::LazyLock;

use crate::folder::Folder;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

const ROWS: u16 = 200;
const COLUMNS: u16 = 400;

/// The bundled knowledge base, unpacked once.
static CACHE: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let cache = tempfile::tempdir().unwrap();
    let folder = Folder::new();
    assert!(folder.command(&["kb", "info"]).env("TRUENAME_CACHE", cache.path()).output().unwrap().status.success());
    cache
});

fn command(folder: &Folder, arguments: &[&str]) -> std::process::Command {
    let mut command = folder.command(arguments);
    command.env("TRUENAME_CACHE", CACHE.path()).env("CLICOLOR_FORCE", "1").env("TERM", "xterm-256color");
    command
}

/// Runs a command with stdout and stderr on one terminal, and returns all that it wrote there.
fn in_terminal(folder: &Folder, arguments: &[&str]) -> Vec<u8> {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let size = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&controller, size).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap().into_string().unwrap();
    let terminal = std::fs::File::options().read(true).write(true).open(name).unwrap();
    let mut command = command(folder, arguments);
    command.stdin(Stdio::null()).stdout(terminal.try_clone().unwrap()).stderr(terminal);
    let mut child = command.spawn().unwrap();
    // The terminal is closed when the last who writes to it is gone.
    drop(command);
    let (mut controller, mut written) = (std::fs::File::from(controller), Vec::new());
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = controller.read(&mut buffer) {
        written.extend_from_slice(&buffer[..read]);
    }
    assert!(child.wait().unwrap().success(), "{arguments:?}: {}", shown(&written));
    written
}

/// Returns the screen in the end.
fn shown(written: &[u8]) -> String {
    let mut parser = vt100::Parser::new(ROWS, COLUMNS, 0);
    parser.process(written);
    parser.screen().contents()
}

/// Returns stdout and stderr of a run without a terminal, as they would look on one.
fn piped(folder: &Folder, arguments: &[&str]) -> [String; 2] {
    let output = command(folder, arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    [output.stdout, output.stderr]
        .map(|bytes| shown(String::from_utf8(bytes).unwrap().replace('\n', "\r\n").as_bytes()))
}

/// Lines whose seconds and rates are made equal, without their order: stdout and stderr meet on a terminal.
fn lines(text: &str) -> Vec<String> {
    let mask = |line: &str| match line.contains(" s, ") || line.ends_with(" s") || line.contains(" s)") {
        true => line.split(|character: char| character.is_ascii_digit() || ",.".contains(character)).collect(),
        false => line.to_owned(),
    };
    let mut lines: Vec<String> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(mask).collect();
    lines.sort();
    lines
}

fn example(name: &str) -> String {
    std::path::absolute(Path::new("../../examples").join(name)).unwrap().display().to_string()
}

#[test]
fn the_screen_shows_what_was_written() {
    let folder = Folder::with_kb();
    let (names, text) = (example("names.csv"), example("abstract.txt"));
    let commands: [&[&str]; 8] = [
        &["match", &names],
        &["match", &names, "--format", "jsonl"],
        &["link", &text, "--format", "terminal"],
        &["link", &text],
        &["link", &text, "--format", "html", "--out", "page.html"],
        &["kb", "info"],
        &["kb", "show", "D009203"],
        &["kb", "export", "--kb", "kb"],
    ];
    for arguments in commands {
        let screen = shown(&in_terminal(&folder, arguments));
        let [out, err] = piped(&folder, arguments);
        assert_eq!(lines(&screen), lines(&format!("{out}\n{err}")), "{arguments:?}");
        if !out.is_empty() {
            assert_eq!(screen.lines().next(), out.lines().next(), "{arguments:?}");
        }
    }
    let found = shown(&in_terminal(&folder, &["kb", "search", "heart", "attack"]));
    assert!(found.starts_with("D009203          "), "{found}");
}

#[test]
fn bars_name_what_is_done_and_leave_nothing() {
    let folder = Folder::new();
    // As many as take longer than a bar's first tick.
    let concepts =
        (0..60_000).map(|n| format!("{{\"id\": \"C{n}\", \"name\": \"name{n} of it\", \"synonyms\": [\"nom{n}\"]}}\n"));
    folder.write("kb.jsonl", concepts.collect::<String>());
    let imported = in_terminal(&folder, &["kb", "import", "kb.jsonl", "--out", "kb"]);
    assert!(
        String::from_utf8_lossy(&imported).contains("indexing 120,000 names"),
        "{}",
        String::from_utf8_lossy(&imported)
    );
    let screen = shown(&imported);
    assert!(
        screen.starts_with("60,000 concepts with 120,000 names in kb (") && screen.lines().count() == 1,
        "{screen}"
    );
    let calibrated = in_terminal(&folder, &["calibrate", "--kb", "kb", "--names", "500"]);
    for phase in ["asking for names held out", "fitting"] {
        assert!(String::from_utf8_lossy(&calibrated).contains(phase), "{phase}");
    }
    let screen = shown(&calibrated);
    assert!(screen.lines().next().unwrap().contains(" names held out in turn, 0 judgements, "), "{screen}");
    folder.write("gold.tsv", format!("name\tid\n{}", "name17 of it\tC17\n".repeat(3000)));
    let judged = in_terminal(&folder, &["evaluate", "names", "--gold", "gold.tsv", "--kb", "kb"]);
    let [out, err] = piped(&folder, &["evaluate", "names", "--gold", "gold.tsv", "--kb", "kb"]);
    assert_eq!(lines(&shown(&judged)), lines(&format!("{out}\n{err}")));
}

#[test]
fn data_cannot_command_the_terminal() {
    let folder = Folder::with_kb();
    folder.write("in.csv", "id,\u{1b}[31mname\n1,\u{1b}]0;title\u{7}aspirin\n");
    let matched = in_terminal(&folder, &["match", "in.csv", "--kb", "kb", "--column", "\u{1b}[31mname"]);
    assert!(!matched.contains(&0x1b), "{}", String::from_utf8_lossy(&matched));
    assert!(shown(&matched).contains("1,]0;titleaspirin,"), "{}", shown(&matched));
    let refused = folder.run(&["match", "in.csv", "--kb", "kb"]);
    assert!(refused.code == 2 && refused.err.contains("name\"") && !refused.err.contains('\u{1b}'), "{}", refused.err);
    // A file keeps the bytes.
    let kept = folder.run(&["-q", "match", "in.csv", "--kb", "kb", "--column", "\u{1b}[31mname"]);
    assert!(kept.out.contains("\u{1b}]0;title\u{7}aspirin"), "{}", kept.out);
}
