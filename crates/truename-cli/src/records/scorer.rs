//! The scorer of pairs that the arguments name.

use std::path::Path;

use truename_eval::pairs::{LabelledPair, read_pairs};
use truename_records::{
    ClassifierScorer, LexicalScorer, LexicalWeights, PairClassifier, PairScorer, PairTables, RecordPair, Tables,
};

use crate::arguments::PairScorerArguments;
use crate::count::counted;

/// A scorer that is not yet made for tables.
pub enum Scorer {
    Classifier(Box<PairClassifier>),
    Lexical(Box<LexicalWeights>),
}

/// A scorer of pairs of some tables.
pub enum TableScorer<'a> {
    Classifier(ClassifierScorer<'a>),
    Lexical(Box<LexicalScorer>),
}

impl Scorer {
    pub fn open(arguments: &PairScorerArguments) -> anyhow::Result<Self> {
        Ok(match (&arguments.model, &arguments.labels) {
            (Some(folder), _) => Self::Classifier(Box::new(PairClassifier::open(folder)?)),
            (None, Some(labels)) => Self::Lexical(Box::new(fitted_weights(labels)?)),
            (None, None) => Self::Lexical(Box::default()),
        })
    }

    pub fn of<'a>(&'a self, tables: Tables<'a>) -> TableScorer<'a> {
        match self {
            Self::Classifier(classifier) => TableScorer::Classifier(classifier.scorer(tables)),
            Self::Lexical(weights) => {
                TableScorer::Lexical(Box::new(LexicalScorer::new(tables).with_weights((**weights).clone())))
            }
        }
    }
}

impl TableScorer<'_> {
    /// Reports the number of pairs that the classifier's window cut.
    pub fn say_truncated(&self) {
        if let Self::Classifier(scorer) = self
            && scorer.truncated() > 0
        {
            let pairs = counted(scorer.truncated(), "pair");
            crate::say!("{pairs} longer than the classifier's window; only the beginnings of the records are read");
        }
    }
}

impl PairScorer for TableScorer<'_> {
    fn score(&self, pairs: &[RecordPair]) -> Result<Vec<f64>, truename::Error> {
        match self {
            Self::Classifier(scorer) => scorer.score(pairs),
            Self::Lexical(scorer) => scorer.score(pairs),
        }
    }
}

/// Fits the lexical scorer to a file of labelled pairs.
fn fitted_weights(path: &Path) -> anyhow::Result<LexicalWeights> {
    let labelled = read_pairs(path)?;
    let texts = labelled.iter().map(|pair| (pair.left.as_str(), pair.right.as_str()));
    let tables = PairTables::of_texts(texts);
    let labels = labelled.iter().map(|LabelledPair { is_same, .. }| *is_same);
    let pairs: Vec<(RecordPair, bool)> = tables.pairs().iter().copied().zip(labels).collect();
    Ok(LexicalScorer::new(tables.tables()).fit(&pairs))
}
