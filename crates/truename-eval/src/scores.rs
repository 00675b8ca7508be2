//! The scores of many judged names.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::JudgedName;
use truename_error::counted;

/// Bins of the reliability diagram.
const BINS: usize = 10;

/// Scores of linked names, each from 0 to 1; higher is better, except for `ece`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NameScores {
    /// Number of names judged.
    pub mentions: usize,
    /// Number of names for which NIL is right.
    pub nil_mentions: usize,
    /// Number of names that the system answered NIL.
    pub nil_answers: usize,
    /// Share of the names whose first answer is right. A name that has an id is wrong if it was answered NIL; a name
    /// without an id is right if it was answered NIL.
    #[serde(rename = "acc@1")]
    pub accuracy_at_1: f64,
    /// Share of the names with a right answer among the first three.
    #[serde(rename = "acc@3")]
    pub accuracy_at_3: f64,
    /// Share of the names with a right answer among the first five.
    #[serde(rename = "acc@5")]
    pub accuracy_at_5: f64,
    /// Share of the names with a right answer among the first ten.
    #[serde(rename = "acc@10")]
    pub accuracy_at_10: f64,
    /// Mean reciprocal rank of the right answer over the names that have an id; 0 for a name without a right answer.
    pub mrr: f64,
    /// Area under the ROC curve of separating names with an id from names without by the best candidate's probability;
    /// `None` where all names are of one kind.
    pub nil_auc: Option<f64>,
    /// Expected calibration error: the mean distance between the probability of the best candidate and the share that
    /// is right, over ten equally wide bins (Guo et al. 2017, equation 3). A name without candidates has probability 0.
    pub ece: f64,
    /// The bins behind `ece`.
    pub reliability: Vec<Bin>,
    /// The curve behind `nil_auc`.
    pub nil_roc: Vec<RocPoint>,
    /// The main scores by type, where the gold names have types.
    pub types: BTreeMap<String, TypeScores>,
}

/// Names whose best candidate has a probability in one range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Bin {
    /// Number of names.
    pub count: usize,
    /// Their mean probability.
    pub probability: f64,
    /// Share of the names whose best candidate is right.
    pub right: f64,
}

/// Effect of one threshold on the probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RocPoint {
    /// The threshold; names up to it are answered NIL.
    pub threshold: f64,
    /// Share of the names with an id that are answered NIL.
    pub false_nil: f64,
    /// Share of the names without an id that are answered NIL.
    pub true_nil: f64,
}

/// Scores of the names of one type.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TypeScores {
    /// Names.
    pub mentions: usize,
    /// As in [`NameScores`].
    #[serde(rename = "acc@1")]
    pub accuracy_at_1: f64,
    /// As in [`NameScores`].
    #[serde(rename = "acc@5")]
    pub accuracy_at_5: f64,
}

impl NameScores {
    /// Scores judged names.
    pub fn of(judged: &[JudgedName]) -> Self {
        let (nil_roc, nil_auc) = nil_curve(judged);
        let (reliability, ece) = reliability(judged);
        let mut name_types: BTreeMap<String, Vec<&JudgedName>> = BTreeMap::new();
        for one in judged {
            if let Some(name_type) = &one.name_type {
                name_types.entry(name_type.clone()).or_default().push(one);
            }
        }
        let linkable: Vec<&JudgedName> = judged.iter().filter(|one| !one.gold.is_empty()).collect();
        let reciprocal = |one: &&JudgedName| one.rank().map_or(0.0, |rank| 1.0 / (1 + rank) as f64);
        Self {
            mentions: judged.len(),
            nil_mentions: judged.len() - linkable.len(),
            nil_answers: judged.iter().filter(|one| one.nil).count(),
            accuracy_at_1: accuracy(judged.iter(), 1),
            accuracy_at_3: accuracy(judged.iter(), 3),
            accuracy_at_5: accuracy(judged.iter(), 5),
            accuracy_at_10: accuracy(judged.iter(), 10),
            mrr: linkable.iter().map(reciprocal).sum::<f64>() / linkable.len().max(1) as f64,
            nil_auc,
            ece,
            reliability,
            nil_roc,
            types: name_types.into_iter().map(|(name_type, judged)| (name_type, of_type(&judged))).collect(),
        }
    }
}

fn of_type(judged: &[&JudgedName]) -> TypeScores {
    let at = |depth| accuracy(judged.iter().copied(), depth);
    TypeScores { mentions: judged.len(), accuracy_at_1: at(1), accuracy_at_5: at(5) }
}

fn accuracy<'a>(judged: impl Iterator<Item = &'a JudgedName> + Clone, depth: usize) -> f64 {
    let all = judged.clone().count().max(1);
    judged.filter(|one| one.is_right_at(depth)).count() as f64 / all as f64
}

