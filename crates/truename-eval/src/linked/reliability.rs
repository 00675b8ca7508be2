//! Calibration error of links, and precision and recall by their probability.

use serde::Serialize;

use super::document::{JudgedDocument, Pairs};
use super::precision_recall::{Counts, PrecisionRecall};

/// Number of bins of equal width between 0 and 1.
const BINS: usize = 10;
/// Thresholds that are compared.
const THRESHOLDS: [f64; 11] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];

/// Calibration error of links, and precision and recall by their probability. A link is right if both bounds and the id are.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Reliability {
    /// Expected calibration error: the mean distance of the probability and the share of right links in bins of equal width, weighted by
    /// their links (Naeini et al. 2015).
    pub calibration_error: f64,
    /// The bins that have a link, by probability.
    pub bins: Vec<ReliabilityBin>,
    /// Precision and recall of the links with at least a probability.
    pub thresholds: Vec<ThresholdScores>,
}

/// Links of about the same probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReliabilityBin {
    /// Mean probability.
    pub probability: f64,
    /// Share of right links.
    pub right: f64,
    /// Number of links.
    pub links: usize,
}

/// Scores of the links with at least a probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ThresholdScores {
    /// The least probability.
    pub threshold: f64,
    /// Scores of mentions with both bounds and the id right.
    #[serde(flatten)]
    pub scores: PrecisionRecall,
}

impl Reliability {
    /// Computes the reliability of the links of documents. Gold mentions without an id do not count, nor do links that overlap them.
    pub fn of(documents: &[JudgedDocument]) -> Self {
        let (mut links, mut recalled) = (Vec::new(), Vec::new());
        documents.iter().for_each(|document| add_links(document, &mut links, &mut recalled));
        let gold = documents.iter().flat_map(|document| &document.gold).filter(|mention| mention.id.is_some()).count();
        let bin_of = |probability: f64| ((probability * BINS as f64) as usize).min(BINS - 1);
        let bins = (0..BINS).filter_map(|bin| {
            let own: Vec<_> = links.iter().filter(|(probability, _)| bin_of(*probability) == bin).collect();
            let links = own.len();
            let mean = |sum: f64| sum / links as f64;
            (links > 0).then(|| ReliabilityBin {
                probability: mean(own.iter().map(|(probability, _)| probability).sum()),
                right: mean(own.iter().filter(|(_, is_right)| *is_right).count() as f64),
                links,
            })
        });
        let bins: Vec<ReliabilityBin> = bins.collect();
        let distance = |bin: &ReliabilityBin| (bin.probability - bin.right).abs() * bin.links as f64;
        let calibration_error = bins.iter().map(distance).sum::<f64>() / links.len().max(1) as f64;
        let at = |threshold: f64| {
            let found = links.iter().filter(|(probability, _)| *probability >= threshold);
            let right = found.clone().filter(|(_, is_right)| *is_right).count();
            let recalled = recalled.iter().filter(|probability| **probability >= threshold).count();
            let counts = Counts { found: found.count(), gold, right, recalled };
            ThresholdScores { threshold, scores: PrecisionRecall::of(counts) }
        };
        Self { calibration_error, bins, thresholds: THRESHOLDS.map(at).to_vec() }
    }
}

/// Adds the probability of each link of a document and whether it is right to `links`, and to `recalled` the highest probability of a right
/// link to each gold mention that has one.
fn add_links(document: &JudgedDocument, links: &mut Vec<(f64, bool)>, recalled: &mut Vec<f64>) {
    let (JudgedDocument { gold, found, .. }, pairs) = (document, Pairs::of(document));
    let (mut right, mut undecided) = (vec![false; found.len()], vec![false; found.len()]);
    let mut highest: Vec<Option<f64>> = vec![None; gold.len()];
    for at in &pairs.all {
        undecided[at.1] |= gold[at.0].id.is_none();
        if pairs.is_linked(at) {
            right[at.1] = true;
            let probability = found[at.1].probability;
            highest[at.0] = Some(highest[at.0].map_or(probability, |other| other.max(probability)));
        }
    }
    recalled.extend(highest.into_iter().flatten());
    let decided = found.iter().zip(right.into_iter().zip(undecided));
    let decided = decided.filter(|(one, (right, undecided))| one.answer.is_some() && (*right || !undecided));
    links.extend(decided.map(|(one, (right, _))| (one.probability, right)));
}

#[cfg(test)]
mod tests {
    use truename_text::{Mention, Span};

    use super::*;
    use crate::linked::{Answer, FoundMention};

    #[test]
    fn links_are_counted_by_their_probability() {
        let mention = |at: usize, id: Option<&str>| Mention::new(Span::new(at, at + 1), "", id.map(str::to_owned));
        let found = |at: usize, id: &str, probability: f64| FoundMention {
            span: Span::new(at, at + 1),
            fragments: Vec::new(),
            types: Vec::new(),
            answer: Some(Answer { ids: vec![id.to_owned()] }),
            probability,
        };
        let document = JudgedDocument {
            gold: vec![mention(0, Some("a")), mention(2, Some("b")), mention(4, None)],
            found: vec![found(0, "a", 0.9), found(2, "c", 0.7), found(4, "d", 0.99), found(6, "a", 0.1)],
            ..JudgedDocument::default()
        };
        let reliability = Reliability::of(&[document]);
        let bins: Vec<(f64, usize)> = reliability.bins.iter().map(|bin| (bin.right, bin.links)).collect();
        assert_eq!(bins, [(0.0, 1), (0.0, 1), (1.0, 1)]);
        assert!((reliability.calibration_error - (0.1 + 0.7 + 0.1) / 3.0).abs() < 1e-9);
        let at =
            |threshold: f64| reliability.thresholds.iter().find(|scores| scores.threshold == threshold).unwrap().scores;
        assert_eq!((at(0.0).found, at(0.8).found, at(0.8).precision, at(0.8).recall), (3, 1, 1.0, 0.5));
    }
}
