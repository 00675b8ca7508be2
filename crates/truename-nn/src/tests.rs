//! Encoders against the engine that serves them, and the fused layer against its composition.

use std::collections::BTreeSet;
use std::path::Path;

use burn_tensor::activation::log_softmax;
use burn_tensor::{Tensor, TensorData};
use truename_infer::{
    AdapterChoice, AdapterConfig, AdapterFeatures, AdaptersConfig, Backbone, Batch, CharacterConfig, Checkpoint,
    Encoder, EntityPrompt, InitialWeights, Input, Network as Characters, Pooling, Visibility, scale_to_unit,
};

use truename_text::Span;

use crate::dropout::Dropout;
use crate::layer::indices;
use crate::layout::Layout;
use crate::network::{Family, Network};
use crate::objective::{Loss, Pass};
use crate::parameter::Parameter;
use crate::pooling::pool;
use crate::*;

const FAMILIES: [&str; 8] = ["bert", "roberta", "mpnet", "xlm-roberta", "distilbert", "electra", "modernbert", "nomic"];
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

fn batch(checkpoint: &mut Checkpoint) -> LabelledTexts {
    let tokenizer = checkpoint.tokenizer().unwrap();
    let mut batch = LabelledTexts::default();
    for (number, name) in NAMES.iter().enumerate() {
        batch.push(&tokenizer.tokens(name).unwrap().ids, number as u32 / 2);
    }
    batch
}

fn loss(network: &Network, batch: &Batch, dropout: Dropout) -> Tensor<1> {
    // A weighted sum, so that no gradient is 0 because numbers of a row cancel out.
    let vectors = network.vectors(batch, dropout);
    let weights: Vec<f32> = (0..vectors.dims().iter().product()).map(|at| (at as f32 * 0.7).sin()).collect();
    let shape = vectors.dims();
    let weights = Tensor::<2>::from_data(TensorData::new(weights, shape), &vectors.device());
    (vectors * weights).sum()
}

/// The gradient of every parameter, by name.
fn gradients(network: &mut Network, batch: &Batch, dropout: Dropout) -> Vec<(String, Vec<f32>)> {
    let mut gradients = loss(network, batch, dropout).backward();
    let take = |parameter: &mut Parameter| {
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
            let mut batch = batch(&mut checkpoint).texts().clone();
            for with_inputs in [false, true] {
                if with_inputs {
                    batch.push_input(&input(&batch, has_segments(family)));
                }
                let mut fused = Network::load(&checkpoint, 0, Some(Pooling::Mean), &Device::Cpu.open()).unwrap();
                let mut composed = fused.clone().composed();
                let dropout = Dropout::new(probability, 5);
                let losses = [&fused, &composed].map(|network| loss(network, &batch, dropout).into_scalar::<f32>());
                assert!((losses[0] - losses[1]).abs() < 1e-4, "{family}: {losses:?}");
                let expected = gradients(&mut composed, &batch, dropout);
                let found = gradients(&mut fused, &batch, dropout);
                assert_eq!(found.len(), expected.len(), "{family}");
                assert!(found.len() >= 20, "{family}: {}", found.len());
                assert_near(&found, &expected, family);
            }
        }
    }
}

fn has_segments(family: &str) -> bool {
    !["roberta", "xlm-roberta"].contains(&family)
}

/// A sequence of two of the texts of a batch, of which the second sees itself alone, with segments and positions of its own.
fn input(batch: &Batch, has_segments: bool) -> Input {
    let texts: Vec<&[u32]> = batch.texts().skip(3).take(2).collect();
    let (first, second) = (texts[0].len(), texts[1].len());
    let segments = (0..first + second).map(|token| u32::from(has_segments && token >= first));
    Input::new(texts.concat())
        .with_segments(segments.collect())
        .with_positions((0..first as u32).chain(5..5 + second as u32).collect())
        .with_visibility(Visibility::entities(first + second, std::slice::from_ref(&(first..first + second))))
}

