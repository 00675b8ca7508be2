//! The library answers as the command does, with models of all roles, and its guide shows a program that runs.

use crate::folder::{Folder, ran};
use truename::{Document, Linker, OffsetUnit};
use truename_view::{DocumentLine, NameLine};

const KB: &str = "id\tname\nA:1\tcommon cold\nA:1\tcold\nA:2\tlow temperature\nA:2\tcold\nA:3\taspirin\n";
const TEXTS: [(&str, &str); 4] = [
    ("flu or a cold", "A:1"),
    ("the guests had a cold", "A:1"),
    ("cold is the wind", "A:2"),
    ("cold wind again", "A:2"),
];

const RECOGNIZER: &str = "\
task.kind = \"recognize\"
data.train = [\"corpus.pubtator\"]
types.Thing = \"names of things\"
encoder.dropout = 0.0
spans.dimensions = 16
schedule.epochs = 30
schedule.learning_rate = 1e-2
";

const RERANKER: &str = "\
task.kind = \"rerank\"
data.train = [\"corpus.pubtator\"]
encoder.dropout = 0.0
prompt.candidates = 3
prompt.window = 56
schedule.epochs = 30
schedule.learning_rate = 3e-3
";

fn corpus() -> String {
    let document = |(number, (text, id)): (usize, &(&str, &str))| {
        let start = text.find("cold").unwrap();
        format!("{number}|t|{text}\n{number}\t{start}\t{}\tcold\tThing\t{id}\n\n", start + 4)
    };
    TEXTS.iter().enumerate().map(document).collect()
}

#[test]
fn the_library_answers_as_the_command() {
    let (folder, bert) = (Folder::new(), crate::folder::model("bert"));
    folder.write("kb.tsv", KB);
    folder.write("corpus.pubtator", corpus());
    folder.write("recognizer.toml", RECOGNIZER);
    folder.write("reranker.toml", RERANKER);
    assert_eq!(folder.run(&["-q", "kb", "import", "kb.tsv", "--out", "kb", "--encoder", &bert]), ran(0, "", ""));
    for (model, of_kb) in [("recognizer", &[][..]), ("reranker", &["--kb", "kb"])] {
        let recipe = format!("{model}.toml");
        let run = folder.run(&[&["-q", "train", &recipe, "--encoder", &bert, "--out", model], of_kb].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(folder.run(&["-q", "kb", "models", "add", model, "--kb", "kb"]), ran(0, "", ""));
    }

    let linker = Linker::open(folder.path("kb")).unwrap();
    let names = ["asprin", "commn cold", "cold"];
    folder.write("names.txt", names.map(|name| format!("{name}\n")).concat());
    let by_command = folder.run(&["-q", "match", "names.txt", "--kb", "kb", "--format", "jsonl"]);
    let lines = linker.link_names(&names).unwrap();
    let lines = lines.iter().map(|link| serde_json::to_string(&NameLine::new(link)).unwrap() + "\n");
    assert_eq!(by_command, ran(0, &lines.collect::<String>(), ""));

    let text = "the wind is cold, the guests had a cold, and aspirin";
    folder.write("note.txt", text);
    let by_command = folder.run(&["-q", "link", "note.txt", "--kb", "kb", "--top", "5"]);
    let linked = linker.link_document(Document::new("note", text)).unwrap();
    assert!(linked.mentions.iter().any(|mention| mention.score.is_some()), "by the recognizer");
    let of_reranker = |mention: &truename::LinkedMention| {
        mention.link.candidates.iter().any(|candidate| candidate.scores.reranker.is_some())
    };
    assert!(linked.mentions.iter().any(of_reranker), "by the re-ranker");
    assert!(linked.mentions.iter().all(|mention| mention.span.of(text) == Some(&mention.text)));
    let line = serde_json::to_string(&DocumentLine::new(&linked, OffsetUnit::Chars)).unwrap() + "\n";
    assert_eq!(by_command, ran(0, &line, ""));
    let streamed = linker.link_stream([Document::new("note", text)]).next().unwrap().unwrap();
    assert_eq!(streamed, linked);
}

#[test]
fn the_guide_shows_an_example() {
    let read = |path: &str| std::fs::read_to_string(format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let (guide, example) = (read("docs/library.md"), read("crates/truename/examples/link_names.rs"));
    let (_, program) = guide.split_once("```rust\n").unwrap();
    assert!(example.contains(program.split("```").next().unwrap()), "{example}");
}
