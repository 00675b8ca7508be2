//! Documents with gold mentions and linked ones, and when two ids are the same.

use truename_text::{Mention, Span};

use super::precision_recall::{BOUNDS, Place};
use crate::overlap::overlapping;

/// A document with the mentions of its annotators and those of the system.
#[derive(Clone, Debug, Default)]
pub struct JudgedDocument {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// The mentions of the annotators.
    pub gold: Vec<Mention>,
    /// The mentions of the system.
    pub found: Vec<FoundMention>,
    /// The candidates of each gold mention, best first, from a run in which the system was given its span.
    pub given: Vec<Vec<Answer>>,
}

impl JudgedDocument {
    /// Returns each gold and found mention that share text, by their places in the lists.
    pub(super) fn overlapping(&self) -> Vec<(usize, usize)> {
        let gold: Vec<Span> = self.gold.iter().map(|mention| mention.span).collect();
        let found: Vec<Span> = self.found.iter().map(|mention| mention.span).collect();
        overlapping(&gold, &found)
    }

    /// Returns for each gold mention the span of the found mentions within it, if it is composite and one of them is discontinuous: these
    /// are its names, and count together as one mention. `pairs` are those that share text.
    fn composites(&self, pairs: &[(usize, usize)]) -> Vec<Option<Span>> {
        let mut composites: Vec<(Option<Span>, bool)> = vec![(None, false); self.gold.len()];
        for (gold, found) in pairs.iter().map(|(gold, found)| (*gold, &self.found[*found])) {
            if is_composite(&self.gold[gold]) && self.gold[gold].span.contains(found.span) {
                let (span, is_read) = &mut composites[gold];
                let Span { start, end } = span.unwrap_or(found.span);
                *span = Some(Span::new(start.min(found.span.start), end.max(found.span.end)));
                *is_read |= !found.fragments.is_empty();
            }
        }
        composites.into_iter().map(|(span, is_read)| span.filter(|_| is_read)).collect()
    }
}

/// Gold and found mentions of a document that share text.
pub(super) struct Pairs<'d> {
    document: &'d JudgedDocument,
    /// Places of a gold mention and a found one in their lists.
    pub(super) all: Vec<(usize, usize)>,
    /// The span of the names that were found within each gold mention, where they count together as one mention.
    composites: Vec<Option<Span>>,
}

impl<'d> Pairs<'d> {
    pub(super) fn of(document: &'d JudgedDocument) -> Self {
        let all = document.overlapping();
        let composites = document.composites(&all);
        Self { document, all, composites }
    }

    /// Returns the mentions of a pair.
    pub(super) fn mentions(&self, (gold, found): &(usize, usize)) -> (&'d Mention, &'d FoundMention) {
        (&self.document.gold[*gold], &self.document.found[*found])
    }

    /// Returns whether the found mention of a pair has those bounds of the gold one.
    pub(super) fn is_met(&self, bounds: fn(Place<'_>, Place<'_>) -> bool, at: &(usize, usize)) -> bool {
        let (gold, found) = self.mentions(at);
        let place = match self.composites[at.0].filter(|_| gold.span.contains(found.span)) {
            Some(span) => (span, &[][..]),
            None => (found.span, &found.fragments[..]),
        };
        bounds((gold.span, &gold.fragments), place)
    }

    /// Returns whether both bounds and the id of a pair are right.
    pub(super) fn is_linked(&self, at: &(usize, usize)) -> bool {
        let (gold, found) = self.mentions(at);
        self.is_met(BOUNDS[0], at) && found.answer.as_ref().is_some_and(|answer| answer.is_any(gold))
    }
}

/// Returns true if a gold mention in one piece stands for several concepts (`D001943|D010051`).
pub(super) fn is_composite(gold: &Mention) -> bool {
    gold.fragments.is_empty() && gold.id.as_ref().is_some_and(|id| id.contains('|'))
}

/// A mention of the system.
#[derive(Clone, Debug)]
pub struct FoundMention {
    /// Its place in the text.
    pub span: Span,
    /// The pieces of a discontinuous mention; empty where the mention is the whole span.
    pub fragments: Vec<Span>,
    /// Its types.
    pub types: Vec<String>,
    /// Its concept; `None` where the answer is NIL.
    pub answer: Option<Answer>,
    /// Probability of its mention and concept; 0 without a candidate.
    pub probability: f64,
}

/// A concept with all ids that annotators may use for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its id and the ids of its cross-references, its own first.
    pub ids: Vec<String>,
}

impl Answer {
    /// Returns true where an annotator's id names the concept. The prefix (`MESH:` in `MESH:D001249`) counts only if
    /// both ids have one.
    pub fn is(&self, gold: &str) -> bool {
        self.ids.iter().any(|id| same_id(id, gold))
    }

    pub(super) fn is_any(&self, mention: &Mention) -> bool {
        mention.ids().any(|gold| self.is(gold))
    }
}

fn same_id(left: &str, right: &str) -> bool {
    fn local(id: &str) -> (Option<&str>, &str) {
        id.split_once(':').map_or((None, id), |(prefix, local)| (Some(prefix), local))
    }
    let ((left_prefix, left_local), (right_prefix, right_local)) = (local(left), local(right));
    let prefixes = left_prefix.zip(right_prefix).is_none_or(|(left, right)| left.eq_ignore_ascii_case(right));
    prefixes && left_local == right_local
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_that_one_side_lacks_do_not_matter() {
        assert!(same_id("MESH:D1", "D1") && same_id("mesh:D1", "MESH:D1") && same_id("D1", "D1"));
        assert!(!same_id("OMIM:1", "MESH:1") && !same_id("D1", "D12"));
    }
}
