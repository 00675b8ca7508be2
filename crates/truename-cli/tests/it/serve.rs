//! The server as a process: answers, signals, judgements that survive a kill.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use crate::folder::{Folder, Ran, ran};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

struct Server {
    child: Child,
    /// Host and port.
    address: String,
    stderr: BufReader<std::process::ChildStderr>,
}

impl Server {
    fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let mut all = vec!["serve", "--port", "0"];
        all.extend(arguments);
        let mut child = folder.command(&all).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let address = line.strip_prefix("Truename is at http://").unwrap_or_else(|| panic!("{line}"));
        let address = address.trim_end().trim_end_matches('/').to_owned();
        Self { child, address, stderr }
    }

    /// Returns the status and body of an answer; `None` if the server ends before it is whole.
    fn ask(&self, head: &str, kind: &str, body: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let length = body.len();
        let request = format!(
            "{head} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}",
            self.address
        );
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        Some((status, if is_chunked { unchunked(body) } else { body.to_owned() }))
    }

    fn json(&self, head: &str, body: &Value) -> Option<(u16, Value)> {
        let (status, body) = self.ask(head, "application/json", &body.to_string())?;
        Some((status, serde_json::from_str(&body).ok()?))
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn ended(mut self) -> (i32, String) {
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).unwrap();
        (code, rest)
    }
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        whole += &rest[..size];
        body = rest[size..].trim_start_matches("\r\n");
    }
    whole
}

#[test]
fn answers_are_those_of_the_command() {
    let folder = Folder::with_kb();
    let names: Vec<&str> = vec!["Heart Attacks", "hart failure", "aspirine", "nothing", "heart attack"];
    folder.write("names.txt", names.join("\n"));
    folder.write("note.txt", "Aspirin after a heart attack.");
    let matched = folder.run(&["-q", "match", "names.txt", "--kb", "kb", "--format", "jsonl", "--explain"]);
    let linked = folder.run(&["-q", "link", "note.txt", "--kb", "kb", "--format", "jsonl", "--top", "5"]);
    let server = Server::start(&folder, &["--kb", "kb"]);
    let lines: String = names.iter().map(|name| format!("{}\n", json!(name))).collect();
    let (status, answer) = server.ask("POST /v1/match?explain=true", "application/x-ndjson", &lines).unwrap();
    assert_eq!((status, answer), (200, matched.out));
    let document = json!({"id": "note", "text": "Aspirin after a heart attack."});
    let (_, answer) = server.ask("POST /v1/link", "application/x-ndjson", &format!("{document}\n")).unwrap();
    assert_eq!(answer, linked.out);
    server.signal(Signal::TERM);
    assert_eq!(server.ended().0, 0);
}

