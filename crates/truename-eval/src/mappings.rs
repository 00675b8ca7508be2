//! Scores of the mappings between two vocabularies.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::Serialize;
use truename_align::{FileMapping, Predicate};

use crate::pairs::{BestThreshold, share};

/// Number of bins of equal width between 0 and 1, of the calibration error.
const BINS: usize = 10;
/// Likenesses of names by which mappings are scored.
const SIMILARITIES: [f64; 5] = [1.0, 0.9, 0.8, 0.7, 0.0];

type Pair = (String, String);

/// Precision, recall and F1 of mappings, and how well their probabilities tell right from wrong ones. Shares are from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MappingScores {
    /// Number of gold mappings.
    pub gold: usize,
    /// Number of mappings found with at least the threshold.
    pub found: usize,
    /// Number of these that gold has.
    pub right: usize,
    /// Lowest probability of a mapping that counts.
    pub threshold: f64,
    /// Share of the mappings found that are right; 0 if none is found.
    pub precision: f64,
    /// Share of the gold mappings that are found.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
    /// The threshold with the highest F1 on these very mappings, and that F1: an upper bound, not a result.
    pub best: BestThreshold,
    /// Scores of the mappings found whose names have at least a likeness, if the mappings state one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_similarity: Vec<SimilarityScores>,
    /// Scores of the probabilities, if gold says of some pairs that they are no mappings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<JudgedScores>,
}

/// Scores of the mappings found whose names have at least a likeness. Shares are from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SimilarityScores {
    /// Lowest likeness of the names.
    pub similarity: f64,
    /// Number of mappings found.
    pub found: usize,
    /// Number of these that gold has.
    pub right: usize,
    /// Share of the mappings found that are right; 0 if none is found.
    pub precision: f64,
    /// Share of the gold mappings that are found.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
}

/// Scores of the probabilities of pairs that people judged. A pair that was not found has the probability 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct JudgedScores {
    /// Pairs that are mappings.
    pub positives: usize,
    /// Pairs that are none.
    pub negatives: usize,
    /// Pairs of both kinds that were not found.
    pub absent: usize,
    /// Area under the ROC curve: the chance that a mapping has a higher probability than a pair that is none.
    pub auc: f64,
    /// Expected calibration error: the mean distance of the probability and the share of mappings in bins of equal width, weighted by
    /// their pairs (Naeini et al. 2015).
    pub calibration_error: f64,
}

/// Options of scoring mappings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MappingScoring {
    /// Lowest probability of a mapping that counts.
    pub threshold: f64,
    /// True if gold is a part of all mappings: a mapping counts only if gold maps one of its concepts.
    pub gold_is_partial: bool,
}

impl MappingScores {
    /// Scores mappings by gold ones; those that say that two concepts are the same count.
    pub fn of(found: &[FileMapping], gold: &[FileMapping], scoring: MappingScoring) -> Self {
        let MappingScoring { threshold, gold_is_partial } = scoring;
        let is_exact = |mapping: &&FileMapping| mapping.predicate == Some(Predicate::Exact);
        let pair = |mapping: &FileMapping| (mapping.subject.clone(), mapping.object.clone());
        let same: HashSet<Pair> =
            gold.iter().filter(is_exact).filter(|mapping| !mapping.is_negative).map(pair).collect();
        let (subjects, objects): (HashSet<&str>, HashSet<&str>) =
            same.iter().map(|(subject, object)| (subject.as_str(), object.as_str())).unzip();
        let likeliest = likeliest(found);
        let counts = |(subject, object): &(&str, &str)| {
            !gold_is_partial || subjects.contains(subject) || objects.contains(object)
        };
        let decided: Vec<Decided> = likeliest
            .iter()
            .filter(|(pair, _)| counts(pair))
            .map(|(_, mapping)| Decided {
                probability: mapping.confidence,
                similarity: mapping.similarity,
                is_right: same.contains(&pair(mapping)),
            })
            .collect();
        let accepted: Vec<&Decided> = decided.iter().filter(|one| one.probability >= threshold).collect();
        let (found_count, right) = (accepted.len(), accepted.iter().filter(|one| one.is_right).count());
        let by_probability: Vec<(f64, bool)> = decided.iter().map(|one| (one.probability, one.is_right)).collect();
        let negatives = gold.iter().filter(is_exact).filter(|mapping| mapping.is_negative).map(pair).collect();
        Self {
            gold: same.len(),
            found: found_count,
            right,
            threshold,
            precision: share(right, found_count),
            recall: share(right, same.len()),
            f1: share(2 * right, found_count + same.len()),
            best: BestThreshold::of(&by_probability, same.len(), 1.0),
            by_similarity: SimilarityScores::all(&accepted, same.len()),
            judged: JudgedScores::of(&likeliest, &same, &negatives),
        }
    }
}

