//! Windows of a long text, with the tokens at which its words begin and end.

use truename_text::Span;

use crate::tokenizer::Place;
use crate::{Error, Sequence, Tokenizer};

/// Size and overlap of the windows of a text, and whether their tokens show capitals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowOptions {
    /// Largest number of tokens of a window, with those that mark its ends.
    pub tokens: usize,
    /// Tokens that a window shares with the one before it, where that does not end with a sentence.
    pub overlap: usize,
    /// True if tokens with capitals are of segment 1, those without of segment 0.
    pub capitals: bool,
}

/// A window of a text, with the tokens at which the words of the text begin and end.
///
/// Mentions begin and end with words, so that a third of a text's tokens are enough to enumerate its spans.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanWindow {
    /// The tokens, with those that mark the ends of the window.
    pub sequence: Sequence,
    /// Tokens that begin a word, in order.
    pub starts: Vec<u32>,
    /// Tokens that end a word, in order.
    pub ends: Vec<u32>,
}

impl SpanWindow {
    /// Returns the windows of a text. A window ends with a sentence where one ends in its second half; otherwise the next begins with its
    /// last [`WindowOptions::overlap`] tokens.
    ///
    /// # Errors
    /// Where the tokenizer fails or reads characters, or the windows have no room for more than the overlap.
    pub fn of(text: &str, tokenizer: &Tokenizer, options: WindowOptions) -> Result<Vec<Self>, Error> {
        let windows = tokenizer.sentence_windows(text, options.tokens, options.overlap)?;
        let window = |mut sequence: Sequence| {
            if options.capitals {
                let segments = capitals(text, &sequence);
                sequence.input = sequence.input.with_segments(segments);
            }
            let token = |is_bound: &dyn Fn(Span) -> bool| {
                let places = sequence.places.iter().enumerate();
                let bounds = places.filter(|(_, place)| place.is_some_and(|place| is_bound(place.span)));
                bounds.map(|(token, _)| token as u32).collect::<Vec<_>>()
            };
            let starts = token(&|span| is_between_words(text, span.start));
            let ends = token(&|span| is_between_words(text, span.end));
            Self { sequence, starts, ends }
        };
        Ok(windows.into_iter().map(window).collect())
    }

    /// Returns the first and last token of a span of the text; `None` where the span is not wholly in the window, or
    /// begins or ends within a word.
    pub fn tokens(&self, span: Span) -> Option<(u32, u32)> {
        let place = |token: &u32| self.sequence.span(*token as usize);
        let first = self.starts.iter().find(|token| place(token).is_some_and(|place| place.start == span.start))?;
        let last = self.ends.iter().rev().find(|token| place(token).is_some_and(|place| place.end == span.end))?;
        (first <= last).then_some((*first, *last))
    }

    /// Returns the span of the text from one token to another.
    ///
    /// # Panics
    /// Where one of them is not a token of the text.
    pub fn span(&self, first: u32, last: u32) -> Span {
        let place = |token: u32| self.sequence.span(token as usize).expect("a token of the text");
        Span::new(place(first).start, place(last).end)
    }

    /// Returns the part of the text that the window covers; `None` where it has no token of the text.
    pub fn covered(&self) -> Option<Span> {
        let mut spans = self.sequence.places.iter().flatten().map(|place| place.span);
        let first = spans.next()?;
        Some(Span::new(first.start, spans.next_back().map_or(first.end, |last| last.end)))
    }
}

/// Returns 1 for each token with a capital, and for those behind it in its word; 0 for the others. A tokenizer may read all letters as small.
fn capitals(text: &str, sequence: &Sequence) -> Vec<u32> {
    let mut is_capitalized = false;
    let of_token = |place: &Option<Place>| {
        let Some(span) = place.map(|place| place.span) else { return 0 };
        is_capitalized &= !is_between_words(text, span.start);
        is_capitalized |= text[span.range()].contains(char::is_uppercase);
        u32::from(is_capitalized)
    };
    sequence.places.iter().map(of_token).collect()
}

/// Returns whether a byte of a text lies between two words: not both characters beside it are letters or digits of a script
/// that separates words.
fn is_between_words(text: &str, at: usize) -> bool {
    let in_word = |c: char| c.is_alphanumeric() && !is_of_unspaced_script(c);
    let (before, after) = text.split_at(at);
    !(before.chars().next_back().is_some_and(in_word) && after.chars().next().is_some_and(in_word))
}

