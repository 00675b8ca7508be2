//! Models of pairs: a trained classifier, or the weights of the lexical scorer.

use super::{LexicalScorer, LexicalWeights, PairClassifier, PairScorer, Tables};

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
    /// Returns a scorer of pairs of the tables.
    pub fn scorer<'a>(&'a self, tables: Tables<'a>) -> Box<dyn PairScorer + 'a> {
        match self {
            Self::Classifier(classifier) => Box::new(classifier.scorer(tables)),
            Self::Lexical(weights) => Box::new(LexicalScorer::new(tables).with_weights((**weights).clone())),
        }
    }
}
