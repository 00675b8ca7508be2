//! One JSON object a line, Truename's own format.
//!
//! `{"id": "1", "text": "a cold", "mentions": [{"start": 2, "end": 6, "type": "Disease", "id": "MESH:D003139"}]}`;
//! only `text` must be there. Other keys are ignored, so what the tools add does not stand in the way.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use truename_text::{Document, Mention, OffsetUnit, Offsets, Passage, Span};

use crate::Error;
use crate::annotation::{Annotated, Annotation};
use crate::output::{Output, Read, Wrong};
use crate::source::{Source, line_text};

#[derive(Deserialize)]
struct Row {
    id: Option<Name>,
    text: String,
    passages: Option<Vec<PassageRow>>,
    /// Not looked at where mentions are not wanted.
    mentions: Option<Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Name {
    Text(String),
    Number(serde_json::Number),
}

#[derive(Deserialize)]
struct PassageRow {
    #[serde(rename = "type")]
    kind: Option<String>,
    start: usize,
    end: usize,
}

#[derive(Deserialize)]
struct MentionRow {
    start: Option<usize>,
    end: Option<usize>,
    fragments: Option<Vec<(usize, usize)>>,
    text: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    label: Option<String>,
    types: Option<Vec<String>>,
    id: Option<Name>,
    probability: Option<f64>,
}

pub(crate) fn read(source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    let mut lines = source.into_lines();
    while let Some((number, line)) = lines.next()? {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match line_text(line).and_then(parse) {
            Err(message) => output.give_one("", Err(Wrong::at(number, message))),
            Ok(row) => {
                let id = row.id.as_ref().map_or_else(|| number.to_string(), Name::as_text);
                let read = document(row, &id, output).map(Read::from);
                output.give_one(&id, read.map_err(|message| Wrong::at(number, message)));
            }
        }
        if output.stopped {
            break;
        }
    }
    Ok(())
}

fn parse(line: &str) -> Result<Row, String> {
    serde_json::from_str(line).map_err(|error| {
        let what = if error.is_data() { "not a document" } else { "not JSON" };
        format!("{what}: {}", on_one_line(&error))
    })
}

/// The message without the line, which counts from the beginning of what was parsed.
fn on_one_line(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rsplit_once(" at line ") {
        Some((reason, _)) if error.column() > 0 => format!("{reason} at column {}", error.column()),
        Some((reason, _)) => reason.to_owned(),
        None => message,
    }
}

fn document(row: Row, id: &str, output: &Output<'_>) -> Result<Document, String> {
    let annotated = Annotated::new(&row.text, output.unit());
    let passages = passages(row.passages.unwrap_or_default(), &annotated)?;
    let mentions = match row.mentions {
        Some(mentions) if output.options.mentions => read_mentions(mentions, &annotated)?,
        _ => Vec::new(),
    };
    Ok(Document { id: id.to_owned(), text: row.text, passages, mentions })
}

fn passages(rows: Vec<PassageRow>, annotated: &Annotated<'_>) -> Result<Vec<Passage>, String> {
    let mut passages: Vec<Passage> = Vec::new();
    for (at, PassageRow { kind, start, end }) in rows.into_iter().enumerate() {
        if start == end {
            continue;
        }
        let span = annotated.span(start, end).map_err(|message| format!("passage {}: {message}", at + 1))?;
        if passages.last().is_some_and(|last| span.start < last.span.end) {
            return Err(format!("passage {} begins before the one before it ends", at + 1));
        }
        passages.push(Passage { kind: kind.unwrap_or_default(), span });
    }
    Ok(passages)
}

fn read_mentions(mentions: Value, annotated: &Annotated<'_>) -> Result<Vec<Mention>, String> {
    let rows = match mentions {
        Value::Null => Vec::new(),
        Value::Array(rows) => rows,
        _ => return Err("\"mentions\" is no list".into()),
    };
    let numbered = rows.into_iter().enumerate();
    numbered
        .map(|(at, row)| mention(row, annotated).map_err(|message| format!("mention {}: {message}", at + 1)))
        .collect()
}

fn mention(row: Value, annotated: &Annotated<'_>) -> Result<Mention, String> {
    let row: MentionRow = serde_json::from_value(row).map_err(|error| on_one_line(&error))?;
    let pieces = row.pieces()?;
    if let Some(probability) = row.probability.filter(|probability| !(0.0..=1.0).contains(probability)) {
        return Err(format!("the probability {probability} is not from 0 to 1"));
    }
    let kind = row.kind.or(row.label).or_else(|| row.types?.into_iter().next()).unwrap_or_default();
    let id = row.id.map(|id| id.as_text()).filter(|id| !id.is_empty());
    annotated.mention(Annotation { pieces, text: row.text, kind, id, probability: row.probability })
}

impl MentionRow {
    fn pieces(&self) -> Result<Vec<(usize, usize)>, String> {
        let fragments = self.fragments.clone().unwrap_or_default();
        let (Some(start), Some(end)) = (self.start, self.end) else {
            return if fragments.is_empty() { Err("\"start\" or \"end\" is missing".into()) } else { Ok(fragments) };
        };
        if fragments.is_empty() {
            return Ok(vec![(start, end)]);
        }
        let first = fragments.iter().map(|(start, _)| *start).min();
        let last = fragments.iter().map(|(_, end)| *end).max();
        if (first, last) != (Some(start), Some(end)) {
            return Err(format!("\"fragments\" do not go from {start} to {end}, as \"start\" and \"end\" say"));
        }
        Ok(fragments)
    }
}

impl Name {
    fn as_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
        }
    }
}

