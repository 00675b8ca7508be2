//! An encoder trained on the names of concepts, from a tiny BERT with random weights, until synonyms lie side by side.
//!
//! Run it by `cargo run --example train_encoder`.

use truename_infer::Encoder;
use truename_train::{Dataset, Event, NamedConcept, Query, Recipe, Start, begin_on};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../truename-infer/tests/models/bert");
/// Names of one concept each, which share no word.
const SYNONYMS: [[&str; 2]; 6] = [
    ["heart attack", "myocardial infarction"],
    ["flu", "influenza"],
    ["stroke", "apoplexy"],
    ["high blood pressure", "hypertension"],
    ["gout", "podagra"],
    ["measles", "rubeola"],
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let recipe: Recipe = format!(
        "task.kind = 'groups'
        encoder.from = '{MODEL}'
        sampler.group = 2
        sampler.groups = 3
        schedule.epochs = 30
        evaluation.every = 10
        schedule.learning_rate = 1e-2"
    )
    .parse()?;
    let concepts = SYNONYMS.map(|names| NamedConcept::new(names[0], names)).to_vec();
    let queries = SYNONYMS.map(|[id, name]| Query { name: name.into(), ids: vec![id.into()] }).to_vec();
    let (dataset, folder) = (Dataset::new(concepts, Vec::new(), queries)?, tempfile::tempdir()?);
    let out = folder.path().join("encoder");
    let mut run = begin_on(&recipe, dataset, &out, Start::Anew)?;
    while let Some(event) = run.advance()? {
        match event {
            Event::Step { step, loss, .. } => println!("step {step}: loss {loss:.3}"),
            Event::Evaluation { epoch, scores: Some(scores), .. } => println!("epoch {epoch}: {scores:?}"),
            _ => {}
        }
    }

    let encoder = Encoder::open(&out)?;
    let vectors = encoder.encode(&["gout", "podagra", "flu"])?;
    let cosine = |a: usize, b: usize| vectors.row(a).iter().zip(vectors.row(b)).map(|(x, y)| x * y).sum::<f32>();
    println!("cosine of gout to podagra {:.2}, to flu {:.2}", cosine(0, 1), cosine(0, 2));
    assert!(cosine(0, 1) > cosine(0, 2));
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
