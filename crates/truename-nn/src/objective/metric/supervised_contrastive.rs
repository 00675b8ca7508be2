use burn_tensor::Tensor;
use burn_tensor::activation::log_softmax;

use super::distance::cosines;
use super::{Classes, OUT, zero};

/// Supervised contrastive loss (Khosla et al. 2020, equation 2): the mean over the anchors of
/// `−1/|P| Σ_p log( exp(cos(a, p)/τ) / Σ_{o ≠ a} exp(cos(a, o)/τ) )`.
///
/// # Shapes
/// `embeddings: [texts, hidden]`, output: `[1]`
pub(in crate::objective) fn supervised_contrastive(
    embeddings: Tensor<2>,
    classes: &Classes,
    temperature: f64,
) -> Tensor<1> {
    let anchors = classes.anchors();
    if anchors.is_empty() {
        return zero(embeddings);
    }
    let device = embeddings.device();
    let all: Vec<usize> = (0..classes.len()).collect();
    let itself = classes.mask(|anchor, other| anchor == other, &all, &device) * OUT;
    let logs = log_softmax(cosines(embeddings) / temperature + itself, 1);
    let mut shares = vec![0.0f32; classes.len() * classes.len()];
    for anchor in &anchors {
        let positives: Vec<usize> = (0..classes.len()).filter(|other| classes.is_positive(*anchor, *other)).collect();
        let share = 1.0 / (positives.len() * anchors.len()) as f32;
        positives.iter().for_each(|positive| shares[anchor * classes.len() + positive] = share);
    }
    let shares = burn_tensor::TensorData::new(shares, [classes.len(), classes.len()]);
    -(logs * Tensor::from_data(shares, &device)).sum()
}
