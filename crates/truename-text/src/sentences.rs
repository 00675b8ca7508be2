//! Words of a text in its sentences: what stands around a mention.

use std::borrow::Cow;

use crate::{Span, Words};

/// The words of a text, with its sentences.
pub struct Sentences<'a> {
    text: &'a str,
    words: Words,
}

impl<'a> Sentences<'a> {
    /// Splits a text into words.
    pub fn of(text: &'a str) -> Self {
        Self { text, words: Words::of(text, Span::new(0, text.len())) }
    }

    /// Returns the text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the spans of all words.
    pub fn words(&self) -> impl Iterator<Item = Span> + '_ {
        (0..self.words.len()).map(|word| self.words.span(word))
    }

    /// Returns whether a sentence begins with the word at a span.
    pub fn begins(&self, span: Span) -> bool {
        let word = self.first_from(span.start);
        word < self.words.len() && self.words.breaks_before(word)
    }

    /// Returns whether the first word of a sentence begins at a byte.
    pub fn begins_at(&self, byte: usize) -> bool {
        let word = self.first_from(byte);
        word < self.words.len() && self.words.span(word).start == byte && self.words.breaks_before(word)
    }

    /// Returns the sentence around a span, without space at its ends.
    pub fn around(&self, span: Span) -> Span {
        let last = self.first_from(span.start + 1);
        let first = (1..last).rev().find(|word| self.words.breaks_before(*word));
        let start = first.map_or(0, |word| self.words.span(word).start).min(span.start);
        let mut behind = self.first_from(span.end)..self.words.len();
        let end = behind.find(|word| self.words.breaks_before(*word)).map(|word| self.words.span(word).start);
        let piece = &self.text[start..end.unwrap_or(self.text.len())];
        let start = start + piece.len() - piece.trim_start().len();
        Span::new(start.min(span.start), (start + piece.trim().len()).max(span.end))
    }

    /// Returns the sentence around a span with `name` in the place of the span, and the place of `name` there.
    pub fn with_name(&self, span: Span, name: &str) -> (Cow<'a, str>, Span) {
        let sentence = self.around(span);
        let place = Span::new(span.start - sentence.start, span.end - sentence.start);
        place.replaced(&self.text[sentence.range()], name)
    }

    /// Returns the text from some words before a span to as many behind it, within its sentence.
    pub fn window(&self, span: Span, words: usize) -> Span {
        let sentence = self.around(span);
        let (first, next) = (self.first_from(span.start), self.first_from(span.end));
        let start = first.checked_sub(words).map_or(0, |word| self.words.span(word).start);
        let end = if words == 0 { None } else { Some(next + words - 1) };
        let end = end
            .map_or(span.end, |word| if word < self.words.len() { self.words.span(word).end } else { self.text.len() });
        Span::new(start.max(sentence.start), end.min(sentence.end))
    }

    /// Returns up to `count` words before a span in its sentence, the nearest first.
    pub fn before(&self, span: Span, count: usize) -> Vec<&'a str> {
        let sentence = self.around(span);
        let spans = (0..self.first_from(span.start)).rev().map(|word| self.words.span(word));
        spans
            .take(count)
            .take_while(|word| word.start >= sentence.start)
            .filter_map(|word| word.of(self.text))
            .collect()
    }

    /// Returns the number of the first word that begins at a byte or after it.
    fn first_from(&self, byte: usize) -> usize {
        let (mut from, mut to) = (0, self.words.len());
        while from < to {
            let middle = from.midpoint(to);
            if self.words.span(middle).start < byte { from = middle + 1 } else { to = middle }
        }
        from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "One begins. \"It was widely diverted by streams of the north\" . Two end!";

    fn span(word: &str) -> Span {
        let start = TEXT.find(word).unwrap();
        Span::new(start, start + word.len())
    }

    #[test]
    fn a_sentence_ends_where_the_next_begins() {
        let sentences = Sentences::of(TEXT);
        let of = |word: &str| &TEXT[sentences.around(span(word)).range()];
        assert_eq!(of("begins"), "One begins. \"");
        assert_eq!(of("diverted"), "It was widely diverted by streams of the north\" .");
        assert_eq!(of("end"), "Two end!");
        assert!(sentences.begins(span("It")) && !sentences.begins(span("was")));
        let begins_at = |word: &str| sentences.begins_at(span(word).start);
        assert!(begins_at("It") && begins_at("Two") && !begins_at("t was") && !begins_at("was") && !begins_at("\" ."));
    }

    #[test]
    fn a_name_stands_in_the_place_of_a_mention() {
        let sentences = Sentences::of(TEXT);
        let (sentence, place) = sentences.with_name(span("widely"), "far and wide");
        assert_eq!(sentence, "It was far and wide diverted by streams of the north\" .");
        assert_eq!(place.of(&sentence), Some("far and wide"));
        let (sentence, place) = sentences.with_name(span("Two"), "Two");
        assert_eq!((sentence.as_ref(), place), ("Two end!", Span::new(0, 3)));
    }

    #[test]
    fn a_window_stays_in_its_sentence() {
        let sentences = Sentences::of(TEXT);
        let of = |word: &str, words| &TEXT[sentences.window(span(word), words).range()];
        assert_eq!(of("diverted", 2), "was widely diverted by streams");
        assert_eq!(of("diverted", 0), "diverted");
        assert_eq!(of("widely", 5), "It was widely diverted by streams of the");
        assert_eq!(of("Two", 5), "Two end!");
        assert_eq!(sentences.before(span("diverted"), 2), ["widely", "was"]);
        assert_eq!(sentences.before(span("was"), 2), ["It"]);
    }
}
