//! Dot products in an order of sums that is the same on every machine.

/// Returns `Σ aᵢ bᵢ`, added as `LANES` sums side by side, then those from the first to the last, then what is left over. More lanes are
/// faster, up to the vector registers of the processor; the number decides the last bits of the result.
#[inline(always)]
pub fn dot<const LANES: usize>(left: &[f32], right: &[f32]) -> f32 {
    let ((left, left_rest), (right, right_rest)) = (left.as_chunks::<LANES>(), right.as_chunks::<LANES>());
    let mut sums = [0.0_f32; LANES];
    for (left, right) in left.iter().zip(right) {
        sums.iter_mut().zip(left.iter().zip(right)).for_each(|(sum, (left, right))| *sum += left * right);
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum();
    sums.iter().sum::<f32>() + rest
}
