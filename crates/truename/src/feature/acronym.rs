//! Features of acronyms: one name abbreviates the other.

use truename_text::similarity::acronym_fit;

use super::Pair;

pub(super) const NAMES: &[&str] = &["query-is-acronym", "name-is-acronym"];

pub(super) fn measure(pair: &Pair<'_>, values: &mut Vec<f32>) {
    values.extend([acronym_fit(pair.query, pair.name) as f32, acronym_fit(pair.name, pair.query) as f32]);
}
