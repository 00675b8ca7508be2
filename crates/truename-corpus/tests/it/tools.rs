//! Documents of annotation tools, and brat as other programs write it.

use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::Path;

use truename_corpus::{Document, ReadOptions, read_all, read_from, read_standoff};

fn read(name: &str, text: &str, options: &ReadOptions) -> (Vec<Document>, Vec<String>) {
    let (mut documents, mut problems) = (Vec::new(), Vec::new());
    read_from(Path::new(name), Cursor::new(text.as_bytes().to_vec()), options, &mut |read| {
        match read {
            Ok(document) => documents.push(document),
            Err(problem) => problems.push(problem.to_string()),
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    (documents, problems)
}

fn mentions(document: &Document) -> Vec<(&str, &str)> {
    document.mentions.iter().map(|mention| (mention.span.of(&document.text).unwrap(), &*mention.mention_type)).collect()
}

#[test]
fn spans_of_other_tools_are_mentions() {
    let text = "\"text\": \"😀 asthma and fever\"";
    let wanted = [("asthma", "Disease"), ("fever", "Sign")];
    for (tool, line) in [
        ("doccano", format!("{{\"id\": 1, {text}, \"label\": [[2, 8, \"Disease\"], [13, 18, \"Sign\"]], \"Comments\": []}}")),
        (
            "doccano 1.8",
            format!("{{{text}, \"entities\": [{{\"id\": 4, \"label\": \"Disease\", \"start_offset\": 2, \"end_offset\": 8}}, {{\"label\": \"Sign\", \"start_offset\": 13, \"end_offset\": 18}}], \"relations\": []}}"),
        ),
        (
            "PubAnnotation",
            format!("{{{text}, \"denotations\": [{{\"id\": \"T1\", \"span\": {{\"begin\": 2, \"end\": 8}}, \"obj\": \"Disease\"}}, {{\"span\": {{\"begin\": 13, \"end\": 18}}, \"obj\": \"Sign\"}}]}}"),
        ),
        (
            "doccano 1.0",
            format!("{{{text}, \"annotations\": [{{\"label\": \"Disease\", \"start_offset\": 2, \"end_offset\": 8}}, {{\"label\": \"Sign\", \"start_offset\": 13, \"end_offset\": 18}}]}}"),
        ),
        ("entity", format!("{{{text}, \"entity\": [[2, 8, \"Disease\"], [13, 18, \"Sign\"]]}}")),
        (
            "Prodigy",
            format!("{{{text}, \"spans\": [{{\"start\": 2, \"end\": 8, \"label\": \"Disease\", \"token_start\": 1}}, {{\"start\": 13, \"end\": 18, \"label\": \"Sign\"}}], \"tokens\": [], \"answer\": \"accept\"}}"),
        ),
        ("spaCy", format!("{{{text}, \"ents\": [{{\"start\": 2, \"end\": 8, \"label\": \"Disease\"}}, {{\"start\": 13, \"end\": 18, \"label\": \"Sign\"}}]}}")),
        ("spaCy pair", "[\"😀 asthma and fever\", {\"entities\": [[2, 8, \"Disease\"], [13, 18, \"Sign\"]]}]".to_owned()),
        (
            "spaCy list",
            "[\n[\"😀 asthma and fever\", {\"entities\": [[2, 8, \"Disease\"], [13, 18, \"Sign\"]]}],\n[\"b\", {\"entities\": []}]]".to_owned(),
        ),
        (
            "Label Studio",
            format!("[{{\"id\": 9, \"data\": {{{text}}}, \"annotations\": [{{\"result\": [{{\"value\": {{\"start\": 2, \"end\": 8, \"text\": \"asthma\", \"labels\": [\"Disease\"]}}}}, {{\"value\": {{\"choices\": [\"x\"]}}}}, {{\"from_id\": \"a\", \"to_id\": \"b\", \"type\": \"relation\"}}, {{\"value\": {{\"start\": 13, \"end\": 18, \"labels\": [\"Sign\"]}}}}]}}]}}]"),
        ),
        (
            "Label Studio with a key of its own",
            "[{\"data\": {\"abstract\": \"😀 asthma and fever\", \"number\": 3}, \"annotations\": [{\"result\": [{\"value\": {\"start\": 2, \"end\": 8, \"labels\": [\"Disease\"]}}, {\"value\": {\"start\": 13, \"end\": 18, \"labels\": [\"Sign\"]}}]}]}]".to_owned(),
        ),
        (
            "spaCy, groups of spans",
            format!("{{{text}, \"spans\": {{\"sc\": [{{\"start\": 2, \"end\": 8, \"label\": \"Disease\"}}]}}, \"entities\": {{\"Sign\": [[13, 18]]}}}}"),
        ),
        (
            "Hugging Face, pipeline",
            format!("{{{text}, \"entities\": [{{\"entity_group\": \"Disease\", \"word\": \"asthma\", \"start\": 2, \"end\": 8, \"score\": 0.9}}, {{\"entity\": \"B-Sign\", \"start\": 13, \"end\": 18}}]}}"),
        ),
        (
            "tokens",
            "{\"tokens\": [\"😀\", \"asthma\", \"and\", \"fever\"], \"ner_tags\": [\"O\", \"B-Disease\", \"O\", \"B-Sign\"]}".to_owned(),
        ),
    ] {
        let (documents, problems) = read("a.jsonl", &line, &ReadOptions::default());
        assert_eq!(problems, [""; 0], "{tool}");
        assert_eq!(mentions(&documents[0]), wanted, "{tool}");
    }
}

#[test]
fn a_span_of_pub_annotation_may_have_several_parts() {
    let line = r#"{"text": "breast and ovarian cancer", "denotations": [{"span": [{"begin": 0, "end": 6}, {"begin": 19, "end": 25}], "obj": "Disease"}]}"#;
    let (documents, problems) = read("a.jsonl", line, &ReadOptions::default());
    assert_eq!(problems, [""; 0]);
    assert_eq!(documents[0].mentions[0].fragments.len(), 2);
}

#[test]
fn numbers_of_tags_need_their_names() {
    let line = "{\"tokens\": [\"severe\", \"acute\", \"asthma\"], \"ner_tags\": [0, 1, 2]}";
    let names = ["O", "B-Disease", "I-Disease"].map(str::to_owned).to_vec();
    let (documents, _) = read("a.jsonl", line, &ReadOptions { tag_names: names, ..ReadOptions::default() });
    assert_eq!(mentions(&documents[0]), [("acute asthma", "Disease")]);
    let (documents, problems) = read("a.jsonl", line, &ReadOptions::default());
    assert_eq!(documents.len(), 0);
    assert!(problems[0].contains("`ner_tags` has the number 0, and 0 names of tags are known"), "{problems:?}");
}

#[test]
fn labels_of_whole_texts_are_no_mentions() {
    for rest in [
        "\"label\": \"positive\"",
        "\"labels\": [\"a\", \"b\"]",
        "\"spans\": null",
        "\"mentions\": [], \"spans\": [[0, 1, \"x\"]]",
    ] {
        let (documents, problems) =
            read("a.jsonl", &format!("{{\"text\": \"a cold\", {rest}}}"), &ReadOptions::default());
        assert_eq!((documents[0].mentions.len(), problems.len()), (0, 0), "{rest}");
    }
    let (_, problems) = read("a.jsonl", "{\"text\": \"a\", \"spans\": [{\"start\": 0}]}", &ReadOptions::default());
    assert_eq!(problems, ["a.jsonl:1: document 1: span 1: `start` or `end` is missing"]);
}

#[test]
fn annotations_that_are_no_mentions_are_counted() {
    let rows = [
        (r#"{"text": "a cold", "spans": [[2, 6, "X"], [0, 1, "X"]], "answer": "reject"}"#, 0, 2),
        (r#"{"text": "a cold", "tokens": [{}], "answer": "ignore"}"#, 0, 1),
        (r#"{"data": {"text": "a"}, "annotations": [], "predictions": [{"result": [{}, {}]}]}"#, 1, 2),
        (r#"{"data": {"text": "a"}, "annotations": [{"result": []}]}"#, 1, 0),
        (r#"{"text": "a cold", "attributes": [{"span": {}}], "sents": [{}], "tags": ["x"]}"#, 1, 1),
    ];
    for (row, documents, left_out) in rows {
        let mut found = 0;
        let summary = read_from(Path::new("a.jsonl"), row.as_bytes(), &ReadOptions::default(), &mut |read| {
            found += read.is_ok_and(|document| document.mentions.is_empty()) as u64;
            ControlFlow::Continue(())
        });
        assert_eq!((found, summary.unwrap().left_out), (documents, left_out), "{row}");
    }
    let (documents, _) = read("a.jsonl", rows[0].0, &ReadOptions { mentions: false, ..ReadOptions::default() });
    assert_eq!(documents.len(), 1, "its text is as good as any");
}

#[test]
fn an_array_that_is_not_closed_is_an_error() {
    for text in ["[{\"text\": \"a\"},\n{\"text\": \"b\"}", "[\n{\"text\": \"a\"},\n"] {
        let mut documents = 0;
        let read = read_from(Path::new("a.jsonl"), text.as_bytes(), &ReadOptions::default(), &mut |_| {
            documents += 1;
            ControlFlow::Continue(())
        });
        let error = read.unwrap_err().to_string();
        assert!(documents > 0 && error.contains("the file ends within a JSON array; it is cut off"), "{error}");
    }
}

#[test]
fn an_array_of_documents_is_read() {
    let text = "[\n {\"id\": \"1\", \"text\": \"a\"},\n {\"id\": \"2\", \"text\": 3},\n {\"id\": \"3\",\n \"text\": \"b\", \"score\": NaN}\n]\n";
    for name in ["a.json", "a.jsonl", "a"] {
        let (documents, problems) = read(name, text, &ReadOptions::default());
        assert_eq!(documents.iter().map(|document| &*document.id).collect::<Vec<_>>(), ["1", "3"], "{name}");
        assert_eq!(problems, [format!("{name}:3: document 2: `text`: expected a text, found the number 3")]);
    }
}

fn standoff(text: &str, annotations: &str) -> Result<Vec<String>, String> {
    let read = read_standoff(Path::new("a.txt"), text, annotations, &ReadOptions::default());
    let (document, _) = read.map_err(|problem| problem.to_string())?;
    Ok(document.mentions.iter().map(|mention| mention.span.of(&document.text).unwrap().to_owned()).collect())
}

#[test]
fn offsets_of_brat_may_count_a_line_end_as_one_character_and_no_mark() {
    let rows = "T1\tDisease 9 15\tasthma\nT2\tSign 20 25\tfever\n";
    assert_eq!(standoff("John has asthma.\nNo fever.\n", rows).unwrap(), ["asthma", "fever"]);
    assert_eq!(standoff("John has asthma.\r\nNo fever.\r\n", rows).unwrap(), ["asthma", "fever"]);
    assert_eq!(standoff("\u{FEFF}John has asthma.\nNo fever.\n", rows).unwrap(), ["asthma", "fever"]);
    assert_eq!(standoff("\u{FEFF}John has asthma.\r\nNo fever.\r\n", rows).unwrap(), ["asthma", "fever"]);
    let error = standoff("John has asthma.\r\nNo fever.\r\n", "T1\tDisease 9 16\tmeasles\n").unwrap_err();
    assert_eq!(error, "a.ann:1: document a: T1: the text at 9–16 is \"asthma.\", the file says \"measles\"");
    assert_eq!(standoff("acute\r\nasthma", "T1\tDisease 0 5;6 12\tacute asthma\n").unwrap(), ["acute\r\nasthma"]);
}

#[test]
fn a_mention_over_a_line_end_is_written_as_brat_does() {
    let folder = tempfile::tempdir().unwrap();
    let mut document = Document::new("a", "severe acute\n\nasthma");
    document.mentions.push(truename_corpus::Mention { span: truename_corpus::Span::new(7, 20), ..Default::default() });
    let mut writer =
        truename_corpus::BratWriter::new(&folder.path().join("out"), truename_corpus::OffsetUnit::Chars).unwrap();
    writer.write(&document).unwrap();
    writer.finish().unwrap();
    let rows = std::fs::read_to_string(folder.path().join("out/a.ann")).unwrap();
    assert_eq!(rows, "T1\t_ 7 12;14 20\tacute  asthma\n");
    assert_eq!(read_all(&folder.path().join("out"), &ReadOptions::default()).unwrap(), [document]);
}
