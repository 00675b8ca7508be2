//! Loads the layers of a transformer by the names of a family.

use rayon::prelude::*;

use super::Family;
use crate::config::ModelConfig;
use crate::layer::{Activation, Layer, LayerSizes, Norm, PositionBias, TokenEmbedding};
use crate::transformer::Transformer;
use crate::weights::{Scope, Weights};
use crate::{Error, error};

impl Family {
    pub fn load(&self, config: &ModelConfig, weights: &Weights) -> Result<Transformer, Error> {
        let root = self.encoder(weights);
        // Several layers at a time: packing the weights is most of the work.
        let layers = (0..config.num_hidden_layers).into_par_iter();
        Ok(Transformer {
            embedding: self.embedding(&root, config)?,
            position_bias: self
                .names
                .position_bias
                .map(|name| self.position_bias(&root.at(name), config))
                .transpose()?,
            layers: layers
                .map(|number| self.layer(&root.at(&self.names.layer(number)), config))
                .collect::<Result<_, _>>()?,
            hidden: config.hidden_size,
            adapters: None,
        })
    }

    fn embedding(&self, root: &Scope, config: &ModelConfig) -> Result<TokenEmbedding, Error> {
        let (names, hidden) = (&self.names, config.hidden_size);
        let segments = self.segments(config).map(|(name, count)| root.at(name).table(count, hidden));
        Ok(TokenEmbedding {
            words: root.at(names.words).table(config.vocab_size, hidden)?,
            positions: root.at(names.positions).table(config.max_position_embeddings, hidden)?,
            first_position: (self.first_position)(config),
            segments: segments.transpose()?,
            norm: Norm::load(&root.at(names.embedding_norm), hidden, config.layer_norm_eps)?,
        })
    }

    fn position_bias(&self, scope: &Scope, config: &ModelConfig) -> Result<PositionBias, Error> {
        let (buckets, heads) = (config.position_buckets(), config.num_attention_heads);
        if buckets < PositionBias::FEWEST_BUCKETS {
            let known = format!("{} and more", PositionBias::FEWEST_BUCKETS);
            return Err(error::setting(&config.path, "relative_attention_num_buckets", buckets, known));
        }
        Ok(PositionBias::new(&scope.table(buckets, heads)?, heads, self.positions(config)))
    }

    fn layer(&self, layer: &Scope, config: &ModelConfig) -> Result<Layer, Error> {
        let sizes = LayerSizes {
            hidden: config.hidden_size,
            inner: config.intermediate_size,
            heads: config.num_attention_heads,
            epsilon: config.layer_norm_eps,
            activation: config.activation()?,
        };
        sizes.load(&self.names, layer)
    }
}

impl ModelConfig {
    pub(crate) fn activation(&self) -> Result<Activation, Error> {
        Activation::named(&self.hidden_act, &self.path)
    }
}