#[test]
fn judgements_become_gold() {
    let folder = Folder::with_kb();
    let nothing = folder.run(&["review", "export", "--kb", "kb"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (1, ""));
    assert!(nothing.err.contains("has no judgement") && nothing.err.contains("hint:"), "{}", nothing.err);
    let server = Server::start(&folder, &["--kb", "kb"]);
    let judged = json!({"judgements": [{"name": "a \"bad\", heart", "id": "X:2", "chance": 0.25}, {"name": "x", "id": null}], "user": "ann"});
    assert_eq!(server.json("POST /v1/judgements", &judged).unwrap().0, 201);
    server.signal(Signal::INT);
    assert_eq!(server.ended().0, 0);
    let exported = folder.run(&["-q", "review", "export", "--kb", "kb"]);
    let rows: Vec<(&str, &str)> = exported
        .out
        .lines()
        .map(|row| {
            let (rest, chance) = row.rsplit_once(',').unwrap();
            (rest.rsplit_once(',').unwrap().0, chance)
        })
        .collect();
    assert_eq!(
        (exported.code, rows),
        (0, vec![("name,id", "chance"), ("\"a \"\"bad\"\", heart\",X:2", "0.25"), ("x,", "1")])
    );
    assert_eq!(folder.run(&["-q", "review", "export", "--kb", "kb", "--user", "bob"]).code, 1);
    let own = folder.read("kb/judgements.jsonl");
    folder.write("own.jsonl", [&b"\xEF\xBB\xBF"[..], &own].concat());
    // A folder as that of `serve`.
    std::fs::create_dir(folder.path("judged")).unwrap();
    folder.write("judged/hearts.jsonl", &own);
    for kb in ["hearts=kb", "hearts"] {
        let of_several = folder.run(&["-q", "review", "export", "--judgements", "judged", "--kb", kb]);
        assert_eq!(of_several, exported, "{kb}");
    }
    let none = folder.run(&["-q", "review", "export", "--judgements", "judged", "--kb", "kb"]);
    assert!(none.code == 1 && none.err.contains("kb.jsonl has no judgement"), "{}", none.err);
    let named = folder.run(&["-q", "review", "export", "--judgements", "own.jsonl", "--out", "own.tsv"]);
    assert_eq!(
        (named, folder.read("own.tsv").starts_with(b"name\tid\tdate\tchance\na \"bad\", heart\tX:2\t20")),
        (ran(0, "", ""), true)
    );
    folder.write("cut.jsonl", &own[..own.len() - 9]);
    let cut = folder.run(&["review", "export", "--judgements", "cut.jsonl"]);
    assert!(cut.code == 1 && cut.err.contains("cut.jsonl:2: not JSON at column"), "{}", cut.err);
    let missing = folder.run(&["review", "export", "--judgements", "none.jsonl"]);
    assert!(missing.code == 1 && missing.err.contains("cannot open none.jsonl"), "{}", missing.err);
    folder.write("gold.csv", exported.out);
    let scored = folder.run(&["-q", "evaluate", "names", "--kb", "kb", "--gold", "gold.csv"]);
    assert_eq!(scored.code, 0, "{}", scored.err);
}

#[test]
fn pairs_are_labelled_over_http_for_the_next_run() {
    let folder = Folder::new();
    folder.write("kb.tsv", "id\tname\nA:1\tasthma\n");
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "kb"]).code, 0);
    let rows: String = (0..40).map(|at| format!("c{at},Nora Meier{},{} Main Street\n", at / 2 % 7, at / 2)).collect();
    folder.write("customers.csv", format!("id,name,street\n{rows}"));
    let server = Server::start(&folder, &["--kb", "kb", "--pairs", "customers.csv", "--id-column", "id"]);
    let list = server.json("GET /v1/pairs?top=2", &Value::Null).unwrap().1;
    for (at, same) in [true, false].into_iter().enumerate() {
        let pair = &list["pairs"][at];
        let label = json!({"left": pair["left"], "right": pair["right"], "same": same});
        assert_eq!(server.json("POST /v1/pairs/labels", &label).unwrap().0, 201);
    }
    server.signal(Signal::TERM);
    assert_eq!(server.ended().0, 0);
    assert_eq!(String::from_utf8(folder.read("customers.labels.csv")).unwrap().lines().count(), 3);
    let deduped = folder.run(&["dedupe", "customers.csv", "--id-column", "id", "--labels", "customers.labels.csv"]);
    assert!(deduped.code == 0 && deduped.err.contains("2 labelled pairs"), "{}", deduped.err);
    let refused = folder.run(&["serve", "--kb", "kb", "--pairs", "*.csv", "--port", "0"]);
    assert!(refused.code == 2 && refused.err.contains("no pattern"), "{}", refused.err);
    let refused = folder.run(&["serve", "--kb", "kb", "--id-column", "id", "--port", "0"]);
    assert!(refused.code == 2 && refused.err.contains("--pairs"), "{}", refused.err);
}

#[test]
fn judged_mappings_are_known_to_the_next_alignment() {
    let folder = Folder::new();
    folder.write("mouse.tsv", "id\tname\nM:1\tkidney\nM:2\trenal cortex\nM:3\ttail\n");
    folder.write("human.tsv", "id\tname\nH:1\tKidney\nH:2\tRenal Cortex\nH:3\tTail\n");
    let align = ["-q", "align", "mouse.tsv", "human.tsv"];
    assert_eq!(folder.run(&[&align[..], &["--out", "m.sssom.tsv"]].concat()).code, 0);
    for vocabulary in ["mouse", "human"] {
        let table = format!("{vocabulary}.tsv");
        assert_eq!(folder.run(&["-q", "kb", "import", &table, "--out", vocabulary]).code, 0);
    }
    let serve = ["--kb", "mouse", "--kb", "human", "--mappings", "m.sssom.tsv", "--judgements", "judged"];
    let server = Server::start(&folder, &serve);
    let list = server.json("GET /v1/mappings", &Value::Null).unwrap().1;
    assert_eq!((&list["total"], &list["mappings"][2]["object"]["kb"]), (&json!(3), &json!("human")));
    for (number, accepted) in [(1, true), (2, false)] {
        let (subject_id, object_id) = (format!("M:{number}"), format!("H:{number}"));
        let judged = json!({"subject_id": subject_id, "object_id": object_id, "accepted": accepted, "user": "ann"});
        assert_eq!(server.json("POST /v1/mappings/judgements", &judged).unwrap().0, 201);
    }
    // What was acknowledged is on the disk.
    server.signal(Signal::KILL);
    server.ended();
    let server = Server::start(&folder, &serve);
    let (_, table) = server.ask("GET /v1/mappings/judgements?format=sssom", "text/plain", "").unwrap();
    server.signal(Signal::TERM);
    assert_eq!(server.ended().0, 0);
    folder.write("exported.sssom.tsv", &table);
    for file in ["exported.sssom.tsv", "judged/m.judgements.sssom.tsv"] {
        let known = folder.run(&[&align[..], &["--known", file]].concat()).out;
        assert!(known.contains("M:1\tkidney\tskos:exactMatch\tH:1\tKidney\tsemapv:ManualMappingCuration"), "{known}");
        assert!(!known.contains("H:2") && known.contains("H:3"), "{known}");
        let excluded = folder.run(&[&align[..], &["--exclude", "exported.sssom.tsv"]].concat()).out;
        assert!(!excluded.contains("H:2") && !excluded.contains("H:1"), "{excluded}");
        let scored = folder.run(&["evaluate", "mappings", "--gold", file, "--found", "m.sssom.tsv", "--partial"]);
        assert!(scored.out.contains("1 pairs judged right and 1 judged wrong, 0 of them not found"), "{scored:?}");
    }
    folder.write("bad.sssom.tsv", "subject_id\tobject_id\tconfidence\nM:1\tH:1\thigh\n");
    let bad = folder.run(&["serve", "--kb", "mouse", "--mappings", "bad.sssom.tsv", "--port", "0"]);
    assert!(bad.code == 1 && bad.err.starts_with("error: bad.sssom.tsv:2: the confidence \"high\" is"), "{bad:?}");
}

