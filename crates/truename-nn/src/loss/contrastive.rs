use burn_tensor::{Int, Tensor, TensorData};

use super::zero;
use crate::Pair;

/// Contrastive loss with labels between 0 and 1 (NSEEN, equation 1): the mean over the pairs of
/// `½ y δ² + ½ (1 − y) max(0, m − δ)²`, with `δ = 1 − cosine` and the margin `m`.
///
/// With a margin of 1 it is least where `δ = 1 − y` (equation 2).
///
/// # Shapes
/// `embeddings: [texts, hidden]`, output: `[1]`
pub(crate) fn contrastive(embeddings: Tensor<2>, pairs: &[Pair], margin: f64) -> Tensor<1> {
    if pairs.is_empty() {
        return zero(embeddings);
    }
    let device = embeddings.device();
    let lengths = (embeddings.clone().square().sum_dim(1) + 1e-24).sqrt();
    let unit = embeddings / lengths;
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
