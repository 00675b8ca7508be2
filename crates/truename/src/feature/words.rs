//! Similarity of the words in any order, weighted by rarity.

use truename_text::similarity::{token_overlap, token_set_ratio, token_sort_ratio};

use super::Pair;

pub(super) const NAMES: &[&str] = &[
    "token-sort",
    "token-set",
    "query-words-in-name",
    "name-words-in-query",
    "query-words-near-name",
    "name-words-near-query",
    "first-word",
    "last-word",
    "missing-weight",
    "extra-weight",
];

pub(super) fn measure(pair: &Pair<'_>, values: &mut Vec<f32>) {
    let (query, name) = (pair.query, pair.name);
    let overlap = token_overlap(query, name, pair.query_weights, pair.name_weights);
    let same = |left: Option<u64>, right: Option<u64>| if left == right { 1.0 } else { 0.0 };
    let (query_weight, name_weight): (f64, f64) = (pair.query_weights.iter().sum(), pair.name_weights.iter().sum());
    let all = [
        token_sort_ratio(query, name),
        token_set_ratio(query, name),
        overlap.left,
        overlap.right,
        overlap.soft_left,
        overlap.soft_right,
        same(query.tokens.first().map(|token| token.hash), name.tokens.first().map(|token| token.hash)),
        same(query.tokens.last().map(|token| token.hash), name.tokens.last().map(|token| token.hash)),
        // Negated, so that the best of several names has the largest value.
        -(1.0 - overlap.soft_left) * query_weight,
        -(1.0 - overlap.soft_right) * name_weight,
    ];
    values.extend(all.map(|value| value as f32));
}
