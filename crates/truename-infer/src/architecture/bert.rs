use super::{Family, layers};
use crate::config::ModelConfig;
use crate::layer::{Attention, FeedForward, TokenEmbedding};
use crate::transformer::{Layer, Transformer};
use crate::weights::{Scope, Weights};
use crate::{Architecture, Error};

/// BERT (Devlin et al. 2018).
pub(super) static FAMILY: Family =
    Family { architecture: Architecture::Bert, model_types: &["bert"], prefix: "bert.", first_position: |_| 0, load };

fn load(config: &ModelConfig, weights: &Weights) -> Result<Transformer, Error> {
    load_from(&FAMILY.encoder(weights), config, 0)
}

/// The tensors as BERT names them, with a text's positions from `first_position` on.
pub(super) fn load_from(root: &Scope, config: &ModelConfig, first_position: usize) -> Result<Transformer, Error> {
    Ok(Transformer {
        embedding: embedding(&root.at("embeddings"), config, first_position)?,
        position_bias: None,
        layers: layers(config, |number| layer(&root.at(&format!("encoder.layer.{number}")), config))?,
        hidden: config.hidden_size,
    })
}

fn embedding(scope: &Scope, config: &ModelConfig, first_position: usize) -> Result<TokenEmbedding, Error> {
    let hidden = config.hidden_size;
    let segments = config.type_vocab_size.filter(|segments| *segments > 0);
    Ok(TokenEmbedding {
        words: scope.at("word_embeddings").table(config.vocab_size, hidden)?,
        positions: scope.at("position_embeddings").table(config.max_position_embeddings, hidden)?,
        first_position,
        segments: segments.map(|count| scope.at("token_type_embeddings").table(count, hidden)).transpose()?,
        norm: scope.at("LayerNorm").norm(hidden, config.layer_norm_eps)?,
    })
}

fn layer(scope: &Scope, config: &ModelConfig) -> Result<Layer, Error> {
    let (hidden, epsilon) = (config.hidden_size, config.layer_norm_eps);
    Ok(Layer {
        attention: Attention {
            query_key_value: scope.at("attention.self").linear_of(&["query", "key", "value"], hidden, hidden)?,
            output: scope.at("attention.output.dense").linear(hidden, hidden)?,
            heads: config.num_attention_heads,
        },
        attention_norm: scope.at("attention.output.LayerNorm").norm(hidden, epsilon)?,
        feed_forward: feed_forward(scope, config)?,
        feed_forward_norm: scope.at("output.LayerNorm").norm(hidden, epsilon)?,
    })
}

pub(super) fn feed_forward(layer: &Scope, config: &ModelConfig) -> Result<FeedForward, Error> {
    let (hidden, inner) = (config.hidden_size, config.intermediate_size);
    Ok(FeedForward {
        up: layer.at("intermediate.dense").linear(hidden, inner)?,
        down: layer.at("output.dense").linear(inner, hidden)?,
        activation: config.activation()?,
    })
}
