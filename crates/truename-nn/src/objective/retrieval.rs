//! Cross-entropy of the right options of mentions among others, by dot products or cosines (Prompt-BioEL, equation 4).

use burn_tensor::activation::log_softmax;
use burn_tensor::{Tensor, TensorData};
use truename_infer::Batch;

use super::metric::zero;
use super::{Loss, Objective, Pass};
use crate::layer::unit_rows;

/// Cross-entropy of the right options of mentions among others. One network reads mentions and options.
#[derive(Clone, Copy, Debug, Default)]
pub struct Retrieval {
    /// The temperature by which cosines are divided; `None` for the dot products of vectors (Prompt-BioEL, equation 4).
    pub temperature: Option<f64>,
}

/// Mentions, and options to choose from.
#[derive(Clone, Debug, Default)]
pub struct RetrievalBatch {
    /// The mentions in their contexts.
    pub mentions: Batch,
    /// The options: concepts or names.
    pub options: Batch,
    /// The right options of each mention, by their numbers in the batch; each has at least one.
    pub right: Vec<Vec<u32>>,
    /// The negatives of each mention, likewise.
    pub negatives: Vec<Vec<u32>>,
}

/// Far below any score.
const APART: f32 = -1e9;

impl Objective for Retrieval {
    type Batch = RetrievalBatch;

    fn loss(&self, pass: &Pass<'_>, batch: &RetrievalBatch) -> Loss {
        Loss(self.loss_of(pass.vectors(0, &batch.mentions), pass, batch))
    }
}

impl Retrieval {
    /// Returns the loss of mentions, given by their vectors.
    ///
    /// # Shapes
    /// `mentions: [mentions, hidden]`, output: `[1]`
    pub(super) fn loss_of(&self, mentions: Tensor<2>, pass: &Pass<'_>, batch: &RetrievalBatch) -> Tensor<1> {
        if batch.right.is_empty() {
            return zero(mentions);
        }
        let options = pass.vectors(0, &batch.options);
        let scores = match self.temperature {
            Some(temperature) => unit_rows(mentions).matmul(unit_rows(options).transpose()) / temperature,
            None => mentions.matmul(options.transpose()),
        };
        retrieval(scores, &batch.right, &batch.negatives)
    }
}

/// The mean over the mentions of `−log(Σ exp s(m, r) / (Σ exp s(m, r) + Σ exp s(m, n)))` over their right options `r` and negatives `n`; with
/// one right option the loss of equation 4.
///
/// # Shapes
/// `scores: [mentions, options]`, output: `[1]`
pub(super) fn retrieval(scores: Tensor<2>, right: &[Vec<u32>], negatives: &[Vec<u32>]) -> Tensor<1> {
    let device = scores.device();
    let shape: [usize; 2] = scores.dims();
    let empty = || vec![APART; shape[0] * shape[1]];
    let (mut apart, mut apart_from_right, mut shares) = (empty(), empty(), vec![0.0f32; shape[0] * shape[1]]);
    for (mention, (right, negatives)) in right.iter().zip(negatives).enumerate() {
        let row = mention * shape[1];
        shares[row + right[0] as usize] = 1.0 / shape[0] as f32;
        for option in right {
            apart[row + *option as usize] = 0.0;
            apart_from_right[row + *option as usize] = 0.0;
        }
        negatives.iter().for_each(|option| apart[row + *option as usize] = 0.0);
    }
    let of = |values: Vec<f32>| Tensor::<2>::from_data(TensorData::new(values, shape), &device);
    let mut logs = log_softmax(scores.clone() + of(apart), 1);
    if right.iter().any(|right| right.len() > 1) {
        // The first of the right ones among all, less among the right ones, is all of them among all.
        logs = logs - log_softmax(scores + of(apart_from_right), 1);
    }
    -(logs * of(shares)).sum()
}
