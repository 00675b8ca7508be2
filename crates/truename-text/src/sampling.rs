//! Weights of a sample whose members were drawn with unequal chances.

/// Largest weight, in medians of the weights: a review that draws a tenth of its names evenly stays below it. Clipping trades a little bias
/// for much variance; the mean in place of the median would rise with the weight to clip.
const LARGEST: f64 = 40.0;

/// Returns the weight of each member of a sample by the chance, above 0 and at most 1, with which it was drawn: one over the chance, so
/// that the sample stands for all that it was drawn from, clipped at 40 times the median, with the mean 1 (self-normalised;
/// importance-weighted active learning, Beygelzimer, Dasgupta and Langford, 2009).
pub fn sampling_weights(chances: &[f64]) -> Vec<f64> {
    let inverse: Vec<f64> = chances.iter().map(|chance| 1.0 / chance.clamp(f64::MIN_POSITIVE, 1.0)).collect();
    let mut sorted = inverse.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(median) = sorted.get(sorted.len() / 2) else { return inverse };
    normalised(inverse.iter().map(|weight| weight.min(LARGEST * median)).collect())
}

fn normalised(mut weights: Vec<f64>) -> Vec<f64> {
    let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
    weights.iter_mut().for_each(|weight| *weight /= mean);
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rarely_drawn_member_stands_for_many() {
        assert_eq!(sampling_weights(&[]), []);
        assert_eq!(sampling_weights(&[0.3; 4]), [1.0; 4]);
        let weights = sampling_weights(&[1.0, 1.0, 0.25]);
        assert!(weights[0] == weights[1] && (weights[2] / weights[0] - 4.0).abs() < 1e-9, "{weights:?}");
        assert!((weights.iter().sum::<f64>() - 3.0).abs() < 1e-9);
        let mut chances = vec![1.0; 99];
        chances.push(1e-12);
        let weights = sampling_weights(&chances);
        assert!((weights[99] / weights[0] - LARGEST).abs() < 1e-9, "clipped");
    }
}
