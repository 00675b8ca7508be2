//! Fits trees, calibration and the choice of NIL by cross-validation.

use rayon::prelude::*;

use super::Ranker;
use super::boosting::{FitOptions, boost};
use super::decisions::Decisions;
use super::groups::Groups;
use super::trees::Trees;
use crate::{FeatureSet, Progress};

/// Number of cross-validation folds.
pub(crate) const FOLDS: usize = 5;

/// Share of the fitted trees in the score beside a prior, without vectors and with them, if there are too few labels to choose it
/// by. Chosen on corpora that the prior was not fitted to: an encoder places held-out names nearer to their concepts than the
/// names people write.
const SHARE: [f64; 2] = [0.2, 0.1];
/// Shares of the fitted trees in the score beside a prior, to choose from by labels.
const SHARES: [f64; 5] = [0.15, 0.3, 0.5, 0.7, 0.85];
/// Minimum number of labels to choose the share by.
const MIN_LABELS: f64 = 30.0;
/// Strength of a prior's calibration: the log-loss of so many names is added for each squared unit of the offset and of
/// the slope's logarithm.
const PRIOR_NAMES: f64 = 20.0;

/// Scores of each group by trees that were fitted without it.
pub(crate) type OutOfFold = Vec<Vec<f64>>;

/// The groups that a ranker is fitted to, with all settings of the fit.
pub(crate) struct Fitting<'a> {
    /// Groups with rows of `features`.
    pub(crate) groups: &'a Groups,
    pub(crate) features: FeatureSet,
    /// Fold of each group, below [`FOLDS`].
    pub(crate) folds: &'a [usize],
    /// Weight of each group for the prior's share, slope, offset and threshold.
    pub(crate) weights: &'a [f32],
    /// Number of labelled names that the weights are of; 0 if they are of held-out names.
    pub(crate) labels: f64,
    /// Probability that the only concept with the exact name is right.
    pub(crate) exact: f64,
    /// Rankers considered as prior, of which labels choose one; without labels it is the first.
    pub(crate) priors: &'a [&'a Ranker],
    pub(crate) options: &'a FitOptions,
    pub(crate) progress: &'a Progress,
}

