//! Masked-language heads, which share the table of token vectors.

use burn_tensor::Tensor;
use truename_infer::{Activation, Error, TransformerCheckpoint};

use super::feed_forward::activate;
use super::{Linear, Norm, indices};
use crate::parameter::Parameter;

/// The masked-language head (Devlin et al. 2018): the scores of tokens for the places of states. Its last map is the table of token
/// vectors.
#[derive(Clone, Debug)]
pub(crate) struct MaskedHead {
    map: Linear,
    activation: Activation,
    norm: Norm,
    /// `[vocabulary]`
    bias: Parameter,
}

impl MaskedHead {
    /// Creates a head for the vocabulary of a checkpoint, with initial values.
    pub fn new(checkpoint: &TransformerCheckpoint, seed: u64) -> Result<Self, Error> {
        let (names, config) = (checkpoint.names(), checkpoint.config());
        let (hidden, width, rows) = (config.hidden_size, checkpoint.embedding_width(), config.vocab_size);
        let scope = checkpoint.tensors().at(names.masked_norm);
        let [scale, shift] = scope.norm_names().map(|name| scope.name(name));
        Ok(Self {
            map: Linear::untrained(names.masked_map, hidden, width, seed),
            activation: checkpoint.activation()?,
            norm: Norm {
                scale: Parameter::new(&scale, &[width], &vec![1.0; width]),
                shift: Parameter::new(&shift, &[width], &vec![0.0; width]),
                epsilon: config.layer_norm_eps,
            },
            bias: Parameter::new(&format!("{}.bias", names.masked_bias), &[rows], &vec![0.0; rows]),
        })
    }

    /// Returns the scores of all tokens, given their table.
    ///
    /// # Shapes
    /// `states: [places, hidden]`, `words: [vocabulary, width]`, output: `[places, vocabulary]`
    pub fn scores(&self, states: Tensor<2>, words: Tensor<2>) -> Tensor<2> {
        self.mapped(states).matmul(words.transpose()) + self.bias.vector().unsqueeze()
    }

    /// Returns the scores of some tokens.
    ///
    /// # Shapes
    /// `states: [places, hidden]`, `words: [vocabulary, width]`, output: `[places, tokens]`
    pub fn scores_of(&self, tokens: &[u32], states: Tensor<2>, words: Tensor<2>) -> Tensor<2> {
        let tokens = indices(tokens.iter().map(|token| *token as i32).collect(), &words.device());
        let bias = self.bias.vector().select(0, tokens.clone());
        self.mapped(states).matmul(words.select(0, tokens).transpose()) + bias.unsqueeze()
    }

    /// Returns the normed states that the scores are made of.
    ///
    /// # Shapes
    /// `states: [places, hidden]`, output: `[places, width]`
    pub fn mapped(&self, states: Tensor<2>) -> Tensor<2> {
        self.norm.forward(activate(self.activation, self.map.forward(states)))
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        let Self { map, norm, bias, .. } = self;
        map.parameters().into_iter().chain(norm.parameters()).chain([bias]).collect()
    }
}
