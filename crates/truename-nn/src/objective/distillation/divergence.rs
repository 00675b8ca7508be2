//! Divergence of the probabilities of two margins, and its gradient in closed form.

use truename_infer::{logistic, softplus};

/// Returns the sum of the divergences of Bernoulli distributions, `KL(σ(t/T) ‖ σ(m/T)) · T²` with the margins `m` of the student and `t` of the
/// teacher, and its gradient by `m`. The factor keeps gradients of one size at all temperatures (Hinton et al. 2015, section 2).
pub(super) fn divergence(margins: &[f32], targets: &[f32], temperature: f64) -> (f64, Vec<f32>) {
    let (mut sum, mut gradient) = (0.0, Vec::with_capacity(margins.len()));
    for (margin, target) in margins.iter().zip(targets) {
        let (margin, target) = (f64::from(*margin) / temperature, f64::from(*target) / temperature);
        let share = logistic(target);
        sum += softplus(margin) - softplus(target) - share * (margin - target);
        gradient.push((temperature * (logistic(margin) - share)) as f32);
    }
    (sum * temperature * temperature, gradient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_zero_for_equal_margins_and_has_the_gradient_of_its_values() {
        for margin in [-100.0, -1.5, 0.0, 0.3, 100.0] {
            let (value, gradient) = divergence(&[margin], &[margin], 2.0);
            assert!(value.abs() < 1e-12 && gradient[0].abs() < 1e-7, "{margin}: {value} {gradient:?}");
        }
        // p = 1/2, q = σ(1): (ln(1/2 / σ(1)) + ln(1/2 / σ(-1))) / 2 in Python
        let (value, _) = divergence(&[1.0], &[0.0], 1.0);
        assert!((value - 0.120_114_5).abs() < 1e-6, "{value}");
        for (margin, target) in [(0.7f32, -1.1f32), (-3.0, 2.0), (100.0, -100.0)] {
            let at = |margin| divergence(&[margin], &[target], 1.5).0;
            let slope = (at(margin + 1e-2) - at(margin - 1e-2)) / 2e-2;
            let (_, gradient) = divergence(&[margin], &[target], 1.5);
            assert!((slope - f64::from(gradient[0])).abs() < 1e-3, "{margin} {target}: {slope} {gradient:?}");
        }
    }
}
