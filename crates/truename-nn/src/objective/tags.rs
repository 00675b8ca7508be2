//! Cross-entropy over the tags of tokens.

use truename_infer::{Batch, TagConfig};

use super::classify::cross_entropy;
use super::metric::zero;
use super::{Loss, Objective, Pass};
use crate::layer::{Linear, indices};
use crate::parameter::Parameter;

/// Cross-entropy over the tags of tokens, by a linear map of their states.
#[derive(Clone, Debug)]
pub struct Tags {
    map: Linear,
}

/// Texts with the tags of some of their tokens.
#[derive(Clone, Debug, Default)]
pub struct TaggedTokens {
    /// The texts.
    pub texts: Batch,
    /// Numbers of tokens, counted over all texts, with their tags.
    pub tags: Vec<(u32, u32)>,
}

impl Tags {
    /// Creates the objective for a number of tags and a network with states of a width.
    pub fn new(hidden: usize, tags: usize, seed: u64) -> Self {
        Self { map: Linear::untrained(TagConfig::MAP, hidden, tags, seed) }
    }
}

impl Objective for Tags {
    type Batch = TaggedTokens;

    fn parameters(&mut self) -> Vec<&mut Parameter> {
        self.map.parameters().into()
    }

    fn loss(&self, pass: &Pass<'_>, batch: &TaggedTokens) -> Loss {
        let states = pass.states(0, &batch.texts);
        if batch.tags.is_empty() {
            return Loss(zero(states));
        }
        let device = states.device();
        let tokens = indices(batch.tags.iter().map(|(token, _)| *token as i32).collect(), &device);
        let scores = self.map.forward(states.select(0, tokens));
        let tags: Vec<u32> = batch.tags.iter().map(|(_, tag)| *tag).collect();
        Loss(cross_entropy(scores, &tags))
    }
}

#[cfg(test)]
mod tests {
    use truename_infer::{Checkpoint, SpanWindow, Tagger, WindowOptions};

    use super::*;
    use crate::{Learner, LearnerOptions};

    #[test]
    fn tags_are_learnt_and_read_by_the_other_engine() {
        let text = "flu is not heart attack 😀.";
        let mut checkpoint = Checkpoint::open("../truename-infer/tests/models/bert".as_ref()).unwrap();
        let options = WindowOptions { tokens: 64, overlap: 8, capitals: false };
        let window = SpanWindow::of(text, &checkpoint.tokenizer().unwrap(), options).unwrap().remove(0);
        let tags = [3, 0, 0, 1, 2].into_iter().chain(std::iter::repeat(0));
        let mut batch = TaggedTokens::default();
        batch.texts.push_input(&window.sequence.input);
        batch.tags = window.words().map(|(first, _)| first).zip(tags).collect();
        let config = TagConfig::new(vec!["Disease".into(), "Virus".into()], 64, 8);
        checkpoint.manifest_mut().set_head(TagConfig::HEAD, &config).unwrap();
        let objective = Tags::new(checkpoint.hidden(), config.tags(), 3);
        let options = LearnerOptions { dropout: 0.0, ..LearnerOptions::default() };
        let mut learner = Learner::new(vec![checkpoint], objective, options).unwrap();
        assert_eq!(learner.loss(&TaggedTokens { texts: batch.texts.clone(), tags: Vec::new() }), 0.0);
        let before = learner.loss(&batch);
        assert!((before - 5f64.ln()).abs() < 0.1, "{before}");
        for _ in 0..40 {
            learner.step(std::slice::from_ref(&batch), 1e-2);
        }
        let folder = tempfile::tempdir().unwrap();
        learner.save(folder.path()).unwrap();
        let found = Tagger::open(folder.path()).unwrap().find(&[text]).unwrap().remove(0);
        let found: Vec<(&str, u32)> = found.iter().map(|span| (&text[span.span.range()], span.type_number)).collect();
        assert_eq!(found, [("flu", 1), ("heart attack", 0)]);
    }
}
