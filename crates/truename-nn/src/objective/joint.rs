//! Recognition and linking from one reading of a text.

use std::ops::Range;

use burn_tensor::Tensor;
use truename_infer::Pooling;

use super::{LabelledSpans, Loss, Objective, Pass, Retrieval, RetrievalBatch, Spans};
use crate::layout::Layout;
use crate::parameter::Parameter;
use crate::pooling::pool;

/// The loss of [`Spans`] and that of [`Retrieval`], in which mentions are the means of their tokens' states in the texts whose spans are scored. The
/// first network reads texts and names, the second descriptions of types.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Recognition.
    pub spans: Spans,
    /// Linking.
    pub retrieval: Retrieval,
    /// Weight of the loss of linking; that of recognition is 1.
    pub weight: f64,
}

/// Texts with their mentions, and the names to link them to.
#[derive(Clone, Debug, Default)]
pub struct JointBatch {
    /// The texts with what is recognized in them.
    pub spans: LabelledSpans,
    /// The mentions that are linked, by their rows among the tokens of all texts.
    pub mentions: Vec<Range<usize>>,
    /// What they are linked to. The mentions of the texts come first, its own [`mentions`](RetrievalBatch::mentions), names without a text, behind
    /// them.
    pub retrieval: RetrievalBatch,
}

impl Objective for Joint {
    type Batch = JointBatch;

    fn parameters(&mut self) -> Vec<&mut Parameter> {
        self.spans.parameters()
    }

    fn loss(&self, pass: &Pass<'_>, batch: &JointBatch) -> Loss {
        let states = pass.states(0, &batch.spans.texts);
        let recognition = self.spans.loss_of(&states, pass, &batch.spans);
        let mut mentions = Vec::new();
        if !batch.mentions.is_empty() {
            mentions.push(pool(Pooling::Mean, states, &Layout::of_rows(batch.mentions.clone())));
        }
        if batch.retrieval.mentions.len() > 0 {
            mentions.push(pass.vectors(0, &batch.retrieval.mentions));
        }
        if mentions.is_empty() {
            return Loss(recognition);
        }
        let linking = self.retrieval.loss_of(Tensor::cat(mentions, 0), pass, &batch.retrieval);
        Loss(recognition + linking * self.weight)
    }
}
