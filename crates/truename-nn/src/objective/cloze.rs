//! Binary cross-entropy over the candidates of cloze prompts (Prompt-BioEL, equation 7).

use std::ops::Range;

use burn_tensor::activation::log_sigmoid;
use burn_tensor::{Tensor, TensorData};
use truename_infer::{Batch, CandidateScore, ClozeTokens, Error, Pooling, TransformerCheckpoint};

use super::metric::zero;
use super::{Loss, Objective, Pass};
use crate::layer::unit_rows;
use crate::layer::{MaskedHead, indices};
use crate::layout::Layout;
use crate::parameter::Parameter;
use crate::pooling::pool;

/// Binary cross-entropy over the candidates of cloze prompts (Prompt-BioEL, equation 7), scored as [`CandidateScore`] says.
#[derive(Clone, Debug)]
pub struct Cloze {
    head: MaskedHead,
    options: Vec<u32>,
    score: CandidateScore,
}

/// Prompts with their answers.
#[derive(Clone, Debug, Default)]
pub struct Prompts {
    texts: Batch,
    answers: Vec<PromptAnswer>,
    /// Numbers of the tokens that stand for the candidates of all prompts, one after the other, counted over all prompts.
    options: Vec<u32>,
    /// The tokens of each prompt's mention, counted over all prompts.
    mentions: Vec<Range<usize>>,
    /// The tokens of the names of each candidate of all prompts.
    names: Vec<Range<usize>>,
}

impl Prompts {
    /// Adds a prompt with its right candidate, if it is among them.
    pub fn push(&mut self, prompt: &ClozeTokens, right: Option<u32>) {
        let first = self.texts.tokens().len();
        let shifted = |tokens: &Range<usize>| first + tokens.start..first + tokens.end;
        let candidates = prompt.options.len() as u32;
        self.answers.push(PromptAnswer { mask: (first + prompt.mask) as u32, candidates, right });
        self.options.extend(prompt.options.iter().map(|token| (first + token) as u32));
        self.mentions.push(shifted(&prompt.mention));
        self.names.extend(prompt.names.iter().map(shifted));
        self.texts.push_input(&prompt.sequence.input);
    }

    /// Number of prompts.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Returns whether there are no prompts.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PromptAnswer {
    /// Number of the masked token, counted over all prompts.
    mask: u32,
    /// Number of candidates.
    candidates: u32,
    /// The right candidate; `None` if it is not among them.
    right: Option<u32>,
}

impl Cloze {
    /// Creates the objective for a network and the tokens that stand for candidates, with initial values where its folder has no
    /// masked-language head.
    ///
    /// # Errors
    /// If the activation of the network is not known.
    pub fn new(checkpoint: &TransformerCheckpoint, options: Vec<u32>, seed: u64) -> Result<Self, Error> {
        Ok(Self { head: MaskedHead::new(checkpoint, seed)?, options, score: CandidateScore::Token })
    }

    /// Sets what a candidate is scored by.
    #[must_use]
    pub fn scored_by(self, score: CandidateScore) -> Self {
        Self { score, ..self }
    }

    /// Returns the score of every candidate of all prompts, one prompt after the other.
    ///
    /// # Shapes
    /// `states: [tokens, hidden]`, output: `[candidates]`
    fn scores(&self, pass: &Pass<'_>, states: Tensor<2>, batch: &Prompts) -> Tensor<1> {
        let device = states.device();
        let select = |tensor: Tensor<2>, rows: Vec<i32>| tensor.select(0, indices(rows, &device));
        let masks = select(states.clone(), batch.answers.iter().map(|answer| answer.mask as i32).collect());
        // The prompt of each candidate, and its place there.
        let candidates = (0..)
            .zip(&batch.answers)
            .flat_map(|(prompt, answer)| (0..answer.candidates as i32).map(move |at| (prompt, at)));
        match self.score {
            CandidateScore::Token => {
                let scores = self.head.scores_of(&self.options, masks, pass.words(0));
                let [prompts, options] = scores.dims();
                let places = candidates.map(|(prompt, at): (i32, i32)| prompt * options as i32 + at).collect();
                scores.reshape([prompts * options]).select(0, indices(places, &device))
            }
            CandidateScore::State => {
                let masks = select(self.head.mapped(masks), candidates.map(|(prompt, _)| prompt).collect());
                let [count, hidden] = masks.dims();
                let options = select(states, batch.options.iter().map(|token| *token as i32).collect());
                (masks * options).sum_dim(1).reshape([count]) / (hidden as f64).sqrt()
            }
            CandidateScore::Spans => {
                let mean = |tokens: &[Range<usize>]| {
                    unit_rows(pool(Pooling::Mean, states.clone(), &Layout::of_rows(tokens.to_vec())))
                };
                let mentions = select(mean(&batch.mentions), candidates.map(|(prompt, _)| prompt).collect());
                let cosines = (mentions * mean(&batch.names)).sum_dim(1);
                let count = cosines.dims()[0];
                (cosines.reshape([count]) * 2.0 - 1.0) * CandidateScore::SPAN_LOGIT
            }
        }
    }
}

