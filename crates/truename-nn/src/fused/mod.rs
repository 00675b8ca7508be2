//! The encoder layer as one operation on the CPU, with its own backward pass.
//!
//! It computes what [`EncoderLayer`] composes of the tensor library's operations, over the kernels of `truename-infer`:
//! tokens without padding, no intermediate tensor but what the backward pass needs.

mod activation;
mod attention;
mod convolution;
mod layer;
mod norm;
mod recurrence;
mod rows;

use std::sync::Arc;

use burn_autodiff::Autodiff;
use burn_autodiff::checkpoint::base::Checkpointer;
use burn_autodiff::checkpoint::strategy::NoCheckpointing;
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind};
use burn_backend::TensorMetadata;
use burn_backend::tensor::FloatTensor;
use burn_flex::Flex;
use burn_flex::FlexTensor;
use burn_tensor::{Device, Shape, Tensor, TensorData};

use crate::layer::{EncoderLayer, Pass};
use crate::parameter::Parameter;
use layer::{Affine, LayerShape, Saved, Weights};

pub(crate) use convolution::convolution;
pub(crate) use recurrence::recurrence;
pub(crate) use rows::dot;

/// The input, weight and bias of eight maps and norms, and the bias by distance.
const PARENTS: usize = 18;

/// Whether a device runs the fused layer.
pub(crate) fn runs_on(device: &Device) -> bool {
    *device == Device::flex()
}

/// [`EncoderLayer::forward`] as one operation.
pub(crate) fn encoder_layer(layer: &EncoderLayer, states: Tensor<2>, pass: &Pass) -> Tensor<2> {
    let (attention, feed_forward) = (&layer.attention, &layer.feed_forward);
    let [tokens, width] = states.dims();
    let device = states.device();
    let parameters = [
        [&attention.query.weight, &attention.query.bias],
        [&attention.key.weight, &attention.key.bias],
        [&attention.value.weight, &attention.value.bias],
        [&attention.output.weight, &attention.output.bias],
        [&layer.attention_norm.scale, &layer.attention_norm.shift],
        [&feed_forward.up.weight, &feed_forward.up.bias],
        [&feed_forward.down.weight, &feed_forward.down.bias],
        [&layer.feed_forward_norm.scale, &layer.feed_forward_norm.shift],
    ];
    let no_bias = || Tensor::<2>::zeros([1, 1], &device);
    let mut parents = vec![primitive(states)];
    parents.extend(parameters.into_iter().flatten().map(Parameter::vector).map(primitive));
    parents.push(primitive(pass.bias.clone().unwrap_or_else(no_bias)));
    let shape = LayerShape {
        layout: pass.layout.clone(),
        width,
        heads: attention.heads,
        epsilons: [layer.attention_norm.epsilon, layer.feed_forward_norm.epsilon],
        activation: feed_forward.activation,
        dropout: pass.dropout,
        has_bias: pass.bias.is_some(),
    };
    let output = run(parents.try_into().expect("there are so many parents"), shape);
    debug_assert_eq!(output.dims(), [tokens, width]);
    output
}

fn primitive<const D: usize>(tensor: Tensor<D>) -> FloatTensor<Autodiff<Flex>> {
    tensor.try_into_primitive::<Autodiff<Flex>>().expect("parameters and states are on the CPU, with autodiff")
}

/// The numbers of a tensor that lies in memory row after row.
fn contiguous(tensor: &FlexTensor) -> FlexTensor {
    if tensor.as_slice::<f32>().is_some() { tensor.clone() } else { tensor.to_contiguous() }
}

fn slice(tensor: &FlexTensor) -> &[f32] {
    tensor.as_slice().expect("inputs were made contiguous")
}

fn from_values(values: Vec<f32>, shape: Shape) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape))
}

/// What the backward pass needs: the parents and what the forward pass computed.
#[derive(Clone, Debug)]
struct State(Arc<(LayerShape, Vec<FlexTensor>, Saved)>);

#[derive(Debug)]
struct FusedLayer;

fn run(parents: [FloatTensor<Autodiff<Flex>>; PARENTS], shape: LayerShape) -> Tensor<2> {
    let nodes = parents.each_ref().map(|parent| parent.node());
    let inputs: Vec<FlexTensor> = parents.iter().map(|parent| contiguous(parent.primitive())).collect();
    drop(parents);
    let (output, saved) = shape.forward(&weights(&inputs));
    let output = from_values(output, [shape.layout.tokens(), shape.width].into());
    let output = match FusedLayer.prepare::<NoCheckpointing>(nodes).compute_bound().stateful() {
        OpsKind::Tracked(prep) => prep.finish(State(Arc::new((shape, inputs, saved))), output),
        OpsKind::UnTracked(prep) => prep.finish(output),
    };
    Tensor::from_primitive::<Autodiff<Flex>>(output)
}

fn weights(inputs: &[FlexTensor]) -> Weights<'_> {
    let affine = |number: usize| Affine { weight: slice(&inputs[number]), bias: slice(&inputs[number + 1]) };
    Weights {
        input: slice(&inputs[0]),
        query: affine(1),
        key: affine(3),
        value: affine(5),
        output: affine(7),
        attention_norm: affine(9),
        up: affine(11),
        down: affine(13),
        norm: affine(15),
        bias: slice(&inputs[17]),
    }
}

impl Backward<Flex, PARENTS> for FusedLayer {
    type State = State;

    fn backward(self, ops: Ops<State, PARENTS>, grads: &mut Gradients, _: &mut Checkpointer) {
        let gradient = contiguous(&grads.consume::<Flex>(&ops.node));
        let (shape, inputs, saved) = &*ops.state.0;
        let is_wanted = ops.parents.each_ref().map(Option::is_some);
        let found = shape.backward(&weights(inputs), saved, slice(&gradient), &is_wanted);
        register(&ops, found, inputs, grads);
    }
}

/// Hands on the gradients that were found of the inputs.
fn register<S, const N: usize>(
    ops: &Ops<S, N>,
    found: [Option<Vec<f32>>; N],
    inputs: &[FlexTensor],
    grads: &mut Gradients,
) {
    for ((parent, gradient), input) in ops.parents.iter().zip(found).zip(inputs) {
        if let (Some(node), Some(gradient)) = (parent, gradient) {
            grads.register::<Flex>(node.id, from_values(gradient, input.shape()));
        }
    }
}
