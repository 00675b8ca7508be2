//! Pipes whose other end writes now and then.

use std::io::{PipeWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use truename_read::{Encoding, FurtherFiles, RowFormat, Rows, Source, SourceOptions, TableOptions};

fn pipe(beginning: &[u8], options: &SourceOptions) -> (PipeWriter, Source) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(beginning).unwrap();
    (writer, Source::of_pipe(Path::new("pipe"), reader, options).unwrap())
}

fn rows(source: Source, format: RowFormat) -> Rows<'static> {
    Rows::open(source, FurtherFiles::none(), format, TableOptions::default()).unwrap()
}

/// Reads a row, and returns it with its line.
fn next(rows: &mut Rows<'_>) -> (String, u64) {
    let record = rows.read().unwrap().unwrap();
    (String::from_utf8(record.content().to_vec()).unwrap(), record.line)
}

fn gzip() -> impl FnMut(&str) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    move |text| {
        packer.write_all(text.as_bytes()).unwrap();
        packer.flush().unwrap();
        std::mem::take(packer.get_mut())
    }
}

fn zstd() -> impl FnMut(&str) -> Vec<u8> {
    let mut packer = zstd::Encoder::new(Vec::new(), 1).unwrap();
    move |text| {
        packer.write_all(text.as_bytes()).unwrap();
        packer.flush().unwrap();
        std::mem::take(packer.get_mut())
    }
}

fn utf16(bytes: fn(u16) -> [u8; 2], mark: &'static str) -> impl FnMut(&str) -> Vec<u8> {
    let mut mark = mark;
    move |text| std::mem::take(&mut mark).encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect()
}

type Encode = dyn FnMut(&str) -> Vec<u8>;

#[test]
fn rows_are_handed_over_as_they_come() {
    let latin = |text: &str| Encoding::of_label("latin1").unwrap().encode(text).unwrap();
    let cases: [(&str, Option<&str>, Box<Encode>); 7] = [
        ("plain", None, Box::new(|text: &str| text.as_bytes().to_vec())),
        ("latin1", Some("latin1"), Box::new(latin)),
        ("UTF-16 little endian", None, Box::new(utf16(u16::to_le_bytes, ""))),
        ("UTF-16 big endian", None, Box::new(utf16(u16::to_be_bytes, ""))),
        ("UTF-16 with a mark", None, Box::new(utf16(u16::to_le_bytes, "\u{FEFF}"))),
        ("gzip", None, Box::new(gzip())),
        ("zstd", None, Box::new(zstd())),
    ];
    for (form, encoding, mut encode) in cases {
        let options = SourceOptions { encoding: encoding.map(str::to_owned), ..SourceOptions::default() };
        // One letter: fewer bytes than a mark or the name of a compressor has.
        let (mut writer, source) = pipe(&encode("a\n"), &options);
        let mut rows = rows(source, RowFormat::Lines);
        assert_eq!(next(&mut rows), ("a".into(), 1), "{form}");
        assert!(rows.is_idle().unwrap(), "{form}");
        writer.write_all(&encode("é\nc\nd")).unwrap();
        assert_eq!(next(&mut rows), ("é".into(), 2), "{form}");
        assert!(!rows.is_idle().unwrap(), "{form}");
        assert_eq!(next(&mut rows), ("c".into(), 3), "{form}");
        // A line without its end is none.
        assert!(rows.is_idle().unwrap() && rows.is_idle().unwrap(), "{form}");
        writer.write_all(&encode("e\n")).unwrap();
        assert_eq!(next(&mut rows), ("de".into(), 4), "{form}");
    }
}

#[test]
fn a_pipe_is_not_idle_while_rows_are_left_nor_at_its_end() {
    let lines: String = (0..5000).map(|number| format!("name {number}\n")).collect();
    let (mut writer, source) = pipe(b"name\n", &SourceOptions::default());
    let writing = std::thread::spawn(move || writer.write_all(lines.as_bytes()).unwrap());
    let mut rows = rows(source, RowFormat::Table);
    writing.join().unwrap();
    let mut count = 0;
    while !rows.is_idle().unwrap() && rows.read().unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 5000);
}

#[test]
fn a_value_over_several_lines_comes_in_parts() {
    let (mut writer, source) = pipe(b"[{\"a\": 1},\n", &SourceOptions::default());
    let mut rows = rows(source, RowFormat::Objects);
    assert_eq!(next(&mut rows), ("{\"a\":1}".into(), 1));
    writer.write_all(b" {\"a\":\n").unwrap();
    assert!(rows.is_idle().unwrap());
    writer.write_all(b" [2,\n \"x y\"]}").unwrap();
    assert_eq!(next(&mut rows), ("{\"a\":[2,\"x y\"]}".into(), 2));
    assert!(rows.is_idle().unwrap());
    writer.write_all(b"]").unwrap();
    drop(writer);
    assert!(rows.read().unwrap().is_none());
}

#[test]
fn the_beginning_is_all_lines_that_came() {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let writing = std::thread::spawn(move || {
        for part in ["id,na", "me\n1", ",a\n2,b\n"] {
            writer.write_all(part.as_bytes()).unwrap();
            std::thread::sleep(Duration::from_millis(150));
        }
        std::thread::sleep(Duration::from_millis(300));
    });
    let source = Source::of_pipe(Path::new("pipe"), reader, &SourceOptions::default()).unwrap();
    assert_eq!((source.beginning(), source.is_whole()), (&b"id,name\n1,a\n2,b\n"[..], false));
    writing.join().unwrap();
}

#[test]
fn a_reader_of_lines_is_told_where_a_pipe_is_idle() {
    let idle = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&idle);
    let on_idle = Some(Arc::new(move || _ = count.fetch_add(1, Ordering::SeqCst)) as Arc<dyn Fn() + Send + Sync>);
    let (mut writer, source) = pipe(b"a\n", &SourceOptions { on_idle, ..SourceOptions::default() });
    let mut lines = source.into_lines();
    assert_eq!(lines.read().unwrap().unwrap().bytes, b"a");
    assert_eq!(idle.load(Ordering::SeqCst), 0);
    let writing = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        writer.write_all(b"b\n").unwrap();
    });
    assert_eq!(lines.read().unwrap().unwrap().bytes, b"b");
    assert_eq!(idle.load(Ordering::SeqCst), 1);
    assert!(lines.read().unwrap().is_none());
    writing.join().unwrap();
}
