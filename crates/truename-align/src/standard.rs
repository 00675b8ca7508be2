//! The standard weights, fitted to hidden cross-references of MONDO, DOID, EFO and MeSH.
//!
//! `truename-bench align --data DIR --fit` prints them. Those with vectors of MiniLM-L6 are fitted to DOID and MeSH alone. The sets lack cross-references, types and definitions, whose weights are set by hand.

use crate::feature::FEATURES;

/// Weights without vectors, and the share of matches among the pairs.
pub(crate) const LEXICAL: ([f64; FEATURES.len()], f64) = (
    [
        -5.594, // constant
        2.268,  // equal labels
        1.133,  // label equals synonym
        1.036,  // equal synonyms
        1.912,  // further equal names
        3.385,  // equal but for inflection
        2.288,  // equal but for word order
        6.060,  // equal by synonym rules
        2.729,  // acronym
        -1.404, // ambiguous
        -0.066, // short
        -2.269, // n-grams
        3.308,  // n-grams²
        0.122,  // words
        0.471,  // words²
        1.946,  // words of one side
        0.177,  // Jaro-Winkler
        -0.196, // sorted words
        -1.947, // designators differ
        -1.640, // numbers differ
        -0.033, // missing in target
        -0.427, // missing in source
        -0.062, // one word
        0.950,  // n-grams of labels
        0.342,  // names shared
        0.718,  // margin of source
        1.446,  // margin of target
        0.785,  // nearest both ways
        5.000,  // cross-references shared
        -1.000, // cross-references differ
        0.500,  // types agree
        -2.000, // types differ
        3.000,  // definitions
        -0.300, // both defined
        0.000,  // vectors
        0.000,  // vectors of labels
        0.000,  // margin of vectors of source
        0.000,  // margin of vectors of target
        -3.194, // rival of source
        -2.642, // rival of target
        0.568,  // ancestors agree
        -0.334, // ancestors differ
        1.022,  // children agree
        -1.478, // children differ
        1.105,  // siblings agree
        0.429,  // siblings differ
        0.553,  // unequal × ancestors agree
        -0.380, // unequal × ancestors differ
        2.698,  // unequal × children agree
        0.463,  // unequal × siblings agree
        -0.431, // unequal × rival of source
        0.778,  // unequal × rival of target
    ],
    0.022,
);
/// The same with vectors.
pub(crate) const DENSE: ([f64; FEATURES.len()], f64) = (
    [
        -3.614, // constant
        2.266,  // equal labels
        0.100,  // label equals synonym
        0.403,  // equal synonyms
        0.365,  // further equal names
        3.452,  // equal but for inflection
        3.049,  // equal but for word order
        5.636,  // equal by synonym rules
        0.991,  // acronym
        0.000,  // ambiguous
        0.199,  // short
        -0.403, // n-grams
        0.102,  // n-grams²
        0.122,  // words
        0.259,  // words²
        0.615,  // words of one side
        -0.263, // Jaro-Winkler
        -0.030, // sorted words
        -2.174, // designators differ
        -1.590, // numbers differ
        -0.405, // missing in target
        -1.433, // missing in source
        0.294,  // one word
        0.051,  // n-grams of labels
        0.747,  // names shared
        0.328,  // margin of source
        1.280,  // margin of target
        0.553,  // nearest both ways
        5.000,  // cross-references shared
        -1.000, // cross-references differ
        0.500,  // types agree
        -2.000, // types differ
        3.000,  // definitions
        -0.300, // both defined
        1.434,  // vectors
        0.240,  // vectors of labels
        3.790,  // margin of vectors of source
        2.305,  // margin of vectors of target
        -1.881, // rival of source
        -1.760, // rival of target
        0.406,  // ancestors agree
        0.475,  // ancestors differ
        0.968,  // children agree
        -0.418, // children differ
        0.771,  // siblings agree
        -0.369, // siblings differ
        -0.143, // unequal × ancestors agree
        -1.756, // unequal × ancestors differ
        2.331,  // unequal × children agree
        -0.119, // unequal × siblings agree
        0.552,  // unequal × rival of source
        1.653,  // unequal × rival of target
    ],
    0.0167,
);
