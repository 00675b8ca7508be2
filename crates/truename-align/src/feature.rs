//! The features of a pair of concepts: of names, of what else is known of both, and of the concepts around them.

use std::ops::{Index, IndexMut};

macro_rules! features {
    ($($feature:ident $name:literal,)*) => {
        /// A feature of a pair of concepts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Feature {
            $(#[doc = concat!("\"", $name, "\"")] $feature,)*
        }

        impl Feature {
            /// All features, in order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$feature),*];

            /// Returns the name.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$feature => $name,)*
                }
            }
        }
    };
}

features! {
    Constant "constant",
    EqualLabels "equal labels",
    LabelEqualsSynonym "label equals synonym",
    EqualSynonyms "equal synonyms",
    FurtherEqualNames "further equal names",
    EqualButForInflection "equal but for inflection",
    EqualButForWordOrder "equal but for word order",
    EqualBySynonymRules "equal by synonym rules",
    Acronym "acronym",
    Ambiguous "ambiguous",
    Short "short",
    Ngrams "n-grams",
    NgramsSquared "n-grams²",
    Words "words",
    WordsSquared "words²",
    WordsOfOneSide "words of one side",
    JaroWinkler "Jaro-Winkler",
    SortedWords "sorted words",
    DesignatorsDiffer "designators differ",
    NumbersDiffer "numbers differ",
    MissingInTarget "missing in target",
    MissingInSource "missing in source",
    UnexplainedInTarget "unexplained in target",
    UnexplainedInSource "unexplained in source",
    OneWord "one word",
    NgramsOfLabels "n-grams of labels",
    NamesShared "names shared",
    MarginOfSource "margin of source",
    MarginOfTarget "margin of target",
    NearestBothWays "nearest both ways",
    XrefsShared "cross-references shared",
    XrefsDiffer "cross-references differ",
    TypesAgree "types agree",
    TypesDiffer "types differ",
    Definitions "definitions",
    BothDefined "both defined",
    Vectors "vectors",
    VectorsOfLabels "vectors of labels",
    VectorMarginOfSource "margin of vectors of source",
    VectorMarginOfTarget "margin of vectors of target",
    RivalOfSource "rival of source",
    RivalOfTarget "rival of target",
    AncestorsAgree "ancestors agree",
    AncestorsDiffer "ancestors differ",
    ChildrenAgree "children agree",
    ChildrenDiffer "children differ",
    SiblingsAgree "siblings agree",
    SiblingsDiffer "siblings differ",
    DifferenceAgrees "same words differ in mappings",
    DifferenceDiffers "same words differ in other pairs",
    UnequalAncestorsAgree "unequal × ancestors agree",
    UnequalAncestorsDiffer "unequal × ancestors differ",
    UnequalChildrenAgree "unequal × children agree",
    UnequalSiblingsAgree "unequal × siblings agree",
    UnequalRivalOfSource "unequal × rival of source",
    UnequalRivalOfTarget "unequal × rival of target",
}

/// The features of a pair; all lie between -1 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Features([f32; Feature::ALL.len()]);

impl Default for Features {
    fn default() -> Self {
        Self([0.0; Feature::ALL.len()])
    }
}

impl Features {
    /// Returns the values in the order of [`Feature::ALL`].
    pub fn values(&self) -> &[f32; Feature::ALL.len()] {
        &self.0
    }

    /// Sets several features.
    pub(crate) fn set<const N: usize>(&mut self, values: [(Feature, f32); N]) {
        values.into_iter().for_each(|(feature, value)| self[feature] = value);
    }
}

impl Index<Feature> for Features {
    type Output = f32;

    fn index(&self, feature: Feature) -> &f32 {
        &self.0[feature as usize]
    }
}

impl IndexMut<Feature> for Features {
    fn index_mut(&mut self, feature: Feature) -> &mut f32 {
        &mut self.0[feature as usize]
    }
}