impl Objective for Cloze {
    type Batch = Prompts;

    fn parameters(&mut self) -> Vec<&mut Parameter> {
        self.head.parameters()
    }

    fn loss(&self, pass: &Pass<'_>, batch: &Prompts) -> Loss {
        let states = pass.states(0, &batch.texts);
        let count: u32 = batch.answers.iter().map(|answer| answer.candidates).sum();
        if count == 0 {
            return Loss(zero(states));
        }
        let device = states.device();
        let scores = self.scores(pass, states, batch);
        // 1 for the right candidate, −1 for another.
        let of_prompt = |answer: &PromptAnswer| {
            let right = answer.right;
            (0..answer.candidates).map(move |candidate| if right == Some(candidate) { 1.0f32 } else { -1.0 })
        };
        let signs: Vec<f32> = batch.answers.iter().flat_map(of_prompt).collect();
        let signs = Tensor::<1>::from_data(TensorData::new(signs, [count as usize]), &device);
        Loss(-log_sigmoid(scores * signs).sum() / f64::from(count))
    }
}

#[cfg(test)]
mod tests {
    use truename_infer::{Checkpoint, ClozeCandidate, ClozeConfig, ClozePrompt, ClozeQuery, ClozeScorer, Question};
    use truename_text::Span;

    use super::*;
    use crate::{Learner, LearnerOptions};

    #[test]
    fn choices_are_learnt_and_scored_by_the_other_engine() {
        [CandidateScore::Token, CandidateScore::State, CandidateScore::Spans].into_iter().for_each(choices_are_learnt);
    }

    fn choices_are_learnt(score: CandidateScore) {
        let mut checkpoint = Checkpoint::open("../truename-infer/tests/models/bert".as_ref()).unwrap();
        let mut config = ClozeConfig::new(64);
        (config.candidates, config.name_tokens, config.question, config.score) = (3, 6, Question::Mention, score);
        let tokens = config.special_tokens();
        let Checkpoint::Transformer(transformer) = &mut checkpoint else { panic!("a transformer") };
        transformer.add_special_tokens(&tokens, 1).unwrap();
        checkpoint.manifest_mut().set_head(ClozeConfig::HEAD, &config).unwrap();
        let tokenizer = checkpoint.tokenizer().unwrap();
        let prompt = ClozePrompt::new(config, &tokenizer).unwrap();
        let text = "flu is not a heart attack.";
        let queries = [(Span::new(0, 3), 1), (Span::new(13, 25), 0)].map(|(span, right)| {
            let candidates =
                [vec!["heart attack", "infarction"], vec!["flu"], vec!["aspirin"]].map(ClozeCandidate::from);
            (ClozeQuery { text, span, candidates: candidates[..3 - right as usize].to_vec() }, right)
        });
        let mut batch = Prompts::default();
        for (query, right) in &queries {
            let made = prompt.tokens(query, &tokenizer).unwrap();
            batch.push(&made, Some(*right));
        }
        let Checkpoint::Transformer(transformer) = &checkpoint else { panic!("a transformer") };
        let objective = Cloze::new(transformer, prompt.options().to_vec(), 3).unwrap().scored_by(score);
        let options = LearnerOptions { dropout: 0.0, ..LearnerOptions::default() };
        let mut learner = Learner::new(vec![checkpoint], objective, options).unwrap();
        assert_eq!(learner.loss(&Prompts::default()), 0.0);
        let mut losses = vec![learner.loss(&batch)];
        for _ in 0..60 {
            learner.step(std::slice::from_ref(&batch), 3e-3);
            losses.push(learner.loss(&batch));
        }
        assert!(losses[60] < 0.1 && losses[0] > 0.4, "{} to {}", losses[0], losses[60]);
        let folder = tempfile::tempdir().unwrap();
        learner.save(folder.path()).unwrap();
        let scorer = ClozeScorer::open(folder.path()).unwrap();
        let nobody = ClozeQuery { text, span: Span::new(0, 3), candidates: Vec::new() };
        let asked = [queries[0].0.clone(), nobody, queries[1].0.clone()];
        let scores = scorer.score(&asked).unwrap();
        assert_eq!(scores.iter().map(Vec::len).collect::<Vec<_>>(), [2, 0, 3]);
        // The mean binary cross-entropy of the scores is the loss of the learner.
        let cross_entropy = |scores: &[f32], right: u32| -> f64 {
            let sign = |candidate| if candidate == right as usize { 1.0 } else { -1.0 };
            scores.iter().enumerate().map(|(at, score)| (1.0 + (-sign(at) * f64::from(*score)).exp()).ln()).sum()
        };
        let mean = (cross_entropy(&scores[0], 1) + cross_entropy(&scores[2], 0)) / 5.0;
        assert!((mean - losses[60]).abs() < 1e-4, "{mean} and {}", losses[60]);
        assert_eq!(scorer.score(&asked[..1]).unwrap()[0], scores[0], "alone and among others");
    }
}
