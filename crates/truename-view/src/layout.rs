//! Arrangement of a document's mentions on its text.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use truename::{Assertion, ConceptId, LinkedDocument, LinkedMention, Span};

/// Number of distinct colours; the page and the terminal have the same number.
pub const COLOURS: usize = 10;

/// Types with their colours and numbers of mentions.
///
/// Types get their colours in order of occurrence, the most different colours first.
#[derive(Default)]
pub struct Legend {
    /// Colour and number of mentions by first type.
    types: BTreeMap<String, (usize, usize)>,
    untyped: usize,
    /// Number of mentions of each assertion.
    assertions: BTreeMap<Assertion, usize>,
    /// Number of mentions that are NIL.
    pub nil: usize,
    /// Number of mentions.
    pub mentions: usize,
}

impl Legend {
    /// Counts a document's mentions and assigns colours to new types.
    pub fn count(&mut self, document: &LinkedDocument) {
        self.mentions += document.mentions.len();
        for mention in &document.mentions {
            self.nil += usize::from(mention.link.is_nil);
            for assertion in mention.assertions.iter() {
                *self.assertions.entry(assertion).or_default() += 1;
            }
            match mention.types.first() {
                Some(mention_type) => self.count_type(mention_type),
                None => self.untyped += 1,
            }
        }
    }

    fn count_type(&mut self, mention_type: &str) {
        if !self.types.contains_key(mention_type) {
            let colour = self.types.len() % COLOURS;
            self.types.insert(mention_type.to_owned(), (colour, 0));
        }
        self.types.get_mut(mention_type).expect("it is there or was put there").1 += 1;
    }

    /// Returns the colour of a counted mention; `None` if it has no type.
    pub fn colour(&self, mention: &LinkedMention) -> Option<usize> {
        mention.types.first().and_then(|mention_type| self.types.get(mention_type)).map(|(colour, _)| *colour)
    }

    /// Returns assertions with their numbers of mentions.
    pub fn assertions(&self) -> impl Iterator<Item = (&Assertion, &usize)> {
        self.assertions.iter()
    }

    /// Returns types with their colours and numbers of mentions, most frequent first; mentions without a type last.
    pub fn entries(&self) -> Vec<(Option<&str>, Option<usize>, usize)> {
        let mut entries: Vec<_> = self
            .types
            .iter()
            .map(|(mention_type, (colour, count))| (Some(mention_type.as_str()), Some(*colour), *count))
            .collect();
        entries.sort_by_key(|(_, _, count)| Reverse(*count));
        if self.untyped > 0 {
            entries.push((None, None, self.untyped));
        }
        entries
    }
}

/// A piece of a mention that is written without a break. Pieces sort in opening order: by start, longer ones first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Piece {
    pub(crate) start: usize,
    end: Reverse<usize>,
    /// Index of its mention in the document.
    pub mention: usize,
    /// True if the mention starts with this piece.
    pub is_first: bool,
    /// True if the mention ends with this piece.
    pub is_last: bool,
}

impl Piece {
    /// Splits the piece at `at`.
    fn split(self, at: usize) -> (Self, Self) {
        (Self { end: Reverse(at), is_last: false, ..self }, Self { start: at, is_first: false, ..self })
    }
}

/// Returns the pieces of all mentions on the text, cut at the sorted `cuts`.
pub fn pieces(document: &LinkedDocument, cuts: &[usize]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (mention, LinkedMention { span, fragments, .. }) in document.mentions.iter().enumerate() {
        let fragments = if fragments.is_empty() { std::slice::from_ref(span) } else { fragments };
        let on_text = |fragment: &&Span| fragment.of(&document.document.text).is_some();
        let last = fragments.iter().filter(on_text).count().saturating_sub(1);
        for (position, Span { start, end }) in fragments.iter().filter(on_text).copied().enumerate() {
            let (is_first, is_last) = (position == 0, position == last);
            let mut rest = Piece { start, end: Reverse(end), mention, is_first, is_last };
            for cut in cuts[cuts.partition_point(|cut| *cut <= start)..].iter().take_while(|cut| **cut < end) {
                let (piece, after) = rest.split(*cut);
                pieces.push(piece);
                rest = after;
            }
            pieces.push(rest);
        }
    }
    pieces
}

/// The next thing to write.
pub enum Step<'a> {
    /// Text between two bounds of pieces.
    Text(&'a str),
    /// Start of a piece.
    Open(Piece),
    /// End of a piece.
    Close(Piece),
}

/// Returns the steps through a part of a text and its pieces. Crossing pieces are split, so that pieces nest.
pub fn steps(text: &str, part: Span, pieces: Vec<Piece>) -> Vec<Step<'_>> {
    let mut walk = Walk { text, at: part.start, open: Vec::new(), steps: Vec::new() };
    let mut waiting: BinaryHeap<Reverse<Piece>> = pieces.into_iter().map(Reverse).collect();
    while let Some(Reverse(mut piece)) = waiting.pop() {
        walk.close_until(piece.start);
        if let Some(outer) = walk.open.last().filter(|outer| outer.end.0 < piece.end.0) {
            let (inside, after) = piece.split(outer.end.0);
            waiting.push(Reverse(after));
            piece = inside;
        }
        walk.open.push(piece);
        walk.steps.push(Step::Open(piece));
    }
    walk.close_until(part.end);
    walk.steps
}

struct Walk<'a> {
    text: &'a str,
    at: usize,
    open: Vec<Piece>,
    steps: Vec<Step<'a>>,
}

impl Walk<'_> {
    /// Advances to `at` and closes the pieces that end on the way.
    fn close_until(&mut self, at: usize) {
        while let Some(piece) = self.open.pop_if(|piece| piece.end.0 <= at) {
            self.go(piece.end.0);
            self.steps.push(Step::Close(piece));
        }
        self.go(at);
    }

    fn go(&mut self, at: usize) {
        if self.at < at {
            self.steps.push(Step::Text(&self.text[self.at..at]));
            self.at = at;
        }
    }
}

pub(crate) fn id_or_nil(mention: &LinkedMention) -> &str {
    mention.link.id().map_or("NIL", ConceptId::as_str)
}

/// Returns the id of a mention, or the type of one that is not linked.
pub fn label(mention: &LinkedMention) -> &str {
    match mention.is_linked() {
        true => id_or_nil(mention),
        false => mention.types.first().map_or("mention", String::as_str),
    }
}