/// A mapping that was found and that gold decides.
struct Decided {
    probability: f64,
    similarity: Option<f64>,
    is_right: bool,
}

/// Returns the likeliest mapping of each pair of ids that says that both are the same.
pub(crate) fn likeliest(found: &[FileMapping]) -> HashMap<(&str, &str), &FileMapping> {
    let mut likeliest: HashMap<(&str, &str), &FileMapping> = HashMap::new();
    let says_same = |mapping: &&FileMapping| mapping.predicate == Some(Predicate::Exact) && !mapping.is_negative;
    for mapping in found.iter().filter(says_same) {
        let known = likeliest.entry((mapping.subject.as_str(), mapping.object.as_str())).or_insert(mapping);
        if mapping.confidence > known.confidence {
            *known = mapping;
        }
    }
    likeliest
}

impl SimilarityScores {
    fn all(accepted: &[&Decided], gold: usize) -> Vec<Self> {
        if accepted.iter().all(|one| one.similarity.is_none()) {
            return Vec::new();
        }
        let of_similarity = |similarity: f64| {
            let alike = accepted.iter().filter(|one| one.similarity.unwrap_or_default() >= similarity);
            let (found, right) =
                alike.fold((0, 0), |(found, right), one| (found + 1, right + usize::from(one.is_right)));
            let (precision, recall) = (share(right, found), share(right, gold));
            Self { similarity, found, right, precision, recall, f1: share(2 * right, found + gold) }
        };
        SIMILARITIES.map(of_similarity).into()
    }
}

impl JudgedScores {
    fn of(
        likeliest: &HashMap<(&str, &str), &FileMapping>,
        positives: &HashSet<Pair>,
        negatives: &HashSet<Pair>,
    ) -> Option<Self> {
        let probability = |(subject, object): &Pair| {
            likeliest.get(&(subject.as_str(), object.as_str())).map(|mapping| mapping.confidence)
        };
        let labelled = positives.iter().map(|pair| (pair, true)).chain(negatives.iter().map(|pair| (pair, false)));
        let absent = positives.iter().chain(negatives).filter(|pair| probability(pair).is_none()).count();
        let mut judged: Vec<(f64, bool)> =
            labelled.map(|(pair, is_match)| (probability(pair).unwrap_or_default(), is_match)).collect();
        judged.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let (positives, negatives) = (positives.len(), negatives.len());
        let calibration_error = calibration_error(&judged);
        let auc = auc(&judged, positives, negatives);
        (positives > 0 && negatives > 0).then_some(Self { positives, negatives, absent, auc, calibration_error })
    }
}

/// Returns the area under the ROC curve of pairs that ascend by probability; equal probabilities count half.
fn auc(judged: &[(f64, bool)], positives: usize, negatives: usize) -> f64 {
    let (mut below, mut area) = (0, 0.0);
    for same in judged.chunk_by(|one, other| one.0 == other.0) {
        let right = same.iter().filter(|(_, is_match)| *is_match).count();
        let wrong = same.len() - right;
        area += right as f64 * (below as f64 + wrong as f64 / 2.0);
        below += wrong;
    }
    area / (positives * negatives) as f64
}

/// Returns the expected calibration error of pairs that ascend by probability, each with whether it is right: over ten bins of probability, the
/// mean difference of probability and share of right ones.
pub fn calibration_error(judged: &[(f64, bool)]) -> f64 {
    let bin = |probability: f64| ((probability * BINS as f64) as usize).min(BINS - 1);
    let of_bin = |own: &[(f64, bool)]| {
        let probabilities: f64 = own.iter().map(|(probability, _)| probability).sum();
        (probabilities - own.iter().filter(|(_, is_match)| *is_match).count() as f64).abs()
    };
    let distances: f64 = judged.chunk_by(|one, other| bin(one.0) == bin(other.0)).map(of_bin).sum();
    distances / judged.len().max(1) as f64
}

