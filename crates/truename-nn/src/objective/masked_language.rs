//! Masked language modelling (Devlin et al. 2018).

use burn_tensor::activation::log_softmax;
use burn_tensor::{Tensor, TensorData};
use truename_infer::{Batch, Error, TransformerCheckpoint};

use super::metric::zero;
use super::{Loss, Objective, Pass};
use crate::layer::{MaskedHead, indices};
use crate::parameter::Parameter;

/// Masked language modelling (Devlin et al. 2018): cross-entropy over the vocabulary at masked tokens. The head shares the table of
/// token vectors.
#[derive(Clone, Debug)]
pub struct MaskedLanguageModelling {
    head: MaskedHead,
}

/// Texts with masked tokens.
#[derive(Clone, Debug, Default)]
pub struct MaskedTokens {
    /// The texts, with the mask in place of some tokens.
    pub texts: Batch,
    /// Numbers of tokens, counted over all texts, with the tokens that stood there.
    pub masked: Vec<(u32, u32)>,
}

impl MaskedLanguageModelling {
    /// Creates the objective for a network, with initial values where its folder has no such head.
    ///
    /// # Errors
    /// If the activation of the network is not known.
    pub fn new(checkpoint: &TransformerCheckpoint, seed: u64) -> Result<Self, Error> {
        Ok(Self { head: MaskedHead::new(checkpoint, seed)? })
    }
}

impl Objective for MaskedLanguageModelling {
    type Batch = MaskedTokens;

    fn parameters(&mut self) -> Vec<&mut Parameter> {
        self.head.parameters()
    }

    fn loss(&self, pass: &Pass<'_>, batch: &MaskedTokens) -> Loss {
        let states = pass.states(0, &batch.texts);
        if batch.masked.is_empty() {
            return Loss(zero(states));
        }
        let device = states.device();
        let places = indices(batch.masked.iter().map(|(place, _)| *place as i32).collect(), &device);
        let scores = log_softmax(self.head.scores(states.select(0, places), pass.words(0)), 1);
        let tokens: Vec<i32> = batch.masked.iter().map(|(_, token)| *token as i32).collect();
        let tokens = TensorData::new(tokens, [batch.masked.len(), 1]);
        let tokens = Tensor::from_data(tokens, &device.without_autodiff());
        Loss(-scores.gather(1, tokens).mean())
    }
}

#[cfg(test)]
mod tests {
    use truename_infer::Checkpoint;

    use super::*;
    use crate::{Learner, LearnerOptions};

    #[test]
    fn a_masked_token_is_learnt_and_the_head_goes_on() {
        let folder = "../truename-infer/tests/models/bert";
        let mut checkpoint = Checkpoint::open(folder.as_ref()).unwrap();
        let tokenizer = checkpoint.tokenizer().unwrap();
        let (mask, gone) = (tokenizer.id("[MASK]").unwrap(), 1);
        let mut ids = tokenizer.tokens("heart attack").unwrap().ids;
        let token = std::mem::replace(&mut ids[gone], mask);
        let mut batch = MaskedTokens::default();
        batch.texts.push(&ids);
        batch.masked.push((gone as u32, token));
        let options = || LearnerOptions { dropout: 0.0, ..LearnerOptions::default() };
        let begin = |checkpoint: Checkpoint, seed| {
            let Checkpoint::Transformer(transformer) = &checkpoint else { panic!("a transformer") };
            let objective = MaskedLanguageModelling::new(transformer, seed).unwrap();
            Learner::new(vec![checkpoint], objective, options()).unwrap()
        };
        let mut learner = begin(checkpoint, 1);
        assert_eq!(learner.loss(&MaskedTokens { texts: batch.texts.clone(), masked: Vec::new() }), 0.0);
        let before = learner.loss(&batch);
        assert!((before - 160f64.ln()).abs() < 2.0, "{before}");
        for _ in 0..40 {
            learner.step(std::slice::from_ref(&batch), 3e-3);
        }
        let after = learner.loss(&batch);
        assert!(after < 0.3 * before, "{before} to {after}");
        let folder = tempfile::tempdir().unwrap();
        learner.save(folder.path()).unwrap();
        let again = begin(Checkpoint::open(folder.path()).unwrap(), 2);
        assert!((again.loss(&batch) - after).abs() < 1e-5, "the saved head and no other");
    }
}
