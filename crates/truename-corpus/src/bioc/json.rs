//! BioC as JSON: a collection, `{"PubTator3": [documents]}`, a list of documents or collections, or documents one after
//! another, as PubTator and BioC-PMC export them.

use std::fmt;
use std::io::{self, Write};
use std::rc::Rc;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};
use truename_error::{ErrorKind, HintPart, hint};
use truename_read::{Source, Watch};
use truename_text::{Document, OffsetUnit, Offsets};

use super::{ASSERTIONS, RawAnnotation, RawDocument, RawPassage, RawPiece, locations, parts};
use crate::Error;
use crate::fields::{Fields, Unique, insert, reason, scalar, shown};
use crate::output::Output;
use crate::source::read_failure;
use crate::wrong::{Wrong, not_utf8};

pub(crate) fn read(source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    let (path, text) = (source.path().to_owned(), source.into_text());
    let place = text.watch();
    let mut json = serde_json::Deserializer::from_reader(text);
    let mut found = ValueKinds::default();
    let failure = loop {
        match json.end() {
            Ok(()) => break None,
            Err(error) if error.is_io() => break Some(error),
            Err(_) => {}
        }
        if let Err(error) = json.deserialize_any(Documents { output, found: &mut found, place: &place }) {
            break Some(error);
        }
    };
    match failure {
        _ if output.stopped => {}
        None if found.documents => {}
        Some(error) if error.is_io() => {
            let wrong = read_failure(place.failure_or(|| place.error(error)), &output.options)?;
            output.give_one("", Err(wrong));
        }
        Some(error) if !found.other => output.give_one("", Err(broken(&error))),
        _ => {
            let message = "this JSON is not BioC: it has neither \"documents\" nor \"passages\"";
            let format = HintPart::setting("input_format");
            let advice = match found.annotations {
                true => hint![
                    "`jq -c '.annotations[] | values'` writes the members of `annotations` a line each, as ",
                    format.value("jsonl"),
                    " reads them"
                ],
                false => hint!["name the format with ", format, "; one JSON object a line with `text` is jsonl"],
            };
            return Err(Error::at(ErrorKind::Syntax, &path, None, message).with_hint(advice));
        }
    }
    Ok(())
}

fn broken(error: &serde_json::Error) -> Wrong {
    let reason = reason(error);
    let wrong = match error.is_data() {
        _ if reason.starts_with("invalid unicode code point") => {
            not_utf8(format_args!("what ends at byte {} of the line", error.column()))
        }
        true => reason.into(),
        false => format!("not JSON: {reason} at column {}", error.column()).into(),
    };
    Wrong::at(error.line() as u64, wrong).and_stop()
}

/// The kinds of outermost values found so far.
#[derive(Default)]
struct ValueKinds {
    documents: bool,
    /// A list of annotations, as NER Annotator writes it.
    annotations: bool,
    other: bool,
}

/// An outermost value, or the list of documents in one; these are read one at a time.
struct Documents<'a, 'v> {
    output: &'a mut Output<'v>,
    found: &'a mut ValueKinds,
    place: &'a Rc<Watch>,
}

impl<'de> DeserializeSeed<'de> for Documents<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Documents<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of BioC documents")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { output, found, place } = self;
        let (mut rest, mut is_collection) = (Map::new(), false);
        while let Some(key) = map.next_key::<String>()? {
            if key == "documents" || key == "PubTator3" {
                is_collection = true;
                found.documents = true;
                map.next_value_seed(Documents { output, found, place })?;
            } else {
                let Unique(value) = map.next_value()?;
                insert(&mut rest, key, value).map_err(A::Error::custom)?;
            }
        }
        place.begin_value();
        if is_collection {
            return Ok(());
        }
        if !rest.contains_key("passages") {
            found.other = true;
            found.annotations = rest.get("annotations").is_some_and(Value::is_array);
            return Err(A::Error::custom("neither a collection nor a document"));
        }
        found.documents = true;
        give(Value::Object(rest), output)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.found.documents = true;
        while let Some(Unique(mut value)) = seq.next_element()? {
            self.place.begin_value();
            match value.get_mut("documents").and_then(Value::as_array_mut) {
                Some(documents) => documents.drain(..).try_for_each(|document| give(document, self.output))?,
                None => give(value, self.output)?,
            }
        }
        Ok(())
    }
}

