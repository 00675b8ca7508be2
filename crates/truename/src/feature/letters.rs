//! Similarity of the letters, without spaces.

use truename_text::similarity::{common_prefix, common_subsequence, containment, edits, jaro_winkler};

use super::Pair;

pub(super) const NAMES: &[&str] = &[
    "jaro-winkler",
    "subsequence-of-query",
    "subsequence-of-name",
    "query-in-name",
    "name-in-query",
    "common-prefix",
    "length-ratio",
    "edits",
];

/// Maximum number of edits; more are counted as this many.
const MAX_EDITS: usize = 8;

pub(super) fn measure(pair: &Pair<'_>, values: &mut Vec<f32>) {
    let (query, name) = (pair.query, pair.name);
    let (of_query, of_name) = common_subsequence(query, name);
    let (shorter, longer) =
        (query.letters.len().min(name.letters.len()), query.letters.len().max(name.letters.len()).max(1));
    let all = [
        jaro_winkler(query, name),
        of_query,
        of_name,
        containment(query, name),
        containment(name, query),
        common_prefix(query, name),
        shorter as f64 / longer as f64,
    ];
    values.extend(all.map(|value| value as f32));
    // Negated, so that the best of several names has the largest value.
    values.push(-(edits(query, name).min(MAX_EDITS) as f32));
}
