//! Windows of passages to learn from, packed into batches by tokens.

use rayon::prelude::*;
use truename_infer::{Input, SpanWindow, Tokenizer, WindowOptions};
use truename_nn::{GoldSpan, SpanLabels};
use truename_text::Span;

use super::corpus::Passage;
use crate::Error;

/// A window of a passage, to learn from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LearntWindow {
    pub input: Input,
    pub labels: SpanLabels,
    /// Number of the document.
    pub document: usize,
    /// The place of each mention in its document.
    pub places: Vec<Span>,
}

/// Mentions that cannot be learnt, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnlearntMentions {
    /// Mentions that begin or end within a word.
    pub in_words: usize,
    /// Mentions of more tokens than a span may have.
    pub too_long: usize,
    /// Mentions that no window holds whole.
    pub cut: usize,
}

/// Cuts passages into windows. What cannot be learnt is neither a mention nor none: it is left open.
pub(crate) fn windows(
    passages: &[Passage],
    types: impl Fn(&Passage) -> Vec<u32> + Sync,
    tokenizer: &Tokenizer,
    sizes: WindowSizes,
) -> Result<(Vec<LearntWindow>, UnlearntMentions), Error> {
    let of_passage = |passage: &Passage| of_passage(passage, &types(passage), tokenizer, sizes);
    let found: Vec<_> = passages.par_iter().map(of_passage).collect::<Result<_, Error>>()?;
    let (mut all, mut sum) = (Vec::new(), UnlearntMentions::default());
    for (windows, unlearnt) in found {
        all.extend(windows);
        sum.in_words += unlearnt.in_words;
        sum.too_long += unlearnt.too_long;
        sum.cut += unlearnt.cut;
    }
    Ok((all, sum))
}

/// Options of windows, and the largest number of tokens of a span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowSizes {
    pub options: WindowOptions,
    pub max_span: usize,
}

fn of_passage(
    passage: &Passage,
    types: &[u32],
    tokenizer: &Tokenizer,
    sizes: WindowSizes,
) -> Result<(Vec<LearntWindow>, UnlearntMentions), Error> {
    let windows = SpanWindow::of(&passage.text, tokenizer, sizes.options)?;
    let mut learnt: Vec<LearntWindow> = windows
        .iter()
        .map(|window| LearntWindow {
            input: window.sequence.input.clone(),
            labels: SpanLabels {
                starts: window.starts.clone(),
                ends: window.ends.clone(),
                types: types.to_vec(),
                ..SpanLabels::default()
            },
            document: passage.document,
            places: Vec::new(),
        })
        .collect();
    let mut unlearnt = UnlearntMentions::default();
    for mention in &passage.mentions {
        let mut is_whole = false;
        for (window, learnt) in windows.iter().zip(&mut learnt) {
            let Some(covered) = window.covered().filter(|covered| covered.overlaps(mention.span)) else { continue };
            is_whole |= covered.contains(mention.span);
            match window.tokens(mention.span) {
                Some((first, last)) if ((last - first) as usize) < sizes.max_span && !mention.has_gaps => {
                    learnt.labels.gold.push(GoldSpan { first, last, type_number: mention.type_number });
                    let place = Span::new(passage.start + mention.span.start, passage.start + mention.span.end);
                    learnt.places.push(place);
                }
                found => {
                    unlearnt.too_long += usize::from(found.is_some() && !mention.has_gaps);
                    unlearnt.in_words += usize::from(found.is_none() && covered.contains(mention.span));
                    learnt.labels.open.extend(overlapping(window, mention.span));
                }
            }
        }
        unlearnt.cut += usize::from(!is_whole);
    }
    for span in &passage.open {
        for (window, learnt) in windows.iter().zip(&mut learnt) {
            learnt.labels.open.extend(overlapping(window, *span));
        }
    }
    learnt.retain(|window| !window.labels.starts.is_empty());
    Ok((learnt, unlearnt))
}

/// Returns the first and last token of a window that overlap a span.
fn overlapping(window: &SpanWindow, span: Span) -> Option<(u32, u32)> {
    let places = window.sequence.places.iter().enumerate();
    let mut tokens = places.filter(|(_, place)| place.is_some_and(|place| place.span.overlaps(span)));
    let first = tokens.next()?.0;
    Some((first as u32, tokens.next_back().map_or(first, |(last, _)| last) as u32))
}

/// Returns the windows of each batch in the order given, with at most so many tokens by the `length` of each window; a longer window is a
/// batch of its own.
pub(crate) fn packed(order: &[u32], length: impl Fn(u32) -> usize, tokens: usize) -> Vec<Vec<u32>> {
    let (mut batches, mut batch, mut sum) = (Vec::new(), Vec::new(), 0);
    for number in order {
        let length = length(*number);
        if sum + length > tokens && !batch.is_empty() {
            batches.push(std::mem::take(&mut batch));
            sum = 0;
        }
        batch.push(*number);
        sum += length;
    }
    batches.extend((!batch.is_empty()).then_some(batch));
    batches
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::corpus::MentionLabel;
    use super::*;

    #[test]
    fn mentions_that_cannot_be_learnt_are_left_open() {
        let mut checkpoint =
            truename_infer::Checkpoint::open(Path::new("../truename-infer/tests/models/bert")).unwrap();
        let tokenizer = checkpoint.tokenizer().unwrap();
        let text = "flu and heart attack of guests";
        let at = |piece: &str| {
            let start = text.find(piece).unwrap();
            Span::new(start, start + piece.len())
        };
        let mention = |piece: &str| MentionLabel { span: at(piece), type_number: 0, has_gaps: false };
        let passage = Passage {
            text: text.into(),
            mentions: vec![mention("flu"), mention("eart attack"), mention("flu and heart attack of")],
            open: vec![at("guests")],
            start: 7,
            ..Passage::default()
        };
        let sizes = WindowSizes { options: WindowOptions { tokens: 64, overlap: 8, capitals: false }, max_span: 4 };
        let (windows, unlearnt) = windows(&[passage], |_| vec![0], &tokenizer, sizes).unwrap();
        assert_eq!(unlearnt, UnlearntMentions { in_words: 1, too_long: 1, cut: 0 });
        let SpanLabels { gold, open, .. } = &windows[0].labels;
        assert_eq!((gold.len(), gold[0].first, open.len()), (1, 1, 3));
        assert_eq!(windows[0].places, [Span::new(7, 10)]);
    }

    #[test]
    fn batches_are_packed_by_tokens() {
        let length = |window: u32| [4, 3, 9, 2, 2][window as usize];
        assert_eq!(packed(&[0, 1, 2, 3, 4], length, 8), [vec![0, 1], vec![2], vec![3, 4]]);
        assert!(packed(&[], length, 8).is_empty());
    }
}
