//! Truename's own format, one JSON object a line.
//!
//! `{"id": "1", "text": "a cold", "mentions": [{"start": 2, "end": 6, "type": "Disease", "id": "MESH:D003139"}]}`;
//! only `text` is required. Other keys are ignored, because tools add some. Spans of annotation tools are mentions too, and the
//! objects may stand in an array.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;
use truename_read::{Objects, Source, json};
use truename_text::{Assertion, Document, Mention, OffsetUnit, Offsets, Passage, Span, excerpt};

use crate::Error;
use crate::annotation::{AnnotatedText, Annotation};
use crate::fields::{Fields, Unique, offset, reason, scalar, shown};
use crate::output::{Output, ReadDocument};
use crate::source::told;
use crate::spans;
use crate::wrong::{Wrong, not_utf8};

pub(crate) fn read(source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    let beginning = source.beginning_text();
    let array = beginning.trim_start().strip_prefix('[');
    if array.is_some_and(|members| members.trim_start().starts_with(['{', '['])) {
        return read_members(source.into_objects(), output);
    }
    let mut lines = source.into_lines();
    while let Some(line) = lines.read_filled()? {
        give(line.number, line.text().map_err(told).and_then(|text| Ok(parse(text)?)), output);
        if output.stopped {
            break;
        }
    }
    Ok(())
}

/// Reads the members of an array.
fn read_members(mut members: Objects, output: &mut Output<'_>) -> Result<(), Error> {
    while let Some(record) = members.read()? {
        let text = std::str::from_utf8(record.content()).map_err(|_| not_utf8("a byte here"));
        give(record.line, text.and_then(|text| Ok(parse(text)?)), output);
        if output.stopped {
            break;
        }
    }
    Ok(())
}

fn give(line: u64, row: Result<Fields, Wrong>, output: &mut Output<'_>) {
    match row {
        Err(wrong) => output.give_one("", Err(Wrong::at(line, wrong))),
        Ok(mut row) => {
            // What is no id is told as a problem of the document that its line names.
            let id = row.0.get("id").and_then(scalar).unwrap_or_else(|| line.to_string());
            if let Some(annotations) = spans::rejected(&row).filter(|_| output.options.mentions) {
                output.left_out += annotations;
                return;
            }
            let read = document(&mut row, &id, output);
            output.give_one(&id, read.map_err(|wrong| Wrong::at(line, wrong)));
        }
    }
}

fn parse(line: &str) -> Result<Fields, String> {
    match json::from_str(line).map(|Unique(value)| spans::with_text(value)) {
        Ok(Value::Object(row)) => Ok(Fields(row)),
        Ok(other) => Err(format!("expected an object with `id` and `text`, found {}", shown(&other))),
        Err(error) if error.is_data() => Err(reason(&error)),
        Err(error) => Err(format!("not JSON: {} at column {}", reason(&error), error.column())),
    }
}

fn document(row: &mut Fields, id: &str, output: &Output<'_>) -> Result<ReadDocument, Wrong> {
    row.scalar("id")?;
    let text = row.text("text")?.ok_or("`text` is missing")?;
    let annotated = AnnotatedText::new(&text, output.unit());
    let passages = passages(row.list("passages")?, &annotated)?;
    let (mut mentions, mut left_out) = (Vec::new(), 0);
    if output.options.mentions && row.0.get("mentions").is_none_or(Value::is_null) {
        for annotation in spans::annotations(row, &output.options.tag_names)? {
            mentions.push(annotated.mention(annotation)?);
        }
        if mentions.is_empty() {
            left_out = spans::unread(row);
        }
    } else if output.options.mentions {
        for (at, value) in row.list("mentions")?.into_iter().enumerate() {
            let read = mention(value, &annotated);
            mentions.push(read.map_err(|wrong| wrong.within(format_args!("mention {}", at + 1)))?);
        }
    }
    Ok(ReadDocument { document: Document { id: id.to_owned(), text, passages, mentions }, left_out })
}

fn passages(values: Vec<Value>, annotated: &AnnotatedText<'_>) -> Result<Vec<Passage>, Wrong> {
    let mut passages: Vec<Passage> = Vec::new();
    for (at, value) in values.into_iter().enumerate() {
        let read = passage(value, annotated).map_err(|wrong| wrong.within(format_args!("passage {}", at + 1)))?;
        let Some(passage) = read else { continue };
        if passages.last().is_some_and(|last| passage.span.start < last.span.end) {
            return Err(format!("passage {} begins before the one before it ends", at + 1).into());
        }
        passages.push(passage);
    }
    Ok(passages)
}

/// Returns the passage; none where it is empty.
fn passage(value: Value, annotated: &AnnotatedText<'_>) -> Result<Option<Passage>, Wrong> {
    let mut row = Fields::of(value)?;
    let kind = row.text("type")?.unwrap_or_default();
    let (Some(start), Some(end)) = (row.offset("start")?, row.offset("end")?) else {
        return Err("`start` or `end` is missing".into());
    };
    let span = (start != end).then(|| annotated.span(start, end)).transpose()?;
    Ok(span.map(|span| Passage { kind, span }))
}

