//! Tells the format of a file of documents by its extension and its first bytes.

use std::path::Path;

use truename_error::{ErrorKind, HintPart, hint};
use truename_read::{Source, without_packing};

use crate::Error;
use crate::conll;
use crate::format::Format;
use crate::pubtator;
use crate::wned;

/// Returns the format by the extension and, where that is ambiguous, by the first bytes; `annotated`
/// is true if a `.ann` file lies beside the file.
pub(crate) fn detect(path: &Path, beginning: &str, annotated: bool) -> Format {
    let by_content = by_content(beginning.trim_start_matches('\u{FEFF}').trim_start());
    let json = by_content.filter(|format| matches!(format, Format::Jsonl | Format::BiocJson));
    match extension(path).as_str() {
        "ann" => Format::Brat,
        "txt" if annotated => Format::Brat,
        "pubtator" => Format::Pubtator,
        "xml" => by_content.filter(|format| *format == Format::Wned).unwrap_or(Format::BiocXml),
        "conll" | "iob" | "iob2" | "bio" | "ck" => Format::Conll,
        "wiki" | "wikitext" | "mediawiki" => Format::Wiki,
        "jsonl" | "ndjson" => json.unwrap_or(Format::Jsonl),
        "json" => json.unwrap_or(Format::BiocJson),
        _ => by_content.unwrap_or(Format::Text),
    }
}

/// Names of columns with texts, in lower case.
const TEXT_COLUMNS: [&str; 8] = ["text", "note", "notes", "note_text", "abstract", "body", "sentence", "report"];

/// Returns the format of a source, as [`detect`] does.
///
/// # Errors
/// If it is a table of texts: as one text, its rows would lose their ids.
pub(crate) fn of_source(path: &Path, source: &Source, annotated: bool) -> Result<Format, Error> {
    let beginning = source.beginning_text();
    let format = detect(path, &beginning, annotated);
    match text_column(path, &beginning).filter(|_| format == Format::Text) {
        None => Ok(format),
        Some(column) => {
            let message = format!("a table with the column \"{column}\", where documents are expected");
            Err(Error::at(ErrorKind::Choice, path, Some(1), message).with_hint(hint![
                "write each row as a line of JSONL, {\"id\": …, \"text\": …}; ",
                HintPart::action("match").value(path.display()),
                " links the names of a column; ",
                HintPart::setting("input_format").value(Format::Text),
                " reads the file as one text"
            ]))
        }
    }
}

/// Returns the column of texts in the header of a file that is called a table.
fn text_column(path: &Path, beginning: &str) -> Option<String> {
    if !matches!(extension(path).as_str(), "csv" | "tsv" | "tab") {
        return None;
    }
    let header = beginning.trim_start_matches('\u{FEFF}').lines().find(|line| !line.trim().is_empty())?;
    let cells = header.split([',', ';', '\t']).map(|cell| cell.trim().trim_matches('"').to_lowercase());
    cells.into_iter().find(|cell| TEXT_COLUMNS.contains(&&*cell.replace([' ', '-'], "_")))
}

/// Returns the extension in lower case, without `.gz`.
fn extension(path: &Path) -> String {
    let extension = without_packing(path).extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    extension.unwrap_or_default()
}

fn by_content(text: &str) -> Option<Format> {
    if pubtator::begins(text) {
        Some(Format::Pubtator)
    } else if text.starts_with('<') && wned::begins(text) {
        Some(Format::Wned)
    } else if text.starts_with("<?xml") || text.starts_with("<collection") {
        Some(Format::BiocXml)
    } else {
        let json = (text.starts_with('{') || text.starts_with('[')).then(|| by_keys(text)).flatten();
        json.or_else(|| conll::is_conll(text).then_some(Format::Conll))
    }
}

/// Returns the JSON format by the outermost keys, which come early even where the file is one long line.
fn by_keys(text: &str) -> Option<Format> {
    let value = text.trim_start_matches(|character: char| character == '[' || character.is_whitespace());
    let arrays = text[..text.len() - value.len()].matches('[').count();
    let keys = keys(text, arrays + 1);
    let has = |names: &[&str]| keys.iter().any(|key| names.contains(key));
    // A pair of spaCy: the text, then its annotations.
    let is_pair = arrays > 0 && value.starts_with('"') && has(&["entities"]);
    if is_pair {
        Some(Format::Jsonl)
    } else if has(&["documents", "PubTator3", "passages"]) && !has(&["text"]) {
        Some(Format::BiocJson)
    } else if has(&["text", "tokens", "data"]) {
        Some(Format::Jsonl)
    } else {
        None
    }
}

/// Returns the keys at a depth of the first JSON value, as far as the text goes.
fn keys(text: &str, wanted: usize) -> Vec<&str> {
    let (mut keys, mut depth, mut at) = (Vec::new(), 0, 0);
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => break,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let Some(length) = string_length(&text[at + 1..]) else { break };
                let (string, after) = (&text[at + 1..at + 1 + length], text[at + length + 2..].trim_start());
                if depth == wanted && after.starts_with(':') {
                    keys.push(string);
                }
                at += length + 1;
            }
            _ => {}
        }
        at += 1;
    }
    keys
}

