//! Gated linear units.

use super::Activation;

/// Multiplies the activated first half of each row by its second half (Shazeer 2020: `GEGLU`, `SwiGLU`). Returns the products, one row
/// after another at the start of `inner`.
///
/// # Shapes
/// `inner: [rows, width]`, output: `[rows, width / 2]`
pub(super) fn gated(activation: Activation, inner: &mut [f32], width: usize) -> &[f32] {
    let (rows, half) = (inner.len() / width, width / 2);
    for row in 0..rows {
        let (values, gate) = inner[row * width..][..width].split_at_mut(half);
        activation.apply(values);
        values.iter_mut().zip(gate).for_each(|(value, gate)| *value *= *gate);
        inner.copy_within(row * width..row * width + half, row * half);
    }
    &inner[..rows * half]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_multiplied_and_put_together() {
        let mut inner = [1.0, -2.0, 3.0, 4.0, 5.0, 6.0, -7.0, 8.0];
        assert_eq!(gated(Activation::Relu, &mut inner, 4), [3.0, 0.0, -35.0, 48.0]);
    }
}
