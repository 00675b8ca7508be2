//! Adapters that learn beside the frozen layers of a backbone (PICSO, section 3.2).

use burn_tensor::{Device, Tensor};
use truename_infer::{
    Activation, AdapterConfig, AdapterFeatures, Batch, Error, InitialWeights, TensorNames, Tensors,
    TransformerCheckpoint,
};

use crate::dropout::Dropout;
use crate::layer::{Attention, EncoderLayer, FeedForward, Linear, Norm, Pass};
use crate::layer::{row_lengths, unit_rows};
use crate::layout::Layout;
use crate::parameter::Parameter;

/// The adapters of a transformer (PICSO, section 3.2).
#[derive(Clone, Debug)]
pub(crate) struct Adapters {
    pub(crate) adapters: Vec<Adapter>,
    features: AdapterFeatures,
}

/// An entity-aware adapter: adapter layers beside layers of a backbone.
#[derive(Clone, Debug)]
pub(crate) struct Adapter {
    layers: Vec<AdapterLayer>,
    entity_aware: bool,
}

/// `y = x + up(transformer(down(x)))`, with `x` the sum of the backbone's state and the previous adapter layer's output.
#[derive(Clone, Debug)]
struct AdapterLayer {
    /// The layer of the backbone that it reads.
    after: usize,
    down: Linear,
    layers: Vec<EncoderLayer>,
    up: Linear,
}

impl Adapters {
    /// Loads the adapters that a checkpoint uses; `None` for none.
    pub fn load(checkpoint: &TransformerCheckpoint, device: &Device) -> Result<Option<Self>, Error> {
        let config = checkpoint.adapters();
        let load = |(name, adapter): (&String, &AdapterConfig)| {
            let scope = checkpoint.tensors().at(&AdapterConfig::prefix(name));
            let parameter = |tensor: &str, shape: &[usize]| Parameter::load(&scope, tensor, shape, device);
            Adapter::new(adapter, checkpoint, &parameter)
        };
        let adapters: Vec<Adapter> = config.adapters.iter().map(load).collect::<Result<_, _>>()?;
        Ok((!adapters.is_empty()).then_some(Self { adapters, features: config.features }))
    }

    /// Returns the states that the model gives, from the backbone's states after each layer.
    ///
    /// # Shapes
    /// `backbone: [tokens, hidden]` each, output: `[tokens, hidden]` or, joined, `[tokens, hidden (1 + adapters)]`
    pub fn features(&self, backbone: &[Tensor<2>], batch: &Batch, dropout: Dropout, is_fused: bool) -> Tensor<2> {
        let last = backbone.last().expect("a transformer has layers").clone();
        let states = (0..).zip(&self.adapters).map(|(number, adapter)| {
            adapter.forward(|layer| backbone[layer].clone(), batch, dropout.at(number), is_fused)
        });
        match self.features {
            AdapterFeatures::Sum => states.fold(last, |sum, state| sum + unit_rows(state)),
            AdapterFeatures::Balanced => balanced(last, states),
            AdapterFeatures::Joined => {
                let lengths = row_lengths(&last);
                let states = states.map(|state| unit_rows(state) * lengths.clone());
                Tensor::cat(std::iter::once(last).chain(states).collect(), 1)
            }
        }
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        self.adapters.iter_mut().flat_map(Adapter::parameters).collect()
    }
}

/// `H_p + ‖H_p‖ Σ H_a / ‖H_a‖` for each row.
///
/// # Shapes
/// `backbone`, each of `states`, output: `[tokens, hidden]`
pub(crate) fn balanced(backbone: Tensor<2>, states: impl Iterator<Item = Tensor<2>>) -> Tensor<2> {
    let lengths = row_lengths(&backbone);
    states.fold(backbone, |sum, state| sum + unit_rows(state) * lengths.clone())
}

impl Adapter {
    /// Creates an adapter of a backbone from a source of parameters.
    fn new(
        config: &AdapterConfig,
        backbone: &TransformerCheckpoint,
        parameter: &impl Fn(&str, &[usize]) -> Result<Parameter, Error>,
    ) -> Result<Self, Error> {
        let model = backbone.config();
        let layer = |(number, after): (usize, &usize)| {
            let linear = |part: &str, inputs, outputs| linear(&format!("{number}.{part}"), inputs, outputs, parameter);
            let layers = config.transformer_layers(number);
            Ok(AdapterLayer {
                after: *after,
                down: linear("down", model.hidden_size, config.width)?,
                layers: layers
                    .map(|(_, prefix)| encoder_layer(config, &prefix, model.layer_norm_eps, parameter))
                    .collect::<Result<_, Error>>()?,
                up: linear("up", config.width, model.hidden_size)?,
            })
        };
        let layers = config.layers.iter().enumerate().map(layer).collect::<Result<_, Error>>()?;
        Ok(Self { layers, entity_aware: config.entity_aware })
    }

