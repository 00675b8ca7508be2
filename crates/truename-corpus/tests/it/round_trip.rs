//! What is written is read back: the same documents where the format can hold them, and always the same spans.

use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::Path;

use proptest::prelude::*;
use truename_corpus::{
    Assertion, BratWriter, Document, Format, Mention, OffsetUnit, Passage, ReadOptions, Span, Writer, read_all,
    read_from,
};

const UNITS: [OffsetUnit; 3] = [OffsetUnit::Bytes, OffsetUnit::Chars, OffsetUnit::Utf16];
const STREAMS: [Format; 4] = [Format::Jsonl, Format::Pubtator, Format::BiocXml, Format::BiocJson];

fn write(documents: &[Document], format: Format, offsets: OffsetUnit) -> Vec<u8> {
    let mut writer = Writer::new(format, offsets, Vec::new()).unwrap();
    documents.iter().for_each(|document| writer.write(document).unwrap());
    writer.finish().unwrap()
}

fn read(bytes: Vec<u8>, format: Format, offsets: OffsetUnit) -> Vec<Document> {
    let options = ReadOptions { input_format: Some(format), offsets, ..ReadOptions::default() };
    let mut documents = Vec::new();
    read_from(Path::new("memory"), Cursor::new(bytes), &options, &mut |read| {
        documents.push(read.unwrap_or_else(|problem| panic!("{problem}")));
        ControlFlow::Continue(())
    })
    .unwrap();
    documents
}

fn written_and_read(documents: &[Document], format: Format, offsets: OffsetUnit) -> Vec<Document> {
    if format != Format::Brat {
        return read(write(documents, format, offsets), format, offsets);
    }
    let folder = tempfile::tempdir().unwrap();
    let mut writer = BratWriter::new(folder.path(), offsets).unwrap();
    documents.iter().for_each(|document| writer.write(document).unwrap());
    writer.finish().unwrap();
    read_all(folder.path(), &ReadOptions { input_format: Some(format), offsets, ..ReadOptions::default() }).unwrap()
}

/// What comes back of a document: what the format cannot hold, as its documentation says it.
fn as_held(document: &Document, format: Format) -> Document {
    let mut held = document.clone();
    match format {
        Format::Pubtator => {
            held.passages.clear();
            for mention in &mut held.mentions {
                mention.fragments.clear();
                mention.probability = None;
            }
        }
        Format::Brat => {
            held.passages.clear();
            for mention in &mut held.mentions {
                mention.probability = None;
                // Fragments that line ends alone part are one span over lines.
                let is_parted = |pair: &[Span]| {
                    let between = &held.text[pair[0].end.min(pair[1].start)..pair[1].start];
                    between.is_empty() || !between.trim_matches(['\r', '\n']).is_empty()
                };
                if !mention.fragments.windows(2).any(is_parted) {
                    mention.fragments.clear();
                }
            }
        }
        Format::BiocXml => held.text = without_controls(&held.text),
        _ => {}
    }
    held
}

fn without_controls(text: &str) -> String {
    let held = |c: char| match c {
        '\t' | '\r' | '\n' => c,
        '\0'..' ' => ' ',
        '\u{FFFE}' | '\u{FFFF}' => '\u{FFFD}',
        _ => c,
    };
    text.chars().map(held).collect()
}

/// A document as it can be compared: BioC sorts mentions by passage, PubTator has other passages and line breaks.
fn comparable(mut document: Document, format: Format) -> Document {
    if format == Format::Pubtator {
        document.passages.clear();
        document.text = document.text.replace(['\r', '\n'], " ").replace('\t', " ");
    }
    document.mentions.sort_by_key(|mention| format!("{mention:?}"));
    document
}

fn assert_same(found: Vec<Document>, wanted: &[Document], format: Format, unit: OffsetUnit) {
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.into_iter().zip(wanted) {
        let wanted = comparable(as_held(wanted, format), format);
        assert_eq!(comparable(found, format), wanted, "{format} {unit:?}");
    }
}

/// Pieces of text that are hard on one format or another.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Z0-9 .,;:|-]{1,8}",
        Just("\r\n".to_owned()),
        Just("\n".to_owned()),
        Just("\r".to_owned()),
        Just("\t".to_owned()),
        Just("  ".to_owned()),
        Just("😀".to_owned()),
        Just("e\u{301}\u{327}".to_owned()),
        Just("שלום עולם".to_owned()),
        Just("naïve α–β 漢字".to_owned()),
        Just("<a href=\"x\">&amp;</a>]]>".to_owned()),
        Just("\"\\\\ {} [] '".to_owned()),
        Just("\u{FEFF}".to_owned()),
        Just("\u{85}\u{2028}".to_owned()),
        Just("\0\u{1}\u{B}\u{C}\u{1b}\u{7f}".to_owned()),
        Just("\u{FFFE}\u{FFFF}\u{FFFD}".to_owned()),
        Just("1|t|title\n1|a|abstract\n1\t0\t1\tx".to_owned()),
        any::<String>(),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// Some boundaries of a text, in order.
fn boundaries(text: &str, picks: &[prop::sample::Index]) -> Vec<usize> {
    let all: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut found: Vec<usize> = picks.iter().map(|pick| all[pick.index(all.len())]).collect();
    found.sort_unstable();
    found.dedup();
    found
}