impl fmt::Display for MappingScores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { gold, found, right, threshold, precision, recall, f1, best, by_similarity, judged } = self;
        writeln!(f, "{gold} gold mappings, {found} found with at least {threshold}, {right} right")?;
        writeln!(f, "precision {:.2} %", 100.0 * precision)?;
        writeln!(f, "recall    {:.2} %", 100.0 * recall)?;
        writeln!(f, "F1        {:.2} %", 100.0 * f1)?;
        write!(f, "best F1   {:.2} % at {:.4}", 100.0 * best.f1, best.threshold)?;
        for SimilarityScores { similarity, found, precision, recall, f1, .. } in by_similarity {
            let [precision, recall, f1] = [precision, recall, f1].map(|share| 100.0 * share);
            write!(
                f,
                "\nnames alike by {similarity:.1}: {found} found, precision {precision:.2} %, recall {recall:.2} %, F1 {f1:.2} %"
            )?;
        }
        let Some(JudgedScores { positives, negatives, absent, auc, calibration_error }) = judged else { return Ok(()) };
        writeln!(f, "\n{positives} pairs judged right and {negatives} judged wrong, {absent} of them not found")?;
        write!(f, "AUC {auc:.4}, calibration error {calibration_error:.4}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(subject: &str, object: &str, confidence: f64, is_negative: bool) -> FileMapping {
        let mut line = truename_align::FileMapping::exact(subject, object, confidence);
        line.is_negative = is_negative;
        line
    }

    #[test]
    fn mappings_are_scored_by_gold() {
        let gold = [mapping("a:1", "b:1", 1.0, false), mapping("a:2", "b:2", 1.0, false)];
        let found = [
            mapping("a:1", "b:1", 0.9, false),
            mapping("a:2", "b:3", 0.8, false),
            mapping("a:2", "b:2", 0.4, false),
            mapping("a:9", "b:9", 0.7, false),
        ];
        let scores = |threshold, gold_is_partial| {
            MappingScores::of(&found, &gold, MappingScoring { threshold, gold_is_partial })
        };
        let whole = scores(0.5, false);
        assert_eq!((whole.found, whole.right, whole.precision, whole.recall), (3, 1, 1.0 / 3.0, 0.5));
        assert_eq!((whole.best.threshold, whole.best.f1), (0.9, 2.0 / 3.0));
        assert_eq!(scores(0.5, true).found, 2);
        assert_eq!((scores(0.3, true).right, scores(0.3, true).f1), (2, 0.8));
        assert!(whole.judged.is_none());
    }

    #[test]
    fn mappings_are_scored_by_the_likeness_of_names() {
        let alike = |subject: &str, object: &str, similarity: f64| {
            let mut mapping = mapping(subject, object, 0.9, false);
            mapping.similarity = Some(similarity);
            mapping
        };
        let gold = [mapping("a:1", "b:1", 1.0, false), mapping("a:2", "b:2", 1.0, false)];
        let found = [alike("a:1", "b:1", 1.0), alike("a:2", "b:3", 0.95), alike("a:2", "b:2", 0.75)];
        let scoring = MappingScoring { threshold: 0.5, gold_is_partial: false };
        let scores = MappingScores::of(&found, &gold, scoring);
        let counts: Vec<_> = scores.by_similarity.iter().map(|one| (one.similarity, one.found, one.right)).collect();
        assert_eq!(counts, [(1.0, 1, 1), (0.9, 2, 1), (0.8, 2, 1), (0.7, 3, 2), (0.0, 3, 2)]);
        let first = scores.by_similarity[0];
        assert_eq!((first.precision, first.recall, first.f1), (1.0, 0.5, 2.0 / 3.0));
        assert!(MappingScores::of(&gold, &gold, scoring).by_similarity.is_empty());
    }

    // python: sklearn.metrics.roc_auc_score([1, 1, 0, 0], [0.9, 0.3, 0.3, 0.0]) == 0.875
    #[test]
    fn negative_judgements_score_the_probabilities() {
        let gold = [
            mapping("a:1", "b:1", 1.0, false),
            mapping("a:2", "b:2", 1.0, false),
            mapping("a:3", "b:3", 1.0, true),
            mapping("a:4", "b:4", 1.0, true),
        ];
        let found =
            [mapping("a:1", "b:1", 0.9, false), mapping("a:2", "b:2", 0.3, false), mapping("a:3", "b:3", 0.3, false)];
        let scores = MappingScores::of(&found, &gold, MappingScoring { threshold: 0.5, gold_is_partial: false });
        let judged = scores.judged.unwrap();
        assert_eq!((judged.positives, judged.negatives, judged.absent, judged.auc), (2, 2, 1, 0.875));
        // Bins: 0.9 of one mapping, 0.3 twice with one mapping, 0 of none: (0.1 + 0.4 + 0) / 4.
        assert!((judged.calibration_error - 0.125).abs() < 1e-12, "{judged:?}");
    }
}
