//! Names of tensors by family, for the engine that serves and the one that learns.

/// Names of the parts of an encoder of the BERT family, below the prefix of its tensors; both engines find them by these.
#[derive(Debug)]
#[non_exhaustive]
pub struct TensorNames {
    /// Table of token vectors.
    pub words: &'static str,
    /// Table of position vectors.
    pub positions: &'static str,
    /// Table of segment vectors, where the family has segments.
    pub segments: Option<&'static str>,
    /// Norm of the embeddings.
    pub embedding_norm: &'static str,
    /// Table of biases by distance, where the family has them.
    pub position_bias: Option<&'static str>,
    /// Query map of a layer.
    pub query: &'static str,
    /// Key map of a layer.
    pub key: &'static str,
    /// Value map of a layer.
    pub value: &'static str,
    /// Output map of a layer's attention.
    pub attention_output: &'static str,
    /// Norm after a layer's attention.
    pub attention_norm: &'static str,
    /// First map of a layer's feed-forward part.
    pub up: &'static str,
    /// Second map of a layer's feed-forward part.
    pub down: &'static str,
    /// Norm after a layer's feed-forward part.
    pub feed_forward_norm: &'static str,
    /// Map of the masked-language head, without the prefix of the encoder, as the two below.
    pub masked_map: &'static str,
    /// Norm of the masked-language head.
    pub masked_norm: &'static str,
    /// Part of the masked-language head with the bias of each token.
    pub masked_bias: &'static str,
}

impl TensorNames {
    pub(super) const BERT: Self = Self {
        words: "embeddings.word_embeddings",
        positions: "embeddings.position_embeddings",
        segments: Some("embeddings.token_type_embeddings"),
        embedding_norm: "embeddings.LayerNorm",
        position_bias: None,
        query: "attention.self.query",
        key: "attention.self.key",
        value: "attention.self.value",
        attention_output: "attention.output.dense",
        attention_norm: "attention.output.LayerNorm",
        up: "intermediate.dense",
        down: "output.dense",
        feed_forward_norm: "output.LayerNorm",
        masked_map: "cls.predictions.transform.dense",
        masked_norm: "cls.predictions.transform.LayerNorm",
        masked_bias: "cls.predictions",
    };

    pub(super) const ROBERTA: Self =
        Self { masked_map: "lm_head.dense", masked_norm: "lm_head.layer_norm", masked_bias: "lm_head", ..Self::BERT };

    pub(super) const MPNET: Self = Self {
        segments: None,
        position_bias: Some("encoder.relative_attention_bias"),
        query: "attention.attn.q",
        key: "attention.attn.k",
        value: "attention.attn.v",
        attention_output: "attention.attn.o",
        attention_norm: "attention.LayerNorm",
        ..Self::ROBERTA
    };

    /// Names within a transformer layer of an adapter; the other names are those of BERT.
    pub const ADAPTER: Self = Self {
        query: "query",
        key: "key",
        value: "value",
        attention_output: "attention_output",
        attention_norm: "attention_norm",
        up: "up",
        down: "down",
        feed_forward_norm: "feed_forward_norm",
        ..Self::BERT
    };

    /// Tensors outside of the encoder with a row for each token, which masked-language heads have; `true` where a row is the
    /// token's vector, `false` where it is a bias.
    pub(crate) const OF_TOKENS: [(&'static str, bool); 6] = [
        ("cls.predictions.decoder.weight", true),
        ("cls.predictions.decoder.bias", false),
        ("cls.predictions.bias", false),
        ("lm_head.decoder.weight", true),
        ("lm_head.decoder.bias", false),
        ("lm_head.bias", false),
    ];

    /// Name of a layer, from 0.
    pub fn layer(&self, number: usize) -> String {
        format!("encoder.layer.{number}")
    }
}