#[test]
fn acknowledged_judgements_survive_a_kill() {
    let folder = Folder::with_kb();
    let mut acknowledged: Vec<String> = Vec::new();
    for round in 0..6u64 {
        let server = Server::start(&folder, &["--kb", "kb"]);
        let pid = Pid::from_child(&server.child);
        let killer = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20 + 13 * round));
            kill_process(pid, Signal::KILL).unwrap();
        });
        for number in 0.. {
            let name = format!("name {round} {number}");
            let judged = json!({"judgements": [{"name": name, "id": "X:1"}]});
            match server.json("POST /v1/judgements", &judged) {
                Some((201, _)) => acknowledged.push(name),
                _ => break,
            }
        }
        killer.join().unwrap();
        server.ended();
    }
    assert!(acknowledged.len() > 6, "{}", acknowledged.len());
    let Ran { out, .. } = folder.run(&["-q", "review", "export", "--kb", "kb"]);
    let saved: std::collections::BTreeSet<&str> =
        out.lines().filter_map(|line| line.split_once(",X:1,")).map(|(name, _)| name).collect();
    for name in &acknowledged {
        assert!(saved.contains(name.as_str()), "{name} was acknowledged and is lost");
    }
}

#[test]
fn a_link_that_leads_elsewhere_is_followed_and_a_taken_port_is_told() {
    let folder = Folder::with_kb();
    folder.write("other.tsv", "id\tname\nY:1\theart attack\n");
    assert_eq!(folder.run(&["-q", "kb", "import", "other.tsv", "--out", "other"]).code, 0);
    let link = folder.path("current");
    std::os::unix::fs::symlink(folder.path("kb"), &link).unwrap();
    let server = Server::start(&folder, &["--kb", "hearts=current", "--judgements", "judged"]);
    let asked = json!({"names": ["heart attack"]});
    let id = || server.json("POST /v1/match?kb=hearts", &asked).unwrap().1["links"][0]["id"].clone();
    assert_eq!(id(), "X:1");
    std::os::unix::fs::symlink(folder.path("other"), folder.path("next")).unwrap();
    std::fs::rename(folder.path("next"), &link).unwrap();
    let changed = (0..100).any(|_| {
        thread::sleep(Duration::from_millis(100));
        id() == "Y:1"
    });
    assert!(changed);
    let port = server.address.rsplit(':').next().unwrap();
    let second = folder.run(&["serve", "--kb", "kb", "--port", port]);
    assert_eq!(second.code, 1);
    assert!(second.err.contains("cannot listen at 127.0.0.1:") && second.err.contains("--port"), "{}", second.err);
    for (arguments, said) in [
        (&["serve", "--kb", "a=kb", "--kb", "a=other"][..], "\"a\" cannot be the name"),
        (&["serve", "--kb", "nowhere"][..], "nowhere"),
        (&["serve", "--kb", "kb", "--keys", "kb.tsv"][..], "kb.tsv: line 1"),
    ] {
        let refused = folder.run(arguments);
        assert_eq!(refused.code, 1, "{arguments:?}");
        assert!(refused.err.contains(said), "{}", refused.err);
    }
    server.signal(Signal::TERM);
    assert_eq!(server.ended().0, 0);
}
