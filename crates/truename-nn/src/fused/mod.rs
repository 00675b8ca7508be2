//! Layers as one operation each on the CPU, with their own backward passes.
//!
//! They compute what `layer` composes of the tensor library's operations, over the kernels of `truename-infer`:
//! tokens without padding, no intermediate tensor but those that the backward pass needs.

mod activation;
mod affine;
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

use layer::{INPUTS, Saved};

pub(crate) use affine::PerParameter;
pub(crate) use convolution::convolution;
pub(crate) use layer::{LayerShape, PerInput};
pub(crate) use recurrence::recurrence;
pub(crate) use rows::dot;

/// Returns whether a device runs the fused layers.
pub(crate) fn runs_on(device: &Device) -> bool {
    *device == Device::flex()
}

/// A tensor of the CPU, with autodiff.
pub(crate) type Primitive = FloatTensor<Autodiff<Flex>>;

pub(crate) fn primitive<const D: usize>(tensor: Tensor<D>) -> Primitive {
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

/// The inputs, and the results of the forward pass that the backward pass needs.
#[derive(Clone, Debug)]
struct State(Arc<(LayerShape, [FlexTensor; INPUTS], Saved)>);

#[derive(Debug)]
struct FusedLayer;

/// A layer of the BERT family: attention and feed-forward, each with its dropout, its residual and, after it, its norm.
///
/// # Shapes
/// `inputs.states: [tokens, width]`, output: the same
pub(crate) fn encoder_layer(inputs: PerInput<Primitive>, shape: LayerShape) -> Tensor<2> {
    let parents = inputs.into_array();
    let nodes = parents.each_ref().map(|parent| parent.node());
    let inputs = parents.each_ref().map(|parent| contiguous(parent.primitive()));
    drop(parents);
    let (output, saved) = shape.forward(&slices(&inputs));
    let output = from_values(output, [shape.layout.tokens(), shape.width].into());
    let output = match FusedLayer.prepare::<NoCheckpointing>(nodes).compute_bound().stateful() {
        OpsKind::Tracked(prep) => prep.finish(State(Arc::new((shape, inputs, saved))), output),
        OpsKind::UnTracked(prep) => prep.finish(output),
    };
    Tensor::from_primitive::<Autodiff<Flex>>(output)
}

fn slices(inputs: &[FlexTensor; INPUTS]) -> PerInput<&[f32]> {
    PerInput::from_array(inputs.each_ref().map(slice))
}

impl Backward<Flex, INPUTS> for FusedLayer {
    type State = State;

    fn backward(self, ops: Ops<State, INPUTS>, grads: &mut Gradients, _: &mut Checkpointer) {
        let gradient = contiguous(&grads.consume::<Flex>(&ops.node));
        let (shape, inputs, saved) = &*ops.state.0;
        let is_wanted = PerInput::from_array(ops.parents.each_ref().map(Option::is_some));
        let found = shape.backward(&slices(inputs), saved, slice(&gradient), &is_wanted);
        register(&ops, found.into_array(), inputs, grads);
    }
}

/// Registers the gradients that were found of the inputs.
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
