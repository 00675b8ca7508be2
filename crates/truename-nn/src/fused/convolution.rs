//! A convolution over the characters of each text, of three at a time, with its activation as one operation.

use std::sync::Arc;

use burn_autodiff::Autodiff;
use burn_autodiff::checkpoint::base::Checkpointer;
use burn_autodiff::checkpoint::strategy::NoCheckpointing;
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind};
use burn_flex::Flex;
use burn_flex::FlexTensor;
use burn_tensor::Tensor;
use rayon::prelude::*;
use truename_infer::kernels::{Matrix, Onto, multiply};

use super::affine::{Affine, PerParameter, affine, of_affine};
use super::rows::{PIECE, add};
use super::tensor::{contiguous, from_values, primitive, register, slice};
use crate::layout::Layout;

/// `relu(W [x₋₁; x; x₊₁] + b)`; beyond the ends of a text stands 0.
///
/// # Shapes
/// `weight: [outputs · 3 inputs]`, `bias: [outputs]`, `states: [characters, inputs]`, output: `[characters, outputs]`
pub(crate) fn convolution(weight: Tensor<1>, bias: Tensor<1>, states: Tensor<2>, layout: &Layout) -> Tensor<2> {
    let parents = [primitive(states), primitive(weight), primitive(bias)];
    let nodes = parents.each_ref().map(|parent| parent.node());
    let inputs = parents.each_ref().map(|parent| contiguous(parent.primitive()));
    drop(parents);
    let state = State { layout: layout.clone(), inputs };
    let (rows, width) = (layout.tokens(), state.width());
    let mut output = affine(&state.with_neighbours(), state.map(), 3 * width);
    output.par_iter_mut().with_min_len(PIECE * width).for_each(|value| *value = value.max(0.0));
    let outputs = output.len() / rows;
    let output = from_values(output, [rows, outputs].into());
    let output = match Convolution.prepare::<NoCheckpointing>(nodes).compute_bound().stateful() {
        OpsKind::Tracked(prep) => prep.finish(SharedState(Arc::new((state, output.clone()))), output),
        OpsKind::UnTracked(prep) => prep.finish(output),
    };
    Tensor::from_primitive::<Autodiff<Flex>>(output)
}

#[derive(Debug)]
struct State {
    layout: Layout,
    /// The states, the weight and the bias.
    inputs: [FlexTensor; 3],
}

/// The inputs and the output.
#[derive(Clone, Debug)]
struct SharedState(Arc<(State, FlexTensor)>);

#[derive(Debug)]
struct Convolution;

impl State {
    fn width(&self) -> usize {
        slice(&self.inputs[0]).len() / self.layout.tokens()
    }

    fn map(&self) -> Affine<'_> {
        Affine { weight: slice(&self.inputs[1]), bias: slice(&self.inputs[2]) }
    }

    /// For each character whether another of its text is before it, and after it.
    fn neighbours(&self) -> Vec<[bool; 2]> {
        let texts = self.layout.texts().iter().cloned();
        texts.flat_map(|text| text.clone().map(move |row| [row > text.start, row + 1 < text.end])).collect()
    }

    /// # Shapes
    /// output: `[characters, 3 width]`
    fn with_neighbours(&self) -> Vec<f32> {
        let (states, width, neighbours) = (slice(&self.inputs[0]), self.width(), self.neighbours());
        let mut mixed = vec![0.0; 3 * states.len()];
        mixed.par_chunks_exact_mut(3 * width).with_min_len(PIECE).zip(&neighbours).enumerate().for_each(
            |(row, (mixed, [has_before, has_after]))| {
                let from = if *has_before { row - 1 } else { row };
                let to = if *has_after { row + 2 } else { row + 1 };
                let start = if *has_before { 0 } else { width };
                mixed[start..start + (to - from) * width].copy_from_slice(&states[from * width..to * width]);
            },
        );
        mixed
    }

    /// The gradient of the states, from that of each with its neighbours.
    fn gathered(&self, of_mixed: &[f32]) -> Vec<f32> {
        let width = self.width();
        let part = |row: usize, number: usize| &of_mixed[(3 * row + number) * width..][..width];
        let mut found = vec![0.0; of_mixed.len() / 3];
        found.par_chunks_exact_mut(width).with_min_len(PIECE).zip(&self.neighbours()).enumerate().for_each(
            |(row, (found, [has_before, has_after]))| {
                found.copy_from_slice(part(row, 1));
                if *has_before {
                    add(found, part(row - 1, 2));
                }
                if *has_after {
                    add(found, part(row + 1, 0));
                }
            },
        );
        found
    }
}

impl Backward<Flex, 3> for Convolution {
    type State = SharedState;

    fn backward(self, ops: Ops<SharedState, 3>, grads: &mut Gradients, _: &mut Checkpointer) {
        let gradient = contiguous(&grads.consume::<Flex>(&ops.node));
        let (state, output) = &*ops.state.0;
        let (width, outputs) = (state.width(), state.map().bias.len());
        let mut of_sum = slice(&gradient).to_vec();
        let pairs = of_sum.par_iter_mut().with_min_len(PIECE * width).zip(slice(output));
        pairs.for_each(|(gradient, output)| *gradient *= f32::from(u8::from(*output > 0.0)));
        let [states, weight, bias] = ops.parents.each_ref().map(Option::is_some);
        let is_wanted = PerParameter { weight, bias };
        let found = of_affine(is_wanted, &of_sum, &state.with_neighbours(), [outputs, 3 * width]);
        let states = states.then(|| {
            let mut of_mixed = vec![0.0; 3 * width * state.layout.tokens()];
            let weight = Matrix::new(state.map().weight, 3 * width);
            multiply(Matrix::new(&of_sum, outputs), weight, &mut of_mixed, Onto::Nothing);
            state.gathered(&of_mixed)
        });
        let found = [states, found.weight, found.bias];
        register(&ops, found, &state.inputs, grads);
    }
}
