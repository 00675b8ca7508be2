//! The fit of the lexical scorer to labelled pairs, kept only if labels that it did not see say that it is better.
//!
//! Labels are few, and people judge doubtful pairs: weights that decide those well may decide all others wrongly. The weights before are
//! therefore the prior of the fit, the strength of their pull is chosen by cross-validation, a pair counts by one over the chance with
//! which it was drawn, and pairs that no label is like keep their decisions.

use std::fmt;

use rayon::prelude::*;
use truename_error::{ErrorKind, counted};
use truename_infer::logistic;
use truename_text::sampling_weights;

use super::{Features, LexicalScorer, LexicalWeights, Sample};
use crate::{Error, PairTables, RecordPair, RecordTables, RowNames};

/// Number of cross-validation folds.
const FOLDS: usize = 5;
/// Strengths of the pull towards the weights before, in pairs, to choose from.
const PENALTIES: [f64; 3] = [LexicalWeights::PENALTY, 10.0, 100.0];
/// Largest distance, in the logit of the weights before, between a pair and a labelled one that it is like.
const REACH: f64 = 1.0;
/// Number of pairs without a label whose decisions are compared.
const UNLABELLED: usize = 20_000;
/// Number of changed weights that are shown.
const SHOWN: usize = 5;

/// A labelled pair of records, by their ids or rows in the tables, or serialised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairLabel<'a> {
    /// The first record.
    pub left: &'a str,
    /// The second record.
    pub right: &'a str,
    /// True if both stand for the same thing.
    pub is_same: bool,
    /// Chance with which the pair was drawn to be judged, beside that of the others.
    pub chance: f64,
}

/// Tables, and the pairs of their records that are compared.
#[derive(Clone, Copy)]
pub struct ComparedTables<'a> {
    /// The tables.
    pub tables: &'a RecordTables,
    /// The pairs.
    pub pairs: &'a [RecordPair],
}

/// Gain of a fit to labelled pairs. Each pair of numbers is of the weights before and, on folds that they were not fitted to, of fitted
/// weights; labelled pairs count by one over their chance.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LabelGain {
    /// True if the fitted weights are kept.
    pub kept: bool,
    /// The weights that are kept.
    pub weights: LexicalWeights,
    /// The weights before.
    pub prior: LexicalWeights,
    /// Number of labelled pairs.
    pub labels: usize,
    /// Number of labelled pairs of the same thing.
    pub matches: usize,
    /// F1 of the decisions at the threshold.
    pub f1: (f64, f64),
    /// Mean negative log-likelihood of the labels.
    pub log_loss: (f64, f64),
    /// Number of pairs that the fitted weights would decide otherwise, though no labelled pair is like them.
    pub beyond: usize,
}

