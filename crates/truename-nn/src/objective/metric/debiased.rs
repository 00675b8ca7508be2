//! Debiased contrastive loss with weights by hardness (PICSO, equation 3; Robinson et al. 2021).

use burn_tensor::Tensor;

use super::{Classes, Cosines, OUT, over_cosines};

/// Options of the debiased contrastive loss with weights by hardness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DebiasedLoss {
    /// Temperature: cosines are divided by it.
    pub temperature: f64,
    /// Probability `τ⁺` that a text drawn as a negative is of the same class.
    pub prior: f64,
    /// Concentration `β` of the weights on negatives with a high cosine; with 0 all weigh alike.
    pub concentration: f64,
    /// True for a logarithm for each positive, whose mean is the loss of an anchor: a gradient for each. The published sum within the logarithm
    /// leaves most of the gradient to the nearest positive.
    pub per_positive: bool,
}

impl Default for DebiasedLoss {
    /// The temperature of PICSO (section 3.4); the paper gives no prior and no concentration.
    fn default() -> Self {
        Self { temperature: 0.5, prior: 0.1, concentration: 1.0, per_positive: false }
    }
}

/// Debiased contrastive loss with weights by hardness (PICSO, equation 3; Robinson et al. 2021): the mean over the anchors of
/// `−log( S⁺ / (S⁺ + S⁻) )`, with `M` negatives,
/// `S⁺ = Σ_p exp(cos(a, p)/t)`,
/// `S⁻ = max( (S̃⁻ − M τ⁺ S⁺) / (1 − τ⁺), exp(−1/t) )` and
/// `S̃⁻ = M Σ_n exp((1 + β) cos(a, n)/t) / Σ_n exp(β cos(a, n)/t)`. Sums are computed as logarithms.
///
/// With `per_positive` the loss of an anchor is the mean over its positives `p` of `−log( exp(cos(a, p)/t) / (exp(cos(a, p)/t) + S⁻) )`, and `S⁺`
/// within `S⁻` the mean of a positive's term in place of the sum.
///
/// # Shapes
/// `embeddings: [texts, hidden]`, output: `[1]`
pub(in crate::objective) fn debiased(embeddings: Tensor<2>, classes: &Classes, options: DebiasedLoss) -> Tensor<1> {
    over_cosines(embeddings, classes, |cosines| of_cosines(cosines, classes, options))
}

fn of_cosines(cosines: Cosines, classes: &Classes, options: DebiasedLoss) -> Tensor<1> {
    /// Largest logarithm of a share that leaves something; from 0 on the bound holds.
    const NEAR_ALL: f64 = -1e-6;
    let DebiasedLoss { temperature, prior, concentration, per_positive } = options;
    let Cosines { values, anchors, device } = cosines;
    let numbers: Vec<i32> = anchors.iter().map(|anchor| *anchor as i32).collect();
    let values = values.select(0, crate::layer::indices(numbers, &device)) / temperature;
    let is_positive = classes.mask(|anchor, other| classes.is_positive(anchor, other), &anchors, &device);
    let is_negative = classes.mask(|anchor, other| classes.is_negative(anchor, other), &anchors, &device);
    let negatives = is_negative.clone().sum_dim(1);

    let positives = is_positive.clone().sum_dim(1);
    let sum = log_sum(values.clone(), is_positive.clone());
    let positive = if per_positive { sum.clone() - positives.clone().log() } else { sum };
    let hard = negatives.clone().log() + log_sum(values.clone() * (1.0 + concentration), is_negative.clone())
        - log_sum(values.clone() * concentration, is_negative);
    // log(S̃⁻ − M τ⁺ S⁺) = log S̃⁻ + log(1 − exp(log(M τ⁺ S⁺) − log S̃⁻))
    let share = (negatives * prior.max(f64::MIN_POSITIVE)).log() + positive.clone() - hard.clone();
    let without = (-share.clone().clamp_max(NEAR_ALL).exp()).log1p();
    let bound = -1.0 / temperature;
    let negative = (hard + without - (1.0 - prior).ln()).clamp_min(bound);
    let negative = negative.mask_fill(share.greater_equal_elem(0.0), bound);
    match per_positive {
        true => (softplus(negative - values) * is_positive / positives).sum_dim(1).mean(),
        false => softplus(negative - positive).mean(),
    }
}

/// `log Σ exp(values)` over the places with a mask of 1, row by row.
///
/// # Shapes
/// `values: [rows, columns]`, `mask: [rows, columns]`, output: `[rows, 1]`
fn log_sum(values: Tensor<2>, mask: Tensor<2>) -> Tensor<2> {
    let values = values + (mask - 1.0) * -OUT;
    let most = values.clone().detach().max_dim(1);
    (values - most.clone()).exp().sum_dim(1).log() + most
}

/// `log(1 + exp(x))` without overflow.
fn softplus(values: Tensor<2>) -> Tensor<2> {
    values.clone().clamp_min(0.0) + (-values.abs()).exp().log1p()
}
