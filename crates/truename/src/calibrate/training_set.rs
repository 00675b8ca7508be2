//! Groups of candidates from knowledge bases and corpora, ready to fit a ranker.

use rayon::prelude::*;
use truename_error::ErrorKind;
use truename_text::GoldName;

use super::candidate_rows::observe_all;
use super::held_out::{Example, held_out, of_gold};
use super::{CalibrateOptions, Gain};
use crate::call::Call;
use crate::ranker::{self, Fitting, Groups};
use crate::retrieval::ENCODE_BATCH;
use crate::{Error, FeatureSet, KnowledgeBase, LinkOptions, Ranker};

/// One in so many names of a corpus has its concepts hidden, so that NIL is right.
const ONE_HIDDEN_IN: u64 = 10;
/// Minimum number of held-out names to fit a ranker.
const MIN_NAMES: usize = 50;
/// Prior for the probability that the exact name is right, as pseudo-counts (right, all): a sample has few exact names
/// of other concepts.
const EXACT_PRIOR: (f64, f64) = (49.0, 50.0);

/// Groups of candidates from knowledge bases, ready to fit a ranker.
pub struct TrainingSet {
    pub(super) features: FeatureSet,
    truncated: usize,
    groups: Groups,
    folds: Vec<usize>,
    gold: Vec<bool>,
    resolved: (f64, f64),
    /// Gold names that the exact name decides: number right, number in all.
    resolved_gold: (usize, usize),
}

impl TrainingSet {
    /// Creates an empty set. For dense features every knowledge base must have an encoder.
    pub fn new(features: FeatureSet) -> Self {
        let groups = Groups::new(features.names().len());
        Self {
            features,
            truncated: 0,
            groups,
            folds: Vec::new(),
            gold: Vec::new(),
            resolved: (0.0, 0.0),
            resolved_gold: (0, 0),
        }
    }

    /// Adds the held-out names of a knowledge base, and gold names. Returns the number of gold names whose ids are not
    /// in the knowledge base.
    ///
    /// # Errors
    /// If the storage or the encoder fails.
    ///
    /// # Panics
    /// If the knowledge base has an encoder but the set has lexical features, or the other way round.
    pub fn add(&mut self, kb: &KnowledgeBase, gold: &[GoldName], options: &CalibrateOptions) -> Result<usize, Error> {
        let call = Call::begin(kb)?;
        let mut examples = held_out(call.snapshot(), options)?;
        let (gold, unknown) = of_gold(call.snapshot(), gold, 0)?;
        examples.extend(gold);
        let weight = |example: &Example| if example.gold { options.gold_weight } else { 1.0 };
        self.observe(&examples, weight, kb, &call, options)?;
        Ok(unknown)
    }

    /// Adds the names of a labelled corpus and held-out names of its knowledge base, to fit a standard ranker. The names of the
    /// corpus weigh `weight` together, the held-out names `options.names` each 1. One in ten names of the corpus has its concepts
    /// hidden. All are of cross-validation fold `fold`, below 5: corpora that share a field should share a fold.
    ///
    /// # Errors
    /// If the storage or the encoder fails.
    ///
    /// # Panics
    /// As [`TrainingSet::add`].
    pub fn add_corpus(
        &mut self,
        kb: &KnowledgeBase,
        corpus: &[GoldName],
        weight: f32,
        fold: usize,
        options: &CalibrateOptions,
    ) -> Result<(), Error> {
        let call = Call::begin(kb)?;
        let (mut examples, _) = of_gold(call.snapshot(), corpus, ONE_HIDDEN_IN)?;
        let weight = weight / examples.len().max(1) as f32;
        examples.extend(held_out(call.snapshot(), options)?);
        examples.iter_mut().for_each(|example| example.fold = fold);
        self.observe(&examples, |example| if example.gold { weight } else { 1.0 }, kb, &call, options)
    }

