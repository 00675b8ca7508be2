//! AdamW (Loshchilov and Hutter 2019), with sums of gradients, clipping and a state that is saved.

use std::collections::HashMap;

use burn_flex::Flex;
use burn_flex::FlexTensor;
use burn_tensor::{Gradients, Tensor};
use rayon::prelude::*;
use truename_infer::kernels::dot;

use crate::fused::{self, LANES};
use crate::parameter::Parameter;

/// AdamW (Loshchilov and Hutter 2019, algorithm 2).
///
/// Biases and the numbers of norms do not decay.
#[derive(Clone, Debug, PartialEq)]
pub struct AdamWOptions {
    /// Decay of the mean gradient, and of its mean square, from step to step.
    pub betas: (f64, f64),
    /// Added to the root of the mean square.
    pub epsilon: f64,
    /// Weight decay: each step takes this share of a weight away, times the learning rate.
    pub weight_decay: f64,
    /// Gradient clipping: largest norm of the gradient of all parameters together; a longer one is scaled to it.
    pub max_grad_norm: Option<f64>,
}

impl Default for AdamWOptions {
    fn default() -> Self {
        Self { betas: (0.9, 0.999), epsilon: 1e-8, weight_decay: 0.01, max_grad_norm: Some(1.0) }
    }
}

/// The optimizer, with the moments of every parameter.
#[derive(Debug)]
pub(crate) struct AdamW {
    options: AdamWOptions,
    moments: HashMap<String, [Tensor<1>; 2]>,
    steps: u64,
}

/// Gradients by the name of their parameter.
pub(crate) type GradientsByName = HashMap<String, Tensor<1>>;

/// Adds the gradients of a loss to a sum.
pub(crate) fn accumulate(sum: &mut GradientsByName, parameters: &mut [&mut Parameter], mut gradients: Gradients) {
    for parameter in parameters {
        let Some(gradient) = parameter.take_gradient(&mut gradients) else { continue };
        let total = match sum.remove(parameter.name()) {
            Some(known) => known + gradient,
            None => gradient,
        };
        sum.insert(parameter.name().to_owned(), total);
    }
}

impl AdamW {
    pub fn new(options: AdamWOptions) -> Self {
        Self { options, moments: HashMap::new(), steps: 0 }
    }

    /// Steps made.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Changes the parameters by the mean of `count` gradients that were added. Returns the norm of that mean before clipping.
    ///
    /// A gradient that is not finite changes nothing.
    pub fn step(
        &mut self,
        parameters: &mut [&mut Parameter],
        mut gradients: GradientsByName,
        count: usize,
        rate: f64,
    ) -> f64 {
        // In the order of the parameters: a map has none, and a sum in another order is another number.
        let in_order = parameters.iter().filter_map(|parameter| gradients.get(parameter.name()));
        let norm = in_order.map(square_sum).sum::<f64>().sqrt() / count as f64;
        if !norm.is_finite() {
            return norm;
        }
        self.steps += 1;
        let clip = self.options.max_grad_norm.map_or(1.0, |most| (most / (norm + 1e-6)).min(1.0));
        for parameter in parameters {
            let Some(gradient) = gradients.remove(parameter.name()) else { continue };
            let update = self.update(parameter.is_matrix(), clip / count as f64, rate * parameter.rate());
            let moments = self.moments.remove(parameter.name());
            let [first, second] = moments.unwrap_or_else(|| [gradient.zeros_like(), gradient.zeros_like()]);
            let mut kept = None;
            parameter.update(|value| {
                let [value, first, second] = update.apply(value, gradient, first, second);
                kept = Some([first, second]);
                value
            });
            self.moments.extend(kept.map(|moments| (parameter.name().to_owned(), moments)));
        }
        norm
    }

    fn update(&self, decays: bool, scale: f64, rate: f64) -> Update {
        let AdamWOptions { betas: (first, second), epsilon, weight_decay, .. } = self.options;
        let steps = i32::try_from(self.steps).unwrap_or(i32::MAX);
        Update {
            scale: scale as f32,
            betas: [first as f32, second as f32],
            // Both corrections of algorithm 2, taken out of the two means.
            rate: (rate / (1.0 - first.powi(steps))) as f32,
            root_scale: (1.0 - second.powi(steps)).sqrt().recip() as f32,
            epsilon: epsilon as f32,
            keep: if decays { (1.0 - rate * weight_decay) as f32 } else { 1.0 },
        }
    }

