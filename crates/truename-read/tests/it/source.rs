//! Files as users have them: packed, in other encodings, cut off, too long.

use std::io::{BufRead, Cursor, Read, Write};
use std::path::Path;

use truename_error::ErrorKind;
use truename_read::{Error, Source, SourceOptions, Table, TableOptions};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

fn options(encoding: Option<&str>, max_line_bytes: u64) -> SourceOptions {
    SourceOptions { encoding: encoding.map(str::to_owned), max_line_bytes, ..SourceOptions::default() }
}

/// Hands over one byte at a time, as a slow pipe does.
struct OneByOne(Cursor<Vec<u8>>);

impl Read for OneByOne {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let amount = buffer.len().min(1);
        self.0.read(&mut buffer[..amount])
    }
}

fn source(bytes: &[u8], options: &SourceOptions) -> Result<Source, Error> {
    Source::of_reader(Path::new("memory"), OneByOne(Cursor::new(bytes.to_vec())), options)
}

fn text(bytes: &[u8], encoding: Option<&str>) -> Result<String, Error> {
    source(bytes, &options(encoding, 1 << 20))?.into_string()
}

/// All that a way of reading finds, as text.
type Way = fn(Source) -> Result<Vec<String>, Error>;

const WAYS: [(&str, Way); 5] = [
    ("string", |source| Ok(source.into_string()?.lines().map(str::to_owned).collect())),
    ("text", |source| {
        let text = source.into_text();
        let watch = text.watch();
        let lines: Result<Vec<String>, std::io::Error> = text.lines().collect();
        lines.map_err(|error| watch.failure_or(|| panic!("{error}")))
    }),
    ("lines", |source| {
        let (mut lines, mut found) = (source.into_lines(), Vec::new());
        while let Some(line) = lines.read()? {
            found.push(line.text().map_err(|fault| fault.at(Path::new("memory"), line.number))?.to_owned());
        }
        Ok(found)
    }),
    ("records", |source| {
        let (mut records, mut found) = (source.into_records(None), Vec::new());
        while let Some(record) = records.read()? {
            found.push(String::from_utf8(record.into_content()).unwrap());
        }
        Ok(found)
    }),
    ("objects", |source| {
        let (mut objects, mut found) = (source.into_objects(), Vec::new());
        while let Some(record) = objects.read_blank_too()? {
            found.push(String::from_utf8(record.into_content()).unwrap());
        }
        Ok(found)
    }),
];

#[test]
fn every_way_reads_what_is_packed_and_encoded() {
    let text = "id,name\n1,naïve\n2,b\n";
    let wanted = ["id,name", "1,naïve", "2,b"];
    let marked = format!("\u{FEFF}{text}");
    for (way, read) in WAYS {
        for (form, bytes) in [
            ("plain", text.as_bytes().to_vec()),
            ("marked", marked.clone().into_bytes()),
            ("gzip", gzip(text.as_bytes())),
            ("two members of gzip", [gzip(&text.as_bytes()[..9]), gzip(&text.as_bytes()[9..])].concat()),
            ("zstd", zstd(text.as_bytes())),
            ("UTF-16 with a mark", utf16(&marked, u16::to_be_bytes)),
            ("UTF-16 without a mark", utf16(text, u16::to_le_bytes)),
            ("UTF-16 in gzip", gzip(&utf16(&marked, u16::to_le_bytes))),
            ("CRLF", text.replace('\n', "\r\n").into_bytes()),
        ] {
            assert_eq!(read(source(&bytes, &options(None, 100)).unwrap()).unwrap(), wanted, "{way} {form}");
        }
        let latin = source(b"id,name\n1,na\xEFve\n2,b\n", &options(Some("latin1"), 100)).unwrap();
        assert_eq!(read(latin).unwrap(), wanted, "{way} latin1");
        if way != "string" {
            let old = source(text.replace('\n', "\r").as_bytes(), &options(None, 100)).unwrap();
            assert_eq!(read(old).unwrap(), wanted, "{way} CR");
        }
    }
}

