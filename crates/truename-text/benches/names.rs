//! Times of taking names and texts apart.
//!
//! `cargo bench -p truename-text`

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use truename_text::{NameProfile, NormalizedName, Span, Words};

const NAMES: [&str; 4] =
    ["Diabetes Mellitus, Type 2", "TNF-α receptor", "Oracle WebLogic Server 12.1.3", "myocardial infarction"];
const SENTENCE: &str =
    "Patients with type 2 diabetes mellitus (T2DM) received metformin; TNF-α rose after heart attacks. ";

fn main() {
    divan::main();
}

#[divan::bench]
fn normal_form(bencher: Bencher) {
    assert_eq!(NormalizedName::new(NAMES[1]).as_str(), "tnf alpha receptor");
    bencher.counter(ItemsCount::new(NAMES.len())).bench(|| NAMES.map(|name| NormalizedName::new(black_box(name))));
}

#[divan::bench]
fn profile(bencher: Bencher) {
    bencher.counter(ItemsCount::new(NAMES.len())).bench(|| NAMES.map(|name| NameProfile::new(black_box(name))));
}

#[divan::bench]
fn grams(bencher: Bencher) {
    let profiles = NAMES.map(NameProfile::new);
    bencher.counter(ItemsCount::new(NAMES.len())).bench(|| profiles.each_ref().map(NameProfile::grams));
}

#[divan::bench]
fn words(bencher: Bencher) {
    let text = SENTENCE.repeat(20);
    let span = Span::new(0, text.len());
    bencher.counter(BytesCount::new(text.len())).bench(|| Words::of(black_box(&text), span));
}
