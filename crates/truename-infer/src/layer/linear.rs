use std::sync::LazyLock;

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_tensor::NdTensorView;

/// The kernels for this machine, chosen once.
static GEMM: LazyLock<&GemmExecutor> = LazyLock::new(|| Box::leak(Box::new(GemmExecutor::new())));

/// `y = x Wᵀ + b`.
///
/// Each output depends on its own row of `x` alone and is summed in an order that the weights fix, so that neither the
/// other rows nor the number of threads change a bit of it.
pub(crate) struct Linear {
    weight: PackedBMatrix<f32>,
    bias: Vec<f32>,
}

impl Linear {
    /// # Shapes
    /// `weight: [outputs, inputs]`, `bias: [outputs]`
    pub fn new(weight: &[f32], bias: Vec<f32>) -> Self {
        let (outputs, inputs) = (bias.len(), weight.len() / bias.len());
        let weight = NdTensorView::from_data([outputs, inputs], weight);
        Self { weight: GEMM.prepack_b(weight.transposed()), bias }
    }

    pub fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// `output = input Wᵀ + b`
    ///
    /// # Shapes
    /// `input: [rows, inputs]`, `output: [rows, outputs]`
    pub fn apply(&self, input: &[f32], output: &mut [f32]) {
        output.chunks_exact_mut(self.outputs()).for_each(|row| row.copy_from_slice(&self.bias));
        self.multiply_add(input, output);
    }

    /// `output += input Wᵀ + b`: the map and the residual connection around it.
    ///
    /// # Shapes
    /// `input: [rows, inputs]`, `output: [rows, outputs]`
    pub fn add(&self, input: &[f32], output: &mut [f32]) {
        for row in output.chunks_exact_mut(self.outputs()) {
            row.iter_mut().zip(&self.bias).for_each(|(value, bias)| *value += bias);
        }
        self.multiply_add(input, output);
    }

    /// `output += input Wᵀ`. The bias is there already: the kernels add one in a loop of its own, number by number.
    fn multiply_add(&self, input: &[f32], output: &mut [f32]) {
        let inputs = self.weight.rows();
        let input = NdTensorView::from_data([input.len() / inputs, inputs], input);
        let options = GemmOptions { beta: 1.0, ..GemmOptions::default() };
        GEMM.gemm(output, GemmInputA::Unpacked(input), GemmInputB::Packed(&self.weight), options)
            .expect("shapes were checked when the weights were read");
    }
}
