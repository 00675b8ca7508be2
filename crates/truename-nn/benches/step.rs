//! Time of a training step on [`NAMES`] names with a model of the sizes of MiniLM-L6.
//!
//! `cargo bench -p truename-nn`

use divan::Bencher;
use divan::counter::ItemsCount;
use truename_infer::Checkpoint;
use truename_nn::{LabelledTexts, Learner, LearnerOptions, Metric, MetricLoss};

#[path = "../../truename-infer/benches/random_model/mod.rs"]
mod random_model;

const NAMES: usize = 64;
/// Number of names a concept.
const GROUP: usize = 4;

fn main() {
    divan::main();
}

#[divan::bench(sample_count = 10)]
fn step(bencher: Bencher) {
    let folder = tempfile::tempdir().unwrap();
    random_model::write(folder.path());
    let mut checkpoint = Checkpoint::open(folder.path()).unwrap();
    let tokenizer = checkpoint.tokenizer().unwrap();
    let mut batch = LabelledTexts::default();
    for number in 0..NAMES {
        let name = format!("myocardial infarction of type {number}");
        batch.push(&tokenizer.tokens(&name).unwrap().ids, (number / GROUP) as u32);
    }
    let objective = Metric { loss: MetricLoss::SupervisedContrastive { temperature: 0.1 } };
    let mut learner = Learner::new(vec![checkpoint], objective, LearnerOptions::default()).unwrap();
    assert!(learner.loss(&batch).is_finite());
    bencher.counter(ItemsCount::new(NAMES)).bench_local(|| learner.step(std::slice::from_ref(&batch), 1e-5));
}