    /// Adds the candidates of examples.
    fn observe(
        &mut self,
        examples: &[Example],
        weight: impl Fn(&Example) -> f32,
        kb: &KnowledgeBase,
        call: &Call<'_>,
        options: &CalibrateOptions,
    ) -> Result<(), Error> {
        let features = FeatureSet::of_encoder(kb.encoder()?.is_some());
        assert_eq!(features, self.features, "an encoder for dense features alone");
        options.progress.begin("asking for names held out", examples.len() as u64);
        let mut observed = Vec::with_capacity(examples.len());
        for examples in examples.chunks(ENCODE_BATCH) {
            let (more, truncated) = observe_all(examples, kb, call, &options.progress)?;
            observed.extend(more);
            self.truncated += truncated;
        }
        for (example, observed) in examples.iter().zip(observed) {
            let weight = weight(example);
            match observed.resolved {
                Some(right) => {
                    self.resolved.0 += if right { f64::from(weight) } else { 0.0 };
                    self.resolved.1 += f64::from(weight);
                    self.resolved_gold.0 += usize::from(right && example.gold);
                    self.resolved_gold.1 += usize::from(example.gold);
                }
                None => {
                    // Had it not been held out, the name would have been found by its exact form.
                    let found = if example.gold { 0.0 } else { f64::from(weight) };
                    self.resolved.0 += found;
                    self.resolved.1 += found;
                    self.groups.push(&observed.rows, &observed.sampling_weights, observed.answer, weight);
                    self.folds.push(example.fold);
                    self.gold.push(example.gold);
                }
            }
        }
        Ok(())
    }

    /// Adds the groups of another set.
    ///
    /// # Panics
    /// If its features differ.
    pub fn extend(&mut self, other: &Self) {
        assert_eq!(self.features, other.features, "the same features");
        self.truncated += other.truncated;
        self.groups.extend(&other.groups);
        self.folds.extend(&other.folds);
        self.gold.extend(&other.gold);
        let add = |own: &mut (f64, f64), other: (f64, f64)| (own.0, own.1) = (own.0 + other.0, own.1 + other.1);
        add(&mut self.resolved, other.resolved);
        self.resolved_gold.0 += other.resolved_gold.0;
        self.resolved_gold.1 += other.resolved_gold.1;
    }

    /// Returns whether there are no names to fit a ranker to.
    pub fn is_empty(&self) -> bool {
        self.groups.len() == 0
    }

    /// Fits a ranker. With priors, its score is a weighted mean of the fitted score and the best prior's score.
    ///
    /// # Errors
    /// If there are too few names.
    ///
    /// # Panics
    /// If a prior needs vectors and the names have none.
    pub fn fit(&self, priors: &[&Ranker], options: &CalibrateOptions) -> Result<(Ranker, Gain), Error> {
        if self.groups.len() < MIN_NAMES {
            let found = self.groups.len();
            let message = format!(
                "a ranker needs at least {MIN_NAMES} names that can be held out; the knowledge base has {found}"
            );
            return Err(Error::new(ErrorKind::TooFew, message)
                .with_hint("without calibration the ranker that comes with truename is used"));
        }
        // At least even, so that the concept with the exact name stays first.
        let exact = ((self.resolved.0 + EXACT_PRIOR.0) / (self.resolved.1 + EXACT_PRIOR.1)).max(0.5);
        let (weights, labels) = self.judged();
        let (groups, features, folds) = (&self.groups, self.features, &self.folds[..]);
        let (options, progress, weights) = (&options.fit, &*options.progress, &weights[..]);
        let fitting = Fitting { groups, features, folds, weights, labels, exact, priors, options, progress };
        let (ranker, out_of_fold) = fitting.fit();
        progress.check()?;
        let gold = self.gold.iter().filter(|gold| **gold).count();
        let after = |of_gold| accuracy(&self.groups, &out_of_fold, |group| self.gold[group] == of_gold);
        let gain = Gain {
            kept: true,
            held_out: self.groups.len() - gold,
            gold: gold + self.resolved_gold.1,
            unknown_gold: 0,
            truncated: self.truncated,
            accuracy: (0.0, after(false)),
            gold_accuracy: (gold + self.resolved_gold.1 > 0).then(|| (0.0, self.with_resolved(after(true)))),
            log_loss: (0.0, ranker::log_loss(&self.groups, weights, &out_of_fold)),
            threshold: (0.0, ranker.threshold(LinkOptions::NIL_SHARE)),
        };
        Ok((ranker, gain))
    }

