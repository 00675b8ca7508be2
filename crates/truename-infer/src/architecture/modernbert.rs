//! ModernBERT (Warner et al. 2024).

use serde::Deserialize;

use super::{Family, LayerForm, RotaryPositions, TensorNames};
use crate::config::ModelConfig;
use crate::{Architecture, Error, error};

/// ModernBERT (Warner et al. 2024): norms before the parts of a layer, rotary positions, gated feed-forward parts, and attention to near
/// tokens alone in most layers.
pub(super) static FAMILY: Family = Family {
    architecture: Architecture::ModernBert,
    model_types: &["modernbert"],
    settings: &[("norm_eps", "layer_norm_eps"), ("hidden_activation", "hidden_act")],
    prefix: "model.",
    names: TensorNames::MODERNBERT,
    form,
    has_optional_biases: true,
    ..Family::BERT
};

/// The settings that other families do not have, as `config.json` has had them since transformers 5 and before.
#[derive(Deserialize)]
struct Settings {
    #[serde(default = "local_attention")]
    local_attention: usize,
    layer_types: Option<Vec<LayerType>>,
    #[serde(default = "global_attn_every_n_layers")]
    global_attn_every_n_layers: usize,
    rope_parameters: Option<RopeParameters>,
    #[serde(default = "global_rope_theta")]
    global_rope_theta: f32,
    local_rope_theta: Option<f32>,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum LayerType {
    FullAttention,
    SlidingAttention,
}

#[derive(Deserialize)]
struct RopeParameters {
    full_attention: Option<Rope>,
    sliding_attention: Option<Rope>,
}

#[derive(Deserialize)]
pub(super) struct Rope {
    pub rope_theta: Option<f32>,
    #[serde(default = "default_rope")]
    pub rope_type: String,
}

fn local_attention() -> usize {
    128
}

fn global_attn_every_n_layers() -> usize {
    3
}

fn global_rope_theta() -> f32 {
    160_000.0
}

/// Of layers with local attention, where no setting has it.
const LOCAL_ROPE_THETA: f32 = 10_000.0;

pub(super) fn default_rope() -> String {
    Rope::DEFAULT.to_owned()
}

impl Rope {
    const DEFAULT: &str = "default";

    /// Refuses angles that are scaled for longer texts.
    pub fn check(&self, config: &ModelConfig) -> Result<(), Error> {
        match self.rope_type.as_str() {
            Self::DEFAULT => Ok(()),
            other => Err(error::setting(&config.path, "rope_type", other, Self::DEFAULT)),
        }
    }
}

impl Settings {
    fn layer_type(&self, number: usize) -> LayerType {
        let by_number = || match number % self.global_attn_every_n_layers.max(1) {
            0 => LayerType::FullAttention,
            _ => LayerType::SlidingAttention,
        };
        self.layer_types.as_ref().and_then(|types| types.get(number).copied()).unwrap_or_else(by_number)
    }

    /// The bases of the angles of layers with attention to all tokens, and of those with local attention.
    fn bases(&self, config: &ModelConfig) -> Result<[f32; 2], Error> {
        let parameters = self.rope_parameters.as_ref();
        let full = parameters.and_then(|parameters| parameters.full_attention.as_ref());
        let local = parameters.and_then(|parameters| parameters.sliding_attention.as_ref());
        full.into_iter().chain(local).try_for_each(|rope| rope.check(config))?;
        let base = |rope: Option<&Rope>, other| rope.and_then(|rope| rope.rope_theta).unwrap_or(other);
        Ok([base(full, self.global_rope_theta), base(local, self.local_rope_theta.unwrap_or(LOCAL_ROPE_THETA))])
    }
}

fn form(config: &ModelConfig, number: usize) -> Result<LayerForm, Error> {
    let settings: Settings = config.settings()?;
    let [full, local] = settings.bases(config)?;
    let rotary = match settings.layer_type(number) {
        LayerType::FullAttention => RotaryPositions { base: full, reach: None },
        LayerType::SlidingAttention => RotaryPositions { base: local, reach: Some(settings.local_attention / 2) },
    };
    // The norm of the embeddings is that of the first layer's input.
    let has_attention_norm = number > 0;
    let form = LayerForm { rotary: Some(rotary), has_norms_before: true, is_gated: true, ..LayerForm::BERT };
    Ok(LayerForm { has_attention_norm, ..form })
}
