//! Groups of candidates from knowledge bases and corpora, ready to fit a ranker.

use rayon::prelude::*;
use truename_error::ErrorKind;
use truename_text::{GoldName, sampling_weights};

use super::candidate_rows::observe_all;
use super::gold_answers::{AnswerCounts, ExactAnswer, GoldAnswers, Scored};
use super::held_out::{Example, Origin, held_out, of_gold};
use super::junk::junk;
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
/// Weight of all cells that name nothing, beside 1 for all judgements.
const JUNK_SHARE: f64 = 0.05;

/// Groups of candidates from knowledge bases, ready to fit a ranker.
pub struct TrainingSet {
    pub(super) features: FeatureSet,
    truncated: usize,
    groups: Groups,
    folds: Vec<usize>,
    origins: Vec<Origin>,
    /// Chance with which the name of each group was drawn to be judged.
    chances: Vec<f64>,
    resolved: (f64, f64),
    /// Gold names that the exact name decides.
    exact: Vec<ExactAnswer>,
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
            origins: Vec::new(),
            chances: Vec::new(),
            resolved: (0.0, 0.0),
            exact: Vec::new(),
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
        let junk = if gold.is_empty() { Vec::new() } else { junk(call.snapshot(), options)? };
        examples.extend(gold.into_iter().chain(junk));
        let weight = |example: &Example| match example.origin {
            Origin::HeldOut | Origin::Junk => 1.0,
            Origin::Judged | Origin::JudgedNil => options.gold_weight,
        };
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
        self.observe(&examples, |example| if example.origin.is_judged() { weight } else { 1.0 }, kb, &call, options)
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
                Some(is_right) => {
                    self.resolved.0 += if is_right { f64::from(weight) } else { 0.0 };
                    self.resolved.1 += f64::from(weight);
                    let (is_nil, chance) = (example.origin == Origin::JudgedNil, example.chance);
                    let exact = ExactAnswer { is_right, is_nil, chance };
                    self.exact.extend(example.origin.is_judged().then_some(exact));
                }
                None => {
                    // Had it not been held out, the name would have been found by its exact form.
                    let found = if example.origin == Origin::HeldOut { f64::from(weight) } else { 0.0 };
                    self.resolved.0 += found;
                    self.resolved.1 += found;
                    self.groups.push(&observed.rows, &observed.sampling_weights, observed.answer, weight);
                    self.folds.push(example.fold);
                    self.origins.push(example.origin);
                    self.chances.push(example.chance);
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
        self.origins.extend(&other.origins);
        self.chances.extend(&other.chances);
        let add = |own: &mut (f64, f64), other: (f64, f64)| (own.0, own.1) = (own.0 + other.0, own.1 + other.1);
        add(&mut self.resolved, other.resolved);
        self.exact.extend(&other.exact);
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
        let weights = self.weights();
        let fitted = self.fitting(&weights, priors, options).fit();
        options.progress.check()?;
        let gold = self.origins.iter().filter(|origin| origin.is_judged()).count();
        let after = |judged| accuracy(&self.groups, &fitted.scores, |group| self.is_asked(group, judged));
        let thresholds: Vec<f64> = fitted.decisions.iter().map(|own| own.threshold(LinkOptions::NIL_SHARE)).collect();
        let answers = self.answers(&weights, &fitted.scores, |group| thresholds[self.folds[group]]);
        let gain = Gain {
            kept: true,
            held_out: self.origins.iter().filter(|origin| **origin == Origin::HeldOut).count(),
            gold: gold + self.exact.len(),
            junk: self.origins.iter().filter(|origin| **origin == Origin::Junk).count(),
            unknown_gold: 0,
            truncated: self.truncated,
            accuracy: (0.0, after(false)),
            gold_accuracy: (gold + self.exact.len() > 0).then(|| (0.0, self.with_exact(after(true)))),
            answers: answers.map(|after| (GoldAnswers::default(), after)),
            log_loss: (0.0, ranker::log_loss(&self.groups, &weights.groups, &fitted.scores, (1.0, 0.0))),
            threshold: (0.0, fitted.ranker.threshold(LinkOptions::NIL_SHARE)),
        };
        Ok((fitted.ranker, gain))
    }