#[test]
fn states_with_segments_and_visibility_are_those_of_the_engine() {
    for family in FAMILIES {
        let mut checkpoint = checkpoint(family);
        let input = input(batch(&mut checkpoint).texts(), has_segments(family));
        let engine = Backbone::open(format!("../truename-infer/tests/models/{family}").as_ref()).unwrap();
        let expected = engine.states(std::slice::from_ref(&input), &[engine.info().layers]).unwrap();
        let mut batch = Batch::default();
        batch.push_input(&input);
        let network = Network::load(&checkpoint, 0, None, &Device::Cpu.open()).unwrap();
        for network in [network.clone(), network.composed()] {
            let found = network.states(&batch, Dropout::none()).to_data().try_into_vec::<f32>().unwrap();
            for (found, expected) in found.iter().zip(expected[0].layer(0)) {
                assert!((found - expected).abs() < 1e-4, "{family}: {found} {expected}");
            }
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

/// The names of a folder's tensors.
fn tensor_names(folder: &Path) -> BTreeSet<String> {
    let file = std::fs::read(folder.join("model.safetensors")).unwrap();
    safetensors::SafeTensors::deserialize(&file).unwrap().names().into_iter().map(str::to_owned).collect()
}

#[test]
fn every_family_learns_and_the_engine_reads_it() {
    for family in FAMILIES {
        let mut checkpoint = checkpoint(family);
        let batch = batch(&mut checkpoint);
        let mut learner = metric_learner(checkpoint);
        let losses: Vec<f64> = (0..8).map(|_| learner.step(std::slice::from_ref(&batch), 1e-2).loss).collect();
        assert!(losses[7] < losses[0], "{family}: {losses:?}");
        let folder = tempfile::tempdir().unwrap();
        learner.save(folder.path()).unwrap();
        let before = format!("../truename-infer/tests/models/{family}");
        assert_eq!(tensor_names(folder.path()), tensor_names(before.as_ref()), "{family}");
        let found = truename_infer::Encoder::open(folder.path()).unwrap().encode(&NAMES).unwrap();
        let expected = learner.encode(batch.texts());
        for (found, expected) in found.rows().zip(expected.chunks_exact(found.dimensions())) {
            let length = expected.iter().map(|value| value * value).sum::<f32>().sqrt();
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b / length).abs() < 1e-4), "{family}");
        }
    }
}

/// Compares the vectors of both engines, of texts beyond the reach of local attention and of near distances among them.
fn assert_vectors_of_the_engine(folder: &Path) {
    let long = "no fever, no cough ".repeat(9);
    let texts = ["heart attack", &long, "a"];
    let expected = truename_infer::Encoder::open(folder).unwrap().encode_unscaled(&texts).unwrap();
    let mut checkpoint = Checkpoint::open(folder).unwrap();
    let tokenizer = checkpoint.tokenizer().unwrap();
    let mut batch = Batch::default();
    texts.iter().for_each(|text| batch.push(&tokenizer.tokens(text).unwrap().ids));
    assert!(batch.tokens().len() > 40);
    let network = Network::load(&checkpoint, 0, None, &Device::Cpu.open()).unwrap();
    let found = network.vectors(&batch, Dropout::none()).to_data().try_into_vec::<f32>().unwrap();
    for (found, expected) in found.iter().zip(expected.into_vec()) {
        assert!((found - expected).abs() < 1e-4, "{}: {found} {expected}", folder.display());
    }
}

#[test]
fn long_texts_have_the_vectors_of_the_engine() {
    for family in FAMILIES {
        assert_vectors_of_the_engine(format!("../truename-infer/tests/models/{family}").as_ref());
    }
}

#[test]
fn distances_with_maps_of_their_own_have_the_vectors_of_the_engine() {
    let (checkpoint, folder) = (checkpoint("deberta"), tempfile::tempdir().unwrap());
    let mut tensors = truename_infer::Tensors::new();
    for (layer, name) in [0, 1].into_iter().flat_map(|layer| ["key", "query"].map(|name| (layer, name))) {
        for (tensor, shape) in [("weight", vec![16, 16]), ("bias", vec![16])] {
            let count = shape.iter().product::<usize>();
            let values = (0..count).map(|at| 0.3 * ((at * 7 + layer * 3 + name.len()) as f32).sin()).collect();
            let name = format!("encoder.layer.{layer}.attention.self.pos_{name}_proj.{tensor}");
            tensors.insert(name, truename_infer::Tensor::new(shape, values));
        }
    }
    checkpoint.save(folder.path(), &tensors, None).unwrap();
    let path = folder.path().join("config.json");
    let config = std::fs::read_to_string(&path).unwrap();
    assert!(config.contains("\"share_att_key\": true"));
    std::fs::write(&path, config.replace("\"share_att_key\": true", "\"share_att_key\": false")).unwrap();
    assert_vectors_of_the_engine(folder.path());
}