/// Hands a document over; the error only ends the reading.
fn give<E: serde::de::Error>(value: Value, output: &mut Output<'_>) -> Result<(), E> {
    raw_document(value, output.options.mentions).give(output);
    if output.stopped { Err(E::custom("stopped")) } else { Ok(()) }
}

fn raw_document(value: Value, with_mentions: bool) -> RawDocument {
    let mut document = RawDocument::default();
    let read = match value {
        Value::Object(fields) => document.read(Fields(fields), with_mentions),
        other => Err(format!("expected a document with `passages`, found {}", shown(&other))),
    };
    document.problem = read.err().map(Wrong::from);
    document
}

impl RawDocument {
    fn read(&mut self, mut fields: Fields, with_mentions: bool) -> Result<(), String> {
        self.id = ["id", "pmid", "_id"].iter().find_map(|key| scalar(fields.0.get(*key)?)).unwrap_or_default();
        if fields.0.get("passages").is_none_or(Value::is_null) {
            return Err("a document without `passages`".into());
        }
        for (at, passage) in fields.list("passages")?.into_iter().enumerate() {
            let read = Fields::of(passage).and_then(|passage| self.read_passage(passage, with_mentions));
            read.map_err(|message| format!("passage {}: {message}", at + 1))?;
        }
        if with_mentions { self.read_annotations(&mut fields) } else { Ok(()) }
    }

    fn read_passage(&mut self, mut passage: Fields, with_mentions: bool) -> Result<(), String> {
        if with_mentions {
            self.read_annotations(&mut passage)?;
        }
        let mut pieces = Vec::new();
        for sentence in passage.list("sentences")? {
            let mut sentence = Fields::of(sentence)?;
            if with_mentions {
                self.read_annotations(&mut sentence)?;
            }
            pieces.push(RawPiece { offset: sentence.scalar("offset")?, text: sentence.scalar("text")? });
        }
        let kind = passage.object("infons")?.scalar("type")?;
        self.passages.push(RawPassage {
            kind,
            pieces,
            offset: passage.scalar("offset")?,
            text: passage.scalar("text")?,
        });
        Ok(())
    }

    /// Takes the annotations of a document, passage or sentence.
    fn read_annotations(&mut self, fields: &mut Fields) -> Result<(), String> {
        self.relations += fields.list("relations")?.len() as u64;
        for value in fields.list("annotations")? {
            let number = self.annotations.len() + 1;
            let annotation = annotation(value).map_err(|message| format!("annotation {number}: {message}"))?;
            self.annotations.push(annotation);
        }
        Ok(())
    }
}

fn annotation(value: Value) -> Result<RawAnnotation, String> {
    let mut fields = Fields::of(value)?;
    let infons = fields.object("infons")?.0.into_iter();
    let mut locations = Vec::new();
    for location in fields.list("locations")? {
        let mut location = Fields::of(location)?;
        locations.push((location.scalar("offset")?, location.scalar("length")?));
    }
    Ok(RawAnnotation {
        line: None,
        infons: infons.filter_map(|(key, value)| Some((key, infon(&value)?))).collect(),
        locations,
        text: fields.scalar("text")?,
    })
}

/// Returns the text of an infon; texts of a list are joined by `|`, as several ids are.
fn infon(value: &Value) -> Option<String> {
    match value {
        Value::Array(values) => Some(values.iter().filter_map(scalar).collect::<Vec<_>>().join("|")),
        value => scalar(value),
    }
}

pub(crate) const BEGIN: &str = "{\"source\":\"\",\"date\":\"\",\"key\":\"\",\"infons\":{},\"documents\":[";
pub(crate) const END: &str = "\n]}\n";

