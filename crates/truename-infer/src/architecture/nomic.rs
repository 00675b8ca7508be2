//! Nomic BERT (Nussbaum et al. 2024).

use serde::Deserialize;

use super::modernbert::Rope;
use super::{Family, LayerForm, RotaryPositions, TensorNames};
use crate::config::ModelConfig;
use crate::{Architecture, Error, error};

/// Nomic BERT (Nussbaum et al. 2024): BERT's layers with rotary positions and gated feed-forward parts.
pub(super) static FAMILY: Family = Family {
    architecture: Architecture::NomicBert,
    model_types: &["nomic_bert"],
    settings: &[
        ("n_embd", "hidden_size"),
        ("n_layer", "num_hidden_layers"),
        ("n_head", "num_attention_heads"),
        ("n_inner", "intermediate_size"),
        ("n_positions", "max_position_embeddings"),
        ("activation_function", "hidden_act"),
        ("layer_norm_epsilon", "layer_norm_eps"),
    ],
    prefix: "nomic_bert.",
    names: TensorNames::NOMIC,
    form,
    has_optional_biases: true,
    ..Family::BERT
};

/// The settings that other families do not have, as transformers 5 and the code beside the first models have them.
#[derive(Deserialize)]
struct Settings {
    rope_parameters: Option<Rope>,
    rotary_emb_base: Option<f32>,
    #[serde(default = "whole")]
    rotary_emb_fraction: f32,
    #[serde(default)]
    rotary_emb_interleaved: bool,
    #[serde(default)]
    prenorm: bool,
    #[serde(default)]
    use_rms_norm: bool,
    #[serde(default)]
    parallel_block: bool,
}

fn whole() -> f32 {
    1.0
}

/// Base of the angles, where no setting has it.
const ROPE_THETA: f32 = 1000.0;

impl Settings {
    fn check(&self, config: &ModelConfig) -> Result<(), Error> {
        let refused = [
            ("rotary_emb_interleaved", self.rotary_emb_interleaved),
            ("prenorm", self.prenorm),
            ("use_rms_norm", self.use_rms_norm),
            ("parallel_block", self.parallel_block),
        ];
        if let Some((key, _)) = refused.iter().find(|(_, is_set)| *is_set) {
            return Err(error::setting(&config.path, key, true, "false"));
        }
        if self.rotary_emb_fraction != 1.0 {
            return Err(error::setting(&config.path, "rotary_emb_fraction", self.rotary_emb_fraction, "1"));
        }
        self.rope_parameters.as_ref().map_or(Ok(()), |rope| rope.check(config))
    }

    fn base(&self) -> f32 {
        let of_parameters = self.rope_parameters.as_ref().and_then(|rope| rope.rope_theta);
        of_parameters.or(self.rotary_emb_base).unwrap_or(ROPE_THETA)
    }
}

fn form(config: &ModelConfig, _: usize) -> Result<LayerForm, Error> {
    let settings: Settings = config.settings()?;
    settings.check(config)?;
    let rotary = RotaryPositions { base: settings.base(), reach: None };
    Ok(LayerForm { rotary: Some(rotary), is_gated: true, ..LayerForm::BERT })
}
