//! The objective against the engine that finds spans, and its gradients against differences of the loss.

use burn_tensor::Tensor;
use truename_infer::{
    Checkpoint, EntityType, SpanConfig, SpanOptions, SpanScorer, SpanStrategy, SpanWindow, Thresholds, Tokenizer,
    WindowOptions,
};
use truename_text::Span;

use super::*;
use crate::dropout::Dropout;
use crate::network::Network;
use crate::{Device, Learner, LearnerOptions};

fn bert() -> Checkpoint {
    Checkpoint::open("../truename-infer/tests/models/bert".as_ref()).unwrap()
}

/// Two short texts with mentions of two types, by the tokens of the small BERT.
fn labelled_spans(checkpoints: &mut [Checkpoint], texts: &[&str], gold: &[&[(&str, u32)]]) -> LabelledSpans {
    let tokenizers: Vec<Tokenizer> = checkpoints.iter_mut().map(|checkpoint| checkpoint.tokenizer().unwrap()).collect();
    let mut batch = LabelledSpans::default();
    for (text, gold) in texts.iter().zip(gold) {
        let window = SpanWindow::of(text, &tokenizers[0], WindowOptions { tokens: 64, overlap: 8, capitals: false })
            .unwrap()
            .remove(0);
        let gold = gold.iter().map(|(piece, type_number)| {
            let start = text.find(piece).unwrap();
            let (first, last) = window.tokens(Span::new(start, start + piece.len())).unwrap();
            GoldSpan { first, last, type_number: *type_number }
        });
        let labels = SpanLabels { gold: gold.collect(), types: vec![0, 1], ..SpanLabels::default() };
        batch.texts.push_input(&window.sequence.input);
        batch.labels.push(SpanLabels { starts: window.starts, ends: window.ends, ..labels });
    }
    for (type_number, description) in [(0, "a disease"), (1, "a drug"), (0, "an illness of people")] {
        batch.descriptions.push(&tokenizers[1].tokens(description).unwrap().ids);
        batch.types.push(type_number);
    }
    batch
}

const TEXTS: [&str; 2] = ["flu is not heart attack 😀.", "aspirin against the heart attack of cafe\u{301} guests"];
const GOLD: [&[(&str, u32)]; 2] =
    [&[("flu", 0), ("heart attack", 0), ("heart", 1)], &[("aspirin", 1), ("heart attack", 0)]];

/// The small vocabulary cuts words into many pieces.
const MAX_SPAN: usize = 8;

fn span_config() -> SpanConfig {
    let disease = ["a disease".to_owned(), "an illness of people".to_owned()];
    let disease = EntityType { name: "Disease".into(), descriptions: disease.to_vec() };
    let mut config = SpanConfig::new(vec![disease, EntityType::new("Drug", "a drug")]);
    (config.max_span, config.is_flat) = (MAX_SPAN, false);
    config
}

fn span_learner(checkpoints: Vec<Checkpoint>, threshold: SpanThreshold, shares_maps: bool) -> Learner<Spans> {
    let options = SpansOptions {
        types: 2,
        max_span: MAX_SPAN,
        dimensions: 12,
        width: 6,
        threshold,
        shares_maps,
        ..SpansOptions::default()
    };
    let hidden = |number: usize| match &checkpoints[number] {
        Checkpoint::Transformer(checkpoint) => checkpoint.config().hidden_size,
        _ => unreachable!(),
    };
    let objective = Spans::new(hidden(0), hidden(1), options);
    Learner::new(checkpoints, objective, LearnerOptions { dropout: 0.0, ..LearnerOptions::default() }).unwrap()
}

/// The loss by the scores of the other engine, as the paper's equations stand.
fn loss_by_scores(scorer: &SpanScorer, batch: &LabelledSpans) -> f64 {
    let all = SpanOptions { min_margin: f32::NEG_INFINITY, ..SpanOptions::default() };
    let (mut mentions, mut thresholds) = (Vec::new(), Vec::new());
    for ((text, found), labels) in TEXTS.iter().zip(scorer.find(&TEXTS, &all).unwrap()).zip(&batch.labels) {
        for type_number in 0..2 {
            let gold: Vec<Span> = GOLD[TEXTS.iter().position(|other| other == text).unwrap()]
                .iter()
                .filter(|(_, other)| *other == type_number)
                .map(|(piece, _)| Span::new(text.find(piece).unwrap(), text.find(piece).unwrap() + piece.len()))
                .collect();
            let of_type: Vec<_> = found.iter().filter(|span| span.type_number == type_number).collect();
            let threshold = f64::from(of_type[0].threshold).exp();
            let negatives = of_type.iter().filter(|span| !gold.contains(&span.span));
            let sum = threshold + negatives.map(|span| f64::from(span.score).exp()).sum::<f64>();
            let positives =
                of_type.iter().filter(|span| gold.contains(&span.span)).map(|span| f64::from(span.score).exp());
            mentions.extend(positives.map(|own| -(own / (own + sum)).ln()));
            thresholds.push(-(threshold / sum).ln());
        }
        assert!(!labels.starts.is_empty());
    }
    let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
    0.5 * mean(&mentions) + 0.5 * mean(&thresholds)
}