impl LabelGain {
    /// Fits the standard weights to labelled pairs of a file, `name` in messages. With tables, pairs of their records have features by the
    /// words of the tables, and the decisions of other pairs are compared.
    ///
    /// # Errors
    /// If all labels are alike.
    pub fn of(
        name: &str,
        labels: &[PairLabel<'_>],
        compared: Option<ComparedTables<'_>>,
        threshold: f64,
    ) -> Result<Self, Error> {
        let matches = labels.iter().filter(|label| label.is_same).count();
        if let Some((found, verb, missing)) = match labels.len() - matches {
            0 => Some(("all", "are", "the label 0: pairs of different things that look alike")),
            _ if matches == 0 => Some(("none", "is", "the label 1: pairs of the same thing")),
            _ => None,
        } {
            let message = format!("{name}: {found} of {} labelled pairs {verb} of the same thing", labels.len());
            return Err(Error::new(ErrorKind::TooFew, message).with_hint(format!("add pairs with {missing}")));
        }
        let (samples, unlabelled) = observe(labels, compared);
        Ok(Fitting { prior: LexicalWeights::default(), samples, unlabelled, threshold }.fit())
    }

    /// Returns the features whose weights changed most, with their weights before and after.
    pub fn changes(&self) -> Vec<(&'static str, f64, f64)> {
        let pairs = self.prior.weights().zip(self.weights.weights());
        let mut changes: Vec<_> = pairs.map(|((name, before), (_, after))| (name, before, after)).collect();
        changes.retain(|(_, before, after)| before != after);
        changes.sort_by(|one, other| (other.2 - other.1).abs().total_cmp(&(one.2 - one.1).abs()));
        changes
    }
}

impl fmt::Display for LabelGain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels = counted(self.labels as u64, "labelled pair");
        writeln!(
            f,
            "{labels}, {} of the same thing; fitted to four fifths of them, on the others, before and after:",
            self.matches
        )?;
        writeln!(
            f,
            "F1 {:.2} and {:.2}, log-loss {:.4} and {:.4}",
            100.0 * self.f1.0,
            100.0 * self.f1.1,
            self.log_loss.0,
            self.log_loss.1
        )?;
        if self.kept {
            write!(f, "the fitted weights are kept: ")?;
            let changes = self
                .changes()
                .into_iter()
                .take(SHOWN)
                .map(|(name, before, after)| format!("{name} {before:.3} → {after:.3}"));
            return write!(f, "{}, …", changes.collect::<Vec<_>>().join(", "));
        }
        match self.beyond {
            0 => write!(f, "the weights before are kept: the fitted ones are not better beyond chance"),
            beyond => write!(
                f,
                "the weights before are kept: the fitted ones decide {} otherwise that no label is like",
                counted(beyond as u64, "pair")
            ),
        }
    }
}

