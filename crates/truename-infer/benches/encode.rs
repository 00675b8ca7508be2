//! Time of encoding names with a model of the sizes of MiniLM-L6.
//!
//! `cargo bench -p truename-infer`

use divan::Bencher;
use divan::counter::ItemsCount;
use truename_infer::Encoder;

mod random_model;

const NAMES: usize = 64;

fn main() {
    divan::main();
}

#[divan::bench]
fn names(bencher: Bencher) {
    let folder = tempfile::tempdir().unwrap();
    random_model::write(folder.path());
    let encoder = Encoder::open(folder.path()).unwrap();
    let names: Vec<String> = (0..NAMES).map(|number| format!("myocardial infarction of type {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(encoder.encode(&names).unwrap().row(5), encoder.encode(&names[5..6]).unwrap().row(0));
    bencher.counter(ItemsCount::new(NAMES)).bench_local(|| encoder.encode(&names).unwrap());
}