#[test]
fn a_text_has_the_same_vector_alone_and_in_a_batch() {
    let mut checkpoint = checkpoint("mpnet");
    let all = batch(&mut checkpoint);
    let tokenizer = checkpoint.tokenizer().unwrap();
    let learner = metric_learner(checkpoint);
    let together = learner.encode(all.texts());
    let mut one = LabelledTexts::default();
    one.push(&tokenizer.tokens(NAMES[3]).unwrap().ids, 0);
    let alone = learner.encode(one.texts());
    let width = alone.len();
    assert!(alone.iter().zip(&together[3 * width..]).all(|(alone, together)| (alone - together).abs() < 1e-5));
}

#[test]
fn an_entity_is_pooled_as_the_encoder_that_serves_pools_it() {
    let mut checkpoint = checkpoint("bert");
    let folder = tempfile::tempdir().unwrap();
    let tokenizer = checkpoint.tokenizer().unwrap();
    let (text, place) = ("flu or a cold wind", Span::new(9, 13));
    let prompt = EntityPrompt::new(tokenizer.window(), &tokenizer).unwrap();
    let mut batch = Batch::default();
    batch.push_input(&prompt.tokens(text, place, &tokenizer).unwrap().input);
    batch.push(&tokenizer.tokens("cold").unwrap().ids);
    let options = LearnerOptions { pooling: Some(Pooling::Mean), pool_entities: true, ..LearnerOptions::default() };
    let mut learner = Learner::new(vec![checkpoint], OBJECTIVE, options).unwrap();
    let mut found = learner.encode(&batch);
    learner.save(folder.path()).unwrap();
    let encoder = Encoder::open(folder.path()).unwrap();
    let in_context = encoder.encode_in_context(&[(text, place)]).unwrap();
    let expected = [in_context.row(0), encoder.encode(&["cold"]).unwrap().row(0)].concat();
    found.chunks_exact_mut(in_context.dimensions()).for_each(scale_to_unit);
    assert!(found.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-4));
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
        let mut fused = Network::load(&checkpoint, 0, None, &Device::Cpu.open()).unwrap();
        let mut composed = fused.clone().composed();
        let dropout = Dropout::new(0.2, 5);
        let expected = gradients(&mut composed, batch.texts(), dropout);
        let found = gradients(&mut fused, batch.texts(), dropout);
        assert_eq!(found.len(), parameters);
        assert_near(&found, &expected, &format!("{network:?}"));
    }
}

/// Types of tokens by their descriptions, as BINDER scores starts of spans: the states of a text's tokens and those of the
/// descriptions' first tokens, by two networks, each through a map, over a temperature.
struct TokenTypes {
    token: Parameter,
    description: Parameter,
    temperature: Parameter,
}

/// Texts, descriptions, and the number of the description of each token.
struct TypedTokens {
    texts: Batch,
    descriptions: Batch,
    types: Vec<usize>,
}

impl TokenTypes {
    const WIDTH: usize = 4;

    /// Other values for another seed.
    fn new(seed: f32) -> Self {
        let values = |count: usize| (0..count).map(|at| (at as f32 + seed).sin() * 0.3).collect::<Vec<f32>>();
        Self {
            token: Parameter::new("token_types.token.weight", &[Self::WIDTH, 16], &values(Self::WIDTH * 16)),
            description: Parameter::new(
                "token_types.description.weight",
                &[Self::WIDTH, 20],
                &values(Self::WIDTH * 20),
            ),
            temperature: Parameter::new("token_types.temperature", &[1], &[0.07 * (1.0 + seed)]),
        }
    }
}

impl Objective for TokenTypes {
    type Batch = TypedTokens;

