//! Encoders against the engine that serves them, and the fused layer against its composition.

use burn_tensor::Tensor;
use truename_infer::{CharacterConfig, Checkpoint, Network as Characters, Pooling};

use crate::dropout::Dropout;
use crate::network::Network;
use crate::*;

const FAMILIES: [&str; 3] = ["bert", "roberta", "mpnet"];
const NAMES: [&str; 6] =
    ["heart attack", "myocardial infarction", "flu", "influenza virus infection, severe", "gout", "a"];

const OBJECTIVE: Metric = Metric { loss: MetricLoss::SupervisedContrastive { temperature: 0.1 } };

fn checkpoint(family: &str) -> Checkpoint {
    let folder = format!("../truename-infer/tests/models/{family}");
    Checkpoint::open(folder.as_ref()).unwrap()
}

fn metric_learner(checkpoint: Checkpoint) -> Learner<Metric> {
    Learner::new(vec![checkpoint], OBJECTIVE, LearnerOptions::default()).unwrap()
}

fn batch(checkpoint: &mut Checkpoint) -> Labelled {
    let tokenizer = checkpoint.tokenizer().unwrap();
    let mut batch = Labelled::default();
    for (number, name) in NAMES.iter().enumerate() {
        batch.push(&tokenizer.tokens(name).unwrap().ids, number as u32 / 2);
    }
    batch
}

fn loss(network: &Network, batch: &Labelled, dropout: Dropout) -> Tensor<1> {
    // A weighted sum, so that no gradient is 0 because numbers of a row cancel out.
    let vectors = network.vectors(batch.texts(), dropout);
    let weights: Vec<f32> = (0..vectors.dims().iter().product()).map(|at| (at as f32 * 0.7).sin()).collect();
    let shape = vectors.dims();
    let weights = Tensor::<2>::from_data(burn_tensor::TensorData::new(weights, shape), &vectors.device());
    (vectors * weights).sum()
}

/// The gradient of every parameter, by name.
fn gradients(network: &mut Network, batch: &Labelled, dropout: Dropout) -> Vec<(String, Vec<f32>)> {
    let mut gradients = loss(network, batch, dropout).backward();
    let take = |parameter: &mut crate::parameter::Parameter| {
        let gradient = parameter.take_gradient(&mut gradients)?;
        Some((parameter.name().to_owned(), gradient.to_data().try_into_vec().unwrap()))
    };
    network.parameters().into_iter().filter_map(take).collect()
}

fn assert_near(found: &[(String, Vec<f32>)], expected: &[(String, Vec<f32>)], what: &str) {
    for ((name, found), (_, expected)) in found.iter().zip(expected) {
        let greatest = expected.iter().fold(1e-2f32, |most, value| most.max(value.abs()));
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 2e-4 * greatest, "{what} {name}: {found} {expected}");
        }
    }
}

#[test]
fn the_fused_layer_has_the_gradients_of_its_composition() {
    for family in FAMILIES {
        for probability in [0.0, 0.3] {
            let mut checkpoint = checkpoint(family);
            let batch = batch(&mut checkpoint);
            let mut fused = Network::load(&checkpoint, Some(Pooling::Mean), &Device::Cpu.open()).unwrap();
            let mut composed = fused.clone().composed();
            let dropout = Dropout::new(probability, 5);
            let [one, other] = [&fused, &composed].map(|network| loss(network, &batch, dropout).into_scalar::<f32>());
            assert!((one - other).abs() < 1e-4, "{family}: {one} {other}");
            let expected = gradients(&mut composed, &batch, dropout);
            let found = gradients(&mut fused, &batch, dropout);
            assert_eq!(found.len(), expected.len(), "{family}");
            assert!(found.len() > 30, "{family}: {}", found.len());
            assert_near(&found, &expected, family);
        }
    }
}

#[test]
fn vectors_are_those_of_the_engine() {
    for family in FAMILIES {
        let mut checkpoint = checkpoint(family);
        let batch = batch(&mut checkpoint);
        let folder = format!("../truename-infer/tests/models/{family}");
        let engine = truename_infer::Encoder::open(folder.as_ref()).unwrap();
        let expected = engine.encode(&NAMES).unwrap();
        let learner = metric_learner(checkpoint);
        let vectors = learner.encode(batch.texts());
        for (number, vector) in vectors.chunks_exact(expected.dimensions()).enumerate() {
            let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
            for (found, expected) in vector.iter().zip(expected.row(number)) {
                assert!((found / length - expected).abs() < 1e-5, "{family} {}", NAMES[number]);
            }
        }
    }
}

#[test]
fn a_text_has_the_same_vector_alone_and_in_a_batch() {
    let mut checkpoint = checkpoint("mpnet");
    let all = batch(&mut checkpoint);
    let tokenizer = checkpoint.tokenizer().unwrap();
    let learner = metric_learner(checkpoint);
    let together = learner.encode(all.texts());
    let mut one = Labelled::default();
    one.push(&tokenizer.tokens(NAMES[3]).unwrap().ids, 0);
    let alone = learner.encode(one.texts());
    let width = alone.len();
    assert!(alone.iter().zip(&together[3 * width..]).all(|(alone, together)| (alone - together).abs() < 1e-5));
}