fn mention(value: Value, annotated: &AnnotatedText<'_>) -> Result<Mention, Wrong> {
    let mut row = Fields::of(value)?;
    let pieces = pieces(&mut row)?;
    let probability = row.number("probability")?;
    if let Some(probability) = probability.filter(|probability| !(0.0..=1.0).contains(probability)) {
        return Err(format!("the probability {probability} is not from 0 to 1").into());
    }
    let mention_types = [row.text("type")?, row.text("label")?, row.list("types")?.first().and_then(scalar)];
    let mention_type = mention_types.into_iter().flatten().next().unwrap_or_default();
    let id = row.scalar("id")?.filter(|id| !id.is_empty());
    let assertions = row.list("assertions")?.iter().map(assertion).collect::<Result<_, _>>()?;
    annotated.mention(Annotation { pieces, text: row.text("text")?, mention_type, id, probability, assertions })
}

fn assertion(value: &Value) -> Result<Assertion, String> {
    value.as_str().ok_or_else(|| format!("`assertions`: expected a text, found {}", shown(value)))?.parse()
}

fn pieces(row: &mut Fields) -> Result<Vec<(usize, usize)>, String> {
    let fragments = row.list("fragments")?.iter().map(fragment).collect::<Result<Vec<_>, _>>()?;
    let (Some(start), Some(end)) = (row.offset("start")?, row.offset("end")?) else {
        return if fragments.is_empty() { Err("`start` or `end` is missing".into()) } else { Ok(fragments) };
    };
    if fragments.is_empty() {
        return Ok(vec![(start, end)]);
    }
    let first = fragments.iter().map(|(start, _)| *start).min();
    let last = fragments.iter().map(|(_, end)| *end).max();
    if (first, last) != (Some(start), Some(end)) {
        return Err(format!("`fragments` do not go from {start} to {end}, as `start` and `end` say"));
    }
    Ok(fragments)
}

fn fragment(value: &Value) -> Result<(usize, usize), String> {
    let bounds = value.as_array().map(|bounds| bounds.iter().map(offset).collect::<Vec<_>>());
    match bounds.as_deref() {
        Some([Some(start), Some(end)]) => Ok((*start, *end)),
        _ => Err(format!("`fragments`: expected pairs of a start and an end, found {}", excerpt(&value.to_string()))),
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
    mention_type: &'d str,
    id: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assertions: Vec<&'static str>,
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
            mention_type: &mention.mention_type,
            id: mention.id.as_deref(),
            probability: mention.probability,
            assertions: mention.assertions.names(),
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
            (r#"{"id": 7"#, "not JSON: it ends within an object at column 8"),
            (r#"{"text": "a"} {}"#, "not JSON: trailing characters at column 15"),
            (r#"{"id": 7}"#, "document 7: `text` is missing"),
            (r#"{"text": 7}"#, "document 1: `text`: expected a text, found the number 7"),
            (r#"{"id": [], "text": ""}"#, "document 1: `id`: expected a text or a number, found a list"),
            (r#"{"text": "a", "text": "b"}"#, "`text` stands twice in one object"),
            ("[]", "expected an object with `id` and `text`, found a list"),
            (r#"["a", "a cold", null, null]"#, "expected an object with `id` and `text`, found a list"),
            ("7", "expected an object with `id` and `text`, found the number 7"),
        ] {
            let found = problems("a.jsonl", line.as_bytes(), &ReadOptions::default());
            assert_eq!(found, [format!("a.jsonl:1: {message}")]);
        }
        for (rest, message) in [
            (r#""mentions": 3"#, "`mentions`: expected a list, found the number 3"),
            (r#""mentions": [{}]"#, "mention 1: `start` or `end` is missing"),
            (r#""mentions": ["cold"]"#, "mention 1: expected an object, found the text \"cold\""),
            (
                r#""mentions": [{"fragments": [[2, 6, 7]]}]"#,
                "mention 1: `fragments`: expected pairs of a start and an end, found [2,6,7]",
            ),
            (r#""mentions": [{"start": 0, "end": 1}, {"start": 2}]"#, "mention 2: `start` or `end` is missing"),
            (
                r#""mentions": [{"start": "2", "end": 6}]"#,
                "mention 1: `start`: expected a whole number, found the text \"2\"",
            ),
            (
                r#""mentions": [{"start": 1.5, "end": 6}]"#,
                "mention 1: `start`: expected a whole number, found the number 1.5",
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
                "mention 1: `fragments` do not go from 0 to 6, as `start` and `end` say",
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
            ["a.jsonl:2: byte 11 of the line is not UTF-8 (say `encoding`, as in `encoding = windows-1252`)"]
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
        let found: Vec<_> =
            document.mentions.iter().map(|m| (m.mention_type.as_str(), m.id.as_deref(), m.span)).collect();
        let (cold, a, all) = (Span::new(2, 6), Span::new(0, 1), Span::new(0, 6));
        assert_eq!(found, [("Disease", Some("3139"), cold), ("disease", None, cold), ("A", None, a), ("", None, all)]);
        assert_eq!(document.mentions[2].fragments, []);
        assert_eq!(document.mentions[3].fragments, [a, cold]);
    }
}
