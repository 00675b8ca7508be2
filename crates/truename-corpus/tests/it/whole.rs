//! A file that is cut off anywhere is told, and never read as a shorter corpus; endless ones come to an end.

use std::io::{Cursor, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use truename_corpus::{
    Document, Format, Mention, OffsetUnit, Passage, ReadOptions, SourceOptions, Span, Writer, read_from, read_standoff,
};

/// The documents of a file, and all that is said against it.
fn read(name: &str, bytes: &[u8]) -> (Vec<Document>, Vec<String>) {
    read_with(name, Cursor::new(bytes.to_vec()), &ReadOptions::default())
}

fn bounded(max_line_bytes: u64) -> ReadOptions {
    ReadOptions { source: SourceOptions { max_line_bytes, ..SourceOptions::default() }, ..ReadOptions::default() }
}

fn read_with(name: &str, reader: impl Read + Send + 'static, options: &ReadOptions) -> (Vec<Document>, Vec<String>) {
    let (mut documents, mut wrong) = (Vec::new(), Vec::new());
    let summary = read_from(Path::new(name), reader, options, &mut |read| {
        match read {
            Ok(document) => documents.push(document),
            Err(problem) => {
                wrong.push(problem.to_string() + &problem.hint.map(|hint| format!(" ({hint})")).unwrap_or_default())
            }
        }
        ControlFlow::Continue(())
    });
    wrong.extend(summary.err().map(|error| error.to_string()));
    (documents, wrong)
}

fn documents() -> Vec<Document> {
    let document = |id: &str, title: &str, rest: &str| {
        let mut document = Document::new(id, format!("{title}\n{rest}"));
        let all = document.text.len();
        document.passages = vec![
            Passage { kind: "title".into(), span: Span::new(0, title.len()) },
            Passage { kind: "abstract".into(), span: Span::new(title.len() + 1, all) },
        ];
        for name in ["cold", "fever"] {
            let start = document.text.find(name).unwrap();
            let span = Span::new(start, start + name.len());
            document.mentions.push(Mention::new(span, "Disease", Some(format!("MESH:{name}"))));
        }
        document
    };
    vec![
        document("1", "A naïve cold", "“Fever” & <fever> came."),
        document("2", "No fever", "The cold 🙂 went."),
        document("3", "A cold", "then a fever"),
    ]
}

fn written(format: Format) -> Vec<u8> {
    let mut writer = Writer::new(format, OffsetUnit::Chars, Vec::new()).unwrap();
    documents().iter().for_each(|document| writer.write(document).unwrap());
    writer.finish().unwrap()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Cuts a file at every byte. Documents read before the cut are those of the whole file, and where nothing is said
/// against it, `is_whole` says that it cannot be known.
fn cut_everywhere(name: &str, bytes: &[u8], is_whole: impl Fn(&[u8]) -> bool) {
    let (whole, wrong) = read(name, bytes);
    assert_eq!((whole.len(), wrong.len()), (3, 0), "{name}: {wrong:?}");
    for cut in 0..bytes.len() {
        let (documents, wrong) = read(name, &bytes[..cut]);
        let beginning = String::from_utf8_lossy(&bytes[..cut]);
        if !is_whole(&bytes[..cut]) {
            assert!(!wrong.is_empty(), "{name}, of which this was read as whole:\n{beginning}");
            assert!(wrong.iter().all(|message| message.contains(name)), "{wrong:?}");
        }
        if !(name.ends_with("pubtator") || name.ends_with("conll")) || !wrong.is_empty() {
            assert!(whole.starts_with(&documents), "{name}, other documents of:\n{beginning}");
        }
    }
}

fn ends_line(bytes: &[u8]) -> bool {
    bytes.is_empty() || bytes.ends_with(b"\n")
}

#[test]
fn a_bioc_collection_is_whole_with_its_last_bracket() {
    let xml = written(Format::BiocXml);
    let last = xml.len() - 1;
    cut_everywhere("a.xml", &xml, |cut| cut.len() == last);
    let json = written(Format::BiocJson);
    let last = json.len() - 1;
    cut_everywhere("a.json", &json, |cut| cut.len() == last);
    let text = String::from_utf8(json).unwrap();
    let list = text[text.find('[').unwrap()..].trim_end().trim_end_matches('}').to_owned();
    cut_everywhere("a.json", list.as_bytes(), |_| false);
    let documents: Vec<&str> = list[1..list.len() - 1].trim().split(",\n").collect();
    assert_eq!(documents.len(), 3);
    let lines = documents.join("\n");
    let ends: Vec<usize> = lines.match_indices('\n').flat_map(|(at, _)| [at, at + 1]).collect();
    cut_everywhere("a.json", lines.as_bytes(), |cut| ends.contains(&cut.len()));
}

#[test]
fn bioc_with_all_its_elements_is_whole_with_its_last_bracket() {
    let document = "<document><id>1</id><passage><infon key=\"type\">title</infon><offset>0</offset>\
                    <sentence><offset>0</offset><text>A <![CDATA[<cold>]]> &amp;&#x20;fever<!-- no --></text>\
                    <annotation id='T1'><infon key='MESH'>D1</infon><location offset='3' length='4'/><text>cold</text>\
                    </annotation></sentence></passage><relation id='R1'><node refid='T1' role='x'/></relation></document>\n";
    let xml = format!(
        "<?xml version='1.0'?>\n<!DOCTYPE collection SYSTEM 'BioC.dtd'>\n<collection><source>s</source>\n{}</collection>",
        document.repeat(3)
    );
    cut_everywhere("a.xml", xml.as_bytes(), |_| false);
}

#[test]
fn a_jsonl_file_is_whole_with_any_line() {
    let jsonl = written(Format::Jsonl);
    cut_everywhere("a.jsonl", &jsonl, |cut| ends_line(cut) || cut.ends_with(b"}]}"));
}

#[test]
fn a_pubtator_file_is_whole_with_any_line_end() {
    let bytes = written(Format::Pubtator);
    cut_everywhere("a.pubtator", &bytes, ends_line);
}

const CONLL: &str = "-DOCSTART-\tO\n\nA\tO\nnaïve\tB-Disease\ncold\tI-Disease\n\n😀\tO\n-DOCSTART-\tO\n\nNo\tO\n\
                     fever\tB-Disease\n\n# newdoc id = 3\nA\tO\n#\tB-Disease\n\n";

#[test]
fn a_conll_file_is_whole_with_any_line_end() {
    cut_everywhere("a.conll", CONLL.as_bytes(), ends_line);
    cut_everywhere("a.conll", CONLL.replace('\t', " ").as_bytes(), ends_line);
}

#[test]
fn compressed_files_know_their_end() {
    cut_everywhere("a.conll.gz", &gzipped(CONLL.as_bytes()), |_| false);
    for (name, format) in [
        ("a.jsonl.gz", Format::Jsonl),
        ("a.pubtator.gz", Format::Pubtator),
        ("a.xml.gz", Format::BiocXml),
        ("a.json.gz", Format::BiocJson),
    ] {
        cut_everywhere(name, &gzipped(&written(format)), |_| false);
    }
    let text = gzipped("A naïve cold.".as_bytes());
    for cut in 0..text.len() {
        let (documents, wrong) = read("a.txt.gz", &text[..cut]);
        assert_eq!(documents, []);
        assert_eq!(wrong, ["a.txt.gz: the compressed data end too early; the file is cut off"]);
    }
    let mut damaged = text.clone();
    damaged[text.len() - 6] ^= 1;
    let (_, wrong) = read("a.txt.gz", &damaged);
    assert!(wrong[0].starts_with("a.txt.gz: the compressed data are damaged ("), "{wrong:?}");
}

#[test]
fn characters_cut_in_two_are_told() {
    let text = "a cold 🙂";
    for cut in 8..text.len() {
        assert_eq!(read("a.txt", &text.as_bytes()[..cut]).1.len(), 1, "{cut}");
    }
    let wide: Vec<u8> = format!("\u{FEFF}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read("a.txt", &wide).0[0].text, text);
    for cut in 3..wide.len() {
        let (documents, wrong) = read("a.txt", &wide[..cut]);
        let cuts = cut % 2 == 1 || cut == wide.len() - 2;
        assert_eq!((documents.len(), wrong.len()), if cuts { (0, 1) } else { (1, 0) }, "{cut}: {wrong:?}");
    }
}

#[test]
fn a_file_of_annotations_is_whole_with_any_row() {
    let rows = "T1\tDisease 2 6\tcold\nN1\tReference T1 MESH:D003139\tcommon cold\nT2\tSite 7 9;12 16\tin head\n\
                N2\tReference T2 MESH:D006257\thead\nA1\tNegation T1\n#1\tAnnotatorNotes T1\tno\n";
    let text = "A cold in a head";
    let of = |rows: &str| read_standoff(Path::new("a.txt"), text, rows, &ReadOptions::default());
    let (whole, _) = of(rows).unwrap();
    assert_eq!(whole.mentions.len(), 2);
    for cut in 0..rows.len() {
        let Ok((document, _)) = of(&rows[..cut]) else { continue };
        // A row without its end says all that is read of it.
        let last = rows[..cut].rsplit('\n').next().unwrap();
        assert!(last.is_empty() || last.starts_with(['A', '#']) || last.matches('\t').count() == 2, "{last:?}");
        for (found, wanted) in document.mentions.iter().zip(&whole.mentions) {
            assert_eq!(
                (found.span, &found.fragments, &found.mention_type),
                (wanted.span, &wanted.fragments, &wanted.mention_type)
            );
            assert!(found.id.is_none() || found.id == wanted.id, "{found:?}");
        }
    }
}

/// A beginning, and then the same bytes for ever.
struct Endless {
    beginning: Cursor<&'static str>,
    rest: &'static str,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.beginning.read(buffer)?;
        if read > 0 {
            return Ok(read);
        }
        self.beginning = Cursor::new(self.rest);
        self.beginning.read(buffer)
    }
}

#[test]
fn endless_documents_come_to_an_end() {
    let options = bounded(1 << 16);
    for (name, beginning, rest) in [
        ("a.txt", "A", " cold"),
        ("a.xml", "<collection><document><id>1</id><passage><offset>0</offset><text>", "cold "),
        ("a.xml", "<collection><document><passage><text>", "&amp;"),
        ("a.xml", "<collection><document>", "<passage></passage>"),
        ("a.xml", "<collection><document><", "x"),
        ("a.xml", "<collection><document a='", "x"),
        ("a.xml", "<!DOCTYPE collection [", "<!ENTITY a 'b'>"),
        ("a.xml", "<collection><source>", "cold "),
        ("a.json", "{\"source\": \"", "cold "),
        ("a.json", "{\"documents\": [{\"id\": \"1\", \"passages\": [", "{},"),
        ("a.json", "[{\"passages\": [", "1,"),
        ("a.json", "", " "),
    ] {
        let (documents, wrong) = read_with(name, Endless { beginning: Cursor::new(beginning), rest }, &options);
        assert_eq!(documents, [], "{name} {beginning}");
        assert_eq!(wrong.len(), 1, "{name} {beginning}: {wrong:?}");
        assert!(wrong[0].contains("is longer than 65536 bytes"), "{wrong:?}");
        assert!(wrong[0].ends_with(" (`max_line_bytes` reads longer ones)"), "{wrong:?}");
    }
}

#[test]
fn a_long_line_that_is_well_compressed_is_passed_over() {
    let options = bounded(1 << 16);
    let long = "x".repeat(4 << 20);
    let jsonl = format!("{{\"text\":\"a\"}}\n{{\"text\":\"{long}\"}}\n{{\"text\":\"b\"}}\n");
    let pubtator = format!("1|t|a\n\n2|t|{long}\n2|a|b\n\n3|t|b\n");
    let conll = format!("a\tO\n\n{long}\tO\n\nb\tO\n");
    for (name, content) in [("a.jsonl.gz", jsonl), ("a.pubtator.gz", pubtator), ("a.conll.gz", conll)] {
        let (documents, wrong) = read_with(name, Cursor::new(gzipped(content.as_bytes())), &options);
        assert_eq!(documents.iter().map(|document| &*document.text).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert!(wrong[0].contains("the line is longer than 65536 bytes"), "{wrong:?}");
        // The limit that is the default is far beyond it.
        assert_eq!(read_with(name, Cursor::new(gzipped(content.as_bytes())), &ReadOptions::default()).0.len(), 3);
    }
}

proptest! {
    #[test]
    fn damaged_bytes_are_read_without_a_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        compressed in any::<bool>(),
    ) {
        let options = bounded(1 << 16);
        for (name, bytes) in [
            ("a.jsonl", written(Format::Jsonl)),
            ("a.pubtator", written(Format::Pubtator)),
            ("a.xml", written(Format::BiocXml)),
            ("a.json", written(Format::BiocJson)),
            ("a.conll", CONLL.as_bytes().to_vec()),
        ] {
            let mut bytes = bytes;
            if compressed {
                bytes = gzipped(&bytes);
            }
            for (at, byte) in &changes {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            for document in read_with(name, Cursor::new(bytes), &options).0 {
                let mentions = document.mentions.iter().map(|mention| mention.span);
                let mut spans = mentions.chain(document.passages.iter().map(|passage| passage.span));
                prop_assert!(spans.all(|span| span.of(&document.text).is_some()));
            }
        }
    }
}