#[test]
fn every_way_knows_the_end_of_packed_data_and_bounds_a_line() {
    let text: String = (0..5000).map(|number| format!("{number},a name\n")).collect();
    for (way, read) in WAYS {
        for packed in [gzip(text.as_bytes()), zstd(text.as_bytes())] {
            for end in (4..packed.len()).step_by(97) {
                let error = source(&packed[..end], &options(None, 1 << 20)).and_then(read).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Damaged, "{way} {end}: {error}");
                assert!(
                    error.to_string().ends_with("the compressed data end too early; the file is cut off"),
                    "{error}"
                );
            }
        }
        // A file of 40 KB on the disk.
        let bomb = gzip(&vec![b'a'; 40 << 20]);
        let file = Source::of_reader(Path::new("memory"), Cursor::new(bomb), &options(None, 1 << 20)).unwrap();
        let error = read(file).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLong, "{way}: {error}");
    }
}

#[test]
fn encodings_are_told_by_mark_label_and_declaration() {
    let cases: [(&[u8], Option<&str>, &str); 13] = [
        (b"\xEF\xBB\xBFna\xC3\xAFve", None, "naïve"),
        (b"\xEF\xBB\xBF\xEF\xBB\xBFna\xC3\xAFve", None, "naïve"),
        (b"\xFF\xFEn\0a\0\xEF\0v\0e\0", None, "naïve"),
        (b"\xFF\xFE\xFF\xFEn\0a\0\xEF\0v\0e\0", None, "naïve"),
        (b"na\xEFve", Some("windows-1252"), "naïve"),
        (b"na\xEF", Some("windows-1252"), "naï"),
        (b"na\xC3\xAFve", Some("windows-1252"), "naïve"),
        // Two bytes of a character may be UTF-8 by chance.
        (b"\xC4\xA3", Some("gbk"), "模"),
        (b"<?xml version='1.0' encoding='ISO-8859-1'?>na\xEFve", None, "naïve"),
        (b"<?xml version=\"1.0\" encoding=\"US-ASCII\"?>na\xC3\xAFve", None, "naïve"),
        // Tools that write XML into a string of two-byte units say so even where the file is UTF-8.
        (b"<?xml version='1.0' encoding='UTF-16'?>na\xC3\xAFve", None, "naïve"),
        // Without a mark, the first bytes of XML tell that it is UTF-16.
        (b"<\0?\0x\0\xEF\0", None, "<?xï"),
        (b"\0<\0?\0x\0\xEF", None, "<?xï"),
    ];
    for (bytes, encoding, end) in cases {
        let text = text(bytes, encoding).unwrap();
        assert!(text.ends_with(end) && !text.contains('\u{FEFF}'), "{bytes:?}");
    }
    let error = text(b"", Some("klingon")).unwrap_err();
    assert_eq!(
        (error.to_string().as_str(), error.kind()),
        ("memory: \"klingon\" is no known encoding", ErrorKind::UnknownEncoding)
    );
    let error = text(b"one\ntw\xFFo", None).unwrap_err();
    assert_eq!(
        (error.to_string().as_str(), error.kind()),
        ("memory:2: byte 7 of the file is not UTF-8", ErrorKind::Undecodable)
    );
}

#[test]
fn what_is_no_text_is_named() {
    let kind = |bytes: &[u8]| source(bytes, &options(None, 100)).err().map(|error| error.to_string());
    let is = |kind: &str| Some(format!("memory: this is {kind}"));
    assert_eq!(kind(b"PK\x03\x04....[Content_Types].xml"), is("an Excel workbook"));
    assert_eq!(kind(b"PK\x03\x04....[Content_Types].xml....word/document.xml"), is("a text document"));
    assert_eq!(kind(b"PK\x03\x04...."), is("a zip archive"));
    assert_eq!(kind(b"ARROW1\0\0"), is("an Arrow or Feather file"));
    assert_eq!(kind(b"%PDF-1.4"), is("a PDF"));
    assert_eq!(kind(b"PAR1\x15\x04"), is("a Parquet table"));
    assert_eq!(kind(&gzip(&gzip(b"a"))), is("packed twice"));
    assert_eq!((kind(b"PAR1\n"), kind(b"PKU\n"), kind(b"[18F]FDG\n"), kind(b"")), (None, None, None, None));
    let table =
        |bytes: &[u8]| source(bytes, &options(None, 100)).unwrap().check_table().err().map(|error| error.to_string());
    assert_eq!(table(b"name,note\nasp\0irin,a\n"), None, "one cell is damaged");
    assert_eq!(table(b"name\0\0\0x\0"), is("binary, for it has NUL bytes"));
    assert_eq!(table(b"<!DOCTYPE html>"), is("XML or HTML"));
    assert_eq!((table(b"<name>\n"), table(b"")), (None, None));
}

