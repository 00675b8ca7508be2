//! The masked-language head: scores of tokens for the place of a state.

use crate::architecture::Family;
use crate::config::ModelConfig;
use crate::layer::{Activation, Linear, Norm};
use crate::weights::Weights;
use crate::{Error, error};

/// The masked-language head (Devlin et al. 2018): the scores of tokens for the place of a state. Its last map is the table of token
/// vectors.
pub(crate) struct MaskedHead {
    map: Linear,
    activation: Activation,
    norm: Norm,
    /// From the normed state to the scores of the tokens asked for.
    tokens: Linear,
}

impl MaskedHead {
    pub fn load(family: &Family, config: &ModelConfig, weights: &Weights, tokens: &[u32]) -> Result<Self, Error> {
        let (names, whole) = (&family.names, family.whole(weights));
        let (hidden, width) = (config.hidden_size, family.embedding_width(config));
        let words = family.encoder(weights).at(names.words).table(config.vocab_size, width)?;
        let biases = whole.at(names.masked_bias).floats("bias", &[config.vocab_size])?;
        let unknown =
            |token: &u32| error::input(format!("there is no token {token}; the model has {}", config.vocab_size));
        let rows = tokens.iter().map(|token| words.row(*token as usize).ok_or_else(|| unknown(token)));
        let rows = rows.collect::<Result<Vec<_>, Error>>()?.concat();
        let biases = tokens.iter().map(|token| biases.slice()[*token as usize]).collect();
        Ok(Self {
            map: Linear::load(&whole.at(names.masked_map), hidden, width)?,
            activation: config.activation()?,
            norm: Norm::load(&whole.at(names.masked_norm), width, config.layer_norm_eps)?,
            tokens: Linear::new(&rows, biases),
        })
    }

    /// Returns the scores of the tokens.
    ///
    /// # Shapes
    /// `state: [hidden]`, output: `[tokens]`
    pub fn scores(&self, state: &[f32]) -> Vec<f32> {
        let mut scores = vec![0.0; self.tokens.outputs()];
        self.tokens.apply(&self.mapped(state), &mut scores);
        scores
    }

    /// Returns the normed state that the scores are made of.
    ///
    /// # Shapes
    /// `state: [hidden]`, output: the width of token vectors
    pub fn mapped(&self, state: &[f32]) -> Vec<f32> {
        let mut mapped = vec![0.0; self.map.outputs()];
        self.map.apply(state, &mut mapped);
        self.activation.apply(&mut mapped);
        self.norm.apply(&mut mapped);
        mapped
    }
}
