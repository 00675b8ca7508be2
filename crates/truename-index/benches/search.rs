//! Times of a search for the ten nearest names among [`NAMES`], beside one that compares all; with the recall.
//!
//! `cargo bench -p truename-index`

use divan::Bencher;
use truename_index::{NgramIndex, Search, SearchScratch, VectorIndex, VectorScratch, VectorSearch};
use truename_storage::{Environment, ReadTransaction};
use truename_text::{Gram, NormalizedName, SplitMix64, grams};

const NAMES: u32 = 20_000;
const DIMENSIONS: usize = 384;
const NEAREST: usize = 10;
const SYLLABLES: [&str; 16] =
    ["car", "di", "o", "my", "pa", "thy", "gas", "tri", "tis", "neu", "ro", "der", "ma", "he", "pat", "ic"];

fn main() {
    divan::main();
}

/// A made-up name of two words, the same for the same number.
fn name(number: u32) -> String {
    let mut random = SplitMix64::new(u64::from(number));
    let mut word = || -> String { (0..3).map(|_| SYLLABLES[random.below(16) as usize]).collect() };
    format!("{} {}", word(), word())
}

fn grams_of(number: u32) -> Vec<Gram> {
    grams(&NormalizedName::new(&name(number)))
}

/// A vector of unit length near one of 500 centres, the same for the same number.
fn vector(number: u32) -> Vec<f32> {
    let unit = |random: &mut SplitMix64| (random.draw() >> 40) as f32 / (1 << 24) as f32 - 0.5;
    let (mut centre, mut own) = (SplitMix64::new(u64::from(number % 500)), SplitMix64::new(u64::from(number)));
    let values: Vec<f32> = (0..DIMENSIONS).map(|_| unit(&mut centre) + 0.5 * unit(&mut own)).collect();
    let norm = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    values.iter().map(|value| value / norm).collect()
}

fn with_ngrams(run: impl FnOnce(&NgramIndex, &ReadTransaction<'_>)) {
    let environment = Environment::scratch(1 << 30).unwrap();
    let mut write = environment.write().unwrap();
    let index = NgramIndex::create(&environment, &mut write).unwrap();
    index.build(&mut write, NAMES, grams_of).unwrap();
    write.commit().unwrap();
    run(&index, &environment.read().unwrap());
}

#[divan::bench]
fn ngrams(bencher: Bencher) {
    with_ngrams(|index, read| {
        let query = grams_of(7);
        let mut scratch = SearchScratch::default();
        let search = Search { limit: NEAREST, ..Search::default() };
        assert_eq!(index.search(read, &query, &search, &mut scratch).unwrap()[0].name, 7);
        bencher.bench_local(|| index.search(read, &query, &search, &mut scratch).unwrap());
    });
}

fn with_vectors(run: impl FnOnce(&VectorIndex, &ReadTransaction<'_>)) {
    let environment = Environment::scratch(1 << 30).unwrap();
    let mut write = environment.write().unwrap();
    let index = VectorIndex::create(&environment, &mut write).unwrap();
    let vectors: Vec<(u32, Vec<f32>)> = (0..NAMES).map(|number| (number, vector(number))).collect();
    let rows: Vec<(u32, &[f32])> = vectors.iter().map(|(number, vector)| (*number, &vector[..])).collect();
    index.put(&mut write, &rows).unwrap();
    write.commit().unwrap();
    run(&index, &environment.read().unwrap());
}

#[divan::bench]
fn vectors(bencher: Bencher) {
    with_vectors(|index, read| {
        let reader = index.reader(read).unwrap();
        let (query, search) = (vector(7), VectorSearch { limit: NEAREST, ..VectorSearch::default() });
        let mut scratch = VectorScratch::default();
        let near = reader.search(&[&query], &search, &mut scratch).unwrap();
        let exact = reader.search_exactly(&[&query], &search).unwrap();
        let both = exact[0].iter().filter(|hit| near[0].iter().any(|other| other.name == hit.name)).count();
        assert!(both >= NEAREST - 1, "recall of {both} in {NEAREST}");
        bencher.bench_local(|| reader.search(&[&query], &search, &mut scratch).unwrap());
    });
}

#[divan::bench]
fn vectors_exactly(bencher: Bencher) {
    with_vectors(|index, read| {
        let reader = index.reader(read).unwrap();
        let (query, search) = (vector(7), VectorSearch { limit: NEAREST, ..VectorSearch::default() });
        bencher.bench_local(|| reader.search_exactly(&[&query], &search).unwrap());
    });
}
