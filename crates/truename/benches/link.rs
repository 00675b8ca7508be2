//! Times of linking names and documents to the bundled knowledge base, on one thread and without answers remembered.
//!
//! `cargo bench -p truename`

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use truename::{Document, LinkOptions, Linker};

const KNOWN: [&str; 4] = ["heart attack", "Metformin", "lung neoplasms", "paracetamol"];
const MISSPELT: [&str; 4] = ["heart atack", "metfromin", "lung neoplasmas", "paracetamoll"];
const NOTE: &str = include_str!("../../../examples/notes/clinic.txt");

fn main() {
    divan::main();
}

fn linker() -> Linker {
    let options = LinkOptions { remembered_bytes: 0, ..LinkOptions::default() };
    Linker::bundled().unwrap().with_options(options).unwrap()
}

fn names(bencher: Bencher, names: &[&str]) {
    let linker = linker();
    assert!(linker.link_names(names).unwrap().iter().all(|link| link.answer().is_some()));
    bencher.counter(ItemsCount::new(names.len())).bench_local(|| {
        for name in names {
            linker.link_name(divan::black_box(name)).unwrap();
        }
    });
}

#[divan::bench]
fn known_names(bencher: Bencher) {
    names(bencher, &KNOWN);
}

#[divan::bench]
fn misspelt_names(bencher: Bencher) {
    names(bencher, &MISSPELT);
}

#[divan::bench]
fn document(bencher: Bencher) {
    let linker = linker();
    assert!(!linker.link_document(Document::new("note", NOTE)).unwrap().mentions.is_empty());
    bencher
        .counter(BytesCount::of_str(NOTE))
        .bench_local(|| linker.link_document(Document::new("note", NOTE)).unwrap());
}
