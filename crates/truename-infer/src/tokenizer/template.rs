//! Templates: special tokens, fixed text and slots that share the window.

use super::sequence::{Place, Sequence};
use crate::Input;

/// A part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// A special token, by name.
    Special(&'a str),
    /// Fixed text.
    Text(&'a str),
    /// A place for a text, or for several side by side.
    Slot,
    /// A place for several texts with a special token, by name, between each two.
    List(&'a str),
    /// The segment of all parts after this one; 0 before the first such part.
    Segment(u32),
}

/// Special tokens, fixed text and slots for texts, in order.
///
/// Between two pieces of text stands a space, for tokenizers to which a space counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub(super) pieces: Vec<Piece>,
}

/// The text of a slot, cut where it has more tokens than the slot takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot<'a> {
    /// The text, or the texts of a list. Special tokens written in them are read as text.
    pub texts: Vec<&'a str>,
    /// Largest number of tokens, with those between the texts of a list.
    pub max_tokens: usize,
    /// The end that is kept.
    pub keep: Keep,
}

/// The end of a text that is kept where the text is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Its first tokens.
    Start,
    /// Its last tokens.
    End,
}

impl<'a> Slot<'a> {
    /// A text with at most so many tokens; its first are kept.
    pub fn new(text: &'a str, max_tokens: usize) -> Self {
        Self::list(vec![text], max_tokens)
    }

    /// A text with at most so many tokens; its last are kept.
    pub fn ending(text: &'a str, max_tokens: usize) -> Self {
        Self { keep: Keep::End, ..Self::new(text, max_tokens) }
    }

    /// A text with as many tokens as the other slots leave; its last are kept. Several such slots share the room evenly, and what
    /// one does not need another takes.
    pub fn rest_ending(text: &'a str) -> Self {
        Self { keep: Keep::End, ..Self::rest(text) }
    }

    /// As [`Slot::rest_ending`]; its first tokens are kept.
    pub fn rest(text: &'a str) -> Self {
        Self::new(text, Self::REST)
    }

    /// Stands for the room that the other slots leave.
    pub(super) const REST: usize = usize::MAX;

    /// Texts with at most so many tokens together; the first are kept.
    pub fn list(texts: Vec<&'a str>, max_tokens: usize) -> Self {
        Self { texts, max_tokens, keep: Keep::Start }
    }
}

/// A part of a template as tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub content: Content,
    pub segment: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Fixed(Vec<u32>),
    Slot(Opening),
}

/// A slot of a template.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Opening {
    /// True where other text stands before the slot, with a space between the two.
    pub has_space_before: bool,
    /// The token between the texts of a list.
    pub separator: Option<u32>,
}

/// Some tokens of a text.
#[derive(Clone, Copy)]
pub(super) struct Pieces<'a> {
    pub ids: &'a [u32],
    pub places: &'a [Option<Place>],
}

impl Template {
    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.openings().count()
    }

    pub(super) fn openings(&self) -> impl Iterator<Item = Opening> {
        self.pieces.iter().filter_map(|piece| match piece.content {
            Content::Slot(opening) => Some(opening),
            Content::Fixed(_) => None,
        })
    }

    /// Number of tokens beside those of the slots.
    pub fn fixed_tokens(&self) -> usize {
        let fixed = |piece: &Piece| match &piece.content {
            Content::Fixed(ids) => ids.len(),
            Content::Slot(_) => 0,
        };
        self.pieces.iter().map(fixed).sum()
    }

    /// Puts the tokens of texts into the slots.
    pub(super) fn fill(&self, texts: &[Pieces<'_>], truncated: Vec<usize>) -> Sequence {
        let (mut ids, mut segments, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let mut parts = Vec::with_capacity(self.pieces.len());
        let mut texts = texts.iter();
        for piece in &self.pieces {
            let first = ids.len();
            match &piece.content {
                Content::Fixed(tokens) => ids.extend_from_slice(tokens),
                Content::Slot(_) => {
                    let tokens = texts.next().expect("there is a text for each slot");
                    ids.extend_from_slice(tokens.ids);
                    places.extend_from_slice(tokens.places);
                }
            }
            places.resize(ids.len(), None);
            segments.resize(ids.len(), piece.segment);
            parts.push(first..ids.len());
        }
        Sequence { input: Input::new(ids).with_segments(segments), places, parts, truncated }
    }
}
