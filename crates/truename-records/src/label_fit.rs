//! The fit of a scorer's weights to labelled pairs, kept only if labels that it did not see say that it is better.
//!
//! Labels are few, and people judge doubtful pairs: weights that decide those well may decide all others wrongly. The weights before are
//! therefore the prior of the fit, the strength of their pull is chosen by cross-validation, a pair counts by one over the chance with
//! which it was drawn, and pairs that no label is like keep their decisions.

use rayon::prelude::*;
use truename_infer::logistic;
use truename_text::sampling_weights;

use crate::{ComparedTables, Error, LabelGain, PairLabels, PairTables, RecordPair, RowNames, Tables};

/// Number of cross-validation folds.
const FOLDS: usize = 5;
/// Strengths of the pull towards the weights before, in pairs, to choose from.
const PENALTIES: [f64; 3] = [1.0, 10.0, 100.0];
/// Largest distance, in the logit of the weights before, between a pair and a labelled one that it is like.
const REACH: f64 = 1.0;
/// Number of pairs without a label whose decisions are compared.
const UNLABELLED: usize = 20_000;

/// Weights that labelled pairs change.
pub(crate) trait LabelledWeights: Clone + Send + Sync {
    /// Features of a pair.
    type Features: Clone + Send + Sync;

    /// Fits weights to labelled pairs, from these as the prior, with a penalty for the distance from them.
    fn fit(&self, samples: &[Sample<Self::Features>], penalty: f64) -> Self;

    /// Returns the logit of the probability of a pair.
    fn logit(&self, features: &Self::Features) -> f64;

    /// Returns the name of each weight with its value here and in other weights.
    fn changes(&self, after: &Self) -> Vec<(String, f64, f64)>;
}

/// Gives pairs of tables their features.
pub(crate) type Observer<'a, F> = Box<dyn Fn(RecordPair) -> F + Sync + 'a>;

/// A pair that weights are fitted to.
#[derive(Clone, Debug)]
pub struct Sample<F> {
    /// The features of the pair.
    pub features: F,
    /// True if both records stand for the same thing.
    pub is_same: bool,
    /// Weight of the pair in the likelihood.
    pub weight: f64,
}

/// Labelled pairs to fit to, with all settings of the fit.
pub(crate) struct LabelFit<W: LabelledWeights> {
    prior: W,
    samples: Vec<Sample<W::Features>>,
    unlabelled: Vec<W::Features>,
    threshold: f64,
}

/// A fit by one strength of the pull.
struct Fitted<W> {
    weights: W,
    f1: f64,
    log_loss: f64,
    beyond: usize,
    is_better: bool,
}

