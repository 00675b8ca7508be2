//! Training objectives: each computes the loss of one batch from the vectors or token states of the networks.
//!
//! An objective is a file here: its options, its batch, its own parameters where it has some, and its loss.

mod classify;
mod cloze;
mod distillation;
mod joint;
mod masked_language;
mod metric;
mod pairs;
mod retrieval;
mod spans;
mod synonyms;
mod tags;

use std::cell::Cell;

use burn_tensor::Tensor;
use truename_infer::Batch;

use crate::dropout::Dropout;
use crate::network::Network;
use crate::parameter::Parameter;

pub use classify::{Classify, ClassifyTexts, Targets};
pub use cloze::{Cloze, Prompts};
pub use distillation::{
    Distillation, DistillationOptions, SoftLabels, SoftSpans, SoftVectors, SpanTeacher, TeacherAnswers,
    TeacherThresholds,
};
pub use joint::{Joint, JointBatch};
pub use masked_language::{MaskedLanguageModelling, MaskedTokens};
pub use metric::{DebiasedLoss, Distance, LabelledTexts, Metric, MetricLoss, Mining, MultiSimilarity};
pub use pairs::{Pair, Pairs, TextPairs};
pub use retrieval::{Retrieval, RetrievalBatch};
pub use spans::{GoldSpan, LabelledSpans, SpanLabels, SpanThreshold, Spans, SpansOptions};
pub use synonyms::{EntityVector, MarkedEntities, Synonyms};
pub use tags::{TaggedTokens, Tags};

/// The training objective of a [`Learner`](crate::Learner).
///
/// The types of its functions are this crate's own, so that objectives are added here.
pub trait Objective {
    /// The data of one step.
    type Batch;

    /// Returns its own parameters, such as heads and temperatures. They are learnt beside those of the networks, saved into the
    /// folder of the first, and taken from there where the folder has them.
    #[doc(hidden)]
    fn parameters(&mut self) -> Vec<&mut Parameter> {
        Vec::new()
    }

    /// Returns the mean loss of a batch.
    #[doc(hidden)]
    fn loss(&self, pass: &Pass<'_>, batch: &Self::Batch) -> Loss;
}

/// The loss of a batch.
///
/// # Shapes
/// `[1]`
pub struct Loss(pub(crate) Tensor<1>);

/// The networks of a learner during one step, with its dropout.
pub struct Pass<'a> {
    networks: &'a [Network],
    dropout: Dropout,
    /// Calls so far; each has a dropout of its own.
    calls: Cell<u64>,
}

impl<'a> Pass<'a> {
    pub(crate) fn new(networks: &'a [Network], dropout: Dropout) -> Self {
        Self { networks, dropout, calls: Cell::new(0) }
    }

    /// Returns one vector a text, not of unit length, by the network with a number.
    ///
    /// # Shapes
    /// output: `[texts, hidden]`
    pub(crate) fn vectors(&self, network: usize, texts: &Batch) -> Tensor<2> {
        self.networks[network].vectors(texts, self.next_dropout())
    }

    /// Returns the states of all tokens after the last layer of the network with a number.
    ///
    /// # Shapes
    /// output: `[tokens, hidden]`
    pub(crate) fn states(&self, network: usize, texts: &Batch) -> Tensor<2> {
        self.networks[network].states(texts, self.next_dropout())
    }

    /// Returns the table of token vectors of the network with a number.
    ///
    /// # Shapes
    /// output: `[vocabulary, hidden]`
    ///
    /// # Panics
    /// If the network reads characters.
    pub(crate) fn words(&self, network: usize) -> Tensor<2> {
        self.networks[network].words()
    }

    /// Returns whether the networks run each layer as one operation.
    pub(crate) fn is_fused(&self) -> bool {
        self.networks.first().is_none_or(Network::is_fused)
    }

    /// Returns the dropout of the next call.
    pub(crate) fn next_dropout(&self) -> Dropout {
        /// Farther than any layer.
        const FIRST_CALL: u64 = 1 << 32;
        let call = self.calls.replace(self.calls.get() + 1);
        if call == 0 { self.dropout } else { self.dropout.at(FIRST_CALL + call) }
    }
}

#[cfg(test)]
mod tests;
