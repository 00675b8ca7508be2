//! BioC as JSON: a collection, `{"PubTator3": [documents]}`, a list of documents, or documents one after
//! another, as PubTator exports them.

use std::fmt;
use std::io::{self, Write};

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};
use truename_text::{Document, OffsetUnit, Offsets};

use super::{RawAnnotation, RawDocument, RawPassage, RawPiece, locations, parts};
use crate::Error;
use crate::output::{Output, Wrong};
use crate::problem::not_utf8;
use crate::source::Source;

pub(crate) fn read(source: Source, output: &mut Output<'_>) -> Result<(), Error> {
    let path = source.path.clone();
    let mut json = serde_json::Deserializer::from_reader(source.into_reader());
    let mut found = Found::default();
    loop {
        let mut begun = false;
        let top = Top { output, found: &mut found, begun: &mut begun };
        let Err(error) = json.deserialize_any(top) else { continue };
        if error.is_io() {
            return Err(Error::io("read", &path, error.into()));
        }
        let ended = error.is_eof() && !begun;
        if output.stopped || (ended && found.documents) {
            return Ok(());
        }
        if found.other || ended {
            return Err(Error::refused(
                Some(&path),
                "this JSON is not BioC: it has neither \"documents\" nor \"passages\"",
                "name the format with --format; documents of one JSON object a line with \"text\" are jsonl",
            ));
        }
        output.give_one("", Err(Wrong::at(error.line() as u64, broken(&error))));
        return Ok(());
    }
}

fn broken(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let reason = if message.starts_with("invalid unicode code point") {
        not_utf8(format_args!("what ends at byte {} of the line", error.column()))
    } else {
        format!("not BioC JSON: {}", message.rsplit_once(" at line").map_or(&*message, |(reason, _)| reason))
    };
    format!("{reason}; the rest of the file is not read")
}

/// What the outermost values were.
#[derive(Default)]
struct Found {
    documents: bool,
    other: bool,
}

/// An outermost value.
struct Top<'a, 'v> {
    output: &'a mut Output<'v>,
    found: &'a mut Found,
    begun: &'a mut bool,
}

impl<'de> Visitor<'de> for Top<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a BioC collection or document")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        *self.begun = true;
        let (mut rest, mut collection) = (Map::new(), false);
        while let Some(key) = map.next_key::<String>()? {
            if key == "documents" || key == "PubTator3" {
                collection = true;
                self.found.documents = true;
                map.next_value_seed(Documents { output: self.output })?;
            } else {
                rest.insert(key, map.next_value()?);
            }
        }
        if collection {
            return Ok(());
        }
        if !rest.contains_key("passages") {
            self.found.other = true;
            return Err(A::Error::custom("neither a collection nor a document"));
        }
        self.found.documents = true;
        give(&Value::Object(rest), self.output)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        *self.begun = true;
        self.found.documents = true;
        Documents { output: self.output }.visit_seq(seq)
    }
}

/// A list of documents, of which only one is in memory.
struct Documents<'a, 'v> {
    output: &'a mut Output<'v>,
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

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(document) = seq.next_element::<Value>()? {
            give(&document, self.output)?;
        }
        Ok(())
    }
}

/// Hands a document over; the error only ends the reading.
fn give<E: serde::de::Error>(value: &Value, output: &mut Output<'_>) -> Result<(), E> {
    raw_document(value).give(output);
    if output.stopped { Err(E::custom("stopped")) } else { Ok(()) }
}

fn raw_document(value: &Value) -> RawDocument {
    let id = ["id", "pmid", "_id"].iter().find_map(|key| scalar(&value[*key])).unwrap_or_default();
    let mut document = RawDocument { id, ..RawDocument::default() };
    if !value["passages"].is_array() {
        let message = "a document without a list of \"passages\"".into();
        document.problem = Some(Wrong { line: None, message });
    }
    for passage in list(&value["passages"]) {
        document.add_annotations(passage);
        let sentences = list(&passage["sentences"]);
        sentences.iter().for_each(|sentence| document.add_annotations(sentence));
        document.passages.push(RawPassage {
            kind: scalar(&passage["infons"]["type"]),
            offset: scalar(&passage["offset"]),
            text: scalar(&passage["text"]),
            pieces: sentences
                .iter()
                .map(|sentence| RawPiece { offset: scalar(&sentence["offset"]), text: scalar(&sentence["text"]) })
                .collect(),
        });
    }
    document.add_annotations(value);
    document
}