/// Returns the length of the JSON string that began before `text`.
fn string_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::{ReadOptions, read_from};

    fn detect(path: &str, beginning: &str) -> Format {
        super::detect(Path::new(path), beginning, false)
    }

    #[test]
    fn the_extension_tells() {
        for (path, format) in [
            ("a.ann", Format::Brat),
            ("a.pubtator", Format::Pubtator),
            ("a.PubTator.gz", Format::Pubtator),
            ("a.XML", Format::BiocXml),
            ("a.json", Format::BiocJson),
            ("a.jsonl.gz", Format::Jsonl),
            ("a.ndjson", Format::Jsonl),
            ("a.conll", Format::Conll),
            ("a.iob2.gz", Format::Conll),
            ("a.IOB", Format::Conll),
            ("a.bio", Format::Conll),
            ("a.ck", Format::Conll),
            ("a.wiki", Format::Wiki),
            ("a.wikitext.gz", Format::Wiki),
            ("a.txt", Format::Text),
            ("-", Format::Text),
        ] {
            assert_eq!(detect(path, ""), format, "{path}");
        }
        assert_eq!(super::detect(Path::new("a.txt"), "", true), Format::Brat);
    }

    #[test]
    fn the_content_tells_where_the_extension_does_not() {
        for (content, format) in [
            ("\n\n12|t|A title", Format::Pubtator),
            ("\u{FEFF}12|t|A title", Format::Pubtator),
            ("12|a|An abstract alone", Format::Pubtator),
            ("A-1|a|A cold came.\nA-1\t2\t6\tcold\tDisease\tD1\n", Format::Pubtator),
            ("two words|t|are text", Format::Text),
            ("two words|a|are text", Format::Text),
            ("shelf|a|lamp\n", Format::Text),
            ("<?xml version=\"1.0\"?><collection>", Format::BiocXml),
            ("<collection>", Format::BiocXml),
            ("<?xml version=\"1.0\"?>\n<wikipediaData.entityAnnotation>\n\t<document", Format::Wned),
            ("<ACE2004.entityAnnotation>", Format::Wned),
            (r#"{"id": 1, "passages": [{"start": 1}], "text": "a {"}"#, Format::Jsonl),
            (r#"{"text": "a very long line that is cut"#, Format::Jsonl),
            (r#"{"id": "1", "text": "a", "mentions": [{"start"#, Format::Jsonl),
            (r#"{"source": "", "documents": [{"passages": [{"text": "a"#, Format::BiocJson),
            (r#"{"PubTator3": ["#, Format::BiocJson),
            (r#"{"id": "\"text\":", "passages": [{"text": "a"}]}"#, Format::BiocJson),
            (r#"[{"id": 1, "passages": []}]"#, Format::BiocJson),
            (r#"["a cold", {"entities": [[2, 6, "X"]]}]"#, Format::Jsonl),
            ("[\n [\"a cold\", {\"entities\": [[2, 6, \"X\"]]}], [\"b\", {", Format::Jsonl),
            ("[[\"a\"]] begins this text", Format::Text),
            ("A\tO\ncold\tB-Disease\n", Format::Conll),
            ("\n-DOCSTART-\tO\n\nA\tB-Disease\n", Format::Conll),
            ("-DOCSTART- -X- O O\r\n\r\nU.N. NNP I-NP I-ORG\r\nis VBZ I-VP O\r\n", Format::Conll),
            ("# id 1\tdomain=en\na _ _ O\nb _ _ B-X\n", Format::Conll),
            ("[ O\nA B-X\n] O\n", Format::Conll),
            ("<s> O None\nA I Disease\ncold O Disease\n<eof> I None\n", Format::Conll),
            ("A\tO\ncold\tB-Dis", Format::Conll),
            ("A\tO\tO\ncold\tB-X\n", Format::Text),
            ("name\tid\nType I\tO\n", Format::Text),
            ("Anna\tM\nUwe\tM\n", Format::Text),
            ("vitamin B-12\n", Format::Text),
            ("Type I\nType I\nPlan B\n", Format::Text),
            ("Group O", Format::Text),
            ("Group O\n", Format::Text),
            ("Am I next\nAm I next\n", Format::Text),
            ("{braces} begin this text", Format::Text),
            ("a [[link]] in text", Format::Text),
            ("a text", Format::Text),
        ] {
            assert_eq!(detect("a.txt", content), format, "{content}");
            assert_eq!(detect("a.corpus", content), format, "{content}");
            assert_eq!(detect("a.tsv", content), format, "{content}");
        }
    }

    #[test]
    fn tables_of_texts_are_told_by_their_header() {
        for (path, content, column) in [
            ("notes.csv", "id,text\n1,asthma attack\n", Some("text")),
            ("notes.CSV.gz", "\u{FEFF}\n\"Id\";\"Note Text\"\n", Some("note text")),
            ("notes.tsv", "PMID\tAbstract\n", Some("abstract")),
            ("notes.txt", "id,text\n", None),
            ("notes.csv", "A text, with a comma\n1,text\n", None),
        ] {
            assert_eq!(text_column(Path::new(path), content).as_deref(), column, "{content}");
        }
        let read = |options: &ReadOptions| {
            let table = "id,text\n1,asthma attack\n".as_bytes();
            read_from(Path::new("notes.csv"), table, options, &mut |_| ControlFlow::Continue(()))
        };
        let error = read(&ReadOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), "notes.csv:1: a table with the column \"text\", where documents are expected");
        assert!(error.hint().is_some());
        assert!(read(&ReadOptions { input_format: Some(Format::Text), ..ReadOptions::default() }).is_ok());
    }

    #[test]
    fn either_json_may_have_the_extension_of_the_other() {
        assert_eq!(detect("a.json", r#"{"id": 1, "text": "a"}"#), Format::Jsonl);
        assert_eq!(detect("a.json", r#"[["a cold", {"entities": [[2, 6, "X"]]}]]"#), Format::Jsonl);
        assert_eq!(detect("a.jsonl", r#"{"id": 1, "passages": []}"#), Format::BiocJson);
        assert_eq!(detect("a.xml", "<wiki.entityAnnotation>"), Format::Wned);
    }
}