    fn parameters(&mut self) -> Vec<&mut Parameter> {
        vec![&mut self.token, &mut self.description, &mut self.temperature]
    }

    fn loss(&self, pass: &Pass<'_>, batch: &TypedTokens) -> Loss {
        let tokens = pass.states(0, &batch.texts).matmul(self.token.matrix().transpose());
        let starts = batch.descriptions.rows().map(|rows| rows.start as i32).collect();
        let descriptions = pass.states(1, &batch.descriptions);
        let first = indices(starts, &descriptions.device());
        let descriptions = descriptions.select(0, first).matmul(self.description.matrix().transpose());
        let logs = log_softmax(tokens.matmul(descriptions.transpose()) / self.temperature.vector().unsqueeze(), 1);
        let shape = logs.dims();
        let mut shares = vec![0.0f32; shape[0] * shape[1]];
        for (token, kind) in batch.types.iter().enumerate() {
            shares[token * shape[1] + kind] = 1.0 / shape[0] as f32;
        }
        let shares = Tensor::<2>::from_data(TensorData::new(shares, shape), &logs.device());
        Loss(-(logs * shares).sum())
    }
}

fn typed_tokens(checkpoints: &mut [Checkpoint]) -> TypedTokens {
    let [texts, descriptions] = [0, 1].map(|number| batch(&mut checkpoints[number]).texts().clone());
    let mut with_input = texts.clone();
    with_input.push_input(&input(&texts, true));
    let types = with_input.tokens().iter().map(|token| *token as usize % descriptions.len()).collect();
    TypedTokens { texts: with_input, descriptions, types }
}

fn token_type_learner(checkpoints: Vec<Checkpoint>, seed: f32, freeze: &[&str]) -> Learner<TokenTypes> {
    let freeze = freeze.iter().map(|pattern| NamePattern::new(*pattern)).collect();
    Learner::new(checkpoints, TokenTypes::new(seed), LearnerOptions { freeze, ..LearnerOptions::default() }).unwrap()
}

#[test]
fn an_objective_over_tokens_of_two_networks_is_trained_saved_and_loaded() {
    let mut checkpoints = vec![checkpoint("bert"), checkpoint("roberta")];
    let batch = [typed_tokens(&mut checkpoints)];
    checkpoints[0].manifest_mut().set_head("token-types", &TokenTypes::WIDTH).unwrap();
    let mut learner = token_type_learner(checkpoints, 0.0, &[]);
    let before = learner.loss(&batch[0]);
    for _ in 0..3 {
        learner.step(&batch, 1e-2);
    }
    let folder = tempfile::tempdir().unwrap();
    learner.save(folder.path()).unwrap();
    let open = || Checkpoint::open_all(folder.path()).unwrap();
    let (loss, state) = (learner.loss(&batch[0]), learner.state());
    assert!(loss < before, "{before} {loss}");
    assert_eq!(open()[0].manifest().head::<usize>("token-types").unwrap(), Some(TokenTypes::WIDTH));

    // Loaded, it predicts the same and goes on as if never stopped, whatever its own parameters began with.
    let mut loaded = token_type_learner(open(), 5.0, &[]);
    assert_eq!(loaded.loss(&batch[0]), loss);
    loaded.restore(state);
    assert_eq!(loaded.step(&batch, 1e-2), learner.step(&batch, 1e-2));
    assert_eq!(loaded.loss(&batch[0]), learner.loss(&batch[0]));

    // The engine that serves predicts the same.
    assert!((served_loss(folder.path(), &batch[0]) - loss).abs() < 1e-4 * loss);
}

