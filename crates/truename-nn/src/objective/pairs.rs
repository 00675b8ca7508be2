//! Contrastive loss over pairs of texts, with labels between 0 and 1 (NSEEN, equation 1).

use burn_tensor::{Int, Tensor, TensorData};
use truename_infer::Batch;

use super::metric::zero;
use super::{Loss, Objective, Pass};
use crate::layer::unit_rows;

/// Contrastive loss over pairs of texts with labels between 0 and 1 (NSEEN, equation 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pairs {
    /// Margin, as `1 − cosine`: texts with label 0 that are farther apart have no loss.
    pub margin: f64,
}

/// Texts, and pairs of them.
#[derive(Clone, Debug, Default)]
pub struct TextPairs {
    /// The texts.
    pub texts: Batch,
    /// The pairs.
    pub pairs: Vec<Pair>,
}

/// Two texts of a batch, by their places in it, with their similarity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The first text.
    pub left: u32,
    /// The second text.
    pub right: u32,
    /// Similarity from 0 (different concepts) to 1 (the same concept).
    pub label: f32,
}

impl Objective for Pairs {
    type Batch = TextPairs;

    fn loss(&self, pass: &Pass<'_>, batch: &TextPairs) -> Loss {
        Loss(contrastive(pass.vectors(0, &batch.texts), &batch.pairs, self.margin))
    }
}

/// Contrastive loss with labels between 0 and 1 (NSEEN, equation 1): the mean over the pairs of
/// `½ y δ² + ½ (1 − y) max(0, m − δ)²`, with `δ = 1 − cosine` and the margin `m`.
///
/// With a margin of 1 it is least where `δ = 1 − y` (equation 2).
///
/// # Shapes
/// `embeddings: [texts, hidden]`, output: `[1]`
pub(super) fn contrastive(embeddings: Tensor<2>, pairs: &[Pair], margin: f64) -> Tensor<1> {
    if pairs.is_empty() {
        return zero(embeddings);
    }
    let device = embeddings.device();
    let unit = unit_rows(embeddings);
    let rows = |place: fn(&Pair) -> u32| {
        let rows: Vec<i32> = pairs.iter().map(|pair| place(pair) as i32).collect();
        let rows = TensorData::new(rows, [pairs.len()]);
        unit.clone().select(0, Tensor::<1, Int>::from_data(rows, &device.clone().without_autodiff()))
    };
    let cosines = (rows(|pair| pair.left) * rows(|pair| pair.right)).sum_dim(1);
    let labels: Vec<f32> = pairs.iter().map(|pair| pair.label).collect();
    let labels = Tensor::<2>::from_data(TensorData::new(labels, [pairs.len(), 1]), &device);
    let apart = -cosines + 1.0;
    let pull = labels.clone() * apart.clone().square();
    let push = (-labels + 1.0) * (-apart + margin).clamp_min(0.0).square();
    (pull + push).mean() * 0.5
}