/// Returns the receiver operating curve of answering NIL below a threshold, and the area under it.
fn nil_curve(judged: &[JudgedName]) -> (Vec<RocPoint>, Option<f64>) {
    let mut sorted: Vec<(f64, bool)> = judged.iter().map(|one| (one.confidence(), one.gold.is_empty())).collect();
    sorted.sort_by(|left, right| left.0.total_cmp(&right.0));
    let without = sorted.iter().filter(|(_, nil)| *nil).count();
    let with = sorted.len() - without;
    if without == 0 || with == 0 {
        return (Vec::new(), None);
    }
    let (mut false_nil, mut true_nil, mut area) = (0, 0, 0.0);
    let mut curve = vec![RocPoint { threshold: 0.0, false_nil: 0.0, true_nil: 0.0 }];
    for tied in sorted.chunk_by(|left, right| left.0 == right.0) {
        let nils = tied.iter().filter(|(_, nil)| *nil).count();
        // Tied names count half: the trapezoid between the points before and after them.
        area += (tied.len() - nils) as f64 * (true_nil as f64 + nils as f64 / 2.0);
        true_nil += nils;
        false_nil += tied.len() - nils;
        curve.push(RocPoint {
            threshold: tied[0].0,
            false_nil: false_nil as f64 / with as f64,
            true_nil: true_nil as f64 / without as f64,
        });
    }
    (curve, Some(area / (with * without) as f64))
}

fn reliability(judged: &[JudgedName]) -> (Vec<Bin>, f64) {
    let mut bins = vec![Bin::default(); BINS];
    for one in judged {
        let probability = one.confidence();
        let right = one.answers.first().is_some_and(|best| one.gold.contains(&best.id));
        let bin = &mut bins[((probability * BINS as f64) as usize).min(BINS - 1)];
        bin.count += 1;
        bin.probability += probability;
        bin.right += f64::from(u8::from(right));
    }
    let error: f64 = bins.iter().map(|bin| (bin.probability - bin.right).abs()).sum();
    for bin in bins.iter_mut().filter(|bin| bin.count > 0) {
        bin.probability /= bin.count as f64;
        bin.right /= bin.count as f64;
    }
    (bins, error / judged.len().max(1) as f64)
}

impl fmt::Display for NameScores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "mentions   {:>8}  ({} NIL)", self.mentions, self.nil_mentions)?;
        writeln!(f, "answered   {:>8}", self.mentions - self.nil_answers)?;
        let percent = [
            ("acc@1", self.accuracy_at_1),
            ("acc@3", self.accuracy_at_3),
            ("acc@5", self.accuracy_at_5),
            ("acc@10", self.accuracy_at_10),
        ];
        for (name, value) in percent {
            writeln!(f, "{name:<10} {:>8.2}", 100.0 * value)?;
        }
        writeln!(f, "MRR        {:>8.4}", self.mrr)?;
        match self.nil_auc {
            Some(area) => writeln!(f, "NIL AUC    {area:>8.4}")?,
            None => writeln!(f, "NIL AUC           –  (needs names with an id and names without)")?,
        }
        write!(f, "ECE        {:>8.4}", self.ece)?;
        for (name_type, scores) in &self.types {
            let (first, fifth) = (100.0 * scores.accuracy_at_1, 100.0 * scores.accuracy_at_5);
            write!(
                f,
                "\n{name_type}: {}, acc@1 {first:.2}, acc@5 {fifth:.2}",
                counted(scores.mentions as u64, "mention")
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Answer;

    fn judged(gold: &[&str], answers: &[(&str, f64)], nil: bool) -> JudgedName {
        let answers = answers.iter().map(|(id, probability)| Answer { id: (*id).into(), probability: *probability });
        JudgedName::new("name", gold, answers.collect(), nil)
    }

    #[test]
    fn ranks_count_only_where_the_system_answered() {
        let all = [
            judged(&["A"], &[("A", 0.9)], false),
            judged(&["A", "B"], &[("C", 0.6), ("B", 0.3)], false),
            judged(&["A"], &[("A", 0.1)], true),
            judged(&[], &[("A", 0.2)], true),
            judged(&[], &[], false),
        ];
        let scores = NameScores::of(&all);
        assert_eq!((scores.accuracy_at_1, scores.accuracy_at_3), (0.4, 0.6));
        assert_eq!(scores.mrr, 0.5);
        assert_eq!((scores.nil_mentions, scores.nil_answers), (2, 2));
    }

    // python: sklearn.metrics.roc_auc_score([0,0,1,1,1], [-0.9,-0.4,-0.4,-0.1,-0.6]) == 0.75
    #[test]
    fn nil_area_agrees_with_its_reference() {
        let with = [0.9, 0.4].map(|p| judged(&["A"], &[("A", p)], false));
        let without = [0.4, 0.1, 0.6].map(|p| judged(&[], &[("A", p)], false));
        let scores = NameScores::of(&[&with[..], &without[..]].concat());
        assert!((scores.nil_auc.unwrap() - 0.75).abs() < 1e-12);
        let last = scores.nil_roc.last().unwrap();
        assert_eq!((last.false_nil, last.true_nil), (1.0, 1.0));
        assert_eq!(NameScores::of(&with).nil_auc, None);
    }

    #[test]
    fn calibration_error_is_the_gap_between_belief_and_truth() {
        let all = [judged(&["A"], &[("A", 0.8)], false), judged(&["A"], &[("B", 0.8)], false)];
        let scores = NameScores::of(&all);
        assert!((scores.ece - 0.3).abs() < 1e-12);
        assert_eq!(scores.reliability[8].count, 2);
        assert_eq!(NameScores::of(&[]).ece, 0.0);
    }
}