type Picked = (Vec<prop::sample::Index>, &'static str, Option<&'static str>, Option<u32>);

fn picked() -> impl Strategy<Value = Picked> {
    (
        prop::collection::vec(any::<prop::sample::Index>(), 2..7),
        prop::sample::select(vec!["Disease", "Gene/protein", "Größe", "a&b<c>", ""]),
        prop::option::of(prop::sample::select(vec![
            "MESH:D1",
            "D1",
            "D1|D2",
            "MESH:D1|OMIM:2",
            "KB:1",
            "a & <b>",
            "ä b",
        ])),
        prop::option::of(0_u32..=1000),
    )
}

fn mention(text: &str, (picks, mention_type, id, probability): Picked) -> Option<Mention> {
    let bounds = boundaries(text, &picks);
    let mut spans: Vec<Span> = bounds.chunks_exact(2).map(|pair| Span::new(pair[0], pair[1])).collect();
    let (first, last) = (*spans.first()?, *spans.last()?);
    if spans.len() == 1 {
        spans.clear();
    }
    Some(Mention {
        span: Span::new(first.start, last.end),
        fragments: spans,
        mention_type: mention_type.into(),
        id: id.map(str::to_owned),
        probability: probability.map(|thousandths| f64::from(thousandths) / 1000.0),
        // PubTator has them by the span.
        assertions: Assertion::ALL.into_iter().filter(|assertion| last.end >> *assertion as usize & 1 == 1).collect(),
    })
}

/// Passages with and without a blank between, or none.
fn passages(text: &str, picks: &[prop::sample::Index], touching: bool) -> Vec<Passage> {
    let bounds = boundaries(text, picks);
    let spans: Vec<Span> = if touching {
        bounds.windows(2).map(|pair| Span::new(pair[0], pair[1])).collect()
    } else {
        bounds.chunks_exact(2).map(|pair| Span::new(pair[0], pair[1])).collect()
    };
    let kinds = ["title", "abstract", "table & figure"].into_iter().cycle();
    spans.into_iter().zip(kinds).map(|(span, kind)| Passage { kind: kind.into(), span }).collect()
}

prop_compose! {
    fn document()(
        text in text(),
        title in prop::option::of("[a-z ]{1,9}"),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        touching in any::<bool>(),
        picked in prop::collection::vec(picked(), 0..6),
    ) -> Document {
        let mut document = Document::new("1", text);
        // Half of the documents have a title and an abstract, as most of the world's do.
        match title {
            Some(title) if !document.text.is_empty() => {
                document.text = format!("{title}\n{}", document.text);
                let (end, all) = (title.len(), document.text.len());
                document.passages = vec![
                    Passage { kind: "title".into(), span: Span::new(0, end) },
                    Passage { kind: "abstract".into(), span: Span::new(end + 1, all) },
                ];
            }
            _ => document.passages = passages(&document.text, &picks, touching),
        }
        document.mentions = picked.into_iter().filter_map(|picked| mention(&document.text, picked)).collect();
        document
    }
}

/// Ids are names of files in brat, so they differ and are in order.
fn documents() -> impl Strategy<Value = Vec<Document>> {
    prop::collection::vec(document(), 0..4).prop_map(|mut documents| {
        for (at, document) in documents.iter_mut().enumerate() {
            document.id = format!("PMC{at}");
        }
        documents
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(documents in documents()) {
        for unit in UNITS {
            for format in STREAMS {
                assert_same(written_and_read(&documents, format, unit), &documents, format, unit);
            }
        }
    }

    #[test]
    fn formats_agree(documents in documents()) {
        for first in STREAMS {
            let once = written_and_read(&documents, first, OffsetUnit::Utf16);
            for second in STREAMS {
                let twice = written_and_read(&once, second, OffsetUnit::Bytes);
                assert_same(twice, &once, second, OffsetUnit::Bytes);
            }
        }
    }

    #[test]
    fn titles_and_abstracts_stay_apart(document in document()) {
        let split = document.passages.len() == 2
            && document.passages[0].kind == "title"
            && document.passages[0].span.start == 0
            && document.text.get(document.passages[0].span.end..document.passages[1].span.start) == Some("\n")
            && document.passages[1].span.end == document.text.len();
        prop_assume!(split);
        for format in STREAMS {
            let found = written_and_read(std::slice::from_ref(&document), format, OffsetUnit::Chars);
            prop_assert_eq!(&found[0].passages, &document.passages, "{}", format);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn folders_are_read_back(documents in documents()) {
        for unit in UNITS {
            assert_same(written_and_read(&documents, Format::Brat, unit), &documents, Format::Brat, unit);
        }
    }
}

#[test]
fn a_unit_that_does_not_fit_is_a_problem() {
    let mut document = Document::new("1", "😀 has a cold 😀");
    document.mentions = vec![Mention::new(Span::new(11, 15), "Disease", None)];
    for format in STREAMS {
        let options = ReadOptions { input_format: Some(format), ..ReadOptions::default() };
        let bytes = write(std::slice::from_ref(&document), format, OffsetUnit::Bytes);
        let mut problems = Vec::new();
        read_from(Path::new("a"), Cursor::new(bytes), &options, &mut |read| {
            problems.push(read.unwrap_err().hint.unwrap().to_string());
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(problems.len(), 1);
        assert!(problems[0].starts_with("offsets count chars: try `offsets = bytes`"), "{problems:?}");
    }
}
