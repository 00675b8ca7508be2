//! Tensors of the CPU as plain slices and back, and the registration of gradients.

use burn_autodiff::Autodiff;
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::Ops;
use burn_backend::TensorMetadata;
use burn_backend::tensor::FloatTensor;
use burn_flex::Flex;
use burn_flex::FlexTensor;
use burn_tensor::{Device, Shape, Tensor, TensorData};

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
pub(super) fn contiguous(tensor: &FlexTensor) -> FlexTensor {
    if tensor.as_slice::<f32>().is_some() { tensor.clone() } else { tensor.to_contiguous() }
}

pub(super) fn slice(tensor: &FlexTensor) -> &[f32] {
    tensor.as_slice().expect("inputs were made contiguous")
}

pub(super) fn from_values(values: Vec<f32>, shape: Shape) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape))
}

/// Registers the gradients that were found of the inputs.
pub(super) fn register<S, const N: usize>(
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