impl RawDocument {
    /// Takes the annotations of a document, passage or sentence.
    fn add_annotations(&mut self, value: &Value) {
        self.relations += list(&value["relations"]).len() as u64;
        for annotation in list(&value["annotations"]) {
            let locations = list(&annotation["locations"]).iter();
            let infons = annotation["infons"].as_object().into_iter().flatten();
            self.annotations.push(RawAnnotation {
                line: None,
                infons: infons.filter_map(|(key, value)| Some((key.clone(), scalar(value)?))).collect(),
                locations: locations.map(|at| (scalar(&at["offset"]), scalar(&at["length"]))).collect(),
                text: scalar(&annotation["text"]),
            });
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A text or number as text.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
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
    infons.insert("type".into(), mention.kind.clone().into());
    if let Some(id) = &mention.id {
        infons.insert("identifier".into(), id.clone().into());
    }
    if let Some(probability) = mention.probability {
        infons.insert("probability".into(), probability.into());
    }
    Value::Object(infons)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::path::Path;

    use crate::output::tests::{problems, read_str};
    use crate::{ReadOptions, Span, read_from};

    const PASSAGE: &str = r#"{"offset": 0, "infons": {"type": "title"}, "text": "A cold"}"#;

    #[test]
    fn all_shapes_are_read() {
        let document = format!(r#"{{"id": 7, "passages": [{PASSAGE}]}}"#);
        for content in [
            format!(r#"{{"source": "", "documents": [{document}, {document}], "key": null}}"#),
            format!(r#"{{"PubTator3": [{document}, {document}]}}"#),
            format!("[{document}, {document}]"),
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
        assert_eq!(problems, ["a.json:2: not BioC JSON: EOF while parsing a value; the rest of the file is not read"]);
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
        let found = problems("a.json", b"{\"documents\": 3}", &ReadOptions::default());
        assert_eq!(
            found,
            ["a.json:1: not BioC JSON: invalid type: integer `3`, expected a list of BioC documents; \
              the rest of the file is not read"]
        );
        let found = problems("a.json", b"[{\"passages\": [{\"text\": \"\xE9\"}]}]", &ReadOptions::default());
        assert_eq!(
            found,
            [
                "a.json:1: what ends at byte 26 of the line is not UTF-8 (say --encoding, as in --encoding windows-1252); \
              the rest of the file is not read"
            ]
        );
    }

    #[test]
    fn each_malformed_document_is_explained() {
        let annotated = |annotation: &str| {
            format!(r#"{{"id": "7", "passages": [{{"offset": 0, "text": "A cold", "annotations": [{annotation}]}}]}}"#)
        };
        for (document, message) in [
            (r#""text""#.into(), "a.json: a document without a list of \"passages\""),
            (r#"{"id": "7"}"#.into(), "a.json: document 7: a document without a list of \"passages\""),
            (r#"{"id": "7", "passages": [{"text": "A cold"}]}"#.into(), "a.json: document 7: passage 1 has no offset"),
            (
                r#"{"id": "7", "passages": [{"offset": -1, "text": "A cold"}]}"#.into(),
                "a.json: document 7: passage 1: \"-1\" is no offset",
            ),
            (
                r#"{"id": "7", "passages": [{"offset": 0, "text": "A cold"}, {"offset": 5, "text": "came"}]}"#.into(),
                "a.json: document 7: passage 2: it begins at 5, but the text before it ends at 6; \
                 offsets count chars: try --offsets bytes or utf16",
            ),
            (
                r#"{"id": "7", "passages": [{"offset": 9000000, "text": "A cold"}]}"#.into(),
                "a.json: document 7: passage 1: it begins 9000000 after the text before it; gaps have at most 1048576; \
                 offsets count chars: try --offsets bytes or utf16",
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
    fn annotations_are_not_looked_at_where_they_are_not_wanted() {
        let options = ReadOptions { mentions: false, ..ReadOptions::default() };
        let content = br#"[{"passages": [{"offset": 0, "text": "A", "annotations": [{"locations": [{}]}]}]}]"#;
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
