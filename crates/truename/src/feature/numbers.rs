//! Agreement of the numbers (versions, types, positions).

use truename_text::similarity::number_agreement;

use super::Pair;

pub(super) const NAMES: &[&str] = &["numbers-shared", "numbers-missing", "numbers-extra"];

pub(super) fn measure(pair: &Pair<'_>, values: &mut Vec<f32>) {
    let agreement = number_agreement(pair.query, pair.name);
    // Counts are negated, so that the best of several names has the largest value.
    values.extend([agreement.shared as f32, -agreement.only_left as f32, -agreement.only_right as f32]);
}
