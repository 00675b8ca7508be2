//! A pair scorer by a trained classifier of serialised records.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use truename_error::{ErrorKind, HintPart, hint};
use truename_infer::{Classifier, ClassifyText};

use super::{PairScorer, RecordPair, Tables};
use crate::Error;

/// Labels of pairs of the same thing, where the classifier names none as positive.
const POSITIVE: [&str; 4] = ["1", "true", "same", "match"];

/// A trained classifier of pairs of records.
pub struct PairClassifier {
    classifier: Classifier,
    /// Place of the label of pairs of the same thing.
    positive: usize,
}

/// Scores pairs of records, each serialised as `COL name VAL value …`, by a classifier that was trained on such pairs.
pub struct ClassifierScorer<'a> {
    classifier: &'a PairClassifier,
    tables: Tables<'a>,
    truncated: AtomicU64,
}

impl PairClassifier {
    /// Opens a model folder.
    ///
    /// # Errors
    /// If the folder has no classifier, a file is missing or is not what it should be, or the classifier is not one of pairs
    /// with two labels, such as 0 and 1.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let classifier = Classifier::open(folder)?;
        let refused = |reason: String| {
            let train = HintPart::action("train").value("recipes/record-pairs.toml");
            Error::new(ErrorKind::Choice, format!("{} is no classifier of pairs: it {reason}", folder.display()))
                .with_hint(hint!["train one on labelled pairs: ", train])
        };
        let config = classifier.config();
        if config.columns.len() == 1 {
            return Err(refused("classifies single texts".into()));
        }
        let [_, _] = config.labels[..] else {
            return Err(refused(match config.labels.len() {
                0 => "predicts values".into(),
                labels => format!("has {labels} labels, and not two"),
            }));
        };
        let is_positive = |label: &String| match &config.positive {
            Some(positive) => label == positive,
            None => POSITIVE.contains(&label.to_lowercase().as_str()),
        };
        let positive = config.labels.iter().position(is_positive);
        let positive = positive.ok_or_else(|| refused(format!("has the labels {}", config.labels.join(" and "))))?;
        Ok(Self { classifier, positive })
    }

    /// Returns the scorer of pairs of the tables.
    pub fn scorer<'a>(&'a self, tables: Tables<'a>) -> ClassifierScorer<'a> {
        ClassifierScorer { classifier: self, tables, truncated: AtomicU64::new(0) }
    }
}

impl PairScorer for ClassifierScorer<'_> {
    fn score(&self, pairs: &[RecordPair]) -> Result<Vec<f64>, Error> {
        let serialized = |pair: &RecordPair| {
            let (left, right) = self.tables.records(*pair);
            (left.serialized(), right.serialized())
        };
        let texts: Vec<(String, String)> = pairs.iter().map(serialized).collect();
        let texts: Vec<ClassifyText<'_>> =
            texts.iter().map(|(left, right)| ClassifyText { first: left, second: Some(right) }).collect();
        let classified = self.classifier.classifier.classify(&texts)?;
        self.truncated.fetch_add(classified.truncated.len() as u64, Ordering::Relaxed);
        Ok(classified.scores.iter().map(|scores| f64::from(scores[self.classifier.positive])).collect())
    }

    fn truncated(&self) -> u64 {
        self.truncated.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use truename_infer::{Checkpoint, ClassifyConfig, Pooling, Tensor, Tensors};

    use super::*;
    use crate::PairTables;

    /// Writes a classifier over a small encoder of random weights.
    fn folder(change: impl FnOnce(&mut ClassifyConfig)) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut checkpoint = Checkpoint::open("../truename-infer/tests/models/bert".as_ref()).unwrap();
        let mut config = ClassifyConfig::new(vec!["0".into(), "1".into()], 16, Pooling::Cls);
        config.columns = vec!["left".into(), "right".into()];
        change(&mut config);
        let (outputs, hidden) = (config.outputs(), checkpoint.hidden());
        checkpoint.manifest_mut().set_head(ClassifyConfig::HEAD, &config).unwrap();
        let weights = (0..outputs * hidden).map(|at| (at as f32 * 0.37).sin()).collect();
        let tensors: Tensors = [
            ("classes.weight".to_owned(), Tensor::new(vec![outputs, hidden], weights)),
            ("classes.bias".to_owned(), Tensor::new(vec![outputs], vec![0.0; outputs])),
        ]
        .into();
        checkpoint.save(folder.path(), &tensors, None).unwrap();
        folder
    }

    #[test]
    fn pairs_have_the_probability_of_the_positive_label() {
        let pairs = PairTables::of_texts([
            ("COL a VAL x", "COL a VAL y"),
            ("COL a VAL x x x x x x x x x x x x", "COL a VAL z"),
        ]);
        let one = folder(|_| ());
        let classifier = PairClassifier::open(one.path()).unwrap();
        let scorer = classifier.scorer(pairs.tables());
        let scores = scorer.score(pairs.pairs()).unwrap();
        let texts = [ClassifyText { first: "COL a VAL x", second: Some("COL a VAL y") }];
        let expected = Classifier::open(one.path()).unwrap().scores(&texts).unwrap();
        assert_eq!(scores[0], f64::from(expected[0][1]));
        assert_eq!((scores.len(), scorer.truncated()), (2, 1));
        // A pair has the same score alone.
        assert_eq!(scorer.score(&pairs.pairs()[1..]).unwrap(), scores[1..]);
        let zero = folder(|config| config.positive = Some("0".into()));
        let zero = PairClassifier::open(zero.path()).unwrap().scorer(pairs.tables()).score(pairs.pairs()).unwrap();
        assert!((zero[0] + scores[0] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn other_classifiers_are_refused() {
        let refused = |change: &dyn Fn(&mut ClassifyConfig)| {
            let folder = folder(change);
            let error = PairClassifier::open(folder.path()).err().unwrap();
            assert!(error.hint().unwrap().to_string().contains("record-pairs.toml"));
            let message = error.to_string();
            message.rsplit_once(": it ").unwrap().1.to_owned()
        };
        assert_eq!(refused(&|config| config.columns.truncate(1)), "classifies single texts");
        assert_eq!(refused(&|config| config.labels.clear()), "predicts values");
        assert_eq!(refused(&|config| config.labels.push("2".into())), "has 3 labels, and not two");
        assert_eq!(refused(&|config| config.labels[1] = "x".into()), "has the labels 0 and x");
    }
}
