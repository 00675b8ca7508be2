//! Commands as coprocesses: what comes by a pipe is answered before the pipe is closed.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::folder::Folder;

/// A command that waits for input.
struct Coprocess {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Coprocess {
    fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let mut command = folder.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let (send, lines) = channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Self { child, input, lines }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Returns the next line of the output.
    fn read(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(60)).expect("an answer while stdin is open")
    }

    /// Closes stdin, and returns the rest of the output.
    fn end(mut self) -> Vec<String> {
        drop(self.input.take());
        let rest = self.lines.iter().collect();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

#[test]
fn progress_is_lines_where_stderr_is_no_terminal() {
    let folder = Folder::with_kb();
    let mut children = [&[][..], &["--progress", "none"], &["--quiet"]].map(|arguments| {
        let log = folder.path(&format!("log{}", arguments.len() + arguments.concat().len()));
        let mut command = folder.command(&[arguments, &["match", "-", "--kb", "kb"]].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(std::fs::File::create(&log).unwrap());
        (command.spawn().unwrap(), log)
    });
    for (child, _) in &mut children {
        child.stdin.as_mut().unwrap().write_all(b"aspirin\n").unwrap();
    }
    std::thread::sleep(Duration::from_millis(12_500));
    let said = children.map(|(mut child, log)| {
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
        std::fs::read_to_string(log).unwrap()
    });
    assert!(said[0].starts_with("8 B  1 name  ") && said[0].lines().count() == 2, "{}", said[0]);
    assert!(said[1].starts_with("1 name: ") && said[1].lines().count() == 1, "{}", said[1]);
    assert_eq!(said[2], "");
}

/// Commands with the pieces of their input, each with the number of lines that answer it.
type Case = (&'static [&'static str], &'static [(&'static str, usize)]);

const CASES: [Case; 8] = [
    (&["match", "-", "--kb", "kb"], &[("MI\n", 2), ("heart attack\naspirin\n", 2), ("x\n", 1)]),
    // The answer to a header is a header.
    (&["match", "-", "--kb", "kb", "--column", "name"], &[("n,name\n", 1), ("1,aspirin\n", 1), ("2,\"heart\n", 0)]),
    (
        &["match", "-", "--kb", "kb", "--format", "jsonl"],
        &[("{\"name\":\"aspirin\"}\n", 1), ("{\"name\":", 0), ("\"x\"}\n", 1)],
    ),
    (&["match", "-", "--kb", "kb"], &[("[{\"name\":\"aspirin\"},\n", 1), (" {\"name\":\n", 0), ("\"x\"}\n]", 1)]),
    (&["link", "-", "--kb", "kb"], &[("{\"text\":\"aspirin\"}\n", 1), ("{\"text\":\"a\"}\n{\"text\":\"b\"}\n", 2)]),
    (
        &["link", "-", "--kb", "kb", "--format", "pubtator"],
        &[("1|t|Aspirin\n\n", 3), ("2|t|Heart attack\n3|t|Pain\n\n", 5)],
    ),
    (&["recognize", "-", "--kb", "kb"], &[("{\"text\":\"aspirin\"}\n", 1), ("{\"text\":\"x\"}\n", 1)]),
    (
        &["annotate", "-", "--kb", "kb", "--type", "drug", "--format", "jsonl"],
        &[("{\"text\":\"aspirin\"}\n", 1), ("{\"text\":\"x\"}\n", 1)],
    ),
];

#[test]
fn each_line_is_answered_before_the_next_one_comes() {
    let folder = Folder::with_kb();
    for (arguments, pieces) in CASES {
        let (arguments, mut answers) = ([&["-q"][..], arguments].concat(), Vec::new());
        let mut running = Coprocess::start(&folder, &arguments);
        for (piece, lines) in pieces {
            running.write(piece.as_bytes());
            answers.extend((0..*lines).map(|_| running.read()));
        }
        let is_whole = pieces.last().unwrap().1 > 0;
        if !is_whole {
            running.write(b"attack\"\n");
        }
        answers.extend(running.end());
        let whole =
            pieces.iter().map(|(piece, _)| *piece).collect::<String>() + if is_whole { "" } else { "attack\"\n" };
        let at_once = folder.run_with_input(&arguments, whole.as_bytes());
        assert_eq!(answers, at_once.out.lines().collect::<Vec<_>>(), "{arguments:?}");
    }
}

#[test]
fn a_line_that_comes_in_parts_is_one_line() {
    let folder = Folder::with_kb();
    let mut running = Coprocess::start(&folder, &["-q", "match", "-", "--kb", "kb"]);
    for part in ["as", "pi", "rin"] {
        running.write(part.as_bytes());
        std::thread::sleep(Duration::from_millis(200));
    }
    running.write(b"\n");
    assert_eq!(
        (running.read(), &running.read()[..12]),
        ("name\tid\tmatched_name\tpreferred_name\tprobability".into(), "aspirin\tX:3\t")
    );
    assert_eq!(running.end(), [""; 0]);
}

#[test]
fn the_answers_to_a_file_do_not_wait_for_the_pipe_behind_it() {
    let folder = Folder::with_kb();
    folder.write("a.csv", "name\naspirin\n");
    folder.write("a.txt", "aspirin\n");
    folder.write("a.jsonl", "{\"text\":\"aspirin\"}\n");
    for (arguments, answers, piece, more) in [
        (&["match", "a.csv", "-", "--column", "name"][..], 2, "name\nheart attack\n", 1),
        (&["match", "a.txt", "-"], 2, "heart attack\n", 1),
        (&["link", "a.jsonl", "-"], 1, "{\"text\":\"heart attack\"}\n", 1),
    ] {
        let mut running = Coprocess::start(&folder, &[&["-q"], arguments, &["--kb", "kb"]].concat());
        (0..answers).for_each(|_| drop(running.read()));
        running.write(piece.as_bytes());
        (0..more).for_each(|_| drop(running.read()));
        assert_eq!(running.end(), [""; 0], "{arguments:?}");
    }
}
