//! Every format in every form of a file: the same documents, however it is packed, encoded and given.

use std::fs;
use std::io::{Cursor, Write};
use std::ops::ControlFlow;
use std::path::Path;

use truename_corpus::{Document, Format, ReadOptions, SourceOptions, read_from, read_path};

/// A file of a format. `@` stands where its text may be long.
struct Case {
    format: Format,
    name: &'static str,
    text: &'static str,
    /// A file that the format needs, with its content.
    beside: Option<(&'static str, &'static str)>,
    /// Number of documents, and of mentions of the first.
    counts: (usize, usize),
}

const fn case(format: Format, name: &'static str, text: &'static str, counts: (usize, usize)) -> Case {
    Case { format, name, text, beside: None, counts }
}

const CASES: [Case; 16] = [
    case(Format::Text, "a.txt", "A naïve cold came.@", (1, 0)),
    case(
        Format::Jsonl,
        "a.jsonl",
        "{\"id\": \"1\", \"text\": \"A naïve cold.@\", \"mentions\": [{\"start\": 8, \"end\": 12, \"type\": \"X\", \"id\": \"D1\"}]}\n\
         {\"id\": \"2\", \"text\": \"A fever.\", \"mentions\": []}\n",
        (2, 1),
    ),
    case(
        Format::Jsonl,
        "array.json",
        "[{\"id\": \"1\", \"text\": \"A naïve cold.@\", \"mentions\": [{\"start\": 8, \"end\": 12}]},\n{\"text\": \"A fever.\"}]\n",
        (2, 1),
    ),
    case(
        Format::Jsonl,
        "doccano.jsonl",
        "{\"id\": 1, \"text\": \"A naïve cold.@\", \"label\": [[8, 12, \"X\"]]}\n{\"id\": 2, \"text\": \"A fever.\", \"label\": []}\n",
        (2, 1),
    ),
    case(
        Format::Jsonl,
        "prodigy.jsonl",
        "{\"text\": \"A naïve cold.@\", \"spans\": [{\"start\": 8, \"end\": 12, \"label\": \"X\"}], \"answer\": \"accept\"}\n",
        (1, 1),
    ),
    case(
        Format::Jsonl,
        "studio.json",
        "[{\"id\": 1, \"data\": {\"text\": \"A naïve cold.@\"}, \"annotations\": [{\"result\": [\n\
         {\"value\": {\"start\": 8, \"end\": 12, \"text\": \"cold\", \"labels\": [\"X\"]}}]}]}]\n",
        (1, 1),
    ),
    case(
        Format::Jsonl,
        "spacy.jsonl",
        "[\"A naïve cold.@\", {\"entities\": [[8, 12, \"X\"]]}]\n[\"A fever.\", {\"entities\": []}]\n",
        (2, 1),
    ),
    case(
        Format::Jsonl,
        "tokens.jsonl",
        "{\"tokens\": [\"A\", \"naïve\", \"cold\", \"@\"], \"ner_tags\": [\"O\", \"O\", \"B-X\", \"O\"]}\n",
        (1, 1),
    ),
    case(
        Format::Pubtator,
        "a.pubtator",
        "1|t|A naïve cold\n1|a|It came.@\n1\t8\t12\tcold\tDisease\tD1\n\n2|t|A fever\n2|a|None.\n",
        (2, 1),
    ),
    case(
        Format::BiocXml,
        "a.xml",
        "<collection><source>s</source>\n<document><id>1</id><passage><offset>0</offset>\n<text>A naïve cold &amp; more@</text>\n\
         <annotation id='1'><infon key='type'>X</infon><location offset='8' length='4'/><text>cold</text></annotation>\n\
         </passage></document>\n<document><id>2</id></document></collection>",
        (2, 1),
    ),
    case(
        Format::BiocJson,
        "a.json",
        "{\"documents\": [{\"id\": \"1\", \"passages\": [{\"offset\": 0, \"text\": \"A naïve cold@\", \"annotations\": [\n\
         {\"infons\": {\"type\": \"X\"}, \"text\": \"cold\", \"locations\": [{\"offset\": 8, \"length\": 4}]}]}]},\n\
         {\"id\": \"2\", \"passages\": []}]}",
        (2, 1),
    ),
    case(Format::Conll, "a.conll", "A\tO\nnaïve\tO\ncold\tB-X\n@.\tO\n\nNo\tO\nfever\tB-X\n", (2, 1)),
    case(Format::Conll, "ties.ck", "<s> O None\nA I None\nnaïve I None\ncold I X\n@. I None\n<eof> I None\n", (1, 1)),
    Case {
        beside: Some(("RawText/1", "A naïve cold")),
        ..case(
            Format::Wned,
            "wned.xml",
            "<wiki.entityAnnotation>\n<document docName=\"1\"><annotation>\n<mention>cold</mention><wikiName>Cöld@</wikiName>\n\
             <offset>8</offset><length>4</length></annotation></document>\n</wiki.entityAnnotation>",
            (1, 1),
        )
    },
    case(Format::Wiki, "a.wiki", "A naïve [[cold|Cold]] came.@", (1, 1)),
    Case {
        beside: Some(("a.txt", "A naïve cold")),
        ..case(Format::Brat, "a.ann", "T1\tX 8 12\tcold\n#1\tAnnotatorNotes T1\tnaïve@\n", (1, 1))
    },
];

