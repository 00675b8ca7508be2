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
    /// Weight of each group for the prior's share, slope and offset.
    pub(crate) weights: &'a [f32],
    /// Weight of each group for the NIL threshold.
    pub(crate) decided: &'a [f32],
    /// Number of labelled names that the weights are of; 0 if they are of held-out names.
    pub(crate) labels: f64,
    /// Probability that the only concept with the exact name is right.
    pub(crate) exact: f64,
    /// Rankers considered as prior, of which labels choose one; without labels it is the first.
    pub(crate) priors: &'a [&'a Ranker],
    pub(crate) options: &'a FitOptions,
    pub(crate) progress: &'a Progress,
}

/// A ranker, and what it makes of groups that it was not fitted to.
pub(crate) struct Fitted {
    pub(crate) ranker: Ranker,
    /// Scores of each group by a ranker fitted to the other folds.
    pub(crate) scores: OutOfFold,
    /// Decisions of the ranker that was fitted without each fold.
    pub(crate) decisions: Vec<Decisions>,
}

/// Trees beside a prior, with their scores of groups that they were grown without.
struct Pool<'a> {
    trees: Trees,
    scores: OutOfFold,
    prior: Option<&'a Ranker>,
}

/// A pool with slope, offset and decisions.
#[derive(Clone)]
struct Calibration {
    pool: usize,
    slope: f64,
    offset: f64,
    loss: f64,
    decisions: Decisions,
}