impl<W: LabelledWeights> LabelFit<W> {
    /// Observes labelled pairs and a sample of the compared ones. Labelled pairs of the compared tables have the features that they have
    /// there, others those among the labelled pairs alone.
    ///
    /// # Errors
    /// If all labels are alike, or the observer refuses tables.
    pub(crate) fn new(
        prior: W,
        labels: PairLabels<'_>,
        compared: Option<ComparedTables<'_>>,
        observer: impl for<'t> Fn(Tables<'t>) -> Result<Observer<'t, W::Features>, Error>,
    ) -> Result<Self, Error> {
        labels.check()?;
        let chances: Vec<f64> = labels.pairs.iter().map(|label| label.chance).collect();
        let weights = sampling_weights(&chances);
        let sample = |at: usize, features| Sample { features, is_same: labels.pairs[at].is_same, weight: weights[at] };
        let mut rest: Vec<usize> = (0..labels.pairs.len()).collect();
        let (mut samples, mut unlabelled) = (Vec::new(), Vec::new());
        if let Some(ComparedTables { tables, pairs }) = compared {
            let features = observer(tables.tables())?;
            let (left, right) = (RowNames::of(&tables.left), RowNames::of(tables.right()));
            rest.retain(|at| {
                let rows = left.row(labels.pairs[*at].left).zip(right.row(labels.pairs[*at].right));
                let pair = rows.and_then(|(left, right)| tables.tables().pair(left, right));
                samples.extend(pair.map(|pair| sample(*at, features(pair))));
                pair.is_none()
            });
            let sampled = pairs.par_iter().step_by(pairs.len().div_ceil(UNLABELLED).max(1));
            unlabelled = sampled.map(|pair| features(*pair)).collect();
        }
        if !rest.is_empty() {
            let others = PairTables::of_texts(rest.iter().map(|at| (labels.pairs[*at].left, labels.pairs[*at].right)));
            let features = observer(others.tables()).map_err(|error| {
                Error::new(error.kind(), format!("{}: {error}", labels.name))
                    .with_hint("name records by their ids or rows, or serialised with the columns of the tables")
            })?;
            samples.extend(rest.iter().zip(others.pairs()).map(|(at, pair)| sample(*at, features(*pair))));
        }
        Ok(Self { prior, samples, unlabelled, threshold: labels.threshold })
    }

    /// Returns the weights to keep, and what the labels gain.
    pub(crate) fn run(self) -> (W, LabelGain) {
        let before: Vec<f64> = self.samples.iter().map(|sample| self.probability(&self.prior, sample)).collect();
        let fits: Vec<Fitted<W>> = PENALTIES.par_iter().map(|penalty| self.fitted(*penalty, &before)).collect();
        let can_be_kept = |fitted: &&Fitted<W>| fitted.is_better && fitted.beyond == 0;
        let least = |one: &&Fitted<W>, other: &&Fitted<W>| one.log_loss.total_cmp(&other.log_loss);
        let kept = fits.iter().filter(can_be_kept).min_by(least);
        let told = kept.or_else(|| fits.iter().min_by(least)).expect("there are penalties");
        let weights = kept.map_or_else(|| self.prior.clone(), |fitted| fitted.weights.clone());
        let gain = LabelGain {
            kept: kept.is_some(),
            labels: self.samples.len(),
            matches: self.samples.iter().filter(|sample| sample.is_same).count(),
            f1: (self.f1(&before), told.f1),
            log_loss: (mean(&self.losses(&before)), told.log_loss),
            beyond: if told.is_better { told.beyond } else { 0 },
            changes: changes(&self.prior, &weights),
        };
        (weights, gain)
    }

    fn fitted(&self, penalty: f64, before: &[f64]) -> Fitted<W> {
        let held_out = self.out_of_fold(penalty);
        let weights = self.prior.fit(&self.samples, penalty);
        let (was, is) = (self.losses(before), self.losses(&held_out));
        let gains: Vec<f64> = was.iter().zip(&is).map(|(was, is)| was - is).collect();
        let f1 = self.f1(&held_out);
        // A gain within its standard error may be chance (Breiman et al., 1984).
        let is_better = mean(&gains) > standard_error(&gains)
            && mean(&is) < mean(&self.losses(&self.base_rate()))
            && f1 >= self.f1(before);
        Fitted { f1, log_loss: mean(&is), beyond: self.beyond(&weights), is_better, weights }
    }

    /// Returns the probability of each sample by weights fitted to the other folds, which have the labels in turn.
    fn out_of_fold(&self, penalty: f64) -> Vec<f64> {
        let mut seen = [0; 2];
        let fold = |sample: &Sample<W::Features>| {
            let seen = &mut seen[usize::from(sample.is_same)];
            *seen += 1;
            *seen % FOLDS
        };
        let folds: Vec<usize> = self.samples.iter().map(fold).collect();
        let fitted: Vec<W> = (0..FOLDS)
            .into_par_iter()
            .map(|fold| {
                let others = self.samples.iter().zip(&folds).filter(|(_, own)| **own != fold);
                self.prior.fit(&others.map(|(sample, _)| sample.clone()).collect::<Vec<_>>(), penalty)
            })
            .collect();
        self.samples.iter().zip(folds).map(|(sample, fold)| self.probability(&fitted[fold], sample)).collect()
    }

    fn probability(&self, weights: &W, sample: &Sample<W::Features>) -> f64 {
        logistic(weights.logit(&sample.features))
    }

    /// Returns the share of matches as the probability of each sample. Weights that labels at random were hedged with do no better.
    fn base_rate(&self) -> Vec<f64> {
        let matches: f64 = self.samples.iter().filter(|sample| sample.is_same).map(|sample| sample.weight).sum();
        let all: f64 = self.samples.iter().map(|sample| sample.weight).sum();
        vec![matches / all; self.samples.len()]
    }

    fn losses(&self, probabilities: &[f64]) -> Vec<f64> {
        let loss = |(sample, probability): (&Sample<W::Features>, &f64)| {
            let right = if sample.is_same { *probability } else { 1.0 - probability };
            -sample.weight * right.max(1e-9).ln()
        };
        self.samples.iter().zip(probabilities).map(loss).collect()
    }

    fn f1(&self, probabilities: &[f64]) -> f64 {
        let weight = |keep: &dyn Fn(bool, bool) -> bool| -> f64 {
            let decided = self.samples.iter().zip(probabilities);
            let kept = decided.filter(|(sample, found)| keep(**found >= self.threshold, sample.is_same));
            kept.fold(0.0, |sum, (sample, _)| sum + sample.weight)
        };
        let (right, wrong) = (weight(&|found, is_same| found && is_same), weight(&|found, is_same| found != is_same));
        2.0 * right / (2.0 * right + wrong).max(f64::MIN_POSITIVE)
    }

    /// Counts the pairs without a label like them that these weights decide otherwise than the prior.
    fn beyond(&self, weights: &W) -> usize {
        let mut labelled: Vec<f64> = self.samples.iter().map(|sample| self.prior.logit(&sample.features)).collect();
        labelled.sort_by(f64::total_cmp);
        let is_beyond = |features: &&W::Features| {
            let logit = self.prior.logit(features);
            let next = labelled.partition_point(|label| *label < logit - REACH);
            let is_like = labelled.get(next).is_some_and(|label| *label <= logit + REACH);
            !is_like && (logistic(logit) >= self.threshold) != (logistic(weights.logit(features)) >= self.threshold)
        };
        self.unlabelled.par_iter().filter(is_beyond).count()
    }
}

