//! Scores of the candidate generators.

use super::Pair;

pub(super) const NAMES: &[&str] = &["key", "ngram", "identical"];

pub(super) fn measure(pair: &Pair<'_>, values: &mut Vec<f32>) {
    values.extend([
        f32::from(pair.proposal.key as u8),
        pair.proposal.ngram,
        f32::from(u8::from(pair.query.written == pair.name.written)),
    ]);
}
