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
    /// The options, with the right ones and the negatives of each query. The first queries are the mentions of the texts, the others those of
    /// [`RetrievalBatch::mentions`], which are names alone.
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
        if !batch.retrieval.mentions.is_empty() {
            mentions.push(pass.vectors(0, &batch.retrieval.mentions));
        }
        if mentions.is_empty() {
            return Loss(recognition);
        }
        let linking = self.retrieval.loss_of(Tensor::cat(mentions, 0), pass, &batch.retrieval);
        Loss(recognition + linking * self.weight)
    }
}

#[cfg(test)]
mod tests {
    use truename_infer::{Checkpoint, Tokenizer};

    use super::*;
    use crate::objective::{GoldSpan, SpanLabels, SpansOptions};
    use crate::{Learner, LearnerOptions};

    fn bert() -> Checkpoint {
        Checkpoint::open("../truename-infer/tests/models/bert".as_ref()).unwrap()
    }

    /// The loss of an objective over the small BERT.
    fn loss<O: Objective>(objective: O, networks: usize, pool_entities: bool, batch: &O::Batch) -> f64 {
        let checkpoints = (0..networks).map(|_| bert()).collect();
        let options = LearnerOptions { pooling: Some(Pooling::Mean), pool_entities, ..LearnerOptions::default() };
        Learner::new(checkpoints, objective, options).unwrap().loss(batch)
    }

    #[test]
    fn the_loss_is_that_of_both_with_mentions_as_means_of_their_tokens() {
        let tokenizer: Tokenizer = bert().tokenizer().unwrap();
        let input = |text: &str| truename_infer::Input::new(tokenizer.tokens(text).unwrap().ids);
        let (texts, places) = (["flu of guests", "a heart attack"].map(input), [1..2, 2..4]);
        let names = ["flu", "heart attack", "heart"].map(input);
        let mut spans = LabelledSpans { types: vec![0], ..LabelledSpans::default() };
        spans.descriptions.push_input(&input("a disease"));
        let mut retrieval = RetrievalBatch { right: vec![vec![0], vec![1], vec![1]], ..RetrievalBatch::default() };
        retrieval.negatives = vec![vec![1, 2], vec![0, 2], vec![0]];
        names.iter().for_each(|name| retrieval.options.push_input(name));
        let mut alone = retrieval.clone();
        for (text, place) in texts.iter().zip(&places) {
            spans.texts.push_input(text);
            let gold = vec![GoldSpan { first: place.start as u32, last: place.end as u32 - 1, type_number: 0 }];
            let (starts, ends) = ((1..text.len() as u32 - 1).collect(), (1..text.len() as u32 - 1).collect());
            spans.labels.push(SpanLabels { starts, ends, gold, open: Vec::new(), types: vec![0] });
            alone.mentions.push_input(&text.clone().with_entity(place.clone()));
        }
        retrieval.mentions.push_input(&names[2]);
        alone.mentions.push_input(&names[2]);
        let hidden = bert().hidden();
        let of_spans =
            || Spans::new(hidden, hidden, SpansOptions { dimensions: 8, width: 4, ..SpansOptions::default() });
        let of_names = Retrieval { temperature: Some(0.1) };
        let joint = Joint { spans: of_spans(), retrieval: of_names, weight: 3.0 };
        let rows: Vec<Range<usize>> = spans.texts.rows().collect();
        let mentions = rows.iter().zip(&places).map(|(text, place)| text.start + place.start..text.start + place.end);
        let batch = JointBatch { spans: spans.clone(), mentions: mentions.collect(), retrieval };
        let expected = loss(of_spans(), 2, false, &spans) + 3.0 * loss(of_names, 1, true, &alone);
        let found = loss(joint.clone(), 2, false, &batch);
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        let unlinked = JointBatch { spans: spans.clone(), ..JointBatch::default() };
        assert!((loss(joint, 2, false, &unlinked) - loss(of_spans(), 2, false, &spans)).abs() < 1e-5);
    }
}
