//! Right and wrong decisions by NIL threshold.

use serde::Serialize;

use crate::JudgedName;

/// Thresholds that are compared.
const THRESHOLDS: [f64; 12] = [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9];

/// Decisions where answers with a probability below a threshold are NIL. Shares are from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NilTradeOff {
    /// The threshold.
    pub threshold: f64,
    /// Share of the names with an id whose first answer is right.
    pub right: f64,
    /// Share of the names with an id that are answered with another id.
    pub wrong: f64,
    /// Share of the names without an id that are answered NIL; `None` if there are none.
    pub nil: Option<f64>,
    /// Expected share of right decisions where `nil_share` of the names have no id; `None` if one of the kinds is missing.
    pub decisions: Option<f64>,
}

impl NilTradeOff {
    /// Returns the decisions at twelve thresholds from 0 to 0.9, if a share of the names asked for have no id.
    pub fn of(judged: &[JudgedName], nil_share: f64) -> Vec<Self> {
        let (without, with): (Vec<&JudgedName>, Vec<&JudgedName>) = judged.iter().partition(|one| one.gold.is_empty());
        let share = |names: &[&JudgedName], holds: &dyn Fn(&JudgedName) -> bool| {
            let count = names.iter().filter(|one| holds(one)).count();
            (!names.is_empty()).then(|| count as f64 / names.len() as f64)
        };
        let at = |threshold: f64| {
            let is_answered = |one: &JudgedName| !one.answers.is_empty() && one.confidence() >= threshold;
            let is_right = |one: &JudgedName| one.answers.first().is_some_and(|best| one.gold.contains(&best.id));
            let right = share(&with, &|one| is_answered(one) && is_right(one));
            let nil = share(&without, &|one| !is_answered(one));
            Self {
                threshold,
                right: right.unwrap_or_default(),
                wrong: share(&with, &|one| is_answered(one) && !is_right(one)).unwrap_or_default(),
                nil,
                decisions: right.zip(nil).map(|(right, nil)| (1.0 - nil_share) * right + nil_share * nil),
            }
        };
        THRESHOLDS.map(at).into()
    }
}
