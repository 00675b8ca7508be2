//! Metric learning: names of one concept near each other, names of different concepts far apart.

mod debiased;
mod distance;
mod multi_similarity;
mod supervised_contrastive;
mod triplet;

use burn_tensor::{Device, Tensor, TensorData};
use truename_infer::Batch;

use super::{Loss, Objective, Pass};

pub use debiased::DebiasedLoss;
pub use distance::Distance;
pub use multi_similarity::MultiSimilarity;
pub use triplet::Mining;

#[cfg(test)]
pub(super) use {
    debiased::debiased, multi_similarity::multi_similarity, supervised_contrastive::supervised_contrastive,
    triplet::batch_all, triplet::batch_hard,
};

/// Metric learning: names of one concept near each other, names of different concepts far apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    /// The loss.
    pub loss: MetricLoss,
}

/// A loss over the vectors and classes of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum MetricLoss {
    /// Triplet loss with online mining (CoSiNES, section 3).
    Triplet {
        /// The triplets that count.
        mining: Mining,
        /// The distance between two vectors.
        distance: Distance,
        /// Smallest difference between the distances to a negative and to a positive, in the unit of the distance.
        margin: f64,
    },
    /// Supervised contrastive loss (Khosla et al. 2020).
    SupervisedContrastive {
        /// Temperature: cosines are divided by it.
        temperature: f64,
    },
    /// Multi-similarity loss (Wang et al. 2019).
    MultiSimilarity(MultiSimilarity),
    /// Debiased contrastive loss with weights by hardness (PICSO, equation 3).
    Debiased(DebiasedLoss),
}

/// Texts with a class each: texts of one class are names of one concept.
#[derive(Clone, Debug, Default)]
pub struct LabelledTexts {
    texts: Batch,
    labels: Vec<u32>,
}

impl LabelledTexts {
    /// Adds a text of a class.
    pub fn push(&mut self, text: &[u32], label: u32) {
        self.texts.push(text);
        self.labels.push(label);
    }

    /// The texts.
    pub fn texts(&self) -> &Batch {
        &self.texts
    }

    /// The class of each text.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }
}

impl Objective for Metric {
    type Batch = LabelledTexts;

    fn loss(&self, pass: &Pass<'_>, batch: &LabelledTexts) -> Loss {
        Loss(self.loss.of(pass.vectors(0, &batch.texts), &Classes::new(&batch.labels)))
    }
}

impl MetricLoss {
    /// # Shapes
    /// `embeddings: [texts, hidden]`, output: `[1]`
    pub(super) fn of(self, embeddings: Tensor<2>, classes: &Classes) -> Tensor<1> {
        match self {
            Self::Triplet { mining: Mining::BatchAll, distance, margin } => {
                triplet::batch_all(embeddings, classes, distance, margin)
            }
            Self::Triplet { mining: Mining::BatchHard, distance, margin } => {
                triplet::batch_hard(embeddings, classes, distance, margin)
            }
            Self::SupervisedContrastive { temperature } => {
                supervised_contrastive::supervised_contrastive(embeddings, classes, temperature)
            }
            Self::Debiased(options) => debiased::debiased(embeddings, classes, options),
            Self::MultiSimilarity(options) => multi_similarity::multi_similarity(embeddings, classes, options),
        }
    }
}

/// The classes of the texts of a batch.
pub(super) struct Classes<'a>(&'a [u32]);

impl<'a> Classes<'a> {
    pub fn new(labels: &'a [u32]) -> Self {
        Self(labels)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn is_positive(&self, anchor: usize, other: usize) -> bool {
        anchor != other && self.0[anchor] == self.0[other]
    }

    fn is_negative(&self, anchor: usize, other: usize) -> bool {
        self.0[anchor] != self.0[other]
    }

    /// Returns 1 for the pairs that `keep` takes, 0 for the others.
    ///
    /// # Shapes
    /// output: `[anchors, texts]`
    fn mask(&self, keep: impl Fn(usize, usize) -> bool, anchors: &[usize], device: &Device) -> Tensor<2> {
        let row = |anchor: &usize| (0..self.len()).map(|other| f32::from(u8::from(keep(*anchor, other)))).collect();
        let rows: Vec<Vec<f32>> = anchors.iter().map(row).collect();
        Tensor::from_data(TensorData::new(rows.concat(), [anchors.len(), self.len()]), device)
    }

    fn all(&self) -> Vec<usize> {
        (0..self.len()).collect()
    }

    /// The texts that have both another of their class and one of another class.
    fn anchors(&self) -> Vec<usize> {
        let has = |anchor, keep: &dyn Fn(usize, usize) -> bool| (0..self.len()).any(|other| keep(anchor, other));
        let is_anchor = |anchor: &usize| {
            has(*anchor, &|anchor, other| self.is_positive(anchor, other))
                && has(*anchor, &|anchor, other| self.is_negative(anchor, other))
        };
        (0..self.len()).filter(is_anchor).collect()
    }
}

/// The cosines of a batch that has anchors.
struct Cosines {
    /// `[texts, texts]`
    values: Tensor<2>,
    anchors: Vec<usize>,
    device: Device,
}

/// Returns a loss over the cosines of all texts, or 0 where no text is an anchor.
///
/// # Shapes
/// `embeddings: [texts, hidden]`, output: `[1]`
fn over_cosines(embeddings: Tensor<2>, classes: &Classes, loss: impl FnOnce(Cosines) -> Tensor<1>) -> Tensor<1> {
    let anchors = classes.anchors();
    if anchors.is_empty() {
        return zero(embeddings);
    }
    let device = embeddings.device();
    loss(Cosines { values: distance::cosines(embeddings), anchors, device })
}

/// Added to a score that must not be the greatest: far below any score of unit vectors, and finite.
const OUT: f32 = -1e9;

/// The loss of a batch without anything to learn.
pub(super) fn zero(embeddings: Tensor<2>) -> Tensor<1> {
    embeddings.sum() * 0.0
}
