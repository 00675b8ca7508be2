//! Layers as one operation each on the CPU, with their own backward passes.
//!
//! They compute what `layer` composes of the tensor library's operations, over the kernels of `truename-infer`:
//! tokens without padding, no intermediate tensor but those that the backward pass needs.
//!
//! GPUs run the composition, which is also the oracle of the gradient tests.

mod activation;
mod affine;
mod attention;
mod convolution;
mod encoder_layer;
mod layer;
mod norm;
mod recurrence;
mod rows;
mod tensor;

pub(crate) use affine::PerParameter;
pub(crate) use convolution::convolution;
pub(crate) use encoder_layer::encoder_layer;
pub(crate) use layer::{LayerShape, PerInput};
pub(crate) use recurrence::recurrence;
pub(crate) use rows::LANES;
pub(crate) use tensor::{primitive, runs_on};
