//! The steps of a long short-term memory as one operation, over those that are served.

use std::sync::Arc;

use burn_autodiff::Autodiff;
use burn_autodiff::checkpoint::base::Checkpointer;
use burn_autodiff::checkpoint::strategy::NoCheckpointing;
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind};
use burn_flex::Flex;
use burn_flex::FlexTensor;
use burn_tensor::Tensor;
use truename_infer::kernels::{Matrix, Onto, multiply};
use truename_infer::lstm::{self, States};

use super::tensor::{contiguous, from_values, primitive, slice};
use crate::layout::Layout;

/// The hidden states of all steps, from `gates`, which are `x W + b`.
///
/// # Shapes
/// `gates: [rows, 4 width]`, `recurrent: [4 width, width]`, output: `[rows, width]`
pub(crate) fn recurrence(gates: Tensor<2>, recurrent: Tensor<2>, layout: &Layout, is_reversed: bool) -> Tensor<2> {
    let parents = [primitive(gates), primitive(recurrent)];
    let nodes = parents.each_ref().map(|parent| parent.node());
    let [gates, recurrent] = parents.each_ref().map(|parent| contiguous(parent.primitive()));
    drop(parents);
    let [rows, width] = [layout.tokens(), slice(&recurrent).len() / (slice(&gates).len() / layout.tokens())];
    let packed = Matrix::new(slice(&recurrent), width).transposed().packed();
    let states = lstm::forward(layout.texts(), is_reversed, slice(&gates).to_vec(), &packed);
    let output = from_values(states.hidden.clone(), [rows, width].into());
    let state = SharedState(Arc::new(State { layout: layout.clone(), is_reversed, states, recurrent }));
    let output = match Recurrence.prepare::<NoCheckpointing>(nodes).compute_bound().stateful() {
        OpsKind::Tracked(prep) => prep.finish(state, output),
        OpsKind::UnTracked(prep) => prep.finish(output),
    };
    Tensor::from_primitive::<Autodiff<Flex>>(output)
}

#[derive(Debug)]
struct State {
    layout: Layout,
    is_reversed: bool,
    states: States,
    recurrent: FlexTensor,
}

#[derive(Clone, Debug)]
struct SharedState(Arc<State>);

#[derive(Debug)]
struct Recurrence;

impl Backward<Flex, 2> for Recurrence {
    type State = SharedState;

    fn backward(self, ops: Ops<SharedState, 2>, grads: &mut Gradients, _: &mut Checkpointer) {
        let gradient = contiguous(&grads.consume::<Flex>(&ops.node));
        let State { layout, is_reversed, states, recurrent } = &*ops.state.0;
        let rows = layout.tokens();
        let width = states.hidden.len() / rows;
        let packed = Matrix::new(slice(recurrent), width).packed();
        let gates = lstm::backward(layout.texts(), *is_reversed, states, &packed, slice(&gradient));
        let [gates_node, recurrent_node] = ops.parents;
        if let Some(node) = recurrent_node {
            let before = lstm::before(layout.texts(), *is_reversed, &states.hidden, width);
            let mut found = vec![0.0; 4 * width * width];
            let gates = Matrix::new(&gates, 4 * width).transposed();
            multiply(gates, Matrix::new(&before, width), &mut found, Onto::Nothing);
            grads.register::<Flex>(node.id, from_values(found, [4 * width, width].into()));
        }
        if let Some(node) = gates_node {
            grads.register::<Flex>(node.id, from_values(gates, [rows, 4 * width].into()));
        }
    }
}
