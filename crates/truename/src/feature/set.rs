//! Feature sets, lexical and dense: the features that a ranker was fitted on, by a hash of their names.

use truename_text::stable_hash;

use super::names;

/// The feature set that a [`Ranker`](crate::Ranker) was fitted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FeatureSet {
    /// Features of the names' characters and words.
    Lexical,
    /// Lexical features and the cosines of the names' vectors.
    Dense,
}

impl FeatureSet {
    /// All feature sets. A knowledge base can have a fitted ranker for each.
    pub(crate) const ALL: [Self; 2] = [Self::Lexical, Self::Dense];

    /// Returns the feature set of a knowledge base with an encoder or without.
    pub(crate) fn of_encoder(has_encoder: bool) -> Self {
        if has_encoder { Self::Dense } else { Self::Lexical }
    }

    /// Returns the names of the features in the order of a row.
    pub(crate) fn names(self) -> Vec<String> {
        names(self)
    }

    /// Returns the hash of the feature names, stored in every fitted ranker.
    pub(crate) fn layout(self) -> u64 {
        stable_hash(&self.names().join("\n"))
    }

    /// Returns the meta key under which a knowledge base keeps its fitted ranker.
    pub(crate) fn meta_key(self) -> &'static str {
        match self {
            Self::Lexical => "ranker",
            Self::Dense => "dense-ranker",
        }
    }
}
