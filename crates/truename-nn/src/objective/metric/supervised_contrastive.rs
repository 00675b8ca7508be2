//! Supervised contrastive loss (Khosla et al. 2020).

use burn_tensor::activation::log_softmax;
use burn_tensor::{Tensor, TensorData};

use super::{Classes, Cosines, OUT, over_cosines};

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
    over_cosines(embeddings, classes, |cosines| of_cosines(cosines, classes, temperature))
}

fn of_cosines(cosines: Cosines, classes: &Classes, temperature: f64) -> Tensor<1> {
    let Cosines { values, anchors, device } = cosines;
    let itself = classes.mask(|anchor, other| anchor == other, &classes.all(), &device) * OUT;
    let logs = log_softmax(values / temperature + itself, 1);
    let mut shares = vec![0.0f32; classes.len() * classes.len()];
    for anchor in &anchors {
        let positives: Vec<usize> = (0..classes.len()).filter(|other| classes.is_positive(*anchor, *other)).collect();
        let share = 1.0 / (positives.len() * anchors.len()) as f32;
        positives.iter().for_each(|positive| shares[anchor * classes.len() + positive] = share);
    }
    let shares = TensorData::new(shares, [classes.len(), classes.len()]);
    -(logs * Tensor::from_data(shares, &device)).sum()
}
