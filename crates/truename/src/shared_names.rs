//! Resolves names that several concepts share.

use std::collections::BTreeSet;
use std::sync::Arc;

use truename_kb::ConceptId;

use crate::explain::explain_shared;
use crate::{Ambiguous, Candidate, LinkOptions, LinkedMention};

/// Resolves names that several concepts share, one document at a time.
pub(crate) struct SharedNames {
    policy: Ambiguous,
    top: usize,
    /// True if the user set the threshold; then only the probability of the answer counts.
    has_own_threshold: bool,
    threshold: f64,
}

impl SharedNames {
    pub(crate) fn new(options: &LinkOptions, threshold: f64) -> Self {
        let LinkOptions { ambiguous: policy, top, min_probability, .. } = *options;
        Self { policy, top, has_own_threshold: min_probability.is_some(), threshold }
    }

    /// Chooses between the concepts that share a name, and keeps as many candidates as were asked for.
    pub(crate) fn resolve(&self, mentions: &mut [LinkedMention]) {
        let named: BTreeSet<ConceptId> = mentions
            .iter()
            .filter(|mention| mention.link.shared() < 2)
            .filter_map(|mention| mention.link.id().cloned())
            .collect();
        for mention in mentions {
            match mention.link.shared() {
                count @ 2.. => self.resolve_one(mention, count, &named),
                _ if mention.link.candidates.len() > self.top => {
                    Arc::make_mut(&mut mention.link).candidates.truncate(self.top);
                }
                _ => {}
            }
        }
    }

    fn resolve_one(&self, mention: &mut LinkedMention, count: usize, named: &BTreeSet<ConceptId>) {
        let link = Arc::make_mut(&mut mention.link);
        let is_meant = put_first(&mut link.candidates, count, named);
        let whole: f64 = link.candidates[..count].iter().map(|candidate| candidate.probability).sum();
        let reached = if self.has_own_threshold { link.candidates[0].probability } else { whole };
        link.is_nil = self.policy == Ambiguous::Nil || reached < self.threshold;
        if link.explanation.is_some() {
            link.explanation = Some(explain_shared(link, count, is_meant) + &link.context_explanation);
        }
        link.candidates.truncate(if self.policy == Ambiguous::All { self.top.max(count) } else { self.top });
    }
}

/// Moves the concepts that share the name to the front: likeliest first, then preferred names before synonyms. Moves
/// the probability of all sharers to a concept that the document also mentions by another name. Returns whether there
/// was one.
fn put_first(candidates: &mut [Candidate], count: usize, named: &BTreeSet<ConceptId>) -> bool {
    candidates.sort_by(|left, right| {
        let is_shared = |candidate: &Candidate| candidate.scores.exact == 1.0;
        let is_preferred = |candidate: &Candidate| candidate.matched_name == candidate.preferred_name;
        (is_shared(right).cmp(&is_shared(left)))
            .then(right.probability.total_cmp(&left.probability))
            .then(is_preferred(right).cmp(&is_preferred(left)))
            .then_with(|| left.id.cmp(&right.id))
    });
    let shared = &mut candidates[..count];
    let mut meant = (0..count).filter(|at| named.contains(&shared[*at].id));
    let (Some(meant), None) = (meant.next(), meant.next()) else { return false };
    let whole = shared.iter().map(|candidate| candidate.probability).sum();
    shared.iter_mut().for_each(|candidate| candidate.probability = 0.0);
    shared[meant].probability = whole;
    shared[..=meant].rotate_right(1);
    true
}
