//! Likeness of the letters, spaces left out.

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

/// More edits than this are all the same.
const MOST_EDITS: usize = 8;

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
    // Negative, so that the best of several names is still the largest value.
    values.push(-(edits(query, name).min(MOST_EDITS) as f32));
}
