//! Multi-similarity loss with its mining of pairs (Wang et al. 2019).

use burn_tensor::Tensor;

use super::{Classes, Cosines, OUT, over_cosines};

/// Multi-similarity loss (Wang et al. 2019, equation 13), over the pairs that its mining keeps (equations 11 and 12): a
/// negative that is nearer than the farthest positive less `epsilon`, a positive farther than the nearest negative
/// more `epsilon`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultiSimilarity {
    /// Scale of the positives' similarities (α).
    pub alpha: f64,
    /// Scale of the negatives' similarities (β).
    pub beta: f64,
    /// The cosine that separates positives from negatives (λ).
    pub base: f64,
    /// Mining margin (ε): larger keeps more pairs.
    pub epsilon: f64,
}

impl Default for MultiSimilarity {
    /// As in the paper's experiments (section 4.1), with the border at the cosine of 0.5.
    fn default() -> Self {
        Self { alpha: 2.0, beta: 50.0, base: 0.5, epsilon: 0.1 }
    }
}

/// # Shapes
/// `embeddings: [texts, hidden]`, output: `[1]`
pub(in crate::objective) fn multi_similarity(
    embeddings: Tensor<2>,
    classes: &Classes,
    options: MultiSimilarity,
) -> Tensor<1> {
    over_cosines(embeddings, classes, |cosines| of_cosines(cosines, classes, options))
}

fn of_cosines(cosines: Cosines, classes: &Classes, options: MultiSimilarity) -> Tensor<1> {
    let Cosines { values: cosines, anchors, device } = cosines;
    let all = classes.all();
    let found: Vec<f32> = cosines.to_data().try_into_vec().expect("cosines are in single precision");
    let cosine = |anchor: usize, other: usize| f64::from(found[anchor * classes.len() + other]);
    let others = 0..classes.len();
    let positives = |anchor| others.clone().filter(move |other| classes.is_positive(anchor, *other));
    let negatives = |anchor| others.clone().filter(move |other| classes.is_negative(anchor, *other));
    let farthest: Vec<f64> = all
        .iter()
        .map(|anchor| positives(*anchor).map(|other| cosine(*anchor, other)).fold(f64::MAX, f64::min))
        .collect();
    let nearest: Vec<f64> = all
        .iter()
        .map(|anchor| negatives(*anchor).map(|other| cosine(*anchor, other)).fold(f64::MIN, f64::max))
        .collect();
    let is_hard_negative = |anchor: usize, other: usize| {
        classes.is_negative(anchor, other) && cosine(anchor, other) > farthest[anchor] - options.epsilon
    };
    let is_hard_positive = |anchor: usize, other: usize| {
        classes.is_positive(anchor, other) && cosine(anchor, other) < nearest[anchor] + options.epsilon
    };
    let no_positive = classes.mask(|anchor, other| !is_hard_positive(anchor, other), &all, &device) * OUT;
    let no_negative = classes.mask(|anchor, other| !is_hard_negative(anchor, other), &all, &device) * OUT;
    let of_positives = log_one_and_sum((-cosines.clone() + options.base) * options.alpha + no_positive) / options.alpha;
    let of_negatives = log_one_and_sum((cosines - options.base) * options.beta + no_negative) / options.beta;
    (of_positives + of_negatives).sum() / anchors.len() as f64
}

/// `log(1 + Σ exp(x))` of each row.
///
/// # Shapes
/// `logits: [rows, columns]`, output: `[rows, 1]`
fn log_one_and_sum(logits: Tensor<2>) -> Tensor<2> {
    let most = logits.clone().detach().max_dim(1).clamp_min(0.0);
    let sum = (logits - most.clone()).exp().sum_dim(1) + (-most.clone()).exp();
    sum.log() + most
}
