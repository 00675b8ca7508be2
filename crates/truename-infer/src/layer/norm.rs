//! Layer norm over rows.

use rten_simd::{Isa, SimdOp};
use rten_vecmath::{Normalize, NormalizeOptions, Sum, SumSquareSub};

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
        let [scale, shift] = scope.norm_names().map(|name| scope.values(name, &[width]));
        Ok(Self::new(scale?, shift?, epsilon))
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

struct Rows<'a> {
    norm: &'a Norm,
    rows: &'a mut [f32],
}

impl SimdOp for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Norm { scale, shift, epsilon } = self.norm;
        let width = scale.len() as f32;
        for row in self.rows.chunks_exact_mut(scale.len()) {
            let mean = Sum::new(row).eval(isa) / width;
            let variance = SumSquareSub::new(row, mean).eval(isa) / width;
            let options = NormalizeOptions {
                pre_scale_bias: mean,
                scale: 1.0 / (variance + epsilon).sqrt(),
                element_scale: Some(scale),
                element_bias: Some(shift),
                ..NormalizeOptions::default()
            };
            Normalize::new_mut(row, options).eval(isa);
        }
    }
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
