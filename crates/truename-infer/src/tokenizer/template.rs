use super::{Place, Sequence};
use crate::Input;
use crate::tokenizer::text::Pieces;

/// A part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// A special token, by name.
    Special(&'a str),
    /// Fixed text.
    Text(&'a str),
    /// A place for a text.
    Slot,
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

/// A text for a slot, cut where it has more tokens than the slot takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot<'a> {
    /// The text. Special tokens written in it are read as text.
    pub text: &'a str,
    /// Largest number of tokens.
    pub max_tokens: usize,
    /// The end of the text that is kept.
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
        Self { text, max_tokens, keep: Keep::Start }
    }

    /// A text with at most so many tokens; its last are kept.
    pub fn ending(text: &'a str, max_tokens: usize) -> Self {
        Self { text, max_tokens, keep: Keep::End }
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
    Slot {
        /// True where other text stands before the slot, with a space between the two.
        has_space_before: bool,
    },
}

impl Template {
    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.spaces().count()
    }

    /// For each slot, true where a space stands before its text.
    pub(super) fn spaces(&self) -> impl Iterator<Item = bool> {
        self.pieces.iter().filter_map(|piece| match piece.content {
            Content::Slot { has_space_before } => Some(has_space_before),
            Content::Fixed(_) => None,
        })
    }

    /// Number of tokens beside those of the slots.
    pub fn fixed_tokens(&self) -> usize {
        let fixed = |piece: &Piece| match &piece.content {
            Content::Fixed(ids) => ids.len(),
            Content::Slot { .. } => 0,
        };
        self.pieces.iter().map(fixed).sum()
    }

    /// Puts the tokens of texts into the slots.
    ///
    /// # Panics
    /// Where there are not as many texts as slots.
    pub(super) fn fill(&self, texts: &[Pieces<'_>], truncated: Vec<usize>) -> Sequence {
        assert_eq!(texts.len(), self.slots(), "as many texts as the template has slots");
        let (mut ids, mut segments, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let mut parts = Vec::with_capacity(self.pieces.len());
        let mut texts = texts.iter().enumerate();
        for piece in &self.pieces {
            let first = ids.len();
            match &piece.content {
                Content::Fixed(tokens) => ids.extend_from_slice(tokens),
                Content::Slot { .. } => {
                    let (text, tokens) = texts.next().expect("there is a text for each slot");
                    ids.extend_from_slice(tokens.ids);
                    places.extend(tokens.spans.iter().map(|span| span.map(|span| Place { text, span })));
                }
            }
            places.resize(ids.len(), None);
            segments.resize(ids.len(), piece.segment);
            parts.push(first..ids.len());
        }
        Sequence { input: Input::new(ids).with_segments(segments), places, parts, truncated }
    }
}
