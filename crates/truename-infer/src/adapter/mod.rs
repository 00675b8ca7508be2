//! Adapters on a backbone that keeps its weights (PICSO, section 3.2).
//!
//! An adapter reads the backbone's states after some layers; in the last transformer layer of each adapter layer
//! the tokens of an entity attend to the entity alone. [`AdapterChoice`] says which adapters of a folder are used;
//! it is part of the encoder's hash. The states of a model with adapters are summed at equal lengths, or joined for
//! a head that is trained on them ([`AdapterFeatures`]).

mod choice;
mod config;

use std::ops::Range;

use crate::batch::Batch;
use crate::config::ModelConfig;
use crate::head;
use crate::layer::{Activation, AttentionPositions, Layer, LayerScratch, LayerSizes, Linear, PartNorm, sized};
use crate::weights::{Scope, Weights};
use crate::{Error, LayerForm, TensorNames, Visibility};

pub use choice::AdapterChoice;
pub use config::{AdapterConfig, AdapterFeatures, AdaptersConfig, InitialWeights};

/// The adapters of a transformer.
pub(crate) struct Adapters {
    adapters: Vec<Adapter>,
    features: AdapterFeatures,
}

/// An entity-aware adapter: adapter layers beside layers of the backbone.
struct Adapter {
    layers: Vec<AdapterLayer>,
    entity_aware: bool,
}

/// `y = x + up(transformer(down(x)))`, with `x` the sum of the backbone's state and the previous adapter layer's output.
struct AdapterLayer {
    /// The layer of the backbone that it reads.
    after: usize,
    down: Linear,
    layers: Vec<Layer>,
    up: Linear,
}

/// Buffers of the adapters, used again for batch after batch.
#[derive(Default)]
pub(crate) struct AdapterScratch {
    /// The batch with the visibility of the last transformer layers.
    entities: Batch,
    /// States of each adapter.
    states: Vec<Vec<f32>>,
    hidden: Vec<f32>,
    layer: LayerScratch,
    features: Vec<f32>,
}

impl Adapters {
    pub fn load(config: &AdaptersConfig, model: &ModelConfig, weights: &Weights) -> Result<Self, Error> {
        let load = |(name, adapter): (&String, &AdapterConfig)| {
            Adapter::load(adapter, model, &weights.whole().at(&AdapterConfig::prefix(name)))
        };
        let adapters = config.adapters.iter().map(load).collect::<Result<_, _>>()?;
        Ok(Self { adapters, features: config.features })
    }

    /// Gets ready for a batch.
    pub fn begin(&self, batch: &Batch, scratch: &mut AdapterScratch) {
        scratch.entities = with_entities(batch);
        scratch.states.resize_with(self.adapters.len(), Vec::new);
        scratch.states.iter_mut().for_each(Vec::clear);
    }

    /// Runs the adapter layers that read the states after a layer of the backbone.
    ///
    /// # Shapes
    /// `backbone: [tokens, hidden]`
    pub fn run(&self, batch: &Batch, number: usize, backbone: &[f32], scratch: &mut AdapterScratch) {
        let AdapterScratch { entities, states, hidden, layer: layer_scratch, .. } = scratch;
        for (adapter, states) in self.adapters.iter().zip(states) {
            let last_sees: &Batch = if adapter.entity_aware { entities } else { batch };
            for layer in adapter.layers.iter().filter(|layer| layer.after == number) {
                states.resize(backbone.len(), 0.0);
                states.iter_mut().zip(backbone).for_each(|(state, backbone)| *state += backbone);
                let hidden = sized(hidden, batch.tokens().len() * layer.down.outputs());
                layer.down.apply(states, hidden);
                for (at, transformer) in layer.layers.iter().enumerate() {
                    let batch = if at + 1 == layer.layers.len() { last_sees } else { batch };
                    transformer.run(batch, hidden, layer_scratch);
                }
                layer.up.add(hidden, states, &PartNorm::None);
            }
        }
    }

    /// Returns the states that the model gives.
    ///
    /// # Shapes
    /// `backbone: [tokens, hidden]`, output: `[tokens, hidden]` or, joined, `[tokens, hidden (1 + adapters)]`
    pub fn features<'a>(&self, hidden: usize, backbone: &[f32], scratch: &'a mut AdapterScratch) -> &'a [f32] {
        let AdapterScratch { states, features, .. } = scratch;
        features.clear();
        for (token, backbone) in backbone.chunks_exact(hidden).enumerate() {
            let of_adapters = states.iter().map(|states| &states[token * hidden..][..hidden]);
            let length = if self.features == AdapterFeatures::Sum { 1.0 } else { head::length(backbone) };
            let mut first = features.len();
            features.extend_from_slice(backbone);
            for state in of_adapters {
                if self.features == AdapterFeatures::Joined {
                    first = features.len();
                    features.resize(first + hidden, 0.0);
                }
                add_scaled(&mut features[first..], state, length);
            }
        }
        features
    }
}

/// `sum += state · length / ‖state‖`; nothing where the state is all zeros.
fn add_scaled(sum: &mut [f32], state: &[f32], length: f32) {
    let scale = length / head::length(state);
    if scale.is_finite() {
        sum.iter_mut().zip(state).for_each(|(sum, value)| *sum += value * scale);
    }
}

/// Returns the batch with each entity attending to itself alone.
fn with_entities(batch: &Batch) -> Batch {
    let mut entities = batch.clone();
    let rows: Vec<Range<usize>> = batch.rows().collect();
    for (number, rows) in rows.into_iter().enumerate() {
        if let of_row @ [_, ..] = batch.entities(number) {
            entities.set_visibility(number, Visibility::entities(rows.len(), of_row));
        }
    }
    entities
}

impl Adapter {
    fn load(config: &AdapterConfig, model: &ModelConfig, scope: &Scope) -> Result<Self, Error> {
        let sizes = LayerSizes {
            hidden: config.width,
            inner: config.inner,
            heads: config.heads,
            epsilon: model.layer_norm_eps,
            activation: Activation::Gelu,
            form: LayerForm::BERT,
        };
        let layer = |(number, after): (usize, &usize)| {
            let at = scope.at(&number.to_string());
            let layers = config.transformer_layers(number);
            Ok(AdapterLayer {
                after: *after,
                down: Linear::load(&at.at("down"), model.hidden_size, config.width)?,
                layers: layers
                    .map(|(_, prefix)| {
                        sizes.load(&TensorNames::ADAPTER, &scope.at(&prefix), AttentionPositions::InStates)
                    })
                    .collect::<Result<_, Error>>()?,
                up: Linear::load(&at.at("up"), config.width, model.hidden_size)?,
            })
        };
        let layers = config.layers.iter().enumerate().map(layer).collect::<Result<_, Error>>()?;
        Ok(Self { layers, entity_aware: config.entity_aware })
    }
}