#[test]
fn what_is_frozen_stays() {
    let mut checkpoint = checkpoint("bert");
    let batch = batch(&mut checkpoint);
    let freeze = ["*embeddings.*", "*layer.0.*"].map(NamePattern::new).to_vec();
    let options = LearnerOptions { freeze, ..LearnerOptions::default() };
    let folder = tempfile::tempdir().unwrap();
    let mut learner = Learner::new(vec![checkpoint], OBJECTIVE, options).unwrap();
    learner.save(&folder.path().join("before")).unwrap();
    learner.step(&[batch], 1e-2);
    learner.save(&folder.path().join("after")).unwrap();
    let [before, after] = ["before", "after"].map(|name| Checkpoint::open(&folder.path().join(name)).unwrap());
    let weight = |checkpoint: &Checkpoint, layer: usize| {
        let Checkpoint::Transformer(checkpoint) = checkpoint else { panic!() };
        let hidden = checkpoint.config().hidden_size;
        let scope = checkpoint.encoder().at(&format!("encoder.layer.{layer}")).at("attention.self.query");
        scope.values("weight", &[hidden, hidden]).unwrap()
    };
    assert_eq!(weight(&before, 0), weight(&after, 0));
    assert_ne!(weight(&before, 1), weight(&after, 1));
}

#[test]
fn steps_go_on_from_a_state_as_if_never_stopped() {
    let start = || {
        let mut checkpoint = checkpoint("bert");
        let batch = batch(&mut checkpoint);
        (metric_learner(checkpoint), batch)
    };
    let (mut whole, batch) = start();
    let losses: Vec<Step> = (0..6).map(|_| whole.step(std::slice::from_ref(&batch), 1e-3)).collect();

    let folder = tempfile::tempdir().unwrap();
    let (mut first, _) = start();
    for _ in 0..3 {
        first.step(std::slice::from_ref(&batch), 1e-3);
    }
    first.save(folder.path()).unwrap();
    let mut second = metric_learner(Checkpoint::open(folder.path()).unwrap());
    second.restore(first.state());
    assert_eq!(second.steps(), 3);
    for expected in &losses[3..] {
        assert_eq!(second.step(std::slice::from_ref(&batch), 1e-3), *expected);
    }
    assert_eq!(second.encode(batch.texts()), whole.encode(batch.texts()));
    assert_eq!(second.state(), whole.state());
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut checkpoint = checkpoint("bert");
            let batch = batch(&mut checkpoint);
            let mut learner = metric_learner(checkpoint);
            let steps: Vec<Step> = (0..3).map(|_| learner.step(std::slice::from_ref(&batch), 1e-3)).collect();
            (steps, learner.encode(batch.texts()))
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn a_loss_that_is_not_finite_teaches_nothing() {
    let mut checkpoint = checkpoint("bert");
    let batch = batch(&mut checkpoint);
    let mut learner = metric_learner(checkpoint);
    let before = learner.encode(batch.texts());
    *learner.objective_mut() = Metric { loss: MetricLoss::SupervisedContrastive { temperature: 1e-45 } };
    let step = learner.step(std::slice::from_ref(&batch), 1e-3);
    assert!(!step.loss.is_finite() || !step.gradient_norm.is_finite(), "{step:?}");
    assert_eq!(learner.encode(batch.texts()), before);
}

#[test]
fn an_encoder_of_characters_learns_and_the_engine_reads_it() {
    for network in [Characters::Graph, Characters::Convolution, Characters::Lstm] {
        let start = |seed| untrained_characters(CharacterConfig::new(network, 12, 2), seed);
        let mut checkpoint = start(1);
        let batch = batch(&mut checkpoint);
        let mut learner = metric_learner(checkpoint);
        let before = learner.loss(&batch);
        for _ in 0..40 {
            learner.step(std::slice::from_ref(&batch), 1e-2);
        }
        let after = learner.loss(&batch);
        assert!(after < 0.5 * before, "{network:?}: {before} {after}");
        let folder = tempfile::tempdir().unwrap();
        learner.save(folder.path()).unwrap();
        let engine = truename_infer::Encoder::open(folder.path()).unwrap();
        let served = engine.encode(&NAMES).unwrap();
        for (number, vector) in learner.encode(batch.texts()).chunks_exact(served.dimensions()).enumerate() {
            let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
            for (found, served) in vector.iter().zip(served.row(number)) {
                assert!((found / length - served).abs() < 1e-5, "{network:?}: {}", NAMES[number]);
            }
        }
        let alone = engine.encode(&NAMES[3..4]).unwrap();
        assert_eq!(alone.row(0), served.row(3), "a name has the same vector alone and in a batch");
        let again = metric_learner(Checkpoint::open(folder.path()).unwrap());
        assert_eq!(again.encode(batch.texts()), learner.encode(batch.texts()));
        let first = |checkpoint| metric_learner(checkpoint).encode(batch.texts());
        assert_eq!(first(start(1)), first(start(1)));
        assert_ne!(first(start(1)), first(start(2)));
    }
}

#[test]
fn fused_layers_of_characters_have_the_gradients_of_their_composition() {
    for (network, parameters) in [(Characters::Convolution, 1 + 2 * 2), (Characters::Lstm, 1 + 2 * 2 * 3 + 2)] {
        let mut checkpoint = untrained_characters(CharacterConfig::new(network, 12, 2), 3);
        let batch = batch(&mut checkpoint);
        let mut fused = Network::load(&checkpoint, None, &Device::Cpu.open()).unwrap();
        let mut composed = fused.clone().composed();
        let dropout = Dropout::new(0.2, 5);
        let expected = gradients(&mut composed, &batch, dropout);
        let found = gradients(&mut fused, &batch, dropout);
        assert_eq!(found.len(), parameters);
        assert_near(&found, &expected, &format!("{network:?}"));
    }
}
