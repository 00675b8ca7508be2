//! Linear maps, packed for the kernels, in single precision or in 8 bits.

use std::cell::RefCell;

use rayon::prelude::*;

use super::{Activation, PartNorm};
use crate::Error;
use crate::kernels::{
    Int8Instructions, Int8Matrix, Int8Rows, Matrix, Onto, PackedMatrix, multiply_int8, multiply_int8_gelu,
    multiply_packed,
};
use crate::weights::{Floats, Scope};

thread_local! {
    static INT8_ROWS: RefCell<Int8Rows> = RefCell::default();
}

/// `y = x Wᵀ + b`.
pub(crate) struct Linear {
    weight: Weight,
    bias: Vec<f32>,
}

enum Weight {
    Single(PackedMatrix),
    Int8(Int8Matrix),
}

impl Weight {
    fn load(scopes: &[Scope], inputs: usize, outputs: usize) -> Result<Self, Error> {
        if scopes.iter().all(Scope::is_int8) {
            let mut weight = Int8Matrix::new(inputs);
            for scope in scopes {
                let (values, scales) = scope.int8([outputs, inputs])?;
                weight = weight.with_map(values, scales.slice());
            }
            if !Int8Instructions::pay() {
                return Ok(Self::of(&weight.to_single(), inputs));
            }
            return Ok(Self::Int8(weight));
        }
        let weights = scopes.iter().map(|scope| scope.floats("weight", &[outputs, inputs]));
        match &weights.collect::<Result<Vec<_>, Error>>()?[..] {
            [weight] => Ok(Self::of(weight.slice(), inputs)),
            weights => Ok(Self::of(&weights.iter().map(Floats::slice).collect::<Vec<_>>().concat(), inputs)),
        }
    }

    fn of(weight: &[f32], inputs: usize) -> Self {
        Self::Single(Matrix::new(weight, inputs).transposed().packed())
    }
}

impl Linear {
    /// Rows that a map in 8 bits reads at a time: they and their products stay in the L2 cache.
    pub const INT8_ROWS: usize = 64;

    /// # Shapes
    /// `weight: [outputs, inputs]`, `bias: [outputs]`
    pub fn load(scope: &Scope, inputs: usize, outputs: usize) -> Result<Self, Error> {
        Self::load_all(std::slice::from_ref(scope), inputs, outputs)
    }

    /// Loads several maps of one input as one, their outputs side by side.
    pub fn load_all(scopes: &[Scope], inputs: usize, outputs: usize) -> Result<Self, Error> {
        let weight = Weight::load(scopes, inputs, outputs)?;
        let bias = scopes.iter().map(|scope| scope.bias("bias", outputs)).collect::<Result<Vec<_>, Error>>()?;
        Ok(Self { weight, bias: bias.concat() })
    }

    pub fn new(weight: &[f32], bias: Vec<f32>) -> Self {
        Self { weight: Weight::of(weight, weight.len() / bias.len()), bias }
    }

    pub fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// Returns whether the weights have 8 bits.
    pub fn is_int8(&self) -> bool {
        matches!(self.weight, Weight::Int8(_))
    }

    /// `output = input Wᵀ + b`
    ///
    /// # Shapes
    /// `input: [rows, inputs]`, `output: [rows, outputs]`
    pub fn apply(&self, input: &[f32], output: &mut [f32]) {
        let onto = Onto::Bias(&self.bias);
        match &self.weight {
            Weight::Single(weight) => multiply_packed(Matrix::new(input, weight.rows()), weight, output, onto),
            Weight::Int8(weight) => self.in_rows(weight, input, output, |rows, output| {
                multiply_int8(rows, weight, output, onto);
            }),
        }
    }

    /// `output = f(input Wᵀ + b)` with the activation `f`
    ///
    /// # Shapes
    /// As for [`Linear::apply`].
    pub fn apply_activated(&self, input: &[f32], output: &mut [f32], activation: Activation) {
        match (&self.weight, activation) {
            (Weight::Int8(weight), Activation::Gelu) => self.in_rows(weight, input, output, |rows, output| {
                multiply_int8_gelu(rows, weight, output, &self.bias);
            }),
            _ => {
                self.apply(input, output);
                activation.apply(output);
            }
        }
    }

    /// `output = norm(output + input Wᵀ + b)`: the map, the residual connection around it, and the norm after both, if there is one.
    ///
    /// # Shapes
    /// As for [`Linear::apply`].
    pub fn add(&self, input: &[f32], output: &mut [f32], norm: &PartNorm) {
        let add_bias = |output: &mut [f32]| {
            for row in output.chunks_exact_mut(self.outputs()) {
                row.iter_mut().zip(&self.bias).for_each(|(value, bias)| *value += bias);
            }
        };
        match &self.weight {
            Weight::Single(weight) => {
                add_bias(output);
                multiply_packed(Matrix::new(input, weight.rows()), weight, output, Onto::Out);
                norm.after(output);
            }
            Weight::Int8(weight) => self.in_rows(weight, input, output, |rows, output| {
                add_bias(output);
                multiply_int8(rows, weight, output, Onto::Out);
                norm.after(output);
            }),
        }
    }

    /// Quantises rows, as many at a time as the cache holds, and hands them to a product with their outputs.
    fn in_rows(
        &self,
        weight: &Int8Matrix,
        input: &[f32],
        output: &mut [f32],
        product: impl Fn(&Int8Rows, &mut [f32]) + Sync,
    ) {
        let parts = output.par_chunks_mut(Self::INT8_ROWS * self.outputs());
        input.par_chunks(Self::INT8_ROWS * weight.depth()).zip(parts).for_each(|(input, output)| {
            INT8_ROWS.with_borrow_mut(|rows| {
                rows.quantize(input, weight.depth());
                product(rows, output);
            });
        });
    }
}
