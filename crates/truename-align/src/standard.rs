//! The standard weights, fitted to hidden cross-references of MONDO, DOID, EFO and MeSH.
//!
//! `truename-bench align --data DIR --fit` prints them. Those with vectors of MiniLM-L6 are fitted to DOID and MeSH alone. The sets lack cross-references, types and definitions, whose weights are set by hand.

use crate::feature::FEATURES;

/// Weight of each feature, without vectors and with them.
pub(crate) const WEIGHTS: [[f64; 2]; FEATURES.len()] = [
    [-5.594, -3.614], // constant
    [2.268, 2.266],   // equal labels
    [1.133, 0.100],   // label equals synonym
    [1.036, 0.403],   // equal synonyms
    [1.912, 0.365],   // further equal names
    [3.385, 3.452],   // equal but for inflection
    [2.288, 3.049],   // equal but for word order
    [6.060, 5.636],   // equal by synonym rules
    [2.729, 0.991],   // acronym
    [-1.404, 0.000],  // ambiguous
    [-0.066, 0.199],  // short
    [-2.269, -0.403], // n-grams
    [3.308, 0.102],   // n-grams²
    [0.122, 0.122],   // words
    [0.471, 0.259],   // words²
    [1.946, 0.615],   // words of one side
    [0.177, -0.263],  // Jaro-Winkler
    [-0.196, -0.030], // sorted words
    [-1.947, -2.174], // designators differ
    [-1.640, -1.590], // numbers differ
    [-0.033, -0.405], // missing in target
    [-0.427, -1.433], // missing in source
    [-0.062, 0.294],  // one word
    [0.950, 0.051],   // n-grams of labels
    [0.342, 0.747],   // names shared
    [0.718, 0.328],   // margin of source
    [1.446, 1.280],   // margin of target
    [0.785, 0.553],   // nearest both ways
    [5.000, 5.000],   // cross-references shared
    [-1.000, -1.000], // cross-references differ
    [0.500, 0.500],   // types agree
    [-2.000, -2.000], // types differ
    [3.000, 3.000],   // definitions
    [-0.300, -0.300], // both defined
    [0.000, 1.434],   // vectors
    [0.000, 0.240],   // vectors of labels
    [0.000, 3.790],   // margin of vectors of source
    [0.000, 2.305],   // margin of vectors of target
    [-3.194, -1.881], // rival of source
    [-2.642, -1.760], // rival of target
    [0.568, 0.406],   // ancestors agree
    [-0.334, 0.475],  // ancestors differ
    [1.022, 0.968],   // children agree
    [-1.478, -0.418], // children differ
    [1.105, 0.771],   // siblings agree
    [0.429, -0.369],  // siblings differ
    [0.553, -0.143],  // unequal × ancestors agree
    [-0.380, -1.756], // unequal × ancestors differ
    [2.698, 2.331],   // unequal × children agree
    [0.463, -0.119],  // unequal × siblings agree
    [-0.431, 0.552],  // unequal × rival of source
    [0.778, 1.653],   // unequal × rival of target
];

/// Share of matches among the pairs that the weights were fitted to, without vectors and with them.
pub(crate) const MATCH_SHARES: [f64; 2] = [0.022, 0.0167];
