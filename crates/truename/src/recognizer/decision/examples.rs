//! Examples of forms, which the decision is fitted to.

use std::collections::BTreeSet;

use truename_kb::ConceptId;
use truename_text::Span;

use super::{MentionModel, layout, width};
use crate::ranker::{Groups, LeafMasks, Trees, boost, calibrate};
use crate::{FitOptions, Progress};

/// F1 that the lower threshold of small knowledge bases may cost.
const SLACK: f64 = 0.01;

/// A form that the dictionary finds in a document, with the features that decide whether it is a mention.
#[derive(Clone, Debug)]
pub struct FormExample {
    /// Span in the document's text.
    pub span: Span,
    /// Concepts with the name.
    pub ids: Vec<ConceptId>,
    /// True if it is written as the name is.
    pub is_usual: bool,
    /// Features of the form.
    pub features: Vec<f32>,
}

impl FormExample {
    /// Returns whether a longer name is around it.
    pub fn is_within(&self) -> bool {
        self.features[width() - 2] > 0.0
    }
}

/// Forms that are known to be mentions or none, from several corpora.
pub struct MentionExamples {
    groups: Groups,
    /// Fold of each example; trees that did not see a fold decide its forms.
    folds: Vec<usize>,
    /// True for each example over a small knowledge base.
    small: Vec<bool>,
    /// Weight of the mentions that no form finds, over small knowledge bases and over others.
    missed: [f64; 2],
}

impl Default for MentionExamples {
    fn default() -> Self {
        Self { groups: Groups::new(width()), folds: Vec::new(), small: Vec::new(), missed: [0.0; 2] }
    }
}

impl MentionExamples {
    /// Adds a form; `is_small`: over a small knowledge base.
    ///
    /// # Panics
    /// If the features are not those of a [`FormExample`].
    pub fn add(&mut self, features: &[f32], is_mention: bool, weight: f32, fold: usize, is_small: bool) {
        assert_eq!(features.len(), width(), "features of another version");
        self.groups.push(features, &[1.0], is_mention.then_some(0), weight);
        self.folds.push(fold);
        self.small.push(is_small);
    }

    /// Adds the weight of mentions that the dictionary does not find, for the threshold with the best F1.
    pub fn add_missed(&mut self, weight: f64, is_small: bool) {
        self.missed[usize::from(!is_small)] += weight;
    }

    /// Returns the number of forms.
    pub fn len(&self) -> usize {
        self.folds.len()
    }

    /// Returns whether there are no forms.
    pub fn is_empty(&self) -> bool {
        self.folds.is_empty()
    }

    /// Fits trees to all forms, and slope, offset and thresholds to forms whose fold the trees did not see. Returns the model, and the
    /// probability of each form by such trees.
    ///
    /// # Panics
    /// If a tree may have more than 32 leaves.
    pub fn fit(&self, options: &FitOptions, progress: &Progress) -> (MentionModel, Vec<f64>) {
        let grown = |without: Option<usize>| {
            let kept = self.groups.filtered(|at| Some(self.folds[at]) != without);
            boost(&kept, &vec![true; width()], options, progress)
        };
        let mut scores = vec![vec![0.0]; self.len()];
        for fold in self.folds.iter().copied().collect::<BTreeSet<usize>>() {
            let trees = grown(Some(fold));
            for at in (0..self.len()).filter(|at| self.folds[*at] == fold) {
                scores[at] = vec![self.score(&trees, at)];
            }
        }
        let (slope, offset) = calibrate(&self.groups, &self.groups.weights, &scores, 0.0);
        let probabilities: Vec<f64> =
            scores.iter().map(|score| 1.0 / (1.0 + (-(slope * score[0] + offset)).exp())).collect();
        let thresholds = [true, false].map(|is_small| self.threshold(is_small, &probabilities));
        let (trees, usual) = (grown(None), self.usual());
        let masks = LeafMasks::of(&trees, width()).expect("no tree has more leaves than it may have");
        (MentionModel { layout: layout(), trees, masks, slope, offset, thresholds, usual }, probabilities)
    }

    fn score(&self, trees: &Trees, at: usize) -> f64 {
        f64::from(trees.score(self.groups.row(at)))
    }

