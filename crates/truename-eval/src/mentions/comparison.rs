//! The mentions of a document that count, each once.

use std::collections::{HashMap, HashSet};

use truename_text::{Mention, Span};

use super::document::JudgedDocument;
use crate::linked::Place;
use crate::overlap::overlapping;

/// A document with its distinct mentions that count.
pub(super) struct Comparison<'d> {
    pub(super) id: &'d str,
    pub(super) text: &'d str,
    pub(super) gold: Vec<TypedMention<'d>>,
    pub(super) found: Vec<TypedMention<'d>>,
    compare_types: bool,
}

/// A gold or found mention.
pub(super) struct TypedMention<'d> {
    pub(super) place: Place<'d>,
    /// Type as it is written.
    pub(super) mention_type: &'d str,
    /// Type in lower case, as types are compared.
    pub(super) folded_type: String,
    /// Score minus threshold, no NaN; infinite for gold mentions and found ones without a margin.
    pub(super) margin: f64,
}

impl<'d> Comparison<'d> {
    /// Takes the distinct mentions of a document, found ones whatever their margin.
    pub(super) fn of(document: &'d JudgedDocument, compare_types: bool) -> Self {
        let gold = |mention: &'d Mention| {
            TypedMention::new(mention.span, &mention.fragments, &mention.mention_type, f64::INFINITY)
        };
        let (undecided, gold): (Vec<TypedMention<'d>>, Vec<TypedMention<'d>>) =
            document.gold.iter().map(gold).partition(|mention| mention.mention_type == Mention::UNKNOWN);
        let undecided: HashSet<Place<'d>> = undecided.iter().map(|mention| mention.place).collect();
        let gold = distinct(gold.into_iter());
        let decided: HashSet<Place<'d>> = gold.iter().map(|mention| mention.place).collect();
        let found = document.found.iter().map(|mention| {
            TypedMention::new(
                mention.span,
                &mention.fragments,
                &mention.mention_type,
                mention.margin.unwrap_or(f64::INFINITY),
            )
        });
        let counts = |mention: &TypedMention<'d>| {
            let is_undecided = undecided.contains(&mention.place) && !decided.contains(&mention.place);
            mention.mention_type != Mention::UNKNOWN && !is_undecided
        };
        let found = distinct(found.filter(counts));
        Self { id: &document.id, text: &document.text, gold, found, compare_types }
    }

    /// Takes the distinct mentions of a document, without found ones whose margin is not above 0.
    pub(super) fn at_threshold(document: &'d JudgedDocument, compare_types: bool) -> Self {
        let mut all = Self::of(document, compare_types);
        all.found.retain(|mention| mention.margin > 0.0);
        all
    }

    /// Returns each gold and found mention that share text, by their places in the lists.
    pub(super) fn overlapping(&self) -> Vec<(usize, usize)> {
        let spans = |mentions: &[TypedMention<'_>]| mentions.iter().map(TypedMention::span).collect::<Vec<Span>>();
        overlapping(&spans(&self.gold), &spans(&self.found))
    }

    /// Returns whether the types of a gold and a found mention agree, or are not compared.
    pub(super) fn types_agree(&self, gold: usize, found: usize) -> bool {
        !self.compare_types || self.gold[gold].folded_type == self.found[found].folded_type
    }

    /// Returns whether a found mention is right: both bounds, all fragments and the type.
    pub(super) fn is_right(&self, gold: usize, found: usize) -> bool {
        self.gold[gold].place == self.found[found].place && self.types_agree(gold, found)
    }

    /// Returns the text of a mention with single spaces in place of white space.
    pub(super) fn surface(&self, mention: &TypedMention<'_>) -> String {
        let (span, fragments) = mention.place;
        let surface = Mention { span, fragments: fragments.to_vec(), ..Mention::default() };
        one_line(&surface.surface(self.text))
    }
}

impl<'d> TypedMention<'d> {
    fn new(span: Span, fragments: &'d [Span], mention_type: &'d str, margin: f64) -> Self {
        let margin = if margin.is_nan() { f64::NEG_INFINITY } else { margin };
        Self { place: (span, fragments), mention_type, folded_type: mention_type.to_lowercase(), margin }
    }

    pub(super) fn span(&self) -> Span {
        self.place.0
    }
}

/// Returns a text with single spaces in place of white space.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Keeps one of the mentions with the same place and type, with the highest of their margins.
fn distinct<'d>(mentions: impl Iterator<Item = TypedMention<'d>>) -> Vec<TypedMention<'d>> {
    let mut kept: Vec<TypedMention<'d>> = Vec::new();
    let mut known: HashMap<(Place<'d>, String), usize> = HashMap::new();
    for mention in mentions {
        let at = *known.entry((mention.place, mention.folded_type.clone())).or_insert(kept.len());
        match kept.get_mut(at) {
            Some(same) => same.margin = same.margin.max(mention.margin),
            None => kept.push(mention),
        }
    }
    kept
}
