//! Time of importing an ontology of [`CONCEPTS`] concepts.
//!
//! `cargo bench -p truename-kb`

use divan::Bencher;
use divan::counter::ItemsCount;
use truename_kb::{Format, ImportOptions, import};

const CONCEPTS: usize = 2_000;

fn main() {
    divan::main();
}

#[divan::bench]
fn obo(bencher: Bencher) {
    let mut text = String::from("format-version: 1.2\n");
    for number in 0..CONCEPTS {
        text += &format!(
            "\n[Term]\nid: X:{number}\nname: disorder {number}\nsynonym: \"disease no. {number}\" EXACT []\nis_a: X:0\n"
        );
    }
    let options = ImportOptions::default();
    assert_eq!(import::read_bytes(text.as_bytes(), Format::Obo, &options).unwrap().concepts.len(), CONCEPTS);
    bencher
        .counter(ItemsCount::new(CONCEPTS))
        .bench(|| import::read_bytes(text.as_bytes(), Format::Obo, &options).unwrap());
}