    fn fitting<'a>(
        &'a self,
        weights: &'a Weights,
        priors: &'a [&'a Ranker],
        options: &'a CalibrateOptions,
    ) -> Fitting<'a> {
        Fitting {
            groups: &self.groups,
            features: self.features,
            folds: &self.folds,
            weights: &weights.groups,
            // The standard rankers count names whose concept is no candidate as names without one.
            decided: if priors.is_empty() { &weights.groups } else { &weights.decided },
            labels: weights.labels,
            // At least even, so that the concept with the exact name stays first.
            exact: ((self.resolved.0 + EXACT_PRIOR.0) / (self.resolved.1 + EXACT_PRIOR.1)).max(0.5),
            priors,
            options: &options.fit,
            progress: &options.progress,
        }
    }

    /// Returns the weights by which a ranker is judged. Gold names tell better than held-out names how people write; where there are
    /// some, they alone count, each by one over the chance with which it was drawn, and beside them cells that name nothing.
    fn weights(&self) -> Weights {
        let judged: Vec<usize> = (0..self.groups.len()).filter(|group| self.origins[*group].is_judged()).collect();
        let chances =
            judged.iter().map(|group| self.chances[*group]).chain(self.exact.iter().map(|exact| exact.chance));
        let mut by_chance = sampling_weights(&chances.collect::<Vec<_>>());
        let mut exact = by_chance.split_off(judged.len());
        if judged.is_empty() {
            let groups = self.groups.weights.clone();
            return Weights { decided: groups.clone(), groups, exact, labels: 0.0 };
        }
        // The number of names drawn alike that tell as much (Kish, 1965).
        let (sum, squares) =
            by_chance.iter().fold((0.0, 0.0), |(sum, squares), weight| (sum + weight, squares + weight * weight));
        let labels = sum * sum / squares;
        let mut groups = vec![0.0; self.groups.len()];
        for (group, weight) in judged.iter().zip(by_chance) {
            groups[*group] = self.groups.weights[*group] * (weight * labels / sum) as f32;
        }
        let all = groups.iter().sum::<f32>();
        exact.iter_mut().for_each(|weight| *weight *= f64::from(all) / sum);
        let junk: Vec<usize> = (0..self.groups.len()).filter(|group| self.origins[*group] == Origin::Junk).collect();
        let of_junk = JUNK_SHARE as f32 * all / junk.len().max(1) as f32;
        junk.iter().for_each(|group| groups[*group] = of_junk);
        let mut decided = groups.clone();
        let is_lost = |group: &usize| self.origins[*group] == Origin::Judged && self.groups.answers[*group].is_none();
        judged.into_iter().filter(is_lost).for_each(|group| decided[group] = 0.0);
        Weights { groups, decided, exact, labels }
    }

    fn is_asked(&self, group: usize, judged: bool) -> bool {
        match self.origins[group] {
            Origin::HeldOut => !judged,
            Origin::Judged | Origin::JudgedNil => judged,
            Origin::Junk => false,
        }
    }

    /// Returns the answers to the gold names and the cells that name nothing; `None` without gold names.
    fn answers(&self, weights: &Weights, scores: &[Vec<f64>], threshold: impl Fn(usize) -> f64) -> Option<GoldAnswers> {
        let mut counts = AnswerCounts::default();
        for (group, scores) in scores.iter().enumerate() {
            let scored = Scored { weight: f64::from(weights.groups[group]), scores, threshold: threshold(group) };
            counts.add(&self.groups, group, self.origins[group], &scored);
        }
        self.exact.iter().zip(&weights.exact).for_each(|(exact, weight)| counts.add_exact(*exact, *weight));
        (weights.labels > 0.0).then(|| counts.answers())
    }

    /// Returns the accuracy on all gold names, given the accuracy on those not decided by the exact name.
    fn with_exact(&self, others: f64) -> f64 {
        let is_asked = |group: &usize| self.is_asked(*group, true) && self.groups.answers[*group].is_some();
        let asked = (0..self.groups.len()).filter(is_asked).count();
        let right = others * asked as f64 + self.exact.iter().filter(|exact| exact.is_right).count() as f64;
        right / (asked + self.exact.len()).max(1) as f64
    }

    /// Measures a ranker fitted on other names, and decides whether the fitted one is kept: where it answers no fewer gold names as judged
    /// and has no higher log-loss.
    pub(super) fn measure(&self, ranker: &Ranker, gain: &mut Gain) {
        let score = |group| self.groups.range(group).map(|row| ranker.score(self.groups.row(row))).collect();
        let scores: Vec<Vec<f64>> = (0..self.groups.len()).into_par_iter().map(score).collect();
        let before = |judged| accuracy(&self.groups, &scores, |group| self.is_asked(group, judged));
        let (weights, threshold) = (self.weights(), ranker.threshold(LinkOptions::NIL_SHARE));
        gain.accuracy.0 = before(false);
        if let Some((own, _)) = &mut gain.gold_accuracy {
            *own = self.with_exact(before(true));
        }
        if let (Some((own, _)), Some(answers)) = (&mut gain.answers, self.answers(&weights, &scores, |_| threshold)) {
            *own = answers;
        }
        gain.log_loss.0 = ranker::log_loss(&self.groups, &weights.groups, &scores, (1.0, 0.0));
        gain.threshold.0 = threshold;
        let is_as_right = gain.answers.is_none_or(|(before, after)| after.as_judged >= before.as_judged);
        gain.kept = is_as_right && gain.log_loss.1 <= gain.log_loss.0;
    }
}