    /// The steps made and all moments.
    pub fn state(&self) -> OptimizerState {
        let values = |tensor: &Tensor<1>| tensor.to_data().try_into_vec().expect("moments are in single precision");
        let of = |(name, moments): (&String, &[Tensor<1>; 2])| (name.clone(), moments.each_ref().map(values));
        OptimizerState { steps: self.steps, moments: self.moments.iter().map(of).collect() }
    }

    /// Goes on from a state. Moments of parameters that are gone are left out.
    pub fn restore(&mut self, state: OptimizerState, parameters: &mut [&mut Parameter]) {
        self.steps = state.steps;
        let mut moments = state.moments;
        self.moments.clear();
        for parameter in parameters {
            let device = parameter.vector().device().without_autodiff();
            if let Some(values) = moments.remove(parameter.name()) {
                let tensors = values.map(|values| Tensor::from_data(values.as_slice(), &device));
                self.moments.insert(parameter.name().to_owned(), tensors);
            }
        }
    }
}

/// Steps and moments of an optimizer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OptimizerState {
    /// Steps made.
    pub steps: u64,
    /// The means of each parameter's gradient and of its square, by the parameter's name.
    pub moments: HashMap<String, [Vec<f32>; 2]>,
}

/// One step of algorithm 2 for the numbers of one parameter.
#[derive(Clone, Copy)]
struct Update {
    /// Factor of the gradient.
    scale: f32,
    betas: [f32; 2],
    rate: f32,
    root_scale: f32,
    epsilon: f32,
    keep: f32,
}

impl Update {
    fn apply(self, value: Tensor<1>, gradient: Tensor<1>, first: Tensor<1>, second: Tensor<1>) -> [Tensor<1>; 3] {
        if fused::runs_on(&value.device()) {
            return self.apply_in_place(value, gradient, first, second);
        }
        let gradient = gradient * self.scale;
        let [beta_1, beta_2] = self.betas;
        let first = first * beta_1 + gradient.clone() * (1.0 - beta_1);
        let second = second * beta_2 + gradient.square() * (1.0 - beta_2);
        let root = second.clone().sqrt() * self.root_scale + self.epsilon;
        [value * self.keep - first.clone() / root * self.rate, first, second]
    }

    /// The same in one pass over memory.
    fn apply_in_place(
        self,
        value: Tensor<1>,
        gradient: Tensor<1>,
        first: Tensor<1>,
        second: Tensor<1>,
    ) -> [Tensor<1>; 3] {
        /// Numbers of a piece that one thread works on.
        const PIECE: usize = 1 << 14;
        let [mut value, gradient, mut first, mut second] = [value, gradient, first, second].map(primitive);
        let pieces = value.storage_mut::<f32>().par_chunks_mut(PIECE).zip(gradient.storage::<f32>().par_chunks(PIECE));
        let pieces = pieces.zip(first.storage_mut::<f32>().par_chunks_mut(PIECE));
        let pieces = pieces.zip(second.storage_mut::<f32>().par_chunks_mut(PIECE));
        let [beta_1, beta_2] = self.betas;
        pieces.for_each(|(((values, gradients), firsts), seconds)| {
            for (((value, gradient), first), second) in values.iter_mut().zip(gradients).zip(firsts).zip(seconds) {
                let gradient = gradient * self.scale;
                *first = *first * beta_1 + gradient * (1.0 - beta_1);
                *second = *second * beta_2 + gradient * gradient * (1.0 - beta_2);
                let root = second.sqrt() * self.root_scale + self.epsilon;
                *value = *value * self.keep - *first / root * self.rate;
            }
        });
        [value, first, second].map(Tensor::from_primitive::<Flex>)
    }
}

/// The numbers one after another from the first on.
fn primitive(tensor: Tensor<1>) -> FlexTensor {
    let tensor = tensor.try_into_primitive::<Flex>().expect("the tensor is on the CPU, without autodiff");
    let is_whole = tensor.as_slice::<f32>().is_some_and(|values| values.len() == tensor.storage::<f32>().len());
    if is_whole { tensor } else { tensor.to_contiguous() }
}

/// `Σ gᵢ²`, in an order that does not depend on the number of threads.
fn square_sum(gradient: &Tensor<1>) -> f64 {
    const PIECE: usize = 1 << 14;
    if !fused::runs_on(&gradient.device()) {
        return f64::from(gradient.clone().square().sum().into_scalar::<f32>());
    }
    let gradient = primitive(gradient.clone());
    let pieces = gradient.storage::<f32>().par_chunks(PIECE);
    let sums: Vec<f64> = pieces.map(|piece| f64::from(dot::<LANES>(piece, piece))).collect();
    sums.iter().sum()
}