type Form = (&'static str, fn(&str) -> Vec<u8>);

/// Forms with the same documents.
const FORMS: [Form; 9] = [
    ("plain", |text| text.as_bytes().to_vec()),
    ("gzip", |text| gzip(text.as_bytes())),
    ("zstd", |text| zstd::encode_all(text.as_bytes(), 1).unwrap()),
    ("a mark", |text| format!("\u{FEFF}{text}").into_bytes()),
    ("UTF-16LE", |text| utf16(text, u16::to_le_bytes)),
    ("UTF-16BE", |text| utf16(text, u16::to_be_bytes)),
    ("packed UTF-16", |text| gzip(&utf16(text, u16::to_le_bytes))),
    ("carriage returns", |text| text.replace('\n', "\r").into_bytes()),
    ("carriage returns and line feeds", |text| text.replace('\n', "\r\n").into_bytes()),
];

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    format!("\u{FEFF}{text}").encode_utf16().flat_map(bytes).collect()
}

/// The documents, and all that is said against a file.
type Found = (Vec<Document>, Vec<String>);

fn read(path: &Path, options: &ReadOptions) -> Found {
    let (mut documents, mut wrong) = (Vec::new(), Vec::new());
    let summary = read_path(path, options, &mut |read| {
        match read {
            Ok(document) => documents.push(document),
            Err(problem) => wrong.push(problem.to_string()),
        }
        ControlFlow::Continue(())
    });
    wrong.extend(summary.err().map(|error| error.to_string()));
    (documents, wrong)
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

impl Case {
    fn short(&self) -> String {
        self.text.replace('@', "")
    }

    /// Reads the file with this content.
    fn read(&self, bytes: &[u8], options: &ReadOptions) -> Found {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), self.name, bytes);
        if let Some((name, content)) = self.beside {
            write(folder.path(), name, content);
        }
        let (documents, wrong) = read(&folder.path().join(self.name), options);
        (documents, wrong.into_iter().map(|wrong| wrong.replace(&folder.path().display().to_string(), "")).collect())
    }
}

#[test]
fn equal_files_have_equal_documents() {
    for case in &CASES {
        let wanted = case.read(case.short().as_bytes(), &ReadOptions::default());
        let first = wanted.0.first().map_or(0, |document| document.mentions.len());
        assert_eq!(((wanted.0.len(), first), &wanted.1), (case.counts, &Vec::new()), "{}", case.name);
        for (form, bytes) in FORMS {
            let bytes = bytes(&case.short());
            let named = ReadOptions { input_format: Some(case.format), ..ReadOptions::default() };
            for options in [ReadOptions::default(), named] {
                assert_eq!(case.read(&bytes, &options), wanted, "{} in {form}", case.name);
            }
            if case.beside.is_some() {
                continue;
            }
            let mut documents = Vec::new();
            let summary = read_from(Path::new(case.name), Cursor::new(bytes), &ReadOptions::default(), &mut |read| {
                documents.push(read.unwrap());
                ControlFlow::Continue(())
            });
            assert_eq!(
                (documents, summary.unwrap().format),
                (wanted.0.clone(), case.format),
                "{} in {form}",
                case.name
            );
        }
    }
}

#[test]
fn a_file_that_is_cut_off_is_no_whole_one() {
    for case in &CASES {
        let text = case.text.replace('@', &"-more".repeat(60));
        for (form, bytes) in FORMS {
            let bytes = bytes(&text);
            let (whole, wrong) = case.read(&bytes, &ReadOptions::default());
            assert_eq!((whole.len(), wrong), (case.counts.0, Vec::new()), "{} in {form}", case.name);
            for cut in (0..bytes.len() - 4).step_by(97) {
                let (documents, wrong) = case.read(&bytes[..cut], &ReadOptions::default());
                // Notes of brat are not kept.
                let is_told = !wrong.is_empty() || documents != whole || case.format == Format::Brat;
                assert!(is_told && documents.len() <= whole.len(), "{} in {form}, cut at {cut}", case.name);
            }
        }
    }
}

