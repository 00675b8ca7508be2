//! Fits trees, calibration and threshold on groups by cross-validation.

use rayon::prelude::*;

use super::trees::{FitOptions, Groups, Trees, fit as grow};
use super::{Ranker, layout};
use crate::{CalibrateOptions, feature};

/// Folds of the cross-validation.
pub(crate) const FOLDS: usize = 5;

/// Scores of every group by trees that did not see it.
pub(crate) type OutOfFold = Vec<Vec<f64>>;

/// Fits a ranker to rows of [`crate::feature::names`]; `folds` gives each group its fold, `weights` how much it counts for
/// slope, offset and threshold. Also returns the ranker's scores out of fold.
///
/// Its score is the mean of that of the trees fitted and that of one of `priors`, where there are any (a logarithmic opinion
/// pool, Genest and Zidek 1986): the names of one knowledge base held out are not asked for in all the ways in which people
/// ask. It is the one with which the log-loss is least. Work that is stopped returns a ranker of few trees.
pub(crate) fn fit(
    groups: &Groups,
    with_vectors: bool,
    folds: &[usize],
    weights: &[f32],
    exact: f64,
    priors: &[&Ranker],
    options: &CalibrateOptions,
) -> (Ranker, OutOfFold) {
    options.progress.begin("fitting", ((FOLDS + 1) * options.fit.rounds) as u64);
    let mut out_of_fold: OutOfFold = vec![Vec::new(); groups.len()];
    for fold in 0..FOLDS {
        let trees = trees(&groups.filtered(|group| folds[group] != fold), with_vectors, options);
        for group in (0..groups.len()).filter(|group| folds[*group] == fold) {
            out_of_fold[group] = scores(&trees, groups, group);
        }
    }
    let alone = (trees(groups, with_vectors, options), out_of_fold);
    let pooled = |prior: &&Ranker| {
        let prior = prior.scaled_trees(with_vectors);
        let mean = |(group, fitted): (usize, &Vec<f64>)| {
            fitted.iter().zip(scores(&prior, groups, group)).map(|(fitted, prior)| (fitted + prior) / 2.0).collect()
        };
        let out_of_fold = alone.1.par_iter().enumerate().map(mean).collect();
        (Trees::mean([alone.0.clone(), prior]), out_of_fold)
    };
    let calibrated = |(trees, mut out_of_fold): (Trees, OutOfFold)| {
        let (slope, offset) = calibrate(groups, weights, &out_of_fold);
        for score in out_of_fold.iter_mut().flatten() {
            *score = slope * *score + offset;
        }
        let threshold = best_threshold(groups, weights, &out_of_fold);
        (Ranker { layout: layout(with_vectors), trees, slope, offset, threshold, exact }, out_of_fold)
    };
    let loss = |(_, out_of_fold): &(Ranker, OutOfFold)| log_loss(groups, weights, out_of_fold);
    let pools = priors.iter().map(|prior| calibrated(pooled(prior)));
    let best = pools.min_by(|left, right| loss(left).total_cmp(&loss(right)));
    best.unwrap_or_else(|| calibrated(alone))
}

/// Where there are vectors, the mean of half the trees, which see them, and of the other half, which do not: names of the
/// knowledge base held out are nearer to each other in the eyes of an encoder than the names people write.
fn trees(groups: &Groups, with_vectors: bool, options: &CalibrateOptions) -> Trees {
    let CalibrateOptions { fit, progress, .. } = options;
    let all = vec![true; groups.width];
    if !with_vectors {
        return grow(groups, &all, fit, progress);
    }
    let letters = feature::names(false);
    let is_of_letters = feature::names(true).iter().map(|name| letters.contains(name)).collect();
    let half = FitOptions { rounds: fit.rounds / 2, ..*fit };
    Trees::mean([is_of_letters, all].map(|is_used| grow(groups, &is_used, &half, progress)))
}

fn scores(trees: &Trees, groups: &Groups, group: usize) -> Vec<f64> {
    groups.range(group).map(|row| f64::from(trees.score(groups.row(row)))).collect()
}