    /// Creates an adapter with initial, untrained weights ([`AdapterConfig::untrained`]).
    pub fn untrained(
        name: &str,
        config: &AdapterConfig,
        backbone: &TransformerCheckpoint,
        initial: InitialWeights,
    ) -> Result<Self, Error> {
        let tensors: Tensors = config.untrained(name, backbone.config().hidden_size, initial);
        let prefix = AdapterConfig::prefix(name);
        let parameter = |tensor: &str, shape: &[usize]| {
            let name = format!("{prefix}.{tensor}");
            Ok(Parameter::new(&name, shape, tensors[&name].values()))
        };
        Self::new(config, backbone, &parameter)
    }

    /// Returns the states of the adapter, from the backbone's states after its layers.
    ///
    /// # Shapes
    /// `backbone: [tokens, hidden]` each, output: `[tokens, hidden]`
    pub fn forward(
        &self,
        backbone: impl Fn(usize) -> Tensor<2>,
        batch: &Batch,
        dropout: Dropout,
        is_fused: bool,
    ) -> Tensor<2> {
        /// Farther than any layer of a backbone.
        const FIRST_PLACE: u64 = 1 << 16;
        let whole = Layout::of(batch);
        let entities = if self.entity_aware { Layout::of_entities(batch) } else { whole.clone() };
        let mut places = FIRST_PLACE..;
        let mut previous: Option<Tensor<2>> = None;
        for layer in &self.layers {
            let backbone = backbone(layer.after);
            let input = previous.map_or(backbone.clone(), |previous| backbone + previous);
            let mut states = layer.down.forward(input.clone());
            for (number, transformer) in layer.layers.iter().enumerate() {
                let layout = if number + 1 == layer.layers.len() { &entities } else { &whole };
                let dropout = dropout.at(places.next().unwrap_or_default());
                states = transformer
                    .forward(states, &Pass { layout, positions: &[], bias: None, distances: None, dropout, is_fused });
            }
            previous = Some(input + layer.up.forward(states));
        }
        previous.expect("an adapter has layers")
    }

    pub fn device(&self) -> Device {
        self.layers[0].down.weight.vector().device()
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        self.layers.iter_mut().flat_map(AdapterLayer::parameters).collect()
    }
}

impl AdapterLayer {
    fn parameters(&mut self) -> Vec<&mut Parameter> {
        let Self { down, layers, up, .. } = self;
        let layers = layers.iter_mut().flat_map(EncoderLayer::parameters);
        down.parameters().into_iter().chain(layers).chain(up.parameters()).collect()
    }
}

fn linear(
    name: &str,
    inputs: usize,
    outputs: usize,
    parameter: &impl Fn(&str, &[usize]) -> Result<Parameter, Error>,
) -> Result<Linear, Error> {
    let weight = parameter(&format!("{name}.weight"), &[outputs, inputs])?;
    Ok(Linear { weight, bias: parameter(&format!("{name}.bias"), &[outputs])? })
}

fn encoder_layer(
    config: &AdapterConfig,
    prefix: &str,
    epsilon: f32,
    parameter: &impl Fn(&str, &[usize]) -> Result<Parameter, Error>,
) -> Result<EncoderLayer, Error> {
    let (names, width, inner) = (TensorNames::ADAPTER, config.width, config.inner);
    let linear = |name: &str, inputs, outputs| linear(&format!("{prefix}.{name}"), inputs, outputs, parameter);
    let norm = |name: &str| {
        let scale = parameter(&format!("{prefix}.{name}.weight"), &[width])?;
        Ok::<Norm, Error>(Norm { scale, shift: parameter(&format!("{prefix}.{name}.bias"), &[width])?, epsilon })
    };
    let maps = names.query_key_value.iter().map(|name| linear(name, width, width)).collect::<Result<_, _>>()?;
    Ok(EncoderLayer {
        attention: Attention {
            query_key_value: maps,
            output: linear(names.attention_output, width, width)?,
            heads: config.heads,
            rotary: None,
            distance_maps: None,
        },
        attention_norm: Some(norm(names.attention_norm)?),
        feed_forward: FeedForward {
            up: names.up.iter().map(|name| linear(name, width, inner)).collect::<Result<_, _>>()?,
            down: linear(names.down, inner, width)?,
            activation: Activation::Gelu,
            is_gated: false,
        },
        feed_forward_norm: norm(names.feed_forward_norm)?,
        has_norms_before: false,
    })
}
