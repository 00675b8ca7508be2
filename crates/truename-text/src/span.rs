//! Spans: half-open byte ranges of a text, which no stage shifts.

use std::borrow::Cow;
use std::ops::Range;

/// A piece of a text: a half-open byte range.
///
/// `&text[span.range()]` works for every span of a [`Document`](crate::Document); no stage shifts one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

impl Span {
    /// Creates the span from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns the span as a range, to slice with.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns the piece of `text`; none where the span lies outside, is empty or cuts a character.
    pub fn of(self, text: &str) -> Option<&str> {
        text.get(self.range()).filter(|piece| !piece.is_empty())
    }

    /// Returns a text with `name` in the place of this span, and the place of `name` there.
    ///
    /// # Panics
    /// If the span is not of the text.
    pub fn replaced<'a>(self, text: &'a str, name: &str) -> (Cow<'a, str>, Self) {
        if &text[self.range()] == name {
            return (Cow::Borrowed(text), self);
        }
        let replaced = [&text[..self.start], name, &text[self.end..]].concat();
        (Cow::Owned(replaced), Self::new(self.start, self.start + name.len()))
    }

    /// Returns the span without characters of one kind at its ends; it must lie in `text`.
    pub(crate) fn trimmed(self, text: &str, is_left_out: impl Fn(char) -> bool) -> Self {
        let piece = text[self.range()].trim_end_matches(&is_left_out);
        let end = self.start + piece.len();
        Self::new(end - piece.trim_start_matches(&is_left_out).len(), end)
    }

    /// Returns true if two spans share a byte.
    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Returns true if `other` lies within this one.
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}