/// Mean negative log-likelihood of the right option.
pub(crate) fn log_loss(groups: &Groups, weights: &[f32], scores: &[Vec<f64>]) -> f64 {
    let of_group = |group: usize| {
        let (probabilities, none) = groups.probabilities(group, &scores[group]);
        let right = groups.answers[group].map_or(none, |row| probabilities[row]);
        -f64::from(weights[group]) * right.max(1e-9).ln()
    };
    let total: f64 = (0..groups.len()).map(of_group).sum();
    total / weights.iter().map(|weight| f64::from(*weight)).sum::<f64>().max(1e-9)
}

/// The slope and offset with the least log-loss, by a search on ever finer grids.
fn calibrate(groups: &Groups, weights: &[f32], scores: &[Vec<f64>]) -> (f64, f64) {
    let (mut slope, mut offset) = (1.0, 0.0);
    for width in [0.5, 0.25, 0.12, 0.06, 0.03] {
        let steps = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|step| step * width);
        let grid: Vec<(f64, f64)> =
            steps.iter().flat_map(|s| steps.map(|o| (f64::max(slope + s * slope, 0.05), offset + 2.0 * o))).collect();
        let losses: Vec<f64> = grid
            .par_iter()
            .map(|(slope, offset)| {
                let scaled: Vec<Vec<f64>> =
                    scores.iter().map(|group| group.iter().map(|score| slope * score + offset).collect()).collect();
                log_loss(groups, weights, &scaled)
            })
            .collect();
        let best = (0..grid.len()).min_by(|left, right| losses[*left].total_cmp(&losses[*right]));
        if let Some(best) = best {
            (slope, offset) = grid[best];
        }
    }
    (slope, offset)
}

/// The threshold at which most groups are answered rightly, NIL among them; the lowest of equals.
fn best_threshold(groups: &Groups, weights: &[f32], scores: &[Vec<f64>]) -> f64 {
    let tops: Vec<(f64, bool, bool, f64)> = (0..groups.len())
        .map(|group| {
            let (probabilities, _) = groups.probabilities(group, &scores[group]);
            let top = (0..probabilities.len()).max_by(|a, b| probabilities[*a].total_cmp(&probabilities[*b]));
            let probability = top.map_or(0.0, |row| probabilities[row]);
            let answer = groups.answers[group];
            (probability, top.is_some() && top == answer, answer.is_none(), f64::from(weights[group]))
        })
        .collect();
    let right = |threshold: f64| -> f64 {
        tops.iter()
            .map(|(probability, top_is_right, none, weight)| {
                if (*probability >= threshold && *top_is_right) || (*probability < threshold && *none) {
                    *weight
                } else {
                    0.0
                }
            })
            .sum()
    };
    let mut best = (0.0, right(0.0));
    for step in 1..=50 {
        let threshold = f64::from(step) / 100.0;
        let count = right(threshold);
        if count > best.1 {
            best = (threshold, count);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prior_counts_half() {
        let width = feature::names(false).len();
        let mut groups = Groups::new(width);
        for number in 0..200_u16 {
            let mut rows: Vec<f32> = (0..2 * width).map(|at| f32::from(number) * (at % 7) as f32 % 11.0).collect();
            let is_answered = number.is_multiple_of(3);
            rows[width] = if is_answered { 20.0 } else { 0.0 };
            groups.push(&rows, &[1.0; 2], is_answered.then_some(1), 1.0);
        }
        let folds: Vec<usize> = (0..200).map(|group| group % FOLDS).collect();
        let fit_options = FitOptions { rounds: 5, ..FitOptions::default() };
        let options = CalibrateOptions { fit: fit_options, ..CalibrateOptions::default() };
        let fit = |priors: &[&Ranker]| fit(&groups, false, &folds, &[1.0; 200], 0.9, priors, &options).0;
        let alone = fit(&[]);
        let pooled = fit(&[&alone]);
        for row in 0..20 {
            let alone_score = f64::from(alone.trees.score(groups.row(row)));
            let mean = (alone_score + alone.slope * alone_score) / 2.0;
            assert!((f64::from(pooled.trees.score(groups.row(row))) - mean).abs() < 1e-5, "{mean}");
        }
        let contrary = Ranker { trees: alone.trees.clone().scaled(-1.0), ..alone.clone() };
        assert_eq!(fit(&[&contrary, &alone]), pooled, "the prior that fits");
    }
}