#[test]
fn spans_are_learnt_and_found_by_the_other_engine() {
    for (threshold, shares_maps) in
        [(SpanThreshold::Dynamic, false), (SpanThreshold::Learned, false), (SpanThreshold::Dynamic, true)]
    {
        let mut checkpoints = vec![bert(), bert()];
        let batch = labelled_spans(&mut checkpoints, &TEXTS, &GOLD);
        let mut config = span_config();
        if threshold == SpanThreshold::Learned {
            config.thresholds = Thresholds::Learned;
        }
        checkpoints[0].manifest_mut().set_head(SpanConfig::HEAD, &config).unwrap();
        let mut learner = span_learner(checkpoints, threshold, shares_maps);
        for _ in 0..150 {
            learner.step(std::slice::from_ref(&batch), 3e-3);
        }
        let folder = tempfile::tempdir().unwrap();
        learner.save(folder.path()).unwrap();
        let scorer = SpanScorer::open(folder.path()).unwrap();
        // With shared maps, a token cannot begin mentions of two types that are far apart.
        let strategies: &[_] = if shares_maps { &[] } else { &[SpanStrategy::Span, SpanStrategy::Joint] };
        for strategy in strategies {
            let found = scorer.find(&TEXTS, &SpanOptions { strategy: *strategy, ..SpanOptions::default() }).unwrap();
            for ((text, found), gold) in TEXTS.iter().zip(found).zip(GOLD) {
                let found: Vec<(&str, u32)> =
                    found.iter().map(|span| (&text[span.span.range()], span.type_number)).collect();
                assert_eq!(found, gold, "{threshold:?} {strategy:?}");
            }
        }
        let saved = Checkpoint::open_all(folder.path()).unwrap();
        let alone = |weights| {
            let options = SpansOptions { weights, ..learner.objective().options().clone() };
            let hidden = |number: usize| match &saved[number] {
                Checkpoint::Transformer(checkpoint) => checkpoint.config().hidden_size,
                _ => unreachable!(),
            };
            let checkpoints = Checkpoint::open_all(folder.path()).unwrap();
            let objective = Spans::new(hidden(0), hidden(1), options);
            Learner::new(checkpoints, objective, LearnerOptions::default()).unwrap().loss(&batch)
        };
        let (found, expected) = (alone([0.0, 0.0, 1.0]), loss_by_scores(&scorer, &batch));
        assert!((found - expected).abs() < 1e-4, "{threshold:?}: {found} {expected}");
    }
}

#[test]
fn gradients_of_spans_are_the_slopes_of_the_loss() {
    let mut checkpoints = vec![bert(), bert()];
    let mut batch = labelled_spans(&mut checkpoints, &TEXTS, &GOLD);
    batch.labels[1].open.push((1, 1));
    batch.labels[0].types.pop();
    let device = Device::Cpu.open();
    let load = |(number, checkpoint)| Network::load(checkpoint, number, None, &device).unwrap();
    let networks: Vec<Network> = checkpoints.iter().enumerate().map(load).collect();
    let mut objective = span_learner(checkpoints, SpanThreshold::Learned, false).objective().clone();
    let loss = |objective: &Spans| objective.loss(&Pass::new(&networks, Dropout::none()), &batch).0;
    let mut gradients = loss(&objective).backward();
    let found: Vec<(usize, Vec<f32>)> = objective
        .parameters()
        .into_iter()
        .enumerate()
        .filter_map(|(number, parameter)| {
            let gradient = parameter.take_gradient(&mut gradients)?;
            Some((number, gradient.into_data().try_into_vec().unwrap()))
        })
        .collect();
    assert_eq!(found.len(), objective.parameters().len());
    for (number, gradient) in found {
        let at = gradient.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).unwrap().0;
        let moved = |step: f32| {
            let mut objective = objective.clone();
            objective.parameters()[number].update(|value| {
                let mut values: Vec<f32> = value.to_data().try_into_vec().unwrap();
                values[at] += step;
                Tensor::from_data(values.as_slice(), &value.device())
            });
            f64::from(loss(&objective).into_scalar::<f32>())
        };
        let slope = (moved(2e-3) - moved(-2e-3)) / 4e-3;
        let found = f64::from(gradient[at]);
        assert!((found - slope).abs() < 2e-2 * slope.abs().max(1e-2), "{number}: {found} {slope}");
    }
}

#[test]
fn a_folder_of_other_networks_is_refused() {
    let mut checkpoints = vec![bert(), bert()];
    checkpoints[0].manifest_mut().set_head(SpanConfig::HEAD, &span_config()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    span_learner(checkpoints, SpanThreshold::Dynamic, false).save(folder.path()).unwrap();
    SpanScorer::open(folder.path()).unwrap();
    let is_refused = |expected: &str| {
        let error = SpanScorer::open(folder.path()).err().unwrap();
        assert!(error.to_string().contains(expected) && error.hint().is_some(), "{expected}: {error}");
    };
    let [second, aside] = ["network-2", "aside"].map(|name| folder.path().join(name));
    std::fs::rename(&second, &aside).unwrap();
    is_refused("has no network of descriptions");
    std::fs::rename(&aside, &second).unwrap();
    let mut config = span_config();
    config.max_span += 1;
    let mut manifest = truename_infer::Manifest::open(folder.path()).unwrap();
    manifest.set_head(SpanConfig::HEAD, &config).unwrap();
    manifest.save(folder.path()).unwrap();
    is_refused("spans.widths");
    let bert = "../truename-infer/tests/models/bert/model.safetensors";
    std::fs::copy(bert, folder.path().join("model.safetensors")).unwrap();
    is_refused("has no tensor");
}
