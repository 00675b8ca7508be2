//! Triplet losses over all triplets of a batch, or over the hardest (CoSiNES, section 3.3).

use burn_tensor::activation::relu;
use burn_tensor::{Int, Tensor, TensorData};

use super::{Classes, Distance, OUT, zero};

/// The triplets of a batch that count (CoSiNES, section 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mining {
    /// All that are hard or semi-hard.
    BatchAll,
    /// For each anchor its farthest positive with its nearest negative.
    BatchHard,
}

/// The mean of `max(d(a, p) − d(a, n) + margin, 0)` over the triplets of a batch where it is not 0: easy triplets would
/// make the mean small (CoSiNES, section 3.3.1, equation 2).
///
/// # Shapes
/// `embeddings: [texts, hidden]`, output: `[1]`
pub(in crate::objective) fn batch_all(
    embeddings: Tensor<2>,
    classes: &Classes,
    distance: Distance,
    margin: f64,
) -> Tensor<1> {
    let texts = classes.len();
    let of_anchor =
        |anchor| (0..texts).filter(move |other| classes.is_positive(anchor, *other)).map(move |p| (anchor, p));
    let pairs: Vec<(usize, usize)> = classes.anchors().into_iter().flat_map(of_anchor).collect();
    if pairs.is_empty() {
        return zero(embeddings);
    }
    let device = embeddings.device();
    let constants = device.clone().without_autodiff();
    let anchors: Vec<usize> = pairs.iter().map(|(anchor, _)| *anchor).collect();
    let numbers = |numbers: Vec<i32>| Tensor::<1, Int>::from_data(numbers.as_slice(), &constants);
    let distances = distance.between_all(embeddings);
    // [pairs, 1] and [pairs, texts]
    let flat = pairs.iter().map(|(anchor, positive)| (anchor * texts + positive) as i32).collect();
    let positives = distances.clone().reshape([texts * texts, 1]).select(0, numbers(flat));
    let rows = distances.select(0, numbers(anchors.iter().map(|anchor| *anchor as i32).collect()));
    let is_negative = classes.mask(|anchor, other| classes.is_negative(anchor, other), &anchors, &device);
    let losses = relu(positives - rows + margin) * is_negative;
    let counted = losses.clone().detach().greater_scalar(0.0).float().sum().into_scalar::<f32>();
    losses.sum() / counted.max(1.0)
}

/// The mean over the anchors of `max(max d(a, p) − min d(a, n) + margin, 0)` (CoSiNES, section 3.3.2).
///
/// # Shapes
/// `embeddings: [texts, hidden]`, output: `[1]`
pub(in crate::objective) fn batch_hard(
    embeddings: Tensor<2>,
    classes: &Classes,
    distance: Distance,
    margin: f64,
) -> Tensor<1> {
    let anchors = classes.anchors();
    if anchors.is_empty() {
        return zero(embeddings);
    }
    let device = embeddings.device();
    let numbers: Vec<i32> = anchors.iter().map(|anchor| *anchor as i32).collect();
    let numbers = TensorData::new(numbers, [anchors.len()]);
    let numbers = Tensor::<1, Int>::from_data(numbers, &device.clone().without_autodiff());
    let distances = distance.between_all(embeddings).select(0, numbers);
    let no_positive = classes.mask(|anchor, other| !classes.is_positive(anchor, other), &anchors, &device) * OUT;
    let no_negative = classes.mask(|anchor, other| !classes.is_negative(anchor, other), &anchors, &device) * OUT;
    let farthest = (distances.clone() + no_positive).max_dim(1);
    let nearest = -(-distances + no_negative).max_dim(1);
    relu(farthest - nearest + margin).mean()
}
