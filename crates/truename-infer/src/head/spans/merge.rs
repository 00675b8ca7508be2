//! Spans of overlapping windows as the spans of one text, and flat ones by score.

use super::{ScoredSpan, SpanWindow, TokenSpan};

/// Returns the spans found in the windows of a text, in order. A span that several windows hold counts where that window found
/// it in which it is farthest from a border within the text.
pub(super) fn merged(windows: &[&SpanWindow], found: &[Vec<TokenSpan>]) -> Vec<ScoredSpan> {
    let mut spans = Vec::new();
    for (number, found) in found.iter().enumerate() {
        for span in found {
            let place = windows[number].span(span.first, span.last);
            let distance = |other: usize| {
                let (first, last) = windows[other].tokens(place)?;
                Some(distance(windows, other, first, last))
            };
            let own = distance(number);
            let is_farther = |other: usize| match number.cmp(&other) {
                std::cmp::Ordering::Less => distance(other) > own,
                _ => distance(other) >= own,
            };
            let others = (number.saturating_sub(1)..(number + 2).min(windows.len())).filter(|other| *other != number);
            if !others.into_iter().any(is_farther) {
                let TokenSpan { type_number, score, threshold, .. } = *span;
                spans.push(ScoredSpan { span: place, type_number, score, threshold, vector: span.vector.clone() });
            }
        }
    }
    spans.sort_by_key(|span| (span.span.start, std::cmp::Reverse(span.span.end), span.type_number));
    spans
}

/// Returns the number of tokens between a span and the nearer border of its window; the ends of the text are no borders.
fn distance(windows: &[&SpanWindow], number: usize, first: u32, last: u32) -> u32 {
    let before = if number == 0 { u32::MAX } else { first };
    let tokens = windows[number].sequence.input.len() as u32;
    let after = if number + 1 == windows.len() { u32::MAX } else { tokens - 1 - last };
    before.min(after)
}

/// Removes spans that overlap one with a higher score, the best first; of equal scores the first, then the shorter (BINDER,
/// algorithm 1). Spans above their threshold come before all others.
pub(super) fn flat(mut spans: Vec<ScoredSpan>) -> Vec<ScoredSpan> {
    spans.sort_by(|left, right| {
        let place = |span: &ScoredSpan| (span.span.start, span.span.end, span.type_number);
        let is_above = |span: &ScoredSpan| span.score > span.threshold;
        let by_score = is_above(right).cmp(&is_above(left)).then(right.score.total_cmp(&left.score));
        by_score.then_with(|| place(left).cmp(&place(right)))
    });
    let mut kept = std::collections::BTreeMap::<usize, ScoredSpan>::new();
    for span in spans {
        let before = kept.range(..span.span.end).next_back();
        if before.is_none_or(|(_, other)| !other.span.overlaps(span.span)) {
            kept.insert(span.span.start, span);
        }
    }
    kept.into_values().collect()
}

#[cfg(test)]
mod tests {
    use truename_text::Span;

    use super::*;

    #[test]
    fn the_best_of_overlapping_spans_is_kept() {
        let spans = [(0, 5, 1.0), (3, 8, 2.0), (7, 9, 1.5), (8, 9, 0.5), (10, 12, 0.1), (10, 12, 0.1)];
        let spans = (0..).zip(spans).map(|(type_number, (start, end, score))| ScoredSpan {
            span: Span::new(start, end),
            type_number,
            score,
            threshold: 0.0,
            vector: None,
        });
        let kept: Vec<(usize, u32)> =
            flat(spans.collect()).iter().map(|span| (span.span.start, span.type_number)).collect();
        assert_eq!(kept, [(3, 1), (8, 3), (10, 4)]);
    }
}
