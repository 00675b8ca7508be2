//! One direction of a long short-term memory: fused on the CPU, step by step elsewhere.

use burn_tensor::activation::{sigmoid, tanh};
use burn_tensor::{Device, Tensor, TensorData};
use truename_infer::{CharacterConfig, Error, Scope};

use super::{Linear, indices};
use crate::fused;
use crate::layout::Layout;
use crate::parameter::Parameter;

/// One direction of a long short-term memory (`truename_infer::lstm` has the formulas).
#[derive(Clone, Debug)]
pub(crate) struct Lstm {
    pub input: Linear,
    pub recurrent: Parameter,
    pub is_reversed: bool,
}

impl Lstm {
    /// # Shapes
    /// `recurrent: [4 width, width]`
    pub fn load(scope: &Scope, inputs: usize, width: usize, is_reversed: bool, device: &Device) -> Result<Self, Error> {
        Ok(Self {
            input: Linear::load(&scope.at(CharacterConfig::INPUT), inputs, 4 * width, device)?,
            recurrent: Parameter::load(&scope.at(CharacterConfig::RECURRENT), "weight", &[4 * width, width], device)?,
            is_reversed,
        })
    }

    /// # Shapes
    /// `states: [characters, inputs]`, output: `[characters, width]`
    pub fn forward(&self, states: Tensor<2>, layout: &Layout, is_fused: bool) -> Tensor<2> {
        let gates = self.input.forward(states);
        if is_fused && fused::runs_on(&gates.device()) {
            return fused::recurrence(gates, self.recurrent.matrix(), layout, self.is_reversed);
        }
        self.composed(gates, layout)
    }

    /// By operations of the tensor library, step after step; texts that have ended keep their state.
    fn composed(&self, gates: Tensor<2>, layout: &Layout) -> Tensor<2> {
        let (device, texts) = (gates.device(), layout.texts());
        let width = gates.dims()[1] / 4;
        let recurrent = self.recurrent.matrix().transpose();
        let mut hidden = Tensor::<2>::zeros([texts.len(), width], &device);
        let mut carried = hidden.clone();
        let mut steps = Vec::with_capacity(layout.longest());
        for step in 0..layout.longest() {
            let row = |text: &std::ops::Range<usize>| match (step < text.len(), self.is_reversed) {
                (false, _) => 0,
                (true, false) => (text.start + step) as i32,
                (true, true) => (text.end - 1 - step) as i32,
            };
            let now = gates.clone().select(0, indices(texts.iter().map(row).collect(), &device));
            let sum = now + hidden.clone().matmul(recurrent.clone());
            let part = |number: usize| sum.clone().narrow(1, number * width, width);
            let next = sigmoid(part(1)) * carried.clone() + sigmoid(part(0)) * tanh(part(2));
            let state = sigmoid(part(3)) * tanh(next.clone());
            let goes_on: Vec<f32> = texts.iter().map(|text| f32::from(u8::from(step < text.len()))).collect();
            let goes_on = Tensor::<2>::from_data(TensorData::new(goes_on, [texts.len(), 1]), &device);
            carried = next * goes_on.clone() + carried * (-goes_on.clone() + 1.0);
            hidden = state * goes_on.clone() + hidden * (-goes_on + 1.0);
            steps.push(hidden.clone());
        }
        // The state of each character's step.
        let place = |(number, text): (usize, &std::ops::Range<usize>)| {
            let of_step = |step: usize| (step * texts.len() + number) as i32;
            let steps = 0..text.len();
            if self.is_reversed { steps.rev().map(of_step).collect() } else { steps.map(of_step).collect::<Vec<_>>() }
        };
        let places = texts.iter().enumerate().flat_map(place).collect();
        Tensor::cat(steps, 0).select(0, indices(places, &device))
    }

    pub fn parameters(&mut self) -> impl Iterator<Item = &mut Parameter> {
        self.input.parameters().into_iter().chain([&mut self.recurrent])
    }
}
