//! What is made small: functions of the vectors and classes of a batch.

mod contrastive;
mod distance;
mod multi_similarity;
mod supervised_contrastive;
mod triplet;

pub use distance::Distance;
pub use multi_similarity::MultiSimilarity;
pub use triplet::Mining;

pub(crate) use contrastive::contrastive;
pub(crate) use multi_similarity::multi_similarity;
pub(crate) use supervised_contrastive::supervised_contrastive;
pub(crate) use triplet::{batch_all, batch_hard};

use burn_tensor::{Device, Tensor, TensorData};

/// Which texts of a batch are of one class.
pub(crate) struct Classes<'a>(&'a [u32]);

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

    /// 1 for the pairs that `keep` takes, 0 for the others.
    ///
    /// # Shapes
    /// output: `[anchors, texts]`
    fn mask(&self, keep: impl Fn(usize, usize) -> bool, anchors: &[usize], device: &Device) -> Tensor<2> {
        let row = |anchor: &usize| (0..self.len()).map(|other| f32::from(u8::from(keep(*anchor, other)))).collect();
        let rows: Vec<Vec<f32>> = anchors.iter().map(row).collect();
        Tensor::from_data(TensorData::new(rows.concat(), [anchors.len(), self.len()]), device)
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

/// Added to what must not be the greatest: far below any score that vectors of unit length have, and finite.
const OUT: f32 = -1e9;

/// Nothing to learn: no text has both a positive and a negative.
fn zero(embeddings: Tensor<2>) -> Tensor<1> {
    embeddings.sum() * 0.0
}

#[cfg(test)]
mod tests;