    /// Returns the weights of the groups by which a ranker is judged, and the number of gold names among them. Gold names tell
    /// better than held-out names how people write; where there are some, they alone count.
    fn judged(&self) -> (Vec<f32>, f64) {
        let labels = self.gold.iter().filter(|gold| **gold).count();
        let weight = |(weight, gold): (&f32, &bool)| if *gold || labels == 0 { *weight } else { 0.0 };
        (self.groups.weights.iter().zip(&self.gold).map(weight).collect(), labels as f64)
    }

    /// Returns the accuracy on all gold names, given the accuracy on those not decided by the exact name.
    fn with_resolved(&self, unresolved: f64) -> f64 {
        let is_asked = |group: &usize| self.gold[*group] && self.groups.answers[*group].is_some();
        let asked = (0..self.groups.len()).filter(is_asked).count();
        let right = unresolved * asked as f64 + self.resolved_gold.0 as f64;
        right / (asked + self.resolved_gold.1).max(1) as f64
    }

    /// Measures accuracy and log-loss of a ranker fitted on other names.
    pub(super) fn measure(&self, ranker: &Ranker, gain: &mut Gain) {
        let score = |group| self.groups.range(group).map(|row| ranker.score(self.groups.row(row))).collect();
        let scores: Vec<Vec<f64>> = (0..self.groups.len()).into_par_iter().map(score).collect();
        gain.accuracy.0 = accuracy(&self.groups, &scores, |group| !self.gold[group]);
        if let Some((before, _)) = &mut gain.gold_accuracy {
            *before = self.with_resolved(accuracy(&self.groups, &scores, |group| self.gold[group]));
        }
        gain.log_loss.0 = ranker::log_loss(&self.groups, &self.judged().0, &scores);
        gain.threshold.0 = ranker.threshold(LinkOptions::NIL_SHARE);
        gain.kept = gain.log_loss.1 <= gain.log_loss.0;
    }
}

/// Returns the share of groups whose right candidate has the highest score, among groups that have a right candidate.
fn accuracy(groups: &Groups, scores: &[Vec<f64>], keep: impl Fn(usize) -> bool) -> f64 {
    let asked: Vec<usize> =
        (0..groups.len()).filter(|group| groups.answers[*group].is_some() && keep(*group)).collect();
    let is_right = |group: &&usize| {
        let scores = &scores[**group];
        let top =
            (0..scores.len()).max_by(|left, right| scores[*left].total_cmp(&scores[*right]).then(right.cmp(left)));
        top == groups.answers[**group]
    };
    asked.iter().filter(is_right).count() as f64 / asked.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_there_are_gold_names_they_alone_judge() {
        let mut training = TrainingSet::new(FeatureSet::Lexical);
        let row = vec![0.0; FeatureSet::Lexical.names().len()];
        for number in 0..120 {
            let is_gold = number < 20;
            training.groups.push(&row, &[1.0], Some(0), if is_gold { 4.0 } else { 1.0 });
            training.gold.push(is_gold);
        }
        let (weights, labels) = training.judged();
        assert_eq!((weights[..20].iter().sum::<f32>(), weights[20..].iter().sum::<f32>(), labels), (80.0, 0.0, 20.0));
        training.gold.fill(false);
        assert_eq!(training.judged(), (training.groups.weights.clone(), 0.0));
    }
}
