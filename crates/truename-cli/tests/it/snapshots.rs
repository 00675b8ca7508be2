//! Whole outputs of the commands, as they are shown. `INSTA_UPDATE=always cargo test -p truename-cli --test it snapshots::` writes them anew.

use crate::folder::Folder;

const NOTE: &str = "Heart attack, then heart failure.\nShe took aspirin (ASA).\n";

/// Runs commands one after the other, and returns each with what it printed.
fn session(folder: &Folder, commands: &[&[&str]]) -> String {
    let shown = commands.iter().map(|arguments| {
        let ran = folder.run(arguments);
        let code = if ran.code == 0 { String::new() } else { format!("[exit code {}]\n", ran.code) };
        format!("$ truename {}\n{}{}{code}\n", arguments.join(" "), ran.out, ran.err)
    });
    rounded(&shown.collect::<String>())
}

/// Cuts decimals after the fourth: the last ones may depend on the processor.
fn rounded(text: &str) -> String {
    let mut decimals = None;
    let is_kept = |letter: &char| {
        decimals = match (letter, decimals) {
            ('.', _) => Some(0),
            ('0'..='9', Some(count)) => Some(count + 1),
            _ => None,
        };
        decimals.is_none_or(|count| count <= 4)
    };
    text.chars().filter(is_kept).collect()
}

fn with_texts() -> Folder {
    let folder = Folder::with_kb();
    folder.write("note.txt", NOTE);
    folder.write("names.csv", "n,dx\n1,Heart atack\n2,\"aspirin, 100 mg\"\n3,N/A\n4,gout\n");
    folder
}

#[test]
fn names_are_matched() {
    let folder = with_texts();
    let shown = session(
        &folder,
        &[
            &["-q", "match", "names.csv", "--kb", "kb", "--column", "dx"],
            &["-q", "match", "names.csv", "--kb", "kb", "--column", "dx", "--format", "jsonl", "--top", "2"],
            &["-q", "match", "names.csv", "--kb", "kb", "--column", "dx", "--explain"],
        ],
    );
    insta::assert_snapshot!(shown);
}

#[test]
fn documents_are_linked_in_each_format() {
    let folder = with_texts();
    let formats = ["jsonl", "pubtator", "bioc-json", "bioc-xml", "terminal"];
    let commands: Vec<Vec<&str>> =
        formats.iter().map(|format| vec!["-q", "link", "note.txt", "--kb", "kb", "--format", format]).collect();
    let commands: Vec<&[&str]> = commands.iter().map(Vec::as_slice).collect();
    let shown = session(&folder, &commands);
    insta::assert_snapshot!(shown);
}

#[test]
fn a_knowledge_base_is_looked_at() {
    let folder = with_texts();
    let shown = session(
        &folder,
        &[
            &["kb", "search", "heart", "--kb", "kb"],
            &["kb", "show", "X:1", "--kb", "kb"],
            &["kb", "show", "X:9", "--kb", "kb"],
            &["kb", "export", "--kb", "kb"],
        ],
    );
    insta::assert_snapshot!(shown);
}

#[test]
fn mistakes_are_told() {
    let folder = with_texts();
    let shown = session(
        &folder,
        &[
            &["match", "names.csv", "--kb", "kb"],
            &["match", "names.csv", "--kb", "kb", "--column", "name"],
            &["match", "none.csv", "--kb", "kb"],
            &["link", "note.txt", "--kb", "none"],
            &["link", "note.txt", "--kb", "kb", "--types", "gene"],
            &["kb", "import", "names.csv", "--out", "kb"],
            &["kb", "import", "names.csv", "--out", "other", "--name-column", "diagnosis"],
        ],
    );
    insta::assert_snapshot!(shown);
}
