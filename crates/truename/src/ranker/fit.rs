//! Fits trees, calibration and threshold by cross-validation.

use rayon::prelude::*;

use super::Ranker;
use super::boosting::{FitOptions, boost};
use super::groups::Groups;
use super::trees::Trees;
use crate::{FeatureSet, Progress};

/// Number of cross-validation folds.
pub(crate) const FOLDS: usize = 5;

/// Scores of each group by trees that were fitted without it.
pub(crate) type OutOfFold = Vec<Vec<f64>>;

/// The groups that a ranker is fitted to, with all settings of the fit.
pub(crate) struct Fitting<'a> {
    /// Groups with rows of `features`.
    pub(crate) groups: &'a Groups,
    pub(crate) features: FeatureSet,
    /// Fold of each group.
    pub(crate) folds: &'a [usize],
    /// Weight of each group for slope, offset and threshold.
    pub(crate) weights: &'a [f32],
    /// Probability that the only concept with the exact name is right.
    pub(crate) exact: f64,
    /// Rankers considered as prior; the best one is pooled with the fitted ranker.
    pub(crate) priors: &'a [&'a Ranker],
    pub(crate) options: &'a FitOptions,
    pub(crate) progress: &'a Progress,
}

impl Fitting<'_> {
    /// Fits a ranker. Also returns its out-of-fold scores.
    ///
    /// With priors, the score is the mean of the fitted trees' score and the score of the prior with the lowest
    /// log-loss (a logarithmic opinion pool, Genest and Zidek 1986): held-out names of one knowledge base do not cover
    /// all the ways in which people write names. Stopped work returns a ranker of few trees.
    pub(crate) fn fit(&self) -> (Ranker, OutOfFold) {
        self.progress.begin("fitting", ((FOLDS + 1) * self.options.rounds) as u64);
        let alone = (self.trees(self.groups), self.out_of_fold());
        let loss = |(_, out_of_fold): &(Ranker, OutOfFold)| log_loss(self.groups, self.weights, out_of_fold);
        let pools = self.priors.iter().map(|prior| self.calibrated(self.pooled(&alone, prior)));
        let best = pools.min_by(|left, right| loss(left).total_cmp(&loss(right)));
        best.unwrap_or_else(|| self.calibrated(alone))
    }

    /// Returns the out-of-fold scores of each group.
    fn out_of_fold(&self) -> OutOfFold {
        let mut out_of_fold: OutOfFold = vec![Vec::new(); self.groups.len()];
        for fold in 0..FOLDS {
            let trees = self.trees(&self.groups.filtered(|group| self.folds[group] != fold));
            for group in (0..self.groups.len()).filter(|group| self.folds[*group] == fold) {
                out_of_fold[group] = scores(&trees, self.groups, group);
            }
        }
        out_of_fold
    }

    fn pooled(&self, (trees, out_of_fold): &(Trees, OutOfFold), prior: &Ranker) -> (Trees, OutOfFold) {
        let prior = prior.scaled_trees(self.features);
        let mean = |(group, fitted): (usize, &Vec<f64>)| {
            let priors = scores(&prior, self.groups, group);
            fitted.iter().zip(priors).map(|(fitted, prior)| (fitted + prior) / 2.0).collect()
        };
        let out_of_fold = out_of_fold.par_iter().enumerate().map(mean).collect();
        (Trees::mean([trees.clone(), prior]), out_of_fold)
    }

    fn calibrated(&self, (trees, mut out_of_fold): (Trees, OutOfFold)) -> (Ranker, OutOfFold) {
        let (slope, offset) = calibrate(self.groups, self.weights, &out_of_fold);
        for score in out_of_fold.iter_mut().flatten() {
            *score = slope * *score + offset;
        }
        let threshold = best_threshold(self.groups, self.weights, &out_of_fold);
        let (layout, exact) = (self.features.layout(), self.exact);
        (Ranker { layout, trees, slope, offset, threshold, exact }, out_of_fold)
    }

    /// Grows trees. With vectors, the score is the mean of two halves: trees that see the vectors and lexical trees. An
    /// encoder places held-out names of the knowledge base nearer to each other than the names people write.
    fn trees(&self, groups: &Groups) -> Trees {
        let all = vec![true; groups.width];
        if self.features == FeatureSet::Lexical {
            return boost(groups, &all, self.options, self.progress);
        }
        let lexical = FeatureSet::Lexical.names();
        let is_lexical = self.features.names().iter().map(|name| lexical.contains(name)).collect();
        let half = FitOptions { rounds: self.options.rounds / 2, ..*self.options };
        Trees::mean([is_lexical, all].map(|is_used| boost(groups, &is_used, &half, self.progress)))
    }
}

fn scores(trees: &Trees, groups: &Groups, group: usize) -> Vec<f64> {
    groups.range(group).map(|row| f64::from(trees.score(groups.row(row)))).collect()
}

/// Returns the mean negative log-likelihood of the right option.
pub(crate) fn log_loss(groups: &Groups, weights: &[f32], scores: &[Vec<f64>]) -> f64 {
    let of_group = |group: usize| {
        let (probabilities, none) = groups.probabilities(group, &scores[group]);
        let right = groups.answers[group].map_or(none, |row| probabilities[row]);
        -f64::from(weights[group]) * right.max(1e-9).ln()
    };
    let total: f64 = (0..groups.len()).map(of_group).sum();
    total / weights.iter().map(|weight| f64::from(*weight)).sum::<f64>().max(1e-9)
}

/// Returns the slope and offset with the lowest log-loss, searched on ever finer grids.
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

/// Returns the lowest threshold that answers most groups rightly, NIL included.
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
        let width = FeatureSet::Lexical.names().len();
        let mut groups = Groups::new(width);
        for number in 0..200_u16 {
            let mut rows: Vec<f32> = (0..2 * width).map(|at| f32::from(number) * (at % 7) as f32 % 11.0).collect();
            let is_answered = number.is_multiple_of(3);
            rows[width] = if is_answered { 20.0 } else { 0.0 };
            groups.push(&rows, &[1.0; 2], is_answered.then_some(1), 1.0);
        }
        let folds: Vec<usize> = (0..200).map(|group| group % FOLDS).collect();
        let options = FitOptions { rounds: 5, ..FitOptions::default() };
        let fit = |priors: &[&Ranker]| {
            let (groups, folds, progress) = (&groups, &folds, &Progress::default());
            let (features, weights, options) = (FeatureSet::Lexical, &[1.0; 200], &options);
            Fitting { groups, features, folds, weights, exact: 0.9, priors, options, progress }.fit().0
        };
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