    /// Returns the threshold with the best F1 that is expected; over small knowledge bases the lowest with nearly that, for their names were
    /// chosen, and one that is not found costs more than one with a low probability.
    fn threshold(&self, is_small: bool, probabilities: &[f64]) -> f64 {
        let mut order: Vec<(f64, f64, bool)> = (0..self.len())
            .filter(|at| self.small[*at] == is_small)
            .map(|at| (probabilities[at], f64::from(self.groups.weights[at]), self.groups.answers[at].is_some()))
            .collect();
        order.sort_by(|one, other| other.0.total_cmp(&one.0));
        let missed = self.missed[usize::from(!is_small)];
        let gold = missed + order.iter().filter(|one| one.2).map(|one| one.1).sum::<f64>();
        let (mut found, mut right) = (0.0, 0.0);
        let curve: Vec<(f64, f64)> = order
            .into_iter()
            .map(|(probability, weight, is_mention)| {
                found += weight;
                right += if is_mention { weight } else { 0.0 };
                (2.0 * right / (found + gold), probability)
            })
            .collect();
        let best = curve.iter().map(|(f1, _)| *f1).fold(0.0, f64::max) - if is_small { SLACK } else { 0.0 };
        curve.iter().rfind(|(f1, _)| *f1 >= best).map_or(0.0, |(_, probability)| *probability)
    }

    /// Returns the median of each feature.
    fn usual(&self) -> Vec<f32> {
        let median = |feature: usize| {
            let mut values: Vec<f32> = (0..self.len()).map(|at| self.groups.row(at)[feature]).collect();
            values.sort_by(f32::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or_default()
        };
        (0..width()).map(median).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forms in three folds, mentions where the first feature is above one half, but for one in ten.
    fn examples() -> MentionExamples {
        let mut examples = MentionExamples::default();
        for number in 0..3000_u32 {
            let value = (number * 7919 % 1000) as f32 / 1000.0;
            let mut features = vec![0.0; width()];
            features[0] = value;
            let is_mention = (value > 0.5) != number.is_multiple_of(10);
            examples.add(&features, is_mention, 1.0, number as usize % 3, number.is_multiple_of(2));
        }
        examples
    }

    #[test]
    fn probabilities_are_those_of_forms_that_were_left_out() {
        let options = FitOptions { rounds: 30, ..FitOptions::default() };
        let (model, probabilities) = examples().fit(&options, &Progress::default());
        assert_eq!(probabilities.len(), 3000);
        let of = |value: f32| {
            let mut features = vec![0.0; width()];
            features[0] = value;
            model.probability(&features)
        };
        assert!((of(0.9) - 0.9).abs() < 0.05 && (of(0.1) - 0.1).abs() < 0.05, "{} and {}", of(0.9), of(0.1));
        let [small, large] = model.thresholds;
        assert!(small > of(0.1) && large <= of(0.9) && small <= large, "{small} and {large}");
        assert_eq!(model.threshold(10), small);
        assert_eq!(model.threshold(1_000_000), large);
        let bytes = model.to_bytes();
        assert_eq!(MentionModel::from_bytes(&bytes).unwrap(), model);
        assert!(MentionModel::from_bytes(&bytes[..bytes.len() / 2]).is_err());
        let mut features = model.usual.clone();
        features[0] = 0.9;
        assert_eq!(model.evidence(&features), " For it: its length.");
    }

    #[test]
    fn mentions_that_no_form_finds_lower_the_threshold() {
        let options = FitOptions { rounds: 10, ..FitOptions::default() };
        let mut examples = MentionExamples::default();
        for number in 0..1000_u32 {
            let mut features = vec![0.0; width()];
            features[0] = (number % 4) as f32;
            // Of the four kinds 10, 30, 50 and 90 % are mentions.
            let share = [1, 3, 5, 9][number as usize % 4];
            examples.add(&features, number / 4 % 10 < share, 1.0, number as usize / 40 % 3, false);
        }
        let few = examples.fit(&options, &Progress::default()).0.threshold(MentionModel::LARGE);
        examples.add_missed(5000.0, false);
        let many = examples.fit(&options, &Progress::default()).0.threshold(MentionModel::LARGE);
        assert!(many < few, "{many} and {few}");
    }
}