/// Returns the features of labelled pairs and of a sample of the compared ones.
fn observe(labels: &[PairLabel<'_>], compared: Option<ComparedTables<'_>>) -> (Vec<Sample>, Vec<Features>) {
    let chances: Vec<f64> = labels.iter().map(|label| label.chance).collect();
    let weights = sampling_weights(&chances);
    let sample = |at: usize, features| Sample { features, is_same: labels[at].is_same, weight: weights[at] };
    let mut rest: Vec<usize> = (0..labels.len()).collect();
    let (mut samples, mut unlabelled) = (Vec::new(), Vec::new());
    if let Some(ComparedTables { tables, pairs }) = compared {
        let scorer = LexicalScorer::new(tables.tables());
        let (left, right) = (RowNames::of(&tables.left), RowNames::of(tables.right()));
        rest.retain(|at| {
            let rows = left.row(labels[*at].left).zip(right.row(labels[*at].right));
            let pair = rows.and_then(|(left, right)| tables.tables().pair(left, right));
            samples.extend(pair.map(|pair| sample(*at, scorer.features(pair))));
            pair.is_none()
        });
        let sampled = pairs.par_iter().step_by(pairs.len().div_ceil(UNLABELLED).max(1));
        unlabelled = sampled.map(|pair| scorer.features(*pair)).collect();
    }
    let others = PairTables::of_texts(rest.iter().map(|at| (labels[*at].left, labels[*at].right)));
    let scorer = LexicalScorer::new(others.tables());
    samples.extend(rest.iter().zip(others.pairs()).map(|(at, pair)| sample(*at, scorer.features(*pair))));
    (samples, unlabelled)
}

/// Labelled pairs to fit to, with all settings of the fit.
struct Fitting {
    prior: LexicalWeights,
    samples: Vec<Sample>,
    unlabelled: Vec<Features>,
    threshold: f64,
}

/// A fit by one strength of the pull.
struct Fitted {
    weights: LexicalWeights,
    f1: f64,
    log_loss: f64,
    beyond: usize,
    is_better: bool,
}

impl Fitting {
    fn fit(self) -> LabelGain {
        let before: Vec<f64> = self.samples.iter().map(|sample| self.prior.probability(&sample.features)).collect();
        let fits: Vec<Fitted> = PENALTIES.par_iter().map(|penalty| self.fitted(*penalty, &before)).collect();
        let can_be_kept = |fitted: &&Fitted| fitted.is_better && fitted.beyond == 0;
        let least = |one: &&Fitted, other: &&Fitted| one.log_loss.total_cmp(&other.log_loss);
        let kept = fits.iter().filter(can_be_kept).min_by(least);
        let told = kept.or_else(|| fits.iter().min_by(least)).expect("there are penalties");
        LabelGain {
            kept: kept.is_some(),
            weights: kept.map_or_else(|| self.prior.clone(), |fitted| fitted.weights.clone()),
            labels: self.samples.len(),
            matches: self.samples.iter().filter(|sample| sample.is_same).count(),
            f1: (self.f1(&before), told.f1),
            log_loss: (mean(&self.losses(&before)), told.log_loss),
            beyond: if told.is_better { told.beyond } else { 0 },
            prior: self.prior,
        }
    }

    fn fitted(&self, penalty: f64, before: &[f64]) -> Fitted {
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
        let fold = |sample: &Sample| {
            let seen = &mut seen[usize::from(sample.is_same)];
            *seen += 1;
            *seen % FOLDS
        };
        let folds: Vec<usize> = self.samples.iter().map(fold).collect();
        let fitted: Vec<LexicalWeights> = (0..FOLDS)
            .into_par_iter()
            .map(|fold| {
                let others = self.samples.iter().zip(&folds).filter(|(_, own)| **own != fold);
                self.prior.fit(&others.map(|(sample, _)| sample.clone()).collect::<Vec<_>>(), penalty)
            })
            .collect();
        self.samples.iter().zip(folds).map(|(sample, fold)| fitted[fold].probability(&sample.features)).collect()
    }

    /// Returns the share of matches as the probability of each sample. Weights that labels at random were hedged with do no better.
    fn base_rate(&self) -> Vec<f64> {
        let matches: f64 = self.samples.iter().filter(|sample| sample.is_same).map(|sample| sample.weight).sum();
        let all: f64 = self.samples.iter().map(|sample| sample.weight).sum();
        vec![matches / all; self.samples.len()]
    }

    fn losses(&self, probabilities: &[f64]) -> Vec<f64> {
        let loss = |(sample, probability): (&Sample, &f64)| {
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
    fn beyond(&self, weights: &LexicalWeights) -> usize {
        let mut labelled: Vec<f64> = self.samples.iter().map(|sample| self.prior.logit(&sample.features)).collect();
        labelled.sort_by(f64::total_cmp);
        let is_beyond = |features: &&Features| {
            let logit = self.prior.logit(features);
            let next = labelled.partition_point(|label| *label < logit - REACH);
            let is_like = labelled.get(next).is_some_and(|label| *label <= logit + REACH);
            !is_like && (logistic(logit) >= self.threshold) != (weights.probability(features) >= self.threshold)
        };
        self.unlabelled.par_iter().filter(is_beyond).count()
    }
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
    use crate::{Blocking, ColumnChoice, PairScorer, RecordTable, Resolver};

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

        fn gain(&self, judged: &[(RecordPair, bool, f64)]) -> Result<LabelGain, Error> {
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
            LabelGain::of("labels.csv", &labels, Some(compared), 0.5)
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
                let outcome = customers.gain(&judged);
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
                let gain = outcome.unwrap();
                let after = customers.f1(&gain.weights, &pairs);
                assert!(after >= before, "{kind} {count}: {before} {after} {gain:?}");
                assert!(gain.kept || gain.weights == standard);
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
            let gain = customers.gain(&judged).unwrap();
            let (was, is) = (customers.f1(&standard, &[]), customers.f1(&gain.weights, &[]));
            kept += usize::from(gain.kept);
            (before, after) = (before + was, after + is);
        }
        assert!(kept > 0 && after > before, "{kept} {before} {after}");
    }
}