#[derive(Serialize)]
struct WrittenRow<'d> {
    id: &'d str,
    text: &'d str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passages: Vec<WrittenPassage<'d>>,
    mentions: Vec<WrittenMention<'d>>,
}

#[derive(Serialize)]
struct WrittenPassage<'d> {
    #[serde(rename = "type")]
    kind: &'d str,
    start: usize,
    end: usize,
}

#[derive(Serialize)]
struct WrittenMention<'d> {
    start: usize,
    end: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fragments: Vec<(usize, usize)>,
    text: &'d str,
    #[serde(rename = "type")]
    kind: &'d str,
    id: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
}

pub(crate) fn write(out: &mut impl Write, document: &Document, unit: OffsetUnit) -> io::Result<()> {
    let offsets = Offsets::new(&document.text, unit);
    let bounds = |span: Span| (offsets.of_byte(span.start), offsets.of_byte(span.end));
    let passages = document.passages.iter().map(|passage| {
        let (start, end) = bounds(passage.span);
        WrittenPassage { kind: &passage.kind, start, end }
    });
    let mentions = document.mentions.iter().map(|mention| {
        let (start, end) = bounds(mention.span);
        WrittenMention {
            start,
            end,
            fragments: mention.fragments.iter().map(|fragment| bounds(*fragment)).collect(),
            text: mention.span.of(&document.text).unwrap_or_default(),
            kind: &mention.kind,
            id: mention.id.as_deref(),
            probability: mention.probability,
        }
    });
    let (passages, mentions) = (passages.collect(), mentions.collect());
    serde_json::to_writer(&mut *out, &WrittenRow { id: &document.id, text: &document.text, passages, mentions })?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use crate::output::tests::{problems, read_str};
    use crate::{Document, ReadOptions, Span};

    fn one(line: &str) -> Document {
        let (mut documents, problems) = read_str("a.jsonl", line, &ReadOptions::default());
        assert_eq!(problems, [""; 0]);
        documents.remove(0)
    }

    #[test]
    fn each_malformed_line_is_explained() {
        for (line, message) in [
            ("a cold", "not JSON: expected value at column 1"),
            (r#"{"id": 7"#, "not JSON: EOF while parsing an object at column 8"),
            (r#"{"id": 7}"#, "not a document: missing field `text` at column 9"),
            (r#"["a"]"#, "not a document: invalid type: string \"a\", expected untagged enum at column 4"),
        ] {
            let found = &problems("a.jsonl", line.as_bytes(), &ReadOptions::default())[0];
            assert!(found.starts_with("a.jsonl:1: not "), "{found}");
            if !line.starts_with('[') {
                assert_eq!(*found, format!("a.jsonl:1: {message}"));
            }
        }
        for (rest, message) in [
            (r#""mentions": 3"#, "\"mentions\" is no list"),
            (r#""mentions": [{}]"#, "mention 1: \"start\" or \"end\" is missing"),
            (r#""mentions": [{"start": 0, "end": 1}, {"start": 2}]"#, "mention 2: \"start\" or \"end\" is missing"),
            (r#""mentions": [{"start": "2", "end": 6}]"#, "mention 1: invalid type: string \"2\", expected usize"),
            (
                r#""mentions": [{"start": 1.5, "end": 6}]"#,
                "mention 1: invalid type: floating point `1.5`, expected usize",
            ),
            (r#""mentions": [{"start": 2, "end": 2}]"#, "mention 1: the span 2–2 is empty"),
            (
                r#""mentions": [{"start": 2, "end": 7}]"#,
                "mention 1: the span 2–7 lies outside the text, which has 6 chars",
            ),
            (
                r#""mentions": [{"start": 2, "end": 6, "text": "old"}]"#,
                "mention 1: the text at 2–6 is \"cold\", the file says \"old\"",
            ),
            (
                r#""mentions": [{"start": 0, "end": 6, "fragments": [[0, 1], [3, 5]]}]"#,
                "mention 1: \"fragments\" do not go from 0 to 6, as \"start\" and \"end\" say",
            ),
            (
                r#""mentions": [{"start": 0, "end": 6, "probability": 1.5}]"#,
                "mention 1: the probability 1.5 is not from 0 to 1",
            ),
            (
                r#""passages": [{"start": 0, "end": 9}]"#,
                "passage 1: the span 0–9 lies outside the text, which has 6 chars",
            ),
            (
                r#""passages": [{"start": 2, "end": 4}, {"start": 3, "end": 5}]"#,
                "passage 2 begins before the one before it ends",
            ),
        ] {
            let lines = format!(
                "{{\"text\": \"before\"}}\n{{\"id\": \"7\", \"text\": \"a cold\", {rest}}}\n{{\"text\": \"after\"}}"
            );
            let (documents, problems) = read_str("a.jsonl", &lines, &ReadOptions::default());
            assert_eq!(problems, [format!("a.jsonl:2: document 7: {message}")]);
            assert_eq!(documents.iter().map(|document| &*document.text).collect::<Vec<_>>(), ["before", "after"]);
        }
    }

    #[test]
    fn a_line_that_is_not_utf8_is_one_problem() {
        let found =
            problems("a.jsonl", b"{\"text\": \"a\"}\n{\"text\": \"\xE9\"}\n{\"text\": \"b\"}", &ReadOptions::default());
        assert_eq!(
            found,
            ["a.jsonl:2: byte 11 of the line is not UTF-8 (say --encoding, as in --encoding windows-1252)"]
        );
    }

    #[test]
    fn annotations_are_not_looked_at_where_they_are_not_wanted() {
        let options = ReadOptions { mentions: false, ..ReadOptions::default() };
        let (documents, problems) = read_str("a.jsonl", r#"{"text": "a", "mentions": [{"start": "x"}]}"#, &options);
        assert_eq!((documents.len(), problems.len()), (1, 0));
    }

    #[test]
    fn keys_may_be_missing_null_or_unknown() {
        let document = one("\r\n\n{\"text\": \"a cold\", \"mentions\": null, \"passages\": null, \"more\": {}}");
        assert_eq!((document.id.as_str(), document.mentions.len()), ("3", 0));
        assert_eq!(one(r#"{"id": 12, "text": ""}"#).id, "12");
    }

    #[test]
    fn the_keys_of_other_tools_are_read() {
        let document = one(r#"{"text": "a cold", "mentions": [
                {"start": 2, "end": 6, "label": "Disease", "id": 3139},
                {"start": 2, "end": 6, "types": ["disease", "other"], "id": "", "candidates": []},
                {"fragments": [[0, 1]], "type": "A", "types": ["B"], "id": null, "probability": null},
                {"fragments": [[0, 1], [2, 6]], "text": "a cold"}]}"#
            .replace('\n', "")
            .as_str());
        let found: Vec<_> = document.mentions.iter().map(|m| (m.kind.as_str(), m.id.as_deref(), m.span)).collect();
        let (cold, a, all) = (Span::new(2, 6), Span::new(0, 1), Span::new(0, 6));
        assert_eq!(found, [("Disease", Some("3139"), cold), ("disease", None, cold), ("A", None, a), ("", None, all)]);
        assert_eq!(document.mentions[2].fragments, []);
        assert_eq!(document.mentions[3].fragments, [a, cold]);
    }
}