/// Writes a document of a collection, on one line.
pub(crate) fn write(out: &mut impl Write, document: &Document, unit: OffsetUnit, first: bool) -> io::Result<()> {
    let offsets = Offsets::new(&document.text, unit);
    let mut number = 0;
    let mut passages = Vec::new();
    for part in parts(document) {
        let mut annotations = Vec::new();
        for mention in part.mentions {
            number += 1;
            annotations.push(json!({
                "id": number.to_string(),
                "infons": infons(mention),
                "text": mention.surface(&document.text),
                "locations": locations(mention).iter().map(|span| {
                    let offset = offsets.of_byte(span.start);
                    json!({"offset": offset, "length": offsets.of_byte(span.end) - offset})
                }).collect::<Vec<_>>(),
            }));
        }
        passages.push(json!({
            "offset": offsets.of_byte(part.span.start),
            "infons": part.kind.map_or(json!({}), |kind| json!({"type": kind})),
            "text": &document.text[part.span.range()],
            "sentences": [],
            "annotations": annotations,
            "relations": [],
        }));
    }
    out.write_all(if first { b"\n" } else { b",\n" })?;
    let document = json!({"id": document.id, "infons": {}, "passages": passages, "annotations": [], "relations": []});
    Ok(serde_json::to_writer(out, &document)?)
}

