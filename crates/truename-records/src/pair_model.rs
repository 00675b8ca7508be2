//! Models of pairs: a trained classifier, or the weights of the lexical scorer.

use super::{LexicalScorer, LexicalWeights, PairClassifier, PairScorer, PairTables, Tables};

/// A model that makes scorers of pairs.
pub enum PairModel {
    /// A trained classifier.
    Classifier(Box<PairClassifier>),
    /// A logistic regression over letters and words.
    Lexical(Box<LexicalWeights>),
}

impl Default for PairModel {
    /// The lexical scorer with its standard weights.
    fn default() -> Self {
        Self::Lexical(Box::default())
    }
}

impl PairModel {
    /// Fits the lexical scorer to labelled pairs of texts, which are read as [`PairTables::of_texts`] does.
    pub fn fitted<'a>(labelled: impl IntoIterator<Item = (&'a str, &'a str, bool)>) -> Self {
        let labelled: Vec<_> = labelled.into_iter().collect();
        let tables = PairTables::of_texts(labelled.iter().map(|(left, right, _)| (*left, *right)));
        let pairs: Vec<_> = tables.pairs().iter().copied().zip(labelled.iter().map(|one| one.2)).collect();
        Self::Lexical(Box::new(LexicalScorer::new(tables.tables()).fit(&pairs)))
    }

    /// Returns a scorer of pairs of the tables.
    pub fn scorer<'a>(&'a self, tables: Tables<'a>) -> Box<dyn PairScorer + 'a> {
        match self {
            Self::Classifier(classifier) => Box::new(classifier.scorer(tables)),
            Self::Lexical(weights) => Box::new(LexicalScorer::new(tables).with_weights((**weights).clone())),
        }
    }
}
