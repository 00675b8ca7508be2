//! Layer norm over rows.

use rten_simd::ops::{BitOps, NumOps};
use rten_simd::{Isa, SimdOp};

use super::sized;
use crate::Error;
use crate::weights::Scope;

/// Layer norm (Ba, Kiros and Hinton 2016): `y = (x − mean) / √(variance + ε) · scale + shift` over each row.
pub(crate) struct Norm {
    scale: Vec<f32>,
    shift: Vec<f32>,
    epsilon: f32,
}

impl Norm {
    pub fn load(scope: &Scope, width: usize, epsilon: f32) -> Result<Self, Error> {
        let [scale, shift] = scope.norm_names();
        Ok(Self::new(scope.values(scale, &[width])?, scope.bias(shift, width)?, epsilon))
    }

    fn new(scale: Vec<f32>, shift: Vec<f32>, epsilon: f32) -> Self {
        Self { scale, shift, epsilon }
    }

    /// # Shapes
    /// `rows: [rows, width]`, changed in place
    pub fn apply(&self, rows: &mut [f32]) {
        Rows { norm: self, rows }.dispatch();
    }
}

/// The norm of a part of a layer, around its residual connection (Xiong et al. 2020, figure 1).
pub(crate) enum PartNorm {
    /// Of the sum with the residual, as in BERT.
    After(Norm),
    /// Of the input, as in GPT-2.
    Before(Norm),
    None,
}

impl PartNorm {
    /// Returns the input of the part; `scratch` holds it where it is normed.
    ///
    /// # Shapes
    /// `hidden: [rows, width]`, output: the same
    pub fn before<'a>(&self, hidden: &'a [f32], scratch: &'a mut Vec<f32>) -> &'a [f32] {
        let Self::Before(norm) = self else { return hidden };
        let normed = sized(scratch, hidden.len());
        normed.copy_from_slice(hidden);
        norm.apply(normed);
        normed
    }

    /// # Shapes
    /// `hidden: [rows, width]`, the sum with the residual, changed in place
    pub fn after(&self, hidden: &mut [f32]) {
        if let Self::After(norm) = self {
            norm.apply(hidden);
        }
    }
}

struct Rows<'a> {
    norm: &'a Norm,
    rows: &'a mut [f32],
}

impl SimdOp for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Norm { scale, shift, epsilon } = self.norm;
        let (ops, width) = (isa.f32(), scale.len() as f32);
        for row in self.rows.chunks_exact_mut(scale.len()) {
            let mean = sum(isa, row, |values| values, |value| value) / width;
            let means = ops.splat(mean);
            let squares = |values| {
                let distance = ops.sub(values, means);
                ops.mul(distance, distance)
            };
            let variance = sum(isa, row, squares, |value| (value - mean) * (value - mean)) / width;
            let inverse = 1.0 / (variance + epsilon).sqrt();
            let inverses = ops.splat(inverse);
            let whole = row.len() / ops.len() * ops.len();
            for at in (0..whole).step_by(ops.len()) {
                let distance = ops.mul(ops.sub(ops.load(&row[at..]), means), inverses);
                ops.store(ops.mul_add(distance, ops.load(&scale[at..]), ops.load(&shift[at..])), &mut row[at..]);
            }
            for (value, (scale, shift)) in row[whole..].iter_mut().zip(scale[whole..].iter().zip(&shift[whole..])) {
                *value = (*value - mean) * inverse * scale + shift;
            }
        }
    }
}

/// Returns the sum of a function of the numbers of a row: in vectors, four sums side by side, or one by one.
#[inline(always)]
fn sum<I: Isa>(isa: I, row: &[f32], of_vector: impl Fn(I::F32) -> I::F32, of_one: impl Fn(f32) -> f32) -> f32 {
    /// Sums that do not wait for each other.
    const SUMS: usize = 4;
    let ops = isa.f32();
    let mut sums = [ops.zero(); SUMS];
    let mut blocks = row.chunks_exact(SUMS * ops.len());
    for block in &mut blocks {
        let vectors: [I::F32; SUMS] = ops.load_many(block);
        sums.iter_mut().zip(vectors).for_each(|(sum, values)| *sum = ops.add(*sum, of_vector(values)));
    }
    let mut vectors = blocks.remainder().chunks_exact(ops.len());
    for values in &mut vectors {
        sums[0] = ops.add(sums[0], of_vector(ops.load(values)));
    }
    let rest: f32 = vectors.remainder().iter().map(|value| of_one(*value)).sum();
    ops.sum(ops.add(ops.add(sums[0], sums[1]), ops.add(sums[2], sums[3]))) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_get_mean_shift_and_deviation_scale() {
        let norm = Norm::new(vec![1.0, 1.0, 1.0, 2.0], vec![0.0, 0.0, 0.0, 1.0], 1e-12);
        let mut rows = [1.0, 2.0, 3.0, 4.0, -1.0, -1.0, 1.0, 1.0];
        norm.apply(&mut rows);
        // torch.nn.functional.layer_norm(torch.tensor([1., 2, 3, 4]), (4,)) = [-1.3416, -0.4472, 0.4472, 1.3416]
        let expected = [-1.3416408, -0.4472136, 0.4472136, 3.6832816, -1.0, -1.0, 1.0, 3.0];
        assert!(rows.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{rows:?}");
    }
}
