//! Times of reading rows of a table, beside the crate `csv`, and objects of JSON, beside `serde_json` alone.
//!
//! `cargo bench -p truename-read`

use std::io::Cursor;
use std::path::Path;

use divan::Bencher;
use divan::counter::BytesCount;
use truename_read::{Source, SourceOptions, Table, TableOptions};

const ROWS: usize = 2_000;

fn main() {
    divan::main();
}

/// A table of [`ROWS`] rows with quoted cells.
fn table() -> Vec<u8> {
    let mut text = String::from("id,name,note\n");
    for row in 0..ROWS {
        text += &format!("D{row:06},\"Cartridge, ink {row}\",\"said \"\"{row}\"\" twice\"\n");
    }
    text.into_bytes()
}

fn source(bytes: &[u8]) -> Source {
    Source::of_reader(Path::new("rows"), Cursor::new(bytes.to_vec()), &SourceOptions::default()).unwrap()
}

#[divan::bench]
fn rows(bencher: Bencher) {
    let bytes = table();
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| {
        let mut table = Table::open(source(&bytes), &TableOptions::default()).unwrap();
        let name = table.column("name").unwrap();
        let mut length = 0;
        while let Some(row) = table.read().unwrap() {
            length += row.cell(name).unwrap().len();
        }
        assert!(length > ROWS);
        length
    });
}

#[divan::bench]
fn rows_of_csv(bencher: Bencher) {
    let bytes = table();
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| {
        let mut length = 0;
        for row in csv::Reader::from_reader(&bytes[..]).byte_records() {
            length += row.unwrap()[1].len();
        }
        assert!(length > ROWS);
        length
    });
}

/// [`ROWS`] lines with an object each.
fn lines() -> Vec<u8> {
    let line =
        |row| format!("{{\"id\": \"D{row:06}\", \"name\": \"Cartridge, ink {row}\", \"synonyms\": [\"a\", \"b\"]}}\n");
    (0..ROWS).map(line).collect::<String>().into_bytes()
}

#[divan::bench]
fn objects(bencher: Bencher) {
    let bytes = lines();
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| {
        let mut objects = source(&bytes).into_objects();
        let mut count = 0;
        while let Some(object) = objects.read().unwrap() {
            divan::black_box(object);
            count += 1;
        }
        assert_eq!(count, ROWS);
    });
}

#[divan::bench]
fn objects_of_serde_json(bencher: Bencher) {
    let bytes = lines();
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| {
        let objects = serde_json::Deserializer::from_slice(&bytes).into_iter::<serde_json::Value>();
        assert_eq!(objects.map(Result::unwrap).count(), ROWS);
    });
}