/// The loss by the states and tensors of a folder, without the crate's networks.
fn served_loss(folder: &std::path::Path, batch: &TypedTokens) -> f64 {
    let engines =
        truename_infer::network_folders(folder).map(|folder| Backbone::open(&folder).unwrap()).collect::<Vec<_>>();
    assert_eq!(engines.len(), 2);
    let mut texts: Vec<Input> = batch.texts.texts().map(|ids| Input::new(ids.to_vec())).collect();
    let last = texts.len() - 1;
    texts[last] = input(&batch.texts, true);
    let descriptions: Vec<Input> = batch.descriptions.texts().map(|ids| Input::new(ids.to_vec())).collect();
    let tensor = |name: &str| engines[0].tensors().tensor(&format!("token_types.{name}")).unwrap().into_values();
    let [token, description, temperature] = ["token.weight", "description.weight", "temperature"].map(tensor);
    let mapped = |map: &[f32], row: &[f32]| -> Vec<f32> {
        map.chunks_exact(row.len()).map(|map| map.iter().zip(row).map(|(a, b)| a * b).sum()).collect()
    };
    let descriptions = engines[1].states(&descriptions, &[2]).unwrap();
    let descriptions: Vec<Vec<f32>> =
        descriptions.iter().map(|states| mapped(&description, states.row(0, 0))).collect();
    let texts = engines[0].states(&texts, &[2]).unwrap();
    let rows = texts.iter().flat_map(|states| (0..states.tokens()).map(|at| states.row(0, at)));
    let losses: Vec<f64> = rows
        .zip(&batch.types)
        .map(|(row, kind)| {
            let row = mapped(&token, row);
            let score = |other: &Vec<f32>| row.iter().zip(other).map(|(a, b)| a * b).sum::<f32>() / temperature[0];
            let scores: Vec<f64> = descriptions.iter().map(|other| f64::from(score(other))).collect();
            let most = scores.iter().copied().fold(f64::MIN, f64::max);
            scores.iter().map(|score| (score - most).exp()).sum::<f64>().ln() + most - scores[*kind]
        })
        .collect();
    losses.iter().sum::<f64>() / losses.len() as f64
}

#[test]
fn parameters_of_objectives_and_of_each_network_freeze_by_name() {
    let names =
        ["embeddings.word_embeddings.weight", "roberta.embeddings.word_embeddings.weight", "token_types.token.weight"];
    let patterns = ["embeddings.*", "network-2.*", "token_types.*"];
    for (frozen, pattern) in patterns.iter().enumerate() {
        let mut checkpoints = vec![checkpoint("bert"), checkpoint("roberta")];
        let batch = [typed_tokens(&mut checkpoints)];
        let mut learner = token_type_learner(checkpoints, 0.0, &[pattern]);
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        learner.save(folders[0].path()).unwrap();
        learner.step(&batch, 1e-2);
        learner.save(folders[1].path()).unwrap();
        let [before, after] = folders.each_ref().map(|folder| Checkpoint::open_all(folder.path()).unwrap());
        for (number, name) in names.iter().enumerate() {
            let network = usize::from(number == 1);
            let [before, after] = [&before, &after].map(|all| all[network].tensors().tensor(name).unwrap());
            assert_eq!(before == after, number == frozen, "{pattern}: {name}");
        }
    }
}

fn adapter(checkpoint: &Checkpoint) -> AdapterConfig {
    let Checkpoint::Transformer(transformer) = checkpoint else { panic!("a transformer") };
    let config = transformer.config();
    AdapterConfig::new(
        config.num_hidden_layers,
        config.hidden_size,
        config.num_attention_heads,
        config.intermediate_size,
    )
}

/// Writes a folder with adapters of initial weights; `change` changes their tensors.
fn adapted(
    family: &str,
    names: &[&str],
    features: AdapterFeatures,
    change: impl Fn(&str, Vec<f32>) -> Vec<f32>,
) -> tempfile::TempDir {
    let mut checkpoint = checkpoint(family);
    let (config, hidden) = (adapter(&checkpoint), checkpoint.hidden());
    let mut adapters = AdaptersConfig::default();
    let mut tensors = truename_infer::Tensors::new();
    for (seed, name) in (7..).zip(names) {
        for (tensor, values) in config.untrained(name, hidden, InitialWeights { deviation: 0.02, seed }) {
            let shape = values.shape().to_vec();
            // Initial weights of 0.02 change little in a network this small.
            let values = values.into_values().into_iter().map(|value| value * 4.0).collect();
            tensors.insert(tensor.clone(), truename_infer::Tensor::new(shape, change(&tensor, values)));
        }
        adapters.adapters.insert((*name).to_owned(), config.clone());
    }
    adapters.features = features;
    checkpoint.manifest_mut().set_head(AdaptersConfig::HEAD, &adapters).unwrap();
    let folder = tempfile::tempdir().unwrap();
    checkpoint.save(folder.path(), &tensors, None).unwrap();
    folder
}

