//! Cross-entropy of the right concept among negatives, by dot products (Prompt-BioEL, equation 4).

use burn_tensor::activation::log_softmax;
use burn_tensor::{Tensor, TensorData};
use truename_infer::Batch;

use super::metric::zero;
use super::{Loss, Objective, Pass};

/// Cross-entropy of the right concept among negatives, by the dot products of vectors (Prompt-BioEL, equation 4). One network
/// reads mentions and concepts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Retrieval;

/// Mentions, and concepts to choose from.
#[derive(Clone, Debug, Default)]
pub struct RetrievalBatch {
    /// The mentions in their contexts.
    pub mentions: Batch,
    /// The concepts.
    pub concepts: Batch,
    /// The right concept of each mention, by its number in the batch.
    pub right: Vec<u32>,
    /// The negatives of each mention, likewise.
    pub negatives: Vec<Vec<u32>>,
}

/// Far below any score.
const APART: f32 = -1e9;

impl Objective for Retrieval {
    type Batch = RetrievalBatch;

    fn loss(&self, pass: &Pass<'_>, batch: &RetrievalBatch) -> Loss {
        let mentions = pass.vectors(0, &batch.mentions);
        if batch.right.is_empty() {
            return Loss(zero(mentions));
        }
        Loss(retrieval(mentions, pass.vectors(0, &batch.concepts), &batch.right, &batch.negatives))
    }
}

/// The mean over the mentions of `−s(m, e) + log(exp s(m, e) + Σ exp s(m, e′))`, with `s` the dot product (equation 4).
///
/// # Shapes
/// `mentions: [mentions, hidden]`, `concepts: [concepts, hidden]`, output: `[1]`
pub(super) fn retrieval(mentions: Tensor<2>, concepts: Tensor<2>, right: &[u32], negatives: &[Vec<u32>]) -> Tensor<1> {
    let device = mentions.device();
    let scores = mentions.matmul(concepts.transpose());
    let shape: [usize; 2] = scores.dims();
    let mut apart = vec![APART; shape[0] * shape[1]];
    let mut shares = vec![0.0f32; shape[0] * shape[1]];
    for (mention, (right, negatives)) in right.iter().zip(negatives).enumerate() {
        let row = mention * shape[1];
        shares[row + *right as usize] = 1.0 / shape[0] as f32;
        for concept in negatives.iter().chain([right]) {
            apart[row + *concept as usize] = 0.0;
        }
    }
    let [apart, shares] = [apart, shares].map(|values| Tensor::<2>::from_data(TensorData::new(values, shape), &device));
    -(log_softmax(scores + apart, 1) * shares).sum()
}
