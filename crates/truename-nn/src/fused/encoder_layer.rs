//! An encoder layer as one operation of the tensor library, with its own backward pass.

use std::sync::Arc;

use burn_autodiff::Autodiff;
use burn_autodiff::checkpoint::base::Checkpointer;
use burn_autodiff::checkpoint::strategy::NoCheckpointing;
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind};
use burn_flex::Flex;
use burn_flex::FlexTensor;
use burn_tensor::Tensor;

use super::layer::{Activations, INPUTS, LayerShape, PerInput};
use super::tensor::{Primitive, contiguous, from_values, register, slice};

/// The inputs, and the results of the forward pass that the backward pass needs.
#[derive(Clone, Debug)]
struct State(Arc<(LayerShape, [FlexTensor; INPUTS], Activations)>);

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