/// Returns whether a character is of a script without spaces between words: Thai, Lao, Burmese, Khmer, Chinese or Japanese.
fn is_of_unspaced_script(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Checkpoint;

    #[test]
    fn words_end_where_a_letter_or_digit_is_not_followed_by_another() {
        let text = "IL-2Rα 日本";
        let bounds: Vec<usize> =
            (0..=text.len()).filter(|at| text.is_char_boundary(*at) && is_between_words(text, *at)).collect();
        assert_eq!(bounds, [0, 2, 3, 7, 8, 11, 14]);
    }

    #[test]
    fn spans_are_told_by_their_tokens() {
        let mut checkpoint = Checkpoint::open(Path::new("tests/models/bert")).unwrap();
        let tokenizer = checkpoint.tokenizer().unwrap();
        let options = |tokens| WindowOptions { tokens, overlap: 4, capitals: false };
        let text = "The patient had\r\na heart attack 😀, cafe\u{301} and flu.";
        let whole = SpanWindow::of(text, &tokenizer, options(64)).unwrap().remove(0);
        assert_eq!(whole.covered(), Some(Span::new(0, text.len())));
        for piece in ["patient", "heart attack", "flu", "The patient had\r\na heart"] {
            let start = text.find(piece).unwrap();
            let span = Span::new(start, start + piece.len());
            let (first, last) = whole.tokens(span).unwrap();
            assert_eq!(whole.span(first, last), span, "{piece}");
        }
        assert_eq!(whole.tokens(Span::new(5, 11)), None);
        let windows = SpanWindow::of(text, &tokenizer, options(10)).unwrap();
        assert!(windows.len() > 2);
        assert!(windows.iter().all(|window| window.sequence.input.len() <= 10));
    }

    #[test]
    fn windows_end_with_sentences_or_overlap() {
        let mut checkpoint = Checkpoint::open(Path::new("tests/models/bert")).unwrap();
        let tokenizer = checkpoint.tokenizer().unwrap();
        let windows = |text: &str, tokens| -> Vec<Span> {
            let options = WindowOptions { tokens, overlap: 2, capitals: false };
            let windows = SpanWindow::of(text, &tokenizer, options).unwrap();
            windows.iter().filter_map(SpanWindow::covered).collect()
        };
        let (first, rest) = ("The flu and the flu and the flu.", "The flu of guests. The flu of guests.");
        let room = tokenizer.tokens(rest).unwrap().ids.len();
        let found = windows(&format!("{first} {rest}"), room);
        assert_eq!(found, [Span::new(0, first.len()), Span::new(first.len() + 1, first.len() + 1 + rest.len())]);
        let found = windows(&"flu and ".repeat(20), room);
        assert!(found.len() > 2 && found.windows(2).all(|two| two[0].overlaps(two[1])), "{found:?}");
    }

    #[test]
    fn words_with_capitals_are_of_segment_1() {
        let mut checkpoint = Checkpoint::open(Path::new("tests/models/bert")).unwrap();
        let tokenizer = checkpoint.tokenizer().unwrap();
        let text = "The Zyxw of mXyz-flu";
        let options = WindowOptions { tokens: 64, overlap: 4, capitals: true };
        let window = SpanWindow::of(text, &tokenizer, options).unwrap().remove(0);
        let segments = window.sequence.input.segments().unwrap();
        let capitals: Vec<usize> = window
            .sequence
            .places
            .iter()
            .zip(segments)
            .filter(|(_, segment)| **segment == 1)
            .map(|(place, _)| place.unwrap().span.start)
            .collect();
        let is_of = |span: std::ops::Range<usize>| capitals.iter().any(|start| span.contains(start));
        assert!(is_of(0..3) && is_of(4..8) && is_of(13..16) && !is_of(9..11) && !is_of(16..20), "{capitals:?}");
        let plain = SpanWindow::of(text, &tokenizer, WindowOptions { capitals: false, ..options }).unwrap();
        assert_eq!(plain[0].sequence.input.segments(), None);
    }
}