fn infons(mention: &truename_text::Mention) -> Value {
    let mut infons = Map::new();
    if !mention.mention_type.is_empty() {
        infons.insert("type".into(), mention.mention_type.clone().into());
    }
    if let Some(id) = &mention.id {
        infons.insert("identifier".into(), id.clone().into());
    }
    if let Some(probability) = mention.probability {
        infons.insert("probability".into(), probability.into());
    }
    if !mention.assertions.is_empty() {
        infons.insert(ASSERTIONS.into(), mention.assertions.to_string().into());
    }
    Value::Object(infons)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::path::Path;

    use crate::output::tests::{bounded, problems, read_str};
    use crate::{ReadOptions, Span, read_from};

    const PASSAGE: &str = r#"{"offset": 0, "infons": {"type": "title"}, "text": "A cold"}"#;

    #[test]
    fn all_shapes_are_read() {
        let document = format!(r#"{{"id": 7, "passages": [{PASSAGE}]}}"#);
        for content in [
            format!(r#"{{"source": "", "documents": [{document}, {document}], "key": null}}"#),
            format!(r#"{{"PubTator3": [{document}, {document}]}}"#),
            format!("[{document}, {document}]"),
            format!(r#"[{{"source": "PMC", "documents": [{document}]}}, {{"documents": [{document}]}}]"#),
            format!("{document}\n{document}\n"),
        ] {
            let (documents, problems) = read_str("a.json", &content, &ReadOptions::default());
            assert_eq!((documents.len(), problems.len()), (2, 0), "{content}");
            assert_eq!((&*documents[0].id, &*documents[0].text), ("7", "A cold"));
        }
    }

    #[test]
    fn documents_come_before_the_end_of_the_file() {
        let broken = format!("{{\"documents\": [{{\"id\": \"7\", \"passages\": [{PASSAGE}]}},\n {{\"id\": ");
        let (documents, problems) = read_str("a.json", &broken, &ReadOptions::default());
        assert_eq!(documents.len(), 1);
        assert_eq!(
            problems,
            ["a.json:2: not JSON: it ends within a value at column 8; the rest of the file is not read"]
        );
    }

    #[test]
    fn what_is_not_bioc_is_an_error() {
        for content in ["{}", "", " \n", r#"{"nodes": []}"#] {
            let read = read_from(Path::new("a.json"), content.as_bytes(), &ReadOptions::default(), &mut |_| {
                ControlFlow::Continue(())
            });
            let error = read.unwrap_err();
            assert_eq!(
                error.to_string(),
                "a.json: this JSON is not BioC: it has neither \"documents\" nor \"passages\""
            );
            assert!(error.hint().is_some());
        }
        let annotator = br#"{"classes": ["D"], "annotations": [["A cold", {"entities": [[2, 6, "D"]]}], null]}"#;
        let read =
            read_from(Path::new("a.json"), &annotator[..], &ReadOptions::default(), &mut |_| ControlFlow::Continue(()));
        assert!(read.unwrap_err().hint().unwrap().to_string().contains(".annotations[]"));
        let found = problems("a.json", b"{\"documents\": 3}", &ReadOptions::default());
        assert_eq!(
            found,
            ["a.json:1: expected a list of BioC documents, found the number 3; the rest of the file is not read"]
        );
        let found = problems("a.json", b"[{\"passages\": [{\"text\": \"\xE9\"}]}]", &ReadOptions::default());
        assert_eq!(
            found,
            ["a.json:1: what ends at byte 26 of the line is not UTF-8; the rest of the file is not read \
                 (say `encoding`, as in `encoding = windows-1252`)"]
        );
    }

    #[test]
    fn each_malformed_document_is_explained() {
        let annotated = |annotation: &str| {
            format!(r#"{{"id": "7", "passages": [{{"offset": 0, "text": "A cold", "annotations": [{annotation}]}}]}}"#)
        };
        for (document, message) in [
            (r#""text""#.into(), "a.json: expected a document with `passages`, found the text \"text\""),
            (r#"{"id": "7"}"#.into(), "a.json: document 7: a document without `passages`"),
            (
                r#"{"id": "7", "passages": {}}"#.into(),
                "a.json: document 7: `passages`: expected a list, found an object",
            ),
            (
                r#"{"id": "7", "passages": ["A cold"]}"#.into(),
                "a.json: document 7: passage 1: expected an object, found the text \"A cold\"",
            ),
            (
                r#"{"id": "7", "passages": [{"offset": 0, "text": ["A cold"]}]}"#.into(),
                "a.json: document 7: passage 1: `text`: expected a text or a number, found a list",
            ),
            (
                r#"{"id": "7", "passages": [{"offset": 0, "text": "A", "annotations": {}}]}"#.into(),
                "a.json: document 7: passage 1: `annotations`: expected a list, found an object",
            ),
            (
                r#"{"id": "7", "passages": [{"offset": 0, "text": "A cold", "sentences": [{"offset": 0, "text": "B"}]}]}"#
                    .into(),
                "a.json: document 7: passage 1: a sentence says \"B\", which its passage does not",
            ),
            (
                annotated(r#"{"infons": [], "locations": []}"#),
                "a.json: document 7: passage 1: annotation 1: `infons`: expected an object, found a list",
            ),
            (r#"{"id": "7", "passages": [{"text": "A cold"}]}"#.into(), "a.json: document 7: passage 1 has no offset"),
            (
                r#"{"id": "7", "passages": [{"offset": -1, "text": "A cold"}]}"#.into(),
                "a.json: document 7: passage 1: \"-1\" is no offset",
            ),
            (
                r#"{"id": "7", "passages": [{"offset": 0, "text": "A cold"}, {"offset": 5, "text": "came"}]}"#.into(),
                "a.json: document 7: passage 2: it begins at 5, but the text before it ends at 6 \
                 (offsets count chars: try `offsets = bytes` or `offsets = utf16`)",
            ),
            (
                r#"{"id": "7", "passages": [{"offset": 9000000, "text": "A cold"}]}"#.into(),
                "a.json: document 7: passage 1: it begins 9000000 after the text before it; gaps have at most 1048576 \
                 (offsets count chars: try `offsets = bytes` or `offsets = utf16`)",
            ),
            (
                annotated(r#"{"locations": [{"offset": 2}]}"#),
                "a.json: document 7: annotation 1: a location without offset or length",
            ),
            (
                annotated(r#"{"locations": [{"offset": "x", "length": 1}]}"#),
                "a.json: document 7: annotation 1: \"x\" is no offset",
            ),
            (
                annotated(r#"{"locations": [{"offset": 2, "length": -1}]}"#),
                "a.json: document 7: annotation 1: \"-1\" is no length",
            ),
            (
                annotated(r#"{"locations": [{"offset": 2, "length": 3}], "text": "cold"}"#),
                "a.json: document 7: annotation 1: the text at 2–5 is \"col\", the file says \"cold\"",
            ),
        ] {
            let content = format!(r#"{{"documents": [{document}, {{"id": "8", "passages": [{PASSAGE}]}}]}}"#);
            let (documents, problems) = read_str("a.json", &content, &ReadOptions::default());
            assert_eq!(problems, [message]);
            assert_eq!(documents.len(), 1);
        }
    }

    #[test]
    fn a_document_beyond_the_limit_ends_the_reading() {
        let small = format!(r#"{{"id": "7", "passages": [{PASSAGE}]}}"#);
        let large = small.replace("cold", &"x".repeat(200));
        let options = bounded(150);
        let message = "a.json:2: the document is longer than 150 bytes; the rest of the file is not read \
                       (`max_line_bytes` reads longer ones)";
        for (open, between, close) in [("[", ",\n", "]"), (r#"{"documents":["#, ",\n", "]}"), ("", "\n", "")] {
            let content = [open, &[&*small, &large, &small].join(between), close].concat();
            let (documents, problems) = read_str("a.json", &content, &options);
            assert_eq!((documents.len(), problems), (1, vec![message.to_owned()]), "{content}");
            let content = [open, &[&*small, &small, &small].join(between), close].concat();
            assert_eq!(read_str("a.json", &content, &options).0.len(), 3);
        }
    }

    #[test]
    fn a_key_twice_is_told() {
        let found = problems("a.json", br#"[{"passages": [], "passages": []}]"#, &ReadOptions::default());
        assert_eq!(found, ["a.json:1: `passages` stands twice in one object; the rest of the file is not read"]);
    }

    #[test]
    fn several_ids_in_a_list_are_joined() {
        let content = r#"[{"passages": [{"offset": 0, "text": "A", "annotations": [
            {"infons": {"identifier": ["D1", 2], "valid": true}, "locations": [{"offset": 0, "length": 1}]}]}]}]"#;
        let (documents, _) = read_str("a.json", content, &ReadOptions::default());
        assert_eq!(documents[0].mentions[0].id.as_deref(), Some("D1|2"));
    }

    #[test]
    fn annotations_are_not_looked_at_where_they_are_not_wanted() {
        let options = ReadOptions { mentions: false, ..ReadOptions::default() };
        let content = br#"[{"passages": [{"offset": 0, "text": "A", "annotations": [{"locations": [{}]}, 3]}]}]"#;
        assert_eq!(problems("a.json", content, &options), [""; 0]);
    }

    #[test]
    fn identifiers_have_several_names_and_relations_are_counted() {
        let annotation =
            |infons: &str| format!(r#"{{"infons": {infons}, "locations": [{{"offset": 2, "length": 4}}]}}"#);
        let annotations = [
            annotation(r#"{"type": "Gene", "NCBI Gene": 672, "valid": true}"#),
            annotation(r#"{"MESH": "D1", "identifier": "MESH:D1"}"#),
            annotation(r#"{"identifier": "-"}"#),
            annotation(r#"{"identifier": null, "probability": "0.5"}"#),
            annotation("{}").replace("[", "[{\"offset\": 0, \"length\": 1},"),
            r#"{"infons": {"type": "MeSH_Indexing"}, "locations": []}"#.into(),
        ]
        .join(",");
        let content = format!(
            r#"{{"documents": [{{"id": "7", "relations": [{{}}], "passages": [{{"offset": 0, "infons": {{}},
            "sentences": [{{"offset": 0, "text": "A cold", "annotations": [{annotations}]}},
                          {{"offset": 8, "text": "came."}}], "relations": [{{}}, {{}}]}}]}}]}}"#
        );
        let mut documents = Vec::new();
        let summary =
            read_from(Path::new("a.json"), std::io::Cursor::new(content), &ReadOptions::default(), &mut |read| {
                documents.push(read.unwrap());
                ControlFlow::Continue(())
            });
        assert_eq!(summary.unwrap().left_out, 4);
        let document = &documents[0];
        assert_eq!(document.text, "A cold  came.");
        let ids: Vec<_> = document.mentions.iter().map(|mention| mention.id.as_deref()).collect();
        assert_eq!(ids, [Some("672"), Some("MESH:D1"), None, None, None]);
        assert_eq!(document.mentions[3].probability, Some(0.5));
        assert_eq!(document.mentions[4].fragments, [Span::new(0, 1), Span::new(2, 6)]);
    }
}