/// Returns the weights that differ, those that do most first.
fn changes<W: LabelledWeights>(before: &W, after: &W) -> Vec<(String, f64, f64)> {
    let mut changes = before.changes(after);
    changes.retain(|(_, before, after)| before != after);
    changes.sort_by(|one, other| (other.2 - other.1).abs().total_cmp(&(one.2 - one.1).abs()));
    changes
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn standard_error(values: &[f64]) -> f64 {
    let (mean, count) = (mean(values), values.len() as f64);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (count - 1.0).max(1.0) / count).sqrt()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use truename_text::SplitMix64;

    use super::*;
    use crate::{
        Blocking, ColumnChoice, ComparedTables, LexicalScorer, LexicalWeights, PairLabel, PairScorer, RecordTable,
        RecordTables, Resolver,
    };

    /// A table of customers, some of whom stand in it several times with mistakes, with the customer of each row.
    struct Customers {
        tables: RecordTables,
        truth: Vec<usize>,
        pairs: Vec<RecordPair>,
    }

    fn pick<'a>(random: &mut SplitMix64, from: &[&'a str]) -> &'a str {
        from[(random.draw() % from.len() as u64) as usize]
    }

    /// Returns the text without one of its inner letters, or with two of them swapped.
    fn misspelt(random: &mut SplitMix64, text: &str) -> String {
        let mut letters: Vec<char> = text.chars().collect();
        let at = 1 + (random.draw() % (letters.len() as u64 - 2)) as usize;
        if random.draw().is_multiple_of(2) {
            letters.remove(at);
        } else {
            letters.swap(at - 1, at);
        }
        letters.into_iter().collect()
    }

    impl Customers {
        fn new() -> Self {
            let random = &mut SplitMix64::new(5);
            let (mut rows, mut truth) = (Vec::new(), Vec::new());
            for customer in 0..300 {
                let first = pick(
                    random,
                    &["Anna", "Bernd", "Carla", "David", "Erika", "Frank", "Gisela", "Hans", "Ines", "Jonas"],
                );
                let last = pick(
                    random,
                    &["Albrecht", "Bauer", "Conrad", "Dietrich", "Ebert", "Fischer", "Graf", "Huber", "Jansen"],
                );
                let street = pick(
                    random,
                    &["Lindenweg", "Hauptstrasse", "Gartenstrasse", "Bergweg", "Bahnhofstrasse", "Ringstrasse"],
                );
                let city = pick(random, &["Berlin", "Hamburg", "Dresden", "Leipzig", "Bremen", "Essen"]);
                let number = |random: &mut SplitMix64, most: u64| (random.draw() % most).to_string();
                let street = format!("{street} {}", number(random, 120));
                let phone = format!("0{} {}", number(random, 1000), number(random, 1_000_000));
                let row = [format!("{first} {last}"), street, city.to_owned(), phone];
                for copy in 0..1 + random.draw() % 3 {
                    let mut row = row.clone();
                    if copy > 0 {
                        row[0] = if random.draw().is_multiple_of(3) {
                            format!("{}. {last}", &first[..1])
                        } else {
                            misspelt(random, &row[0])
                        };
                        row[1] = misspelt(random, &row[1]);
                        row[3] =
                            if random.draw().is_multiple_of(3) { String::new() } else { misspelt(random, &row[3]) };
                    }
                    rows.push(row.to_vec());
                    truth.push(customer);
                }
            }
            let columns = ["name", "street", "city", "phone"].map(str::to_owned).to_vec();
            let table = RecordTable::new("customers", columns, rows);
            let tables = RecordTables::new(table, None, &ColumnChoice::default()).unwrap();
            let pairs = Blocking::default().pairs(tables.tables()).unwrap().pairs;
            Self { tables, truth, pairs }
        }

        fn is_same(&self, pair: &RecordPair) -> bool {
            self.truth[pair.left as usize] == self.truth[pair.right as usize]
        }

        /// Returns the pairs of the weights, the most doubtful first.
        fn by_doubt(&self, weights: &LexicalWeights) -> Vec<(RecordPair, f64)> {
            let scorer = LexicalScorer::new(self.tables.tables()).with_weights(weights.clone());
            let mut scored: Vec<_> = self.pairs.iter().copied().zip(scorer.score(&self.pairs).unwrap()).collect();
            scored.sort_by(|one, other| (one.1 - 0.5).abs().total_cmp(&(other.1 - 0.5).abs()));
            scored
        }

        /// Returns F1 of the clusters over all pairs of rows but those left out.
        fn f1(&self, weights: &LexicalWeights, left_out: &[RecordPair]) -> f64 {
            let scorer = LexicalScorer::new(self.tables.tables()).with_weights(weights.clone());
            let clusters = Resolver::new(&scorer).resolve(self.tables.tables(), &self.pairs).unwrap().clusters;
            let (mut right, mut wrong) = (0.0, 0.0);
            for left in 0..self.truth.len() as u32 {
                for right_row in left + 1..self.truth.len() as u32 {
                    let pair = RecordPair { left, right: right_row };
                    match (clusters.has(pair), self.is_same(&pair)) {
                        _ if left_out.contains(&pair) => {}
                        (true, true) => right += 1.0,
                        (false, false) => {}
                        _ => wrong += 1.0,
                    }
                }
            }
            2.0 * right / (2.0 * right + wrong)
        }

        fn fit(&self, judged: &[(RecordPair, bool, f64)]) -> Result<(LexicalWeights, LabelGain), Error> {
            let text = |row: u32| self.tables.left.records()[row as usize].serialized();
            let texts: Vec<[String; 2]> = judged.iter().map(|(pair, ..)| [text(pair.left), text(pair.right)]).collect();
            let labels: Vec<PairLabel<'_>> = texts
                .iter()
                .zip(judged)
                .map(|([left, right], (_, is_same, chance))| PairLabel {
                    left,
                    right,
                    is_same: *is_same,
                    chance: *chance,
                })
                .collect();
            let compared = ComparedTables { tables: &self.tables, pairs: &self.pairs };
            let labels = PairLabels { name: "labels.csv", pairs: &labels, threshold: 0.5 };
            LexicalWeights::default().fit_labels(labels, Some(compared))
        }
    }

    #[test]
    fn labels_never_worsen_what_they_do_not_touch() {
        let customers = Customers::new();
        let standard = LexicalWeights::default();
        let doubtful = customers.by_doubt(&standard);
        for count in [20, 80, 500] {
            let pairs: Vec<RecordPair> = doubtful[..count].iter().map(|(pair, _)| *pair).collect();
            let random = &mut SplitMix64::new(count as u64);
            let before = customers.f1(&standard, &pairs);
            let kinds: HashMap<&str, Vec<bool>> = HashMap::from([
                ("true", pairs.iter().map(|pair| customers.is_same(pair)).collect()),
                ("random", pairs.iter().map(|_| random.draw().is_multiple_of(2)).collect()),
                ("ones", vec![true; count]),
                ("zeros", vec![false; count]),
            ]);
            for (kind, labels) in kinds {
                let judged: Vec<_> = pairs.iter().zip(&labels).map(|(pair, label)| (*pair, *label, 1.0)).collect();
                let outcome = customers.fit(&judged);
                if labels.iter().all(|label| *label == labels[0]) {
                    let error = outcome.unwrap_err();
                    let (found, added) = if labels[0] { ("all", "label 0") } else { ("none", "label 1") };
                    assert!(
                        error.to_string().starts_with(&format!("labels.csv: {found} of {count} labelled pairs")),
                        "{error}"
                    );
                    assert!(error.hint().unwrap().to_string().contains(added));
                    continue;
                }
                let (weights, gain) = outcome.unwrap();
                let after = customers.f1(&weights, &pairs);
                assert!(after >= before, "{kind} {count}: {before} {after} {gain:?}");
                assert!(gain.kept || weights == standard);
                assert_eq!(gain.labels, count);
            }
        }
    }

    #[test]
    fn labels_drawn_with_known_chances_improve_all() {
        let customers = Customers::new();
        let standard = LexicalWeights::default();
        let (mut kept, mut before, mut after) = (0, 0.0, 0.0);
        let (all, count) = (customers.by_doubt(&standard), 150);
        for seed in 0..5 {
            let random = &mut SplitMix64::new(seed);
            let mean = all.iter().map(|(_, p)| 1.0 - 2.0 * (p - 0.5).abs()).sum::<f64>() / all.len() as f64;
            let mut drawn: Vec<(f64, RecordPair, f64)> = all
                .iter()
                .map(|(pair, p)| {
                    let weight = 0.2 + 0.8 * (1.0 - 2.0 * (p - 0.5).abs()) / mean;
                    let draw = ((random.draw() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
                    (draw.ln() / weight, *pair, weight)
                })
                .collect();
            drawn.sort_by(|one, other| other.0.total_cmp(&one.0));
            let most = drawn.iter().map(|(.., weight)| *weight).fold(0.0, f64::max);
            let judged: Vec<_> = drawn[..count]
                .iter()
                .map(|(_, pair, weight)| (*pair, customers.is_same(pair), weight / most))
                .collect();
            let (weights, gain) = customers.fit(&judged).unwrap();
            let (was, is) = (customers.f1(&standard, &[]), customers.f1(&weights, &[]));
            kept += usize::from(gain.kept);
            (before, after) = (before + was, after + is);
        }
        assert!(kept > 0 && after > before, "{kept} {before} {after}");
    }
}
