//! Names of tensors by family, for the engine that serves and the one that learns.

/// Names of the parts of an encoder of the BERT family, below the prefix of its tensors; both engines find them by these.
#[derive(Debug)]
#[non_exhaustive]
pub struct TensorNames {
    /// Table of token vectors.
    pub words: &'static str,
    /// Table of position vectors, where the family has them.
    pub positions: Option<&'static str>,
    /// Table of segment vectors, where the family has segments.
    pub segments: Option<&'static str>,
    /// Norm of the embeddings.
    pub embedding_norm: &'static str,
    /// Map from the width of the embeddings to that of the states, where the two may differ.
    pub embedding_map: Option<&'static str>,
    /// Table of biases by distance, where the family has them.
    pub position_bias: Option<&'static str>,
    /// Part with the layers, each by its number.
    pub layers: &'static str,
    /// Maps of a layer to queries, keys and values, or the one map that does all three.
    pub query_key_value: &'static [&'static str],
    /// Output map of a layer's attention.
    pub attention_output: &'static str,
    /// Norm of a layer's attention.
    pub attention_norm: &'static str,
    /// First maps of a layer's feed-forward part: one, or that of the activated half and that of the other where it has a gate.
    pub up: &'static [&'static str],
    /// Second map of a layer's feed-forward part.
    pub down: &'static str,
    /// Norm of a layer's feed-forward part.
    pub feed_forward_norm: &'static str,
    /// Norm after the last layer, where the family has it.
    pub last_norm: Option<&'static str>,
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
        positions: Some("embeddings.position_embeddings"),
        segments: Some("embeddings.token_type_embeddings"),
        embedding_norm: "embeddings.LayerNorm",
        embedding_map: None,
        position_bias: None,
        layers: "encoder.layer",
        query_key_value: &["attention.self.query", "attention.self.key", "attention.self.value"],
        attention_output: "attention.output.dense",
        attention_norm: "attention.output.LayerNorm",
        up: &["intermediate.dense"],
        down: "output.dense",
        feed_forward_norm: "output.LayerNorm",
        last_norm: None,
        masked_map: "cls.predictions.transform.dense",
        masked_norm: "cls.predictions.transform.LayerNorm",
        masked_bias: "cls.predictions",
    };

    pub(super) const ROBERTA: Self =
        Self { masked_map: "lm_head.dense", masked_norm: "lm_head.layer_norm", masked_bias: "lm_head", ..Self::BERT };

    pub(super) const MPNET: Self = Self {
        segments: None,
        position_bias: Some("encoder.relative_attention_bias"),
        query_key_value: &["attention.attn.q", "attention.attn.k", "attention.attn.v"],
        attention_output: "attention.attn.o",
        attention_norm: "attention.LayerNorm",
        ..Self::ROBERTA
    };

    pub(super) const DISTILBERT: Self = Self {
        segments: None,
        layers: "transformer.layer",
        query_key_value: &["attention.q_lin", "attention.k_lin", "attention.v_lin"],
        attention_output: "attention.out_lin",
        attention_norm: "sa_layer_norm",
        up: &["ffn.lin1"],
        down: "ffn.lin2",
        feed_forward_norm: "output_layer_norm",
        masked_map: "vocab_transform",
        masked_norm: "vocab_layer_norm",
        masked_bias: "vocab_projector",
        ..Self::BERT
    };

    pub(super) const ELECTRA: Self = Self {
        embedding_map: Some("embeddings_project"),
        masked_map: "generator_predictions.dense",
        masked_norm: "generator_predictions.LayerNorm",
        masked_bias: "generator_lm_head",
        ..Self::BERT
    };

    pub(super) const MODERNBERT: Self = Self {
        words: "embeddings.tok_embeddings",
        positions: None,
        segments: None,
        embedding_norm: "embeddings.norm",
        layers: "layers",
        query_key_value: &["attn.Wqkv"],
        attention_output: "attn.Wo",
        attention_norm: "attn_norm",
        up: &["mlp.Wi"],
        down: "mlp.Wo",
        feed_forward_norm: "mlp_norm",
        last_norm: Some("final_norm"),
        masked_map: "head.dense",
        masked_norm: "head.norm",
        masked_bias: "decoder",
        ..Self::BERT
    };

    pub(super) const NOMIC: Self = Self {
        positions: None,
        embedding_norm: "emb_ln",
        layers: "encoder.layers",
        query_key_value: &["attn.Wqkv"],
        attention_output: "attn.out_proj",
        attention_norm: "norm1",
        up: &["mlp.fc12", "mlp.fc11"],
        down: "mlp.fc2",
        feed_forward_norm: "norm2",
        ..Self::BERT
    };

    /// Maps of disentangled attention to queries, keys and values.
    pub(super) const DISENTANGLED: [&str; 3] =
        ["attention.self.query_proj", "attention.self.key_proj", "attention.self.value_proj"];

    pub(super) const DEBERTA: Self = Self { query_key_value: &Self::DISENTANGLED, ..Self::BERT };

    /// Names within a transformer layer of an adapter; the other names are those of BERT.
    pub const ADAPTER: Self = Self {
        query_key_value: &["query", "key", "value"],
        attention_output: "attention_output",
        attention_norm: "attention_norm",
        up: &["up"],
        down: "down",
        feed_forward_norm: "feed_forward_norm",
        ..Self::BERT
    };

    /// Tensors outside of the encoder with a row for each token, which masked-language heads have; `true` where a row is the
    /// token's vector, `false` where it is a bias.
    pub(crate) const OF_TOKENS: [(&'static str, bool); 11] = [
        ("cls.predictions.decoder.weight", true),
        ("cls.predictions.decoder.bias", false),
        ("cls.predictions.bias", false),
        ("lm_head.decoder.weight", true),
        ("lm_head.decoder.bias", false),
        ("lm_head.bias", false),
        ("vocab_projector.weight", true),
        ("vocab_projector.bias", false),
        ("generator_lm_head.weight", true),
        ("generator_lm_head.bias", false),
        ("decoder.bias", false),
    ];

    /// Name of a layer, from 0.
    pub fn layer(&self, number: usize) -> String {
        format!("{}.{number}", self.layers)
    }

    /// Maps of a layer.
    pub(crate) fn maps(&self) -> impl Iterator<Item = &'static str> {
        let [query_key_value, up] = [self.query_key_value, self.up].map(|names| names.iter().copied());
        query_key_value.chain([self.attention_output]).chain(up).chain([self.down])
    }
}