/// A sequence with an entity, and one without.
fn with_entity(checkpoint: &mut Checkpoint) -> [Input; 2] {
    let texts = batch(checkpoint);
    let ids: Vec<Vec<u32>> = texts.texts().texts().map(<[u32]>::to_vec).collect();
    let tokens = ids[3].len();
    [Input::new(ids[3].clone()).with_entity(1..tokens - 2), Input::new(ids[1].clone())]
}

fn as_batch(inputs: &[Input]) -> Batch {
    let mut batch = Batch::default();
    inputs.iter().for_each(|input| batch.push_input(input));
    batch
}

#[test]
fn adapters_have_the_states_of_the_engine() {
    for family in FAMILIES {
        for features in [AdapterFeatures::Balanced, AdapterFeatures::Sum, AdapterFeatures::Joined] {
            let folder = adapted(family, &["general", "biomedical"], features, |_, values| values);
            let mut checkpoint = Checkpoint::open(folder.path()).unwrap();
            let inputs = with_entity(&mut checkpoint);
            let engine = Backbone::open(folder.path()).unwrap();
            let last = engine.info().layers;
            let expected: Vec<f32> =
                engine.states(&inputs, &[last]).unwrap().iter().flat_map(|states| states.layer(0).to_vec()).collect();
            assert_eq!(engine.info().adapters, ["biomedical", "general"]);
            assert_eq!(engine.info().hidden, checkpoint.hidden());
            let network = Network::load(&checkpoint, 0, None, &Device::Cpu.open()).unwrap();
            for network in [network.clone(), network.composed()] {
                let found =
                    network.states(&as_batch(&inputs), Dropout::none()).to_data().try_into_vec::<f32>().unwrap();
                assert_eq!(found.len(), expected.len(), "{family}");
                for (found, expected) in found.iter().zip(&expected) {
                    assert!((found - expected).abs() < 1e-4 * expected.abs().max(1.0), "{family}: {found} {expected}");
                }
            }
        }
    }
}

#[test]
fn an_adapter_without_up_maps_adds_nothing_of_its_own() {
    let zero = |name: &str, values: Vec<f32>| if name.contains(".up.") { vec![0.0; values.len()] } else { values };
    let folder = adapted("bert", &["general"], AdapterFeatures::Joined, zero);
    let inputs = with_entity(&mut checkpoint("bert"));
    let plain = Backbone::open("../truename-infer/tests/models/bert".as_ref()).unwrap();
    let plain = plain.states(&inputs, &[1, 2]).unwrap();
    let found = Backbone::open(folder.path()).unwrap().states(&inputs, &[1, 2]).unwrap();
    for (found, plain) in found.iter().zip(&plain) {
        assert_eq!(found.layer(0), plain.layer(0));
        for token in 0..plain.tokens() {
            let (joined, last) = (found.row(1, token), plain.row(1, token));
            let sum: Vec<f32> = plain.row(0, token).iter().zip(last).map(|(first, last)| first + last).collect();
            let length = |row: &[f32]| row.iter().map(|value| value * value).sum::<f32>().sqrt();
            let scale = length(last) / length(&sum);
            let expected = [last.to_vec(), sum.iter().map(|value| value * scale).collect()].concat();
            let is_near = |(found, expected): (&f32, &f32)| (found - expected).abs() < 1e-5 * expected.abs().max(1.0);
            assert!(joined.len() == expected.len() && joined.iter().zip(&expected).all(is_near), "token {token}");
        }
    }
    let none = Backbone::open_with_adapters(folder.path(), &AdapterChoice::none()).unwrap();
    assert_eq!(none.states(&inputs, &[1, 2]).unwrap(), plain);
}