impl Fitting<'_> {
    /// Fits a ranker.
    ///
    /// With priors, the score is a weighted mean of the fitted trees' score and the score of a prior (a logarithmic opinion
    /// pool, Genest and Zidek 1986): held-out names of one knowledge base do not cover all the ways in which people write
    /// names. Labels choose the weight and the prior. Without them the first prior has the most weight, for held-out names
    /// would choose one that goes by letters. All that labels choose is chosen for each fold by the labels of the others too.
    /// Stopped work returns a ranker of few trees.
    pub(crate) fn fit(&self) -> Fitted {
        self.progress.begin("fitting", ((FOLDS + 1) * self.options.rounds) as u64);
        let mut pools = self.pools();
        let chosen = self.calibration(&pools, None);
        let without: Vec<Calibration> = match self.labels > 0.0 && !self.priors.is_empty() {
            true => (0..FOLDS).map(|fold| self.calibration(&pools, Some(fold))).collect(),
            false => vec![chosen.clone(); FOLDS],
        };
        let scores = (0..self.groups.len())
            .map(|group| {
                let Calibration { pool, slope, offset, .. } = without[self.folds[group]];
                pools[pool].scores[group].iter().map(|score| slope * score + offset).collect()
            })
            .collect();
        let Calibration { pool, slope, offset, decisions, .. } = chosen;
        let (layout, exact, trees) = (self.features.layout(), self.exact, pools.swap_remove(pool).trees);
        let ranker = Ranker { layout, trees, slope, offset, decisions, exact };
        Fitted { ranker, scores, decisions: without.into_iter().map(|own| own.decisions).collect() }
    }

    /// Returns the fitted trees beside each prior that may be chosen, in each share that may be chosen.
    fn pools(&self) -> Vec<Pool<'_>> {
        let alone = Pool { trees: self.trees(self.groups), scores: self.out_of_fold(), prior: None };
        let share = [self.options.share.unwrap_or(SHARE[usize::from(self.features == FeatureSet::Dense)])];
        let (shares, priors) = match self.labels < MIN_LABELS {
            true => (&share[..], &self.priors[..self.priors.len().min(1)]),
            false => (&SHARES[..], self.priors),
        };
        let chosen = priors.iter().flat_map(|prior| shares.iter().map(move |share| (*prior, *share)));
        let pools: Vec<Pool<'_>> = chosen.map(|(prior, share)| self.pooled(&alone, prior, share)).collect();
        if pools.is_empty() { vec![alone] } else { pools }
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

    fn pooled<'a>(&self, alone: &Pool<'_>, prior: &'a Ranker, share: f64) -> Pool<'a> {
        let prior_trees = prior.scaled_trees(self.features);
        let mean = |(group, fitted): (usize, &Vec<f64>)| {
            let priors = scores(&prior_trees, self.groups, group);
            let priors = priors.into_iter().map(|score| score + prior.offset);
            fitted.iter().zip(priors).map(|(fitted, prior)| share * fitted + (1.0 - share) * prior).collect()
        };
        let scores = alone.scores.par_iter().enumerate().map(mean).collect();
        let parts = [alone.trees.clone().scaled(share), prior_trees.scaled(1.0 - share)];
        let offset = (1.0 - share) * prior.offset;
        Pool { trees: Trees::sum(parts).plus(offset), scores, prior: Some(prior) }
    }

    /// Returns weights with none for the groups of a fold.
    fn without(&self, fold: Option<usize>, weights: &[f32]) -> Vec<f32> {
        let pairs = weights.iter().zip(self.folds);
        pairs.map(|(weight, own)| if Some(*own) == fold { 0.0 } else { *weight }).collect()
    }

    /// Returns the pool with the lowest log-loss over all groups but those of a fold, once it is calibrated to them.
    fn calibration(&self, pools: &[Pool<'_>], but: Option<usize>) -> Calibration {
        let total = |weights: &[f32]| weights.iter().map(|weight| f64::from(*weight)).sum::<f64>();
        let weights = &self.without(but, self.weights);
        let labels = self.labels * total(weights) / total(self.weights);
        let calibrated = (0..pools.len()).map(|pool| {
            let Pool { scores, prior, .. } = &pools[pool];
            let (slope, offset) = match prior {
                Some(_) if labels == 0.0 => (1.0, 0.0),
                Some(_) => calibrate(self.groups, weights, scores, PRIOR_NAMES / labels),
                None => calibrate(self.groups, weights, scores, 0.0),
            };
            let loss = log_loss(self.groups, weights, scores, (slope, offset));
            Calibration { pool, slope, offset, loss, decisions: Decisions::default() }
        });
        let best = calibrated.min_by(|left, right| left.loss.total_cmp(&right.loss)).expect("there is a pool");
        let Pool { scores, prior, .. } = &pools[best.pool];
        let decisions = match prior {
            Some(prior) if labels == 0.0 => prior.decisions.clone(),
            Some(prior) => self.decisions(but, scores, &best).with_prior(&prior.decisions),
            None => self.decisions(but, scores, &best),
        };
        Calibration { decisions, ..best }
    }

    fn decisions(&self, but: Option<usize>, scores: &OutOfFold, by: &Calibration) -> Decisions {
        let scaled: OutOfFold =
            scores.iter().map(|group| group.iter().map(|score| by.slope * score + by.offset).collect()).collect();
        Decisions::of(self.groups, &self.without(but, self.decided), &scaled)
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

/// Returns the mean negative log-likelihood of the right option, by scores scaled with a slope and an offset.
pub(crate) fn log_loss(groups: &Groups, weights: &[f32], scores: &[Vec<f64>], (slope, offset): (f64, f64)) -> f64 {
    let of_group = |group: usize| {
        let scaled: Vec<f64> = scores[group].iter().map(|score| slope * score + offset).collect();
        let (probabilities, none) = groups.probabilities(group, &scaled);
        let right = groups.answers[group].map_or(none, |row| probabilities[row]);
        -f64::from(weights[group]) * right.max(1e-9).ln()
    };
    let total: f64 = (0..groups.len()).filter(|group| weights[*group] > 0.0).map(of_group).sum();
    total / weights.iter().map(|weight| f64::from(*weight)).sum::<f64>().max(1e-9)
}

/// Returns the slope and offset with the lowest log-loss, searched on ever finer grids. `penalty` times the squares of the
/// offset and of the slope's logarithm is added.
pub(crate) fn calibrate(groups: &Groups, weights: &[f32], scores: &[Vec<f64>], penalty: f64) -> (f64, f64) {
    let (mut slope, mut offset) = (1.0, 0.0);
    for width in [0.5, 0.25, 0.12, 0.06, 0.03] {
        let steps = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|step| step * width);
        let grid: Vec<(f64, f64)> =
            steps.iter().flat_map(|s| steps.map(|o| (f64::max(slope + s * slope, 0.05), offset + 2.0 * o))).collect();
        let loss =
            |by: &(f64, f64)| log_loss(groups, weights, scores, *by) + penalty * (by.0.ln().powi(2) + by.1.powi(2));
        let losses: Vec<f64> = grid.par_iter().map(loss).collect();
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
        Fitting { groups, features, folds, weights, decided: weights, labels, exact: 0.9, priors, options, progress }
            .fit()
            .ranker
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
            log_loss(&groups, &[1.0; 200], &(0..200).map(score).collect::<Vec<_>>(), (1.0, 0.0))
        };
        let (with, without) = (loss(&fit(200.0, &[&contrary])), loss(&fit(0.0, &[&contrary])));
        assert!(with < without && without < loss(&contrary), "{with}, {without}");
    }
}
