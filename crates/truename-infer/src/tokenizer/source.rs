//! Texts as a tokenizer reads them, which know the place of every byte in the given text.

use std::borrow::Cow;
use std::ops::Range;

use truename_text::Span;
use unicode_normalization::char::is_combining_mark;

/// A text as a tokenizer reads it, which knows the place of every byte in the text that was given.
pub(super) struct Source<'a> {
    /// The text that was given.
    given: &'a str,
    /// The text that is read.
    pub read: Cow<'a, str>,
    /// Bytes of the given text before the first that is read.
    start: usize,
    /// Bytes that stand before the text that is read: a space, or nothing.
    added: usize,
    /// For each byte of a lower-cased text the bytes of its letter before that, from `start` on.
    letters: Option<Vec<Range<usize>>>,
}

impl<'a> Source<'a> {
    /// Takes away the space around a text, and lower-cases the text and puts a space before it where that is wanted.
    pub fn new(given: &'a str, is_lowercase: bool, has_space_before: bool) -> Self {
        let trimmed = given.trim();
        let start = given.len() - given.trim_start().len();
        let (mut read, mut letters) = (Cow::Borrowed(trimmed), None);
        if is_lowercase {
            read = Cow::Owned(trimmed.to_lowercase());
            letters = Some(lowercase_letters(trimmed));
        }
        if has_space_before {
            read = Cow::Owned(format!(" {read}"));
        }
        Self { given, read, start, added: usize::from(has_space_before), letters }
    }

    /// Returns the spans of tokens, given by their offsets in the text that is read. A mark that no token covers, because the
    /// tokenizer took it away or joined it with its letter, belongs to the token before it.
    pub fn spans(&self, offsets: &[(usize, usize)]) -> Vec<Option<Span>> {
        let mut spans: Vec<Option<Span>> = offsets.iter().map(|offsets| self.span(*offsets)).collect();
        let mut next_start = usize::MAX;
        for span in spans.iter_mut().rev().flatten() {
            let start = span.start;
            let marks = self.given[span.end..].chars().take_while(|mark| is_combining_mark(*mark));
            for mark in marks {
                if next_start <= span.end {
                    break;
                }
                span.end += mark.len_utf8();
            }
            next_start = start;
        }
        spans
    }

    /// The span of whole characters without space around them, if it has any.
    fn span(&self, (from, to): (usize, usize)) -> Option<Span> {
        let (from, to) = (from.saturating_sub(self.added), to.saturating_sub(self.added));
        if from >= to {
            return None;
        }
        let (from, to) = match &self.letters {
            Some(letters) => (letters[from].start, letters[to - 1].end),
            None => (from, to),
        };
        let start = self.given.floor_char_boundary(self.start + from);
        let end = self.given.ceil_char_boundary(self.start + to);
        let piece = &self.given[start..end];
        let start = start + piece.len() - piece.trim_start().len();
        let trimmed = piece.trim();
        (!trimmed.is_empty()).then(|| Span::new(start, start + trimmed.len()))
    }
}

/// For each byte of a text's lower case the bytes of the letter that it comes from.
fn lowercase_letters(text: &str) -> Vec<Range<usize>> {
    let mut letters = Vec::with_capacity(text.len());
    for (start, letter) in text.char_indices() {
        // A sigma is lower-cased by its place in the word, to as many bytes.
        let len: usize = letter.to_lowercase().map(char::len_utf8).sum();
        letters.extend(std::iter::repeat_n(start..start + letter.len_utf8(), len));
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_case_keeps_the_place_of_each_byte() {
        for text in ["ΟΔΟΣ", "İstanbul ẞ", "Kelvin K, Å", "ABC ΣΑΣ ΣΣ"] {
            let (lower, letters) = (text.to_lowercase(), lowercase_letters(text));
            assert_eq!(lower.len(), letters.len(), "{text}");
            for (at, letter) in lower.char_indices() {
                let from = &text[letters[at].clone()];
                assert!(from.to_lowercase().contains(letter) || letter == 'ς', "{letter} of {from}");
            }
        }
    }

    #[test]
    fn spans_are_into_the_text_that_was_given() {
        let source = Source::new("  e\u{301}te\u{301} İx ", true, true);
        assert_eq!(source.read, " e\u{301}te\u{301} i\u{307}x");
        // The letters without their marks, an i with a dot that was taken away, and a space.
        let spans = source.spans(&[(1, 2), (4, 5), (5, 6), (9, 10), (12, 13), (8, 9)]);
        let pieces = spans.iter().map(|span| span.map(|span| &source.given[span.range()]));
        let expected = [Some("e\u{301}"), Some("t"), Some("e\u{301}"), Some("İ"), Some("x"), None];
        assert!(pieces.eq(expected));
    }
}