#[test]
fn an_entity_attends_to_itself_alone_in_the_last_layers_of_an_adapter() {
    // One adapter layer of one transformer layer, so that its mask is all that an entity sees in it.
    let mut checkpoint = checkpoint("bert");
    let mut config = adapter(&checkpoint);
    (config.layers, config.depth) = (vec![0], 1);
    let tensors = config.untrained("general", checkpoint.hidden(), InitialWeights { deviation: 0.02, seed: 3 });
    let mut adapters = AdaptersConfig::default();
    adapters.features = AdapterFeatures::Joined;
    adapters.adapters.insert("general".to_owned(), config);
    checkpoint.manifest_mut().set_head(AdaptersConfig::HEAD, &adapters).unwrap();
    let folder = tempfile::tempdir().unwrap();
    checkpoint.save(folder.path(), &tensors, None).unwrap();
    let network = Network::load(&Checkpoint::open(folder.path()).unwrap(), 0, None, &Device::Cpu.open()).unwrap();
    let Family::Transformer(transformer) = &network.family else { panic!("a transformer") };
    let adapter = &transformer.adapters.as_ref().unwrap().adapters[0];

    let tokens = 6;
    let entity = 2..4;
    let mut batch = Batch::default();
    batch.push_input(&Input::new(vec![1; tokens]).with_entity(entity.clone()));
    let hidden = checkpoint.hidden();
    let states = |changed: Option<usize>| {
        let values: Vec<f32> = (0..tokens * hidden)
            .map(|at| (at as f32 * 0.37).sin() + f32::from(u8::from(changed == Some(at / hidden))))
            .collect();
        let states = Tensor::<2>::from_data(TensorData::new(values, [tokens, hidden]), &Device::Cpu.open().autodiff());
        let found = adapter.forward(|_| states.clone(), &batch, Dropout::none(), true);
        found.to_data().try_into_vec::<f32>().unwrap()
    };
    let before = states(None);
    for changed in 0..tokens {
        let after = states(Some(changed));
        for token in 0..tokens {
            let is_seen = !entity.contains(&token) || entity.contains(&changed);
            let rows = token * hidden..(token + 1) * hidden;
            assert_eq!(before[rows.clone()] != after[rows], is_seen, "token {token} sees {changed}");
        }
    }
}

#[test]
fn synonyms_teach_the_adapter_alone() {
    let mut checkpoint = checkpoint("bert");
    let Checkpoint::Transformer(transformer) = &mut checkpoint else { panic!("a transformer") };
    let hidden = transformer.config().hidden_size;
    let mut config = AdapterConfig::new(2, hidden, 4, 64);
    (config.layers, config.depth) = (vec![0, 1], 1);
    let loss = MetricLoss::Debiased(DebiasedLoss::default());
    let vectors = [EntityVector::Pooled, EntityVector::Aggregated];
    let initial = InitialWeights { deviation: 0.02, seed: 5 };
    let objectives =
        vectors.map(|vector| Synonyms::new("general", &config, transformer, vector, loss, initial).unwrap());
    let texts = batch(&mut checkpoint);
    let inputs: Vec<Input> =
        texts.texts().texts().map(|ids| Input::new(ids.to_vec()).with_entity(0..ids.len())).collect();
    let backbone = Backbone::open("../truename-infer/tests/models/bert".as_ref()).unwrap();
    let states = backbone.states(&inputs, &[1, 2, 2]).unwrap();
    let of_layer = |place: usize| states.iter().flat_map(|states| states.layer(place).to_vec()).collect();
    let entities = MarkedEntities {
        texts: as_batch(&inputs),
        states: (0..3).map(of_layer).collect(),
        pooled: inputs.iter().map(|input| 0..input.len()).collect(),
        labels: texts.labels().to_vec(),
    };
    for (objective, (steps, has_aggregator)) in objectives.into_iter().zip([(60, false), (20, true)]) {
        let options = LearnerOptions { adapters: false, dropout: 0.0, ..LearnerOptions::default() };
        let mut learner = Learner::new(vec![self::checkpoint("bert")], objective, options).unwrap();
        let before = learner.loss(&entities);
        for _ in 0..steps {
            learner.step(std::slice::from_ref(&entities), 1e-3);
        }
        assert!(learner.loss(&entities) < before - 0.05, "{before} {}", learner.loss(&entities));
        let folder = tempfile::tempdir().unwrap();
        learner.save(folder.path()).unwrap();
        let saved = Checkpoint::open(folder.path()).unwrap();
        let plain = self::checkpoint("bert");
        let Checkpoint::Transformer(transformer) = &plain else { panic!("a transformer") };
        for name in ["query", "key", "value"].map(|name| format!("encoder.layer.1.attention.self.{name}.weight")) {
            let name = transformer.encoder().name(&name);
            assert_eq!(saved.tensors().tensor(&name).unwrap(), plain.tensors().tensor(&name).unwrap(), "{name}");
        }
        assert!(saved.tensors().has("adapters.general.1.up.weight"));
        assert_eq!(saved.tensors().has("adapters.general.aggregator.bias"), has_aggregator);
    }
}

