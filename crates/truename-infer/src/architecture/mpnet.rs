use super::{Family, bert, layers};
use crate::config::ModelConfig;
use crate::layer::{Attention, PositionBias, TokenEmbedding};
use crate::transformer::{Layer, Transformer};
use crate::weights::{Scope, Weights};
use crate::{Architecture, Error};

/// MPNet (Song et al. 2020): no segments, and attention adds a learned bias for the distance of two tokens.
pub(super) static FAMILY: Family =
    Family { architecture: Architecture::MpNet, model_types: &["mpnet"], prefix: "mpnet.", first_position, load };

fn load(config: &ModelConfig, weights: &Weights) -> Result<Transformer, Error> {
    let root = FAMILY.encoder(weights);
    Ok(Transformer {
        embedding: embedding(&root.at("embeddings"), config)?,
        position_bias: Some(position_bias(&root.at("encoder.relative_attention_bias"), config)?),
        layers: layers(config, |number| layer(&root.at(&format!("encoder.layer.{number}")), config))?,
        hidden: config.hidden_size,
    })
}

/// Transformers gives MPNet the padding 1, whatever `pad_token_id` says.
fn first_position(_: &ModelConfig) -> usize {
    2
}

fn position_bias(scope: &Scope, config: &ModelConfig) -> Result<PositionBias, Error> {
    let (buckets, heads) = (config.relative_attention_num_buckets.unwrap_or(32), config.num_attention_heads);
    if buckets < PositionBias::FEWEST_BUCKETS {
        let known = format!("{} and more", PositionBias::FEWEST_BUCKETS);
        return Err(Error::setting(&config.path, "relative_attention_num_buckets", buckets, known));
    }
    Ok(PositionBias::new(&scope.table(buckets, heads)?, heads, FAMILY.positions(config)))
}

fn embedding(scope: &Scope, config: &ModelConfig) -> Result<TokenEmbedding, Error> {
    let hidden = config.hidden_size;
    Ok(TokenEmbedding {
        words: scope.at("word_embeddings").table(config.vocab_size, hidden)?,
        positions: scope.at("position_embeddings").table(config.max_position_embeddings, hidden)?,
        first_position: first_position(config),
        segments: None,
        norm: scope.at("LayerNorm").norm(hidden, config.layer_norm_eps)?,
    })
}

fn layer(scope: &Scope, config: &ModelConfig) -> Result<Layer, Error> {
    let (hidden, epsilon) = (config.hidden_size, config.layer_norm_eps);
    Ok(Layer {
        attention: Attention {
            query_key_value: scope.at("attention.attn").linear_of(&["q", "k", "v"], hidden, hidden)?,
            output: scope.at("attention.attn.o").linear(hidden, hidden)?,
            heads: config.num_attention_heads,
        },
        attention_norm: scope.at("attention.LayerNorm").norm(hidden, epsilon)?,
        feed_forward: bert::feed_forward(scope, config)?,
        feed_forward_norm: scope.at("output.LayerNorm").norm(hidden, epsilon)?,
    })
}