#[test]
fn long_lines_are_read_and_bounded() {
    const LONG: usize = 40 << 20;
    let source = SourceOptions { max_line_bytes: 1 << 20, ..SourceOptions::default() };
    let bounded = ReadOptions { source, ..ReadOptions::default() };
    for case in &CASES {
        let text = case.text.replace('@', &"x".repeat(LONG));
        let (documents, wrong) = case.read(text.as_bytes(), &ReadOptions::default());
        assert_eq!((documents.len(), wrong), (case.counts.0, Vec::new()), "{}", case.name);
        for bytes in [text.as_bytes(), &gzip(text.as_bytes())] {
            let (documents, wrong) = case.read(bytes, &bounded);
            assert!(documents.len() < case.counts.0, "{}", case.name);
            assert!(wrong.len() == 1 && wrong[0].contains("1048576 bytes"), "{}: {wrong:?}", case.name);
        }
    }
}

#[test]
fn entities_stand_for_little_text() {
    let level = |of: u32| format!("<!ENTITY b{} '{}'>", of + 1, format!("&b{of};").repeat(10));
    let levels: String = (0..12).map(level).collect();
    for case in CASES.iter().filter(|case| matches!(case.format, Format::BiocXml | Format::Wned)) {
        let with = |text: &str| format!("<!DOCTYPE x [<!ENTITY b0 'ha'>{levels}]>{}", case.text.replace('@', text));
        let (documents, wrong) = case.read(with("&b1;").as_bytes(), &ReadOptions::default());
        assert_eq!((documents.len(), wrong), (case.counts.0, Vec::new()), "{}", case.name);
        let (_, wrong) = case.read(with("&b12;").as_bytes(), &ReadOptions::default());
        assert!(wrong.len() == 1 && wrong[0].contains("stands for too much text"), "{}: {wrong:?}", case.name);
    }
}

/// Ids of the documents that a path stands for, and what is said against it.
fn ids(path: &Path) -> (Vec<String>, Vec<String>) {
    let (documents, wrong) = read(path, &ReadOptions::default());
    (documents.into_iter().map(|document| document.id).collect(), wrong)
}

#[test]
fn a_folder_and_a_pattern_stand_for_their_files() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in [
        ("a.pubtator", "p|t|A\n"),
        ("b.jsonl", "{\"id\": \"j\", \"text\": \"A\"}\n"),
        ("c.json", "{}"),
        ("in/d.txt", "A"),
        ("in/e.txt", "A"),
        ("brat/f.txt", "A"),
        ("brat/f.ann", "T1\tX 0 1\tA\n"),
        ("brat/annotation.conf", "[entities]\nX\n"),
        ("wned/g.xml", "<x.entityAnnotation><document docName=\"w\"/></x.entityAnnotation>"),
        ("wned/RawText/w", "A"),
        ("RawText/h.txt", "A"),
    ] {
        write(folder.path(), name, content);
    }
    let of = |path: &str| {
        let (found, wrong) = ids(&folder.path().join(path));
        (found.join(" "), wrong.len())
    };
    assert_eq!(of(""), ("h p j f d e w".to_owned(), 1));
    assert_eq!(of("in"), ("d e".to_owned(), 0));
    assert_eq!(of("wned/RawText"), ("w".to_owned(), 0));
    assert_eq!(of("in/*.txt"), ("d e".to_owned(), 0));
    assert_eq!(of("brat/f*"), ("f".to_owned(), 0));
    assert_eq!(of("?n"), ("d e".to_owned(), 0));
    assert_eq!(of("*.csv").1, 1);
    let (_, wrong) = ids(folder.path());
    assert!(wrong[0].contains("c.json: this JSON is not BioC: "), "{wrong:?}");
    fs::create_dir(folder.path().join("empty")).unwrap();
    assert!(ids(&folder.path().join("empty")).1[0].ends_with("empty: the folder has no files"));
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_read_as_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write(folder.path(), "data/a.jsonl", "{\"id\": \"j\", \"text\": \"A\"}\n");
    std::os::unix::fs::symlink(at("data"), at("folder")).unwrap();
    std::os::unix::fs::symlink(at("data/a.jsonl"), at("b.jsonl")).unwrap();
    // A link that leads back.
    std::os::unix::fs::symlink(folder.path(), at("data/up")).unwrap();
    for name in ["folder/a.jsonl", "b.jsonl"] {
        assert_eq!(ids(&at(name)), (vec!["j".to_owned()], Vec::new()), "{name}");
    }
    assert!(ids(&at("folder")).1.is_empty());
    assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let pipe = at("pipe");
    let writer = std::thread::spawn(move || fs::write(pipe, "{\"id\": \"j\", \"text\": \"A\"}\n"));
    assert_eq!(ids(&at("pipe")), (vec!["j".to_owned()], Vec::new()));
    writer.join().unwrap().unwrap();
}
