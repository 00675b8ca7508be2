//! Losses against the same formulas in double precision, and their gradients against differences of those.

use burn_tensor::{Device, Tensor, TensorData};

use super::metric::{Classes, batch_all, batch_hard, debiased, multi_similarity, supervised_contrastive};
use super::pairs::contrastive;
use super::{DebiasedLoss, Distance, MultiSimilarity, Pair};

const TEXTS: usize = 6;
const HIDDEN: usize = 4;
const LABELS: [u32; TEXTS] = [0, 0, 1, 1, 1, 2];

/// Numbers without a pattern, none of them near a corner of a loss.
fn points() -> Vec<f64> {
    (0..TEXTS * HIDDEN).map(|at| ((at as f64 * 1.7 + 0.3).sin() * 1.3 * 1e3).round() / 1e3).collect()
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn row(points: &[f64], text: usize) -> &[f64] {
    &points[text * HIDDEN..][..HIDDEN]
}

fn cosine(points: &[f64], left: usize, right: usize) -> f64 {
    let (left, right) = (row(points, left), row(points, right));
    dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()
}

fn apart(points: &[f64], distance: Distance, left: usize, right: usize) -> f64 {
    let square: f64 = row(points, left).iter().zip(row(points, right)).map(|(a, b)| (a - b).powi(2)).sum();
    match distance {
        Distance::Cosine => 1.0 - cosine(points, left, right),
        Distance::Euclidean => square.sqrt(),
        Distance::SquaredEuclidean => square,
    }
}

fn positives(anchor: usize) -> impl Iterator<Item = usize> + Clone {
    (0..TEXTS).filter(move |other| *other != anchor && LABELS[*other] == LABELS[anchor])
}

fn negatives(anchor: usize) -> impl Iterator<Item = usize> + Clone {
    (0..TEXTS).filter(move |other| LABELS[*other] != LABELS[anchor])
}

fn anchors() -> impl Iterator<Item = usize> {
    (0..TEXTS).filter(|anchor| positives(*anchor).next().is_some())
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len() as f64
}

fn expected_batch_all(points: &[f64], distance: Distance, margin: f64) -> f64 {
    let triplets = anchors().flat_map(|a| positives(a).flat_map(move |p| negatives(a).map(move |n| (a, p, n))));
    let losses = triplets.map(|(a, p, n)| apart(points, distance, a, p) - apart(points, distance, a, n) + margin);
    mean(losses.filter(|loss| *loss > 0.0))
}

fn expected_batch_hard(points: &[f64], distance: Distance, margin: f64) -> f64 {
    mean(anchors().map(|a| {
        let farthest = positives(a).map(|p| apart(points, distance, a, p)).fold(f64::MIN, f64::max);
        let nearest = negatives(a).map(|n| apart(points, distance, a, n)).fold(f64::MAX, f64::min);
        (farthest - nearest + margin).max(0.0)
    }))
}

fn expected_supervised_contrastive(points: &[f64], temperature: f64) -> f64 {
    mean(anchors().map(|a| {
        let logit = |other| cosine(points, a, other) / temperature;
        let most = (0..TEXTS).filter(|o| *o != a).map(logit).fold(f64::MIN, f64::max);
        let all = (0..TEXTS).filter(|o| *o != a).map(|o| (logit(o) - most).exp()).sum::<f64>().ln() + most;
        mean(positives(a).map(|p| all - logit(p)))
    }))
}

fn expected_multi_similarity(points: &[f64], options: MultiSimilarity) -> f64 {
    let MultiSimilarity { alpha, beta, base, epsilon } = options;
    let s = |a, o| cosine(points, a, o);
    mean(anchors().map(|a| {
        let farthest = positives(a).map(|p| s(a, p)).fold(f64::MAX, f64::min);
        let nearest = negatives(a).map(|n| s(a, n)).fold(f64::MIN, f64::max);
        let near = positives(a).filter(|p| s(a, *p) < nearest + epsilon).map(|p| (-alpha * (s(a, p) - base)).exp());
        let far = negatives(a).filter(|n| s(a, *n) > farthest - epsilon).map(|n| (beta * (s(a, n) - base)).exp());
        (1.0 + near.sum::<f64>()).ln() / alpha + (1.0 + far.sum::<f64>()).ln() / beta
    }))
}

fn expected_debiased(points: &[f64], options: DebiasedLoss) -> f64 {
    let DebiasedLoss { temperature: t, prior, concentration, per_positive } = options;
    mean(anchors().map(|a| {
        let s = |other| cosine(points, a, other) / t;
        let near: f64 = positives(a).map(|p| s(p).exp()).sum();
        let count = negatives(a).count() as f64;
        let hard = negatives(a).map(|n| ((1.0 + concentration) * s(n)).exp()).sum::<f64>();
        let hard = count * hard / negatives(a).map(|n| (concentration * s(n)).exp()).sum::<f64>();
        let of_one = if per_positive { near / positives(a).count() as f64 } else { near };
        let far = ((hard - count * prior * of_one) / (1.0 - prior)).max((-1.0 / t).exp());
        match per_positive {
            true => mean(positives(a).map(|p| -(s(p).exp() / (s(p).exp() + far)).ln())),
            false => -(near / (near + far)).ln(),
        }
    }))
}

const PAIRS: [(u32, u32, f32); 5] = [(0, 1, 1.0), (0, 2, 0.0), (3, 4, 0.7), (5, 1, 0.25), (2, 3, 0.0)];

fn pairs() -> Vec<Pair> {
    PAIRS.map(|(left, right, label)| Pair { left, right, label }).to_vec()
}

fn expected_contrastive(points: &[f64], margin: f64) -> f64 {
    mean(PAIRS.into_iter().map(|(left, right, label)| {
        let (apart, label) = (1.0 - cosine(points, left as usize, right as usize), f64::from(label));
        0.5 * label * apart.powi(2) + 0.5 * (1.0 - label) * (margin - apart).max(0.0).powi(2)
    }))
}

type Case = (&'static str, Box<dyn Fn(Tensor<2>) -> Tensor<1>>, Box<dyn Fn(&[f64]) -> f64>);

/// Every loss with the formula that it should be.
fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for (name, distance) in
        [("cosine", Distance::Cosine), ("euclidean", Distance::Euclidean), ("squared", Distance::SquaredEuclidean)]
    {
        cases.push((
            name,
            Box::new(move |points| batch_all(points, &Classes::new(&LABELS), distance, 0.37)),
            Box::new(move |points| expected_batch_all(points, distance, 0.37)),
        ));
        cases.push((
            name,
            Box::new(move |points| batch_hard(points, &Classes::new(&LABELS), distance, 0.37)),
            Box::new(move |points| expected_batch_hard(points, distance, 0.37)),
        ));
    }
    for temperature in [0.05, 1.0] {
        cases.push((
            "supervised contrastive",
            Box::new(move |points| supervised_contrastive(points, &Classes::new(&LABELS), temperature)),
            Box::new(move |points| expected_supervised_contrastive(points, temperature)),
        ));
    }
    for margin in [1.0, 0.6] {
        cases.push((
            "contrastive",
            Box::new(move |points| contrastive(points, &pairs(), margin)),
            Box::new(move |points| expected_contrastive(points, margin)),
        ));
    }
    let of_prior = |prior| DebiasedLoss { prior, ..DebiasedLoss::default() };
    let sharp = DebiasedLoss { temperature: 0.1, prior: 0.02, concentration: 0.0, per_positive: false };
    let info_nce = DebiasedLoss { prior: 0.0, ..sharp };
    for options in [of_prior(0.1), of_prior(0.0), of_prior(0.6), sharp, info_nce] {
        cases.push((
            "debiased",
            Box::new(move |points| debiased(points, &Classes::new(&LABELS), options)),
            Box::new(move |points| expected_debiased(points, options)),
        ));
    }
    for options in [MultiSimilarity::default(), MultiSimilarity { beta: 10.0, ..MultiSimilarity::default() }] {
        cases.push((
            "multi-similarity",
            Box::new(move |points| multi_similarity(points, &Classes::new(&LABELS), options)),
            Box::new(move |points| expected_multi_similarity(points, options)),
        ));
    }
    cases
}

fn tensor(points: &[f64]) -> Tensor<2> {
    let points: Vec<f32> = points.iter().map(|value| *value as f32).collect();
    Tensor::from_data(TensorData::new(points, [TEXTS, HIDDEN]), &Device::flex().autodiff()).require_grad()
}

#[test]
fn losses_and_gradients_are_those_of_the_formulas() {
    let points = points();
    for (name, loss, expected) in cases() {
        let input = tensor(&points);
        let found = loss(input.clone());
        let value = f64::from(found.clone().into_scalar::<f32>());
        assert!(
            (value - expected(&points)).abs() < 1e-4 * value.abs().max(1.0),
            "{name}: {value} {}",
            expected(&points)
        );
        let gradient = input.grad(&found.backward()).expect("the loss depends on its input");
        let gradient: Vec<f32> = gradient.to_data().try_into_vec().unwrap();
        for (at, found) in gradient.into_iter().enumerate() {
            let moved = |by: f64| {
                let mut points = points.clone();
                points[at] += by;
                expected(&points)
            };
            let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            let bound = 2e-3 * difference.abs().max(1.0);
            assert!((difference - f64::from(found)).abs() < bound, "{name}, {at}: {found} {difference}");
        }
    }
}

#[test]
fn losses_of_long_vectors_are_finite() {
    // Vectors of length 100 on one line: cosines of 1 and -1, distances of 200, logits of ±100 at a temperature of 0.01.
    let mut points = vec![0.0; TEXTS * HIDDEN];
    for text in 0..TEXTS {
        points[text * HIDDEN] = if text % 2 == 0 { 100.0 } else { -100.0 };
    }
    let classes = Classes::new(&LABELS);
    let options = MultiSimilarity { beta: 100.0, ..MultiSimilarity::default() };
    let losses = [
        batch_all(tensor(&points), &classes, Distance::Cosine, 2.0),
        batch_hard(tensor(&points), &classes, Distance::Euclidean, 2.0),
        batch_hard(tensor(&points), &classes, Distance::SquaredEuclidean, 2.0),
        supervised_contrastive(tensor(&points), &classes, 0.01),
        multi_similarity(tensor(&points), &classes, options),
        debiased(tensor(&points), &classes, DebiasedLoss { temperature: 0.01, ..DebiasedLoss::default() }),
        contrastive(tensor(&points), &pairs(), 1.0),
    ];
    let expected = [
        expected_batch_all(&points, Distance::Cosine, 2.0),
        expected_batch_hard(&points, Distance::Euclidean, 2.0),
        expected_batch_hard(&points, Distance::SquaredEuclidean, 2.0),
        expected_supervised_contrastive(&points, 0.01),
        expected_multi_similarity(&points, options),
        expected_debiased(&points, DebiasedLoss { temperature: 0.01, ..DebiasedLoss::default() }),
        expected_contrastive(&points, 1.0),
    ];
    for (loss, expected) in losses.into_iter().zip(expected) {
        let input: f32 = loss.clone().into_scalar();
        assert!((f64::from(input) - expected).abs() < 1e-3 * expected.abs().max(1.0), "{input} {expected}");
    }
    let input = tensor(&points);
    let gradient = input.grad(&supervised_contrastive(input.clone(), &classes, 0.01).backward()).unwrap();
    assert!(gradient.to_data().try_into_vec::<f32>().unwrap().into_iter().all(f32::is_finite));
}

#[test]
fn a_batch_without_pairs_has_no_loss() {
    let labels = [0, 1, 2, 3, 4, 5];
    let loss = batch_all(tensor(&points()), &Classes::new(&labels), Distance::Cosine, 1.0);
    assert_eq!(loss.into_scalar::<f32>(), 0.0);
    let loss = supervised_contrastive(tensor(&points()), &Classes::new(&[0; TEXTS]), 1.0);
    assert_eq!(loss.into_scalar::<f32>(), 0.0);
}

#[test]
fn the_label_says_how_far_apart_a_pair_is_best() {
    // NSEEN, equation 2: with a margin of 1 the loss is least where 1 - cosine is 1 - label.
    for label in [0.2f32, 0.7] {
        let loss = |apart: f64| -> f32 {
            let cosine = 1.0 - apart;
            let points = [1.0, 0.0, cosine, (1.0 - cosine * cosine).sqrt()].map(|value| value as f32);
            let points = Tensor::<2>::from_data(TensorData::new(points.to_vec(), [2, 2]), &Device::flex().autodiff());
            contrastive(points, &[Pair { left: 0, right: 1, label }], 1.0).into_scalar()
        };
        let least = (0..=20).map(|at| f64::from(at) / 20.0).min_by(|one, other| loss(*one).total_cmp(&loss(*other)));
        assert!((least.unwrap() - f64::from(1.0 - label)).abs() < 1e-6, "{label}: {least:?}");
    }
}

/// Two mentions, three concepts; the first mention is not compared with the last concept, the second stands for two.
#[test]
fn retrieval_is_the_cross_entropy_of_dot_products() {
    let values = points();
    let (mentions, concepts) = (2, 3);
    let right = [vec![1u32], vec![2, 0]];
    let negatives = [vec![0], vec![1]];
    let expected = |values: &[f64]| {
        mean((0..mentions).map(|mention| {
            let score = |concept: u32| dot(row(values, mention), row(values, mentions + concept as usize));
            let sum = |concepts: &[u32]| concepts.iter().map(|concept| score(*concept).exp()).sum::<f64>();
            let of_right = sum(&right[mention]);
            (of_right + sum(&negatives[mention])).ln() - of_right.ln()
        }))
    };
    let device = Device::flex().autodiff();
    let floats: Vec<f32> = values.iter().map(|value| *value as f32).collect();
    let rows = |from: usize, count: usize| {
        let part = floats[from * HIDDEN..(from + count) * HIDDEN].to_vec();
        Tensor::<2>::from_data(TensorData::new(part, [count, HIDDEN]), &device).require_grad()
    };
    let (left, others) = (rows(0, mentions), rows(mentions, concepts));
    let loss = super::retrieval::retrieval(left.clone().matmul(others.clone().transpose()), &right, &negatives);
    let found = f64::from(loss.clone().into_scalar::<f32>());
    assert!((found - expected(&values)).abs() < 1e-5, "{found}");
    let gradients = loss.backward();
    let gradient =
        |tensor: &Tensor<2>| -> Vec<f32> { tensor.grad(&gradients).unwrap().into_data().try_into_vec().unwrap() };
    let found = [gradient(&left), gradient(&others)].concat();
    for (at, found) in found.into_iter().enumerate() {
        let shifted = |by: f64| {
            let mut values = values.clone();
            values[at] += by;
            expected(&values)
        };
        let difference = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
        assert!((f64::from(found) - difference).abs() < 1e-4, "{at}: {found} and {difference}");
    }
}