impl Fitting<'_> {
    /// Fits a ranker. Also returns its out-of-fold scores.
    ///
    /// With priors, the score is a weighted mean of the fitted trees' score and the score of a prior (a logarithmic opinion
    /// pool, Genest and Zidek 1986): held-out names of one knowledge base do not cover all the ways in which people write
    /// names. Labels choose the weight and the prior. Without them the first prior has the most weight, for held-out names
    /// would choose one that goes by letters.
    /// Stopped work returns a ranker of few trees.
    pub(crate) fn fit(&self) -> (Ranker, OutOfFold) {
        self.progress.begin("fitting", ((FOLDS + 1) * self.options.rounds) as u64);
        let alone = (self.trees(self.groups), self.out_of_fold());
        let share = [self.options.share.unwrap_or(SHARE[usize::from(self.features == FeatureSet::Dense)])];
        let (shares, priors) = match self.labels < MIN_LABELS {
            true => (&share[..], &self.priors[..self.priors.len().min(1)]),
            false => (&SHARES[..], self.priors),
        };
        let loss = |(_, out_of_fold): &(Ranker, OutOfFold)| log_loss(self.groups, self.weights, out_of_fold);
        let pools = priors.iter().flat_map(|prior| shares.iter().map(move |share| (*prior, *share)));
        let fitted = pools.map(|(prior, share)| self.calibrated(self.pooled(&alone, prior, share), Some(prior)));
        let best = fitted.min_by(|left, right| loss(left).total_cmp(&loss(right)));
        best.unwrap_or_else(|| self.calibrated(alone, None))
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

    fn pooled(&self, (trees, out_of_fold): &(Trees, OutOfFold), prior: &Ranker, share: f64) -> (Trees, OutOfFold) {
        let prior_trees = prior.scaled_trees(self.features);
        let mean = |(group, fitted): (usize, &Vec<f64>)| {
            let priors = scores(&prior_trees, self.groups, group);
            let priors = priors.into_iter().map(|score| score + prior.offset);
            fitted.iter().zip(priors).map(|(fitted, prior)| share * fitted + (1.0 - share) * prior).collect()
        };
        let out_of_fold = out_of_fold.par_iter().enumerate().map(mean).collect();
        let parts = [trees.clone().scaled(share), prior_trees.scaled(1.0 - share)];
        let offset = (1.0 - share) * prior.offset;
        (Trees::sum(parts).plus(offset), out_of_fold)
    }

    fn calibrated(&self, (trees, mut out_of_fold): (Trees, OutOfFold), prior: Option<&Ranker>) -> (Ranker, OutOfFold) {
        let (slope, offset) = match prior {
            Some(_) if self.labels == 0.0 => (1.0, 0.0),
            Some(_) => calibrate(self.groups, self.weights, &out_of_fold, PRIOR_NAMES / self.labels),
            None => calibrate(self.groups, self.weights, &out_of_fold, 0.0),
        };
        for score in out_of_fold.iter_mut().flatten() {
            *score = slope * *score + offset;
        }
        let decisions = Decisions::of(self.groups, self.weights, &out_of_fold);
        let decisions = match prior {
            Some(prior) if self.labels == 0.0 => prior.decisions.clone(),
            Some(prior) => decisions.with_prior(&prior.decisions),
            None => decisions,
        };
        let (layout, exact) = (self.features.layout(), self.exact);
        (Ranker { layout, trees, slope, offset, decisions, exact }, out_of_fold)
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

/// Returns the slope and offset with the lowest log-loss, searched on ever finer grids. `penalty` times the squares of the
/// offset and of the slope's logarithm is added.
fn calibrate(groups: &Groups, weights: &[f32], scores: &[Vec<f64>], penalty: f64) -> (f64, f64) {
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
                log_loss(groups, weights, &scaled) + penalty * (slope.ln().powi(2) + offset.powi(2))
            })
            .collect();
        let best = (0..grid.len()).min_by(|left, right| losses[*left].total_cmp(&losses[*right]));
        if let Some(best) = best {
            (slope, offset) = grid[best];
        }
    }
    (slope, offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two hundred groups of two candidates, the second of which is right in every third group.
    fn groups() -> Groups {
        let width = FeatureSet::Lexical.names().len();
        let mut groups = Groups::new(width);
        for number in 0..200_u16 {
            let mut rows: Vec<f32> = (0..2 * width).map(|at| f32::from(number) * (at % 7) as f32 % 11.0).collect();
            let is_answered = number.is_multiple_of(3);
            rows[width] = if is_answered { 20.0 } else { 0.0 };
            groups.push(&rows, &[1.0; 2], is_answered.then_some(1), 1.0);
        }
        groups
    }

    fn fit(labels: f64, priors: &[&Ranker]) -> Ranker {
        let (groups, progress) = (&groups(), &Progress::default());
        let folds: &[usize] = &(0..200).map(|group| group % FOLDS).collect::<Vec<_>>();
        let options = &FitOptions { rounds: 5, ..FitOptions::default() };
        let (features, weights) = (FeatureSet::Lexical, &[1.0; 200]);
        Fitting { groups, features, folds, weights, labels, exact: 0.9, priors, options, progress }.fit().0
    }

    #[test]
    fn without_labels_a_prior_has_the_most_weight_and_its_threshold() {
        let alone = fit(0.0, &[]);
        let pooled = fit(0.0, &[&alone]);
        let groups = groups();
        for row in 0..20 {
            let fitted = f64::from(alone.trees.score(groups.row(row)));
            let share = SHARE[0];
            let mean = share * fitted + (1.0 - share) * alone.score(groups.row(row));
            assert!((pooled.score(groups.row(row)) - mean).abs() < 1e-4, "{mean}");
        }
        assert_eq!(pooled.decisions, alone.decisions);
        let contrary = Ranker { trees: alone.trees.clone().scaled(-1.0), ..alone.clone() };
        assert_eq!(fit(0.0, &[&alone, &contrary]), pooled, "the first prior");
        assert_eq!(fit(200.0, &[&contrary, &alone]), fit(200.0, &[&alone]), "labels choose the prior that fits");
    }

    #[test]
    fn labels_take_the_weight_from_a_prior_that_is_wrong() {
        let alone = fit(200.0, &[]);
        let contrary = Ranker { trees: alone.trees.clone().scaled(-1.0), ..alone.clone() };
        let loss = |ranker: &Ranker| {
            let groups = groups();
            let score = |group| groups.range(group).map(|row| ranker.score(groups.row(row))).collect();
            log_loss(&groups, &[1.0; 200], &(0..200).map(score).collect::<Vec<_>>())
        };
        let (with, without) = (loss(&fit(200.0, &[&contrary])), loss(&fit(0.0, &[&contrary])));
        assert!(with < without && without < loss(&contrary), "{with}, {without}");
    }
}
