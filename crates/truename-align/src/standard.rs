//! The standard weights, fitted to hidden cross-references of MONDO, DOID, EFO and MeSH.
//!
//! `truename-bench align --data DIR --fit` prints them. Those with vectors of MiniLM-L6 (`--encoder`) are fitted to DOID and MeSH alone. The sets lack
//! cross-references, types and definitions, whose weights are set by hand.

use crate::feature::Feature;

/// Weight of each feature, without vectors and with them.
pub(crate) const WEIGHTS: [[f64; 2]; Feature::ALL.len()] = [
    [-4.269, -2.220], // constant
    [1.581, 2.594],   // equal labels
    [0.323, 1.107],   // label equals synonym
    [0.218, 1.097],   // equal synonyms
    [1.959, 1.231],   // further equal names
    [2.302, 0.683],   // equal but for inflection
    [1.279, 1.267],   // equal but for word order
    [2.771, 1.494],   // equal by synonym rules
    [2.703, 1.436],   // acronym
    [-1.426, -0.976], // ambiguous
    [-0.510, -0.297], // short
    [-1.464, -0.425], // n-grams
    [0.954, -0.761],  // n-grams²
    [-0.628, 0.850],  // words
    [1.847, 0.231],   // words²
    [1.637, -0.045],  // words of one side
    [0.003, -0.769],  // Jaro-Winkler
    [0.806, -0.555],  // sorted words
    [-1.398, -1.263], // designators differ
    [-1.194, -1.227], // numbers differ
    [0.348, 0.313],   // missing in target
    [0.791, -0.881],  // missing in source
    [-1.347, -1.384], // unexplained in target
    [-2.372, -2.224], // unexplained in source
    [0.295, -0.299],  // one word
    [0.792, 0.294],   // n-grams of labels
    [0.329, 0.198],   // names shared
    [1.116, 0.450],   // margin of source
    [1.568, 1.198],   // margin of target
    [0.660, 0.407],   // nearest both ways
    [5.000, 5.000],   // cross-references shared
    [-1.000, -1.000], // cross-references differ
    [0.500, 0.500],   // types agree
    [-2.000, -2.000], // types differ
    [3.000, 3.000],   // definitions
    [-0.300, -0.300], // both defined
    [0.000, 1.372],   // vectors
    [0.000, 0.461],   // vectors of labels
    [0.000, 3.308],   // margin of vectors of source
    [0.000, 2.399],   // margin of vectors of target
    [-3.243, -2.496], // rival of source
    [-2.618, -1.862], // rival of target
    [0.663, 1.520],   // ancestors agree
    [-0.348, 0.651],  // ancestors differ
    [0.982, 0.922],   // children agree
    [-1.369, -0.259], // children differ
    [0.913, 0.884],   // siblings agree
    [0.375, 0.291],   // siblings differ
    [1.558, 1.685],   // same words differ in mappings
    [-0.617, -0.431], // same words differ in other pairs
    [0.308, -1.378],  // unequal × ancestors agree
    [-0.100, -1.683], // unequal × ancestors differ
    [2.292, 1.661],   // unequal × children agree
    [0.722, -0.464],  // unequal × siblings agree
    [0.061, 1.385],   // unequal × rival of source
    [0.863, 2.014],   // unequal × rival of target
];

/// Share of matches among the pairs that the weights were fitted to, without vectors and with them.
pub(crate) const MATCH_SHARES: [f64; 2] = [0.022, 0.024];