/// Weights by which a ranker is judged.
struct Weights {
    /// Weight of each group for the prior's share, slope and offset.
    groups: Vec<f32>,
    /// Weight of each group for the NIL threshold: none where a name is judged to have a concept that is no candidate.
    decided: Vec<f32>,
    /// Weights of the gold names that the exact name decides.
    exact: Vec<f64>,
    /// Number of gold names that tell as much as the weighted ones; 0 without gold names.
    labels: f64,
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
    use crate::FitOptions;

    #[test]
    fn where_there_are_gold_names_they_alone_judge_by_their_chances_beside_junk() {
        let mut training = TrainingSet::new(FeatureSet::Lexical);
        let row = vec![0.0; FeatureSet::Lexical.names().len()];
        for number in 0..120 {
            let (origin, chance) = match number {
                0..10 => (Origin::Judged, 1.0),
                10..20 => (Origin::JudgedNil, 0.5),
                20..30 => (Origin::Junk, 1.0),
                _ => (Origin::HeldOut, 1.0),
            };
            let answer = (number > 0 && origin != Origin::JudgedNil && origin != Origin::Junk).then_some(0);
            training.groups.push(&row, &[1.0], answer, if origin == Origin::HeldOut { 1.0 } else { 4.0 });
            training.origins.push(origin);
            training.chances.push(chance);
        }
        let Weights { groups, decided, labels, .. } = training.weights();
        // Ten of weight 1 and ten of weight 2 tell as much as 18 of one weight.
        assert_eq!((labels * 1e9).round(), 18e9);
        let sum = |range: std::ops::Range<usize>| (groups[range].iter().sum::<f32>() * 1e3).round();
        assert_eq!([sum(0..10), sum(10..20), sum(20..30), sum(30..120)], [24e3, 48e3, 3600.0, 0.0]);
        assert!(decided[0] == 0.0 && decided[1..] == groups[1..], "a concept that is no candidate says nothing of NIL");
        training.origins.fill(Origin::HeldOut);
        let Weights { groups, labels, .. } = training.weights();
        assert_eq!((groups, labels), (training.groups.weights.clone(), 0.0));
    }

    #[test]
    fn a_ranker_that_answers_fewer_gold_names_is_not_kept() {
        let mut training = TrainingSet::new(FeatureSet::Lexical);
        for number in 0..60 {
            training.groups.push(&vec![0.0; FeatureSet::Lexical.names().len()], &[1.0], None, 1.0);
            training.folds.push(number % ranker::FOLDS);
            training.origins.push(if number < 40 { Origin::JudgedNil } else { Origin::HeldOut });
            training.chances.push(1.0);
        }
        let options = CalibrateOptions { fit: FitOptions { rounds: 2, ..FitOptions::default() }, ..Default::default() };
        let standard = Ranker::standard(FeatureSet::Lexical);
        let (_, mut gain) = training.fit(&[&standard], &options).unwrap();
        gain.log_loss.1 = 0.0;
        training.measure(&standard, &mut gain);
        let (before, after) = gain.answers.unwrap();
        assert!(gain.kept && before.as_judged == 1.0 && after.as_judged == 1.0, "{gain:?}");
        gain.answers = Some((before, GoldAnswers { as_judged: 0.99, ..after }));
        training.measure(&standard, &mut gain);
        assert!(!gain.kept && gain.log_loss.1 < gain.log_loss.0, "{gain:?}");
    }
}