#[test]
fn lines_are_numbered_whole_and_bounded() {
    let lines = |bytes: &[u8]| {
        let (mut lines, mut found) = (source(bytes, &options(None, 4)).unwrap().into_lines(), Vec::new());
        while let Some(line) = lines.read().unwrap() {
            found.push((line.number, line.text().map(str::to_owned).map_err(|fault| fault.to_string()), line.is_ended));
        }
        found
    };
    let line = |number, text: &str, is_ended| (number, Ok(text.to_owned()), is_ended);
    assert_eq!(
        lines(b"a \r\n\r\r\n\nb"),
        [line(1, "a ", true), line(2, "\r", true), line(3, "", true), line(4, "b", false)]
    );
    let long = Err("a line or value of more than 4 bytes".to_owned());
    for end in ["\n", "\r\n", "\r"] {
        for text in ["12345", "123456", "1234567", "12345678901234567890"] {
            let found = lines(["1234", text, "", "abcd"].join(end).as_bytes());
            let wanted = [line(1, "1234", true), (2, long.clone(), true), line(3, "", true), line(4, "abcd", false)];
            assert_eq!(
                found.iter().map(|line| (&line.0, &line.1)).collect::<Vec<_>>(),
                wanted.iter().map(|line| (&line.0, &line.1)).collect::<Vec<_>>(),
                "{end:?} {text}"
            );
        }
    }
}

#[test]
fn titles_and_a_line_of_the_delimiter_stand_above_a_header() {
    let open = |text: &str, options: TableOptions<'_>| {
        Table::open(source(text.as_bytes(), &self::options(None, 100)).unwrap(), &options).unwrap()
    };
    let mut said = open("\nSEP=;\nid;a,b\n1;x\n", TableOptions::default());
    assert_eq!((said.columns.join("/"), said.leading.as_slice()), ("id/a,b".to_owned(), &b"\nSEP=;\n"[..]));
    assert_eq!(said.read().unwrap().unwrap().line, 4);
    let skipped = open("a \"title\nid,name\n1,x\n", TableOptions { skip_rows: 1, ..TableOptions::default() });
    assert_eq!(skipped.columns, ["id", "name"]);
    let table = open("Report,\n\"of \"\"today\"\"\n\nid,name\n1,x\n", TableOptions::default());
    assert_eq!((table.title_rows("Name"), table.title_rows("report"), table.title_rows("x")), (Some(3), None, Some(4)));
    let title = open("Prices\n\nnr;name\n1;x\n", TableOptions::default());
    assert_eq!((title.columns.len(), title.title_rows("name")), (1, Some(2)));
    let mut bare = open("1,x\n2,y\n", TableOptions { has_header: false, ..TableOptions::default() });
    assert_eq!((bare.columns.join("/"), bare.read().unwrap().unwrap().line), ("1/2".to_owned(), 1));
}

#[test]
fn lines_of_a_block_are_bounded_together() {
    let mut lines = source(b"abcd\nef\n\ngh\nijkl\n", &options(None, 5)).unwrap().into_lines();
    let mut found = Vec::new();
    while let Some(line) = lines.read().unwrap() {
        if line.number == 1 || line.bytes.is_empty() {
            line.begin_block();
        }
        assert!(line.text().is_ok());
        found.extend(line.check_block().err().map(|fault| fault.at(Path::new("a"), line.number).to_string()));
    }
    let too_long = |line| format!("a:{line}: lines of more than 5 bytes together");
    assert_eq!(found, [too_long(2), too_long(5)]);
}

#[test]
fn members_of_an_array_have_lines_whatever_ends_them() {
    for end in ["\n", "\r", "\r\n"] {
        let array = "[{\"a\": 1},\n{\"b\": 2}]".replace('\n', end);
        let mut members = source(array.as_bytes(), &SourceOptions::default()).unwrap().into_objects();
        let lines: Vec<u64> = std::iter::from_fn(|| members.read().unwrap().map(|member| member.line)).collect();
        assert_eq!(lines, [1, 2], "{end:?}");
    }
}
