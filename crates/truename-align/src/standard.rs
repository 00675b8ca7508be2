//! The standard weights, fitted to hidden cross-references of MONDO, DOID, EFO and MeSH.
//!
//! `truename-bench align --data DIR --fit` prints them, with `--encoder` those with vectors of MiniLM-L6. The sets lack cross-references, types and
//! definitions, whose weights are set by hand.

use crate::feature::Feature;

/// Weight of each feature, without vectors and with them.
pub(crate) const WEIGHTS: [[f64; 2]; Feature::ALL.len()] = [
    [-4.269, -6.616], // constant
    [1.581, 1.650],   // equal labels
    [0.323, 0.323],   // label equals synonym
    [0.218, 0.207],   // equal synonyms
    [1.959, 1.990],   // further equal names
    [2.302, 2.246],   // equal but for inflection
    [1.279, 1.241],   // equal but for word order
    [2.771, 2.770],   // equal by synonym rules
    [2.703, 2.210],   // acronym
    [-1.426, -1.383], // ambiguous
    [-0.510, -0.516], // short
    [-1.464, 0.423],  // n-grams
    [0.954, -1.111],  // n-grams²
    [-0.628, -0.517], // words
    [1.847, 1.386],   // words²
    [1.637, 1.033],   // words of one side
    [0.003, -0.181],  // Jaro-Winkler
    [0.806, 0.172],   // sorted words
    [-1.398, -1.867], // designators differ
    [-1.194, -1.192], // numbers differ
    [0.348, 0.129],   // missing in target
    [0.791, 0.464],   // missing in source
    [-1.347, -1.043], // unexplained in target
    [-2.372, -1.983], // unexplained in source
    [0.295, 0.265],   // one word
    [0.792, 0.260],   // n-grams of labels
    [0.329, 0.281],   // names shared
    [1.116, 0.991],   // margin of source
    [1.568, 1.366],   // margin of target
    [0.660, 0.550],   // nearest both ways
    [5.000, 5.000],   // cross-references shared
    [-1.000, -1.000], // cross-references differ
    [0.500, 0.500],   // types agree
    [-2.000, -2.000], // types differ
    [3.000, 3.000],   // definitions
    [-0.300, -0.300], // both defined
    [0.000, 4.207],   // vectors
    [0.000, 0.638],   // vectors of labels
    [0.000, 0.671],   // margin of vectors of source
    [0.000, 1.231],   // margin of vectors of target
    [-3.243, -3.247], // rival of source
    [-2.618, -2.510], // rival of target
    [0.663, 0.594],   // ancestors agree
    [-0.348, -0.329], // ancestors differ
    [0.982, 0.967],   // children agree
    [-1.369, -1.338], // children differ
    [0.913, 0.958],   // siblings agree
    [0.375, 0.269],   // siblings differ
    [1.558, 1.359],   // same words differ in mappings
    [-0.617, -0.659], // same words differ in other pairs
    [0.308, 0.197],   // unequal × ancestors agree
    [-0.100, 0.071],  // unequal × ancestors differ
    [2.292, 1.990],   // unequal × children agree
    [0.722, 0.581],   // unequal × siblings agree
    [0.061, 0.026],   // unequal × rival of source
    [0.863, 0.799],   // unequal × rival of target
];

/// Share of matches among the pairs that the weights were fitted to, without vectors and with them.
pub(crate) const MATCH_SHARES: [f64; 2] = [0.022, 0.016];
