//! Weights of the lexical scorer without labels, fitted to public data.

use super::feature::FEATURES;

/// Weights fitted to the train parts of DBLP-ACM, DBLP-Scholar and WDC products (cameras, computers, shoes and watches, medium),
/// bibliographies and products with equal weight (`truename-bench record-weights`).
///
/// F1 on the parts held out, by these weights and by weights fitted without the set: DBLP-ACM 95.7 and 91.2, DBLP-Scholar 89.8
/// and 83.7, WDC cameras 75.3 and 74.9, computers 80.5 and 79.9, shoes 70.6 and 69.8, watches 76.9 and 76.2.
///
/// The weights of designators and of distinguishing words are not fitted: they are those that make a pair unlikely that agrees in all else.
#[rustfmt::skip]
pub(super) const STANDARD: [f64; FEATURES.len()] = [
    -4.924, // constant
    -5.087, // words
    1.175, // words²
    0.361, // n-grams
    -2.055, // n-grams²
    1.696, // containment
    1.152, // codes shared
    -2.146, // codes differ
    -0.052, // no code
    6.403, // rarest word shared
    0.412, // rarest word differs
    5.172, // columns
    -0.088, // columns²
    -1.133, // least column
    1.384, // main column
    0.486, // main column²
    1.267, // main column equal
    -2.936, // columns equal
    -1.667, // numbers equal
    0.072, // numbers differ
    -1.156, // missing on one side
    -0.189, // n-grams × codes differ
    -4.374, // n-grams × numbers differ
    0.198, // n-grams × rarest word differs
    -6.583, // several columns
    10.168, // n-grams × several columns
    2.319, // containment × several columns
    -2.477, // rarest word shared × several columns
    -8.0, // designators differ
    -6.0, // distinguishing words differ
];