#[test]
fn pooled_entities_are_compared_by_the_vectors_of_the_engine() {
    let folder = adapted("bert", &["general"], AdapterFeatures::Balanced, |_, values| values);
    let mut checkpoint = Checkpoint::open(folder.path()).unwrap();
    let [entity, _] = with_entity(&mut checkpoint);
    let range = entity.entity().unwrap();
    let engine = Backbone::open(folder.path()).unwrap();
    let states = engine.states(std::slice::from_ref(&entity), &[2]).unwrap();
    let hidden = checkpoint.hidden();
    let expected: Vec<f32> = (0..hidden)
        .map(|column| range.clone().map(|token| states[0].row(0, token)[column]).sum::<f32>() / range.len() as f32)
        .collect();
    let network = Network::load(&checkpoint, 0, None, &Device::Cpu.open()).unwrap();
    let batch = as_batch(&[entity]);
    let found = pool(Pooling::Mean, network.states(&batch, Dropout::none()), &Layout::of_parts(&batch, &[range]));
    for (found, expected) in found.to_data().try_into_vec::<f32>().unwrap().iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-4 * expected.abs().max(1.0), "{found} {expected}");
    }
}

#[test]
fn adapters_freeze_by_their_own_option() {
    let folder = adapted("bert", &["general"], AdapterFeatures::Balanced, |_, values| values);
    for (layers, freeze_adapters) in [("*layer.*", false), ("*layer.1.*", true)] {
        let mut checkpoint = Checkpoint::open(folder.path()).unwrap();
        let texts = batch(&mut checkpoint);
        let before = checkpoint.tensors().tensor("adapters.general.0.layer.0.down.weight").unwrap();
        let freeze = vec![NamePattern::new(layers)];
        let options = LearnerOptions { freeze, freeze_adapters, dropout: 0.0, ..LearnerOptions::default() };
        let mut learner = Learner::new(vec![checkpoint], OBJECTIVE, options).unwrap();
        learner.step(&[texts], 1e-3);
        let out = tempfile::tempdir().unwrap();
        learner.save(out.path()).unwrap();
        let after = Checkpoint::open(out.path()).unwrap();
        let after = after.tensors().tensor("adapters.general.0.layer.0.down.weight").unwrap();
        assert_eq!(before == after, freeze_adapters, "{layers}");
    }
}

#[test]
fn heads_have_a_learning_rate_of_their_own() {
    for head_rate in [1.0, 10.0] {
        let mut checkpoint = checkpoint("bert");
        let texts = batch(&mut checkpoint);
        let objective = Classify::new(checkpoint.hidden(), 2, Pooling::Mean, 3);
        let mut weights = objective.clone();
        let before = weights.parameters()[0].values();
        let options = LearnerOptions { head_rate, ..LearnerOptions::default() };
        let mut learner = Learner::new(vec![checkpoint], objective, options).unwrap();
        let labels = texts.labels().iter().map(|label| label % 2).collect();
        learner.step(&[ClassifyTexts { texts: texts.texts().clone(), targets: Targets::Labels(labels) }], 1e-3);
        let after = learner.objective_mut().parameters()[0].values();
        // The first step of AdamW moves a weight by its learning rate.
        let moved = before.iter().zip(&after).map(|(before, after)| f64::from((after - before).abs()));
        let most = moved.fold(0.0, f64::max) / (head_rate * 1e-3);
        assert!((0.9..1.1).contains(&most), "{head_rate}: {most}");
    }
}
