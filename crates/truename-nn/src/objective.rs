use burn_tensor::Tensor;

use crate::Batch;
use crate::loss::{
    Classes, Distance, Mining, MultiSimilarity, batch_all, batch_hard, contrastive, multi_similarity,
    supervised_contrastive,
};

/// What a metric encoder learns: names of one concept near each other, those of others far.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Objective {
    /// Triplet loss with online mining (CoSiNES, section 3).
    Triplet {
        /// Which triplets count.
        mining: Mining,
        /// How far apart two vectors are.
        distance: Distance,
        /// How much farther than a positive a negative should be, in the unit of the distance.
        margin: f64,
    },
    /// Supervised contrastive loss (Khosla et al. 2020).
    SupervisedContrastive {
        /// What cosines are divided by.
        temperature: f64,
    },
    /// Multi-similarity loss (Wang et al. 2019).
    MultiSimilarity(MultiSimilarity),
    /// Contrastive loss of the pairs of a batch, with labels between 0 and 1 (NSEEN, equation 1).
    Contrastive {
        /// How far apart two texts with label 0 should be, as `1 − cosine`.
        margin: f64,
    },
}

impl Objective {
    /// # Shapes
    /// `embeddings: [texts, hidden]`, output: `[1]`
    pub(crate) fn loss(self, embeddings: Tensor<2>, batch: &Batch) -> Tensor<1> {
        let classes = Classes::new(batch.labels());
        match self {
            Self::Triplet { mining: Mining::BatchAll, distance, margin } => {
                batch_all(embeddings, &classes, distance, margin)
            }
            Self::Triplet { mining: Mining::BatchHard, distance, margin } => {
                batch_hard(embeddings, &classes, distance, margin)
            }
            Self::SupervisedContrastive { temperature } => supervised_contrastive(embeddings, &classes, temperature),
            Self::MultiSimilarity(options) => multi_similarity(embeddings, &classes, options),
            Self::Contrastive { margin } => contrastive(embeddings, batch.pairs(), margin),
        }
    }
}
