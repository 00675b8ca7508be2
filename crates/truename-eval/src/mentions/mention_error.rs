//! Errors of a recognizer by kind, with the frequency of their texts in the training data (BINDER, section 4.5).

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use truename_text::{Document, Span};

use super::comparison::{Comparison, TypedMention, one_line};
use super::document::JudgedDocument;

/// Errors of a recognizer, in the kinds of the error analysis of BINDER (section 4.5, table 8).
///
/// Right mentions and the gold mentions that they match are set aside first. Each of the others belongs to one error.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MentionErrors {
    /// Number of errors by kind.
    pub kinds: BTreeMap<MentionErrorKind, usize>,
    /// Errors, counted over the corpus, the commonest first.
    pub errors: Vec<MentionError>,
}

/// An error, counted over a corpus.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MentionError {
    /// The kind of error.
    pub kind: MentionErrorKind,
    /// Gold type; the found type of a spurious mention.
    #[serde(rename = "type")]
    pub mention_type: String,
    /// Found type, if another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_type: Option<String>,
    /// Texts of the found mentions, in order: none where one was missed, several where one was split.
    pub found: Vec<ErrorText>,
    /// Texts of the gold mentions, in order: none where a found one is spurious, several where they were merged.
    pub gold: Vec<ErrorText>,
    /// Number of times that the error was made. Texts that differ in case are the same.
    pub count: usize,
    /// Document and byte of its first occurrence.
    pub example: (String, usize),
}

/// The text of a mention with its frequency in the training data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ErrorText {
    /// The text, as it is written at the first occurrence.
    pub text: String,
    /// Number of training mentions with the text, ignoring case; `None` without training data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_training: Option<usize>,
}

/// Kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MentionErrorKind {
    /// Whole words too many or too few at one end: `f-14 tomcats` for `tomcats`.
    Modifier,
    /// A genitive too much or too little: `attendant` for `attendant's`.
    Genitive,
    /// Several found mentions for one gold mention of their type: `Dr` and `Germ` for `Dr. Germ`.
    Split,
    /// One found mention for several gold mentions of its type: `Dr. Germ` for `Dr` and `Germ`.
    Merged,
    /// The right bounds with another type.
    WrongType,
    /// Other bounds, with the gold type.
    Bounds,
    /// A gold mention that was not found, in no error of another kind.
    Missed,
    /// A wrong mention in no error of another kind.
    Spurious,
}

/// Number of mentions of a training corpus by their text, ignoring case.
#[derive(Clone, Debug, Default)]
pub struct TrainingTexts(HashMap<String, usize>);

impl TrainingTexts {
    /// Adds the mentions of a training document.
    pub fn add(&mut self, document: &Document) {
        for mention in &document.mentions {
            *self.0.entry(one_line(&mention.surface(&document.text)).to_lowercase()).or_default() += 1;
        }
    }

    /// Returns the number of mentions with a text.
    pub fn count(&self, text: &str) -> usize {
        self.0.get(&text.to_lowercase()).copied().unwrap_or_default()
    }
}

impl MentionErrors {
    /// Collects the errors of a corpus. Types are compared as in
    /// [`RecognitionScores::of`](super::RecognitionScores::of); `training` gives the frequency of each text.
    pub fn of(documents: &[JudgedDocument], compare_types: bool, training: Option<&TrainingTexts>) -> Self {
        type Mistake = (MentionErrorKind, String, Option<String>, Vec<String>, Vec<String>);
        let mut errors: BTreeMap<Mistake, MentionError> = BTreeMap::new();
        let mut kinds = BTreeMap::new();
        for document in documents {
            let compared = Comparison::at_threshold(document, compare_types);
            for confusion in OpenMentions::of(&compared).confusions() {
                let error = confusion.described(&compared, training);
                *kinds.entry(error.kind).or_default() += 1;
                let texts = |texts: &[ErrorText]| texts.iter().map(|text| text.text.to_lowercase()).collect();
                let (mention_type, found_type) =
                    (error.mention_type.to_lowercase(), error.found_type.as_deref().map(str::to_lowercase));
                let mistake = (error.kind, mention_type, found_type, texts(&error.found), texts(&error.gold));
                errors.entry(mistake).or_insert(error).count += 1;
            }
        }
        let mut errors: Vec<MentionError> = errors.into_values().collect();
        errors.sort_by_key(|error| Reverse(error.count));
        Self { kinds, errors }
    }
}

/// An error of one document, with the places of its mentions in the lists.
struct Confusion {
    kind: MentionErrorKind,
    found: Vec<usize>,
    gold: Vec<usize>,
}

impl Confusion {
    /// Returns the error with a count of 0.
    fn described(&self, document: &Comparison<'_>, training: Option<&TrainingTexts>) -> MentionError {
        let text = |mention: &TypedMention<'_>| {
            let text = document.surface(mention);
            ErrorText { in_training: training.map(|training| training.count(&text)), text }
        };
        let found: Vec<&TypedMention<'_>> = self.found.iter().map(|at| &document.found[*at]).collect();
        let gold: Vec<&TypedMention<'_>> = self.gold.iter().map(|at| &document.gold[*at]).collect();
        let first = gold.first().or(found.first()).expect("an error has a mention");
        let is_other_type = self.kind == MentionErrorKind::WrongType;
        MentionError {
            kind: self.kind,
            mention_type: first.mention_type.to_owned(),
            found_type: is_other_type.then(|| found[0].mention_type.to_owned()),
            found: found.iter().map(|mention| text(mention)).collect(),
            gold: gold.iter().map(|mention| text(mention)).collect(),
            count: 0,
            example: (document.id.to_owned(), first.span().start),
        }
    }
}

/// The wrong and missed mentions of a document that no error has yet.
struct OpenMentions<'c, 'd> {
    document: &'c Comparison<'d>,
    gold: Vec<bool>,
    found: Vec<bool>,
    /// Gold and found mentions that share text.
    pairs: Vec<(usize, usize)>,
    confusions: Vec<Confusion>,
}

impl<'c, 'd> OpenMentions<'c, 'd> {
    /// Sets the right mentions aside.
    fn of(document: &'c Comparison<'d>) -> Self {
        let (mut gold, mut found) = (vec![true; document.gold.len()], vec![true; document.found.len()]);
        let pairs = document.overlapping();
        for (at, other) in pairs.iter().filter(|(at, other)| document.is_right(*at, *other)) {
            (gold[*at], found[*other]) = (false, false);
        }
        Self { document, gold, found, pairs, confusions: Vec::new() }
    }

    /// Returns the errors: of types, then of several mentions, then of one with one, then of single mentions.
    fn confusions(mut self) -> Vec<Confusion> {
        self.wrong_types();
        self.pairs.retain(|(gold, found)| self.document.types_agree(*gold, *found));
        self.merged();
        self.split();
        self.other_bounds();
        let single = |flags: &[bool]| (0..flags.len()).filter(|at| flags[*at]).collect::<Vec<usize>>();
        for gold in single(&self.gold) {
            self.close(MentionErrorKind::Missed, vec![], vec![gold]);
        }
        for found in single(&self.found) {
            self.close(MentionErrorKind::Spurious, vec![found], vec![]);
        }
        self.confusions
    }

    fn close(&mut self, kind: MentionErrorKind, found: Vec<usize>, gold: Vec<usize>) {
        found.iter().for_each(|at| self.found[*at] = false);
        gold.iter().for_each(|at| self.gold[*at] = false);
        self.confusions.push(Confusion { kind, found, gold });
    }

    /// Returns the pairs whose mentions are both open.
    fn open_pairs(&self) -> Vec<(usize, usize)> {
        self.pairs.iter().copied().filter(|(gold, found)| self.gold[*gold] && self.found[*found]).collect()
    }

    fn wrong_types(&mut self) {
        for (gold, found) in self.open_pairs() {
            let is_same_place = self.document.gold[gold].place == self.document.found[found].place;
            if self.gold[gold] && self.found[found] && is_same_place {
                self.close(MentionErrorKind::WrongType, vec![found], vec![gold]);
            }
        }
    }

    fn merged(&mut self) {
        let mut near = vec![Vec::new(); self.found.len()];
        self.pairs.iter().for_each(|(gold, found)| near[*found].push(*gold));
        for (found, near) in near.into_iter().enumerate().filter(|(_, near)| near.len() > 1) {
            let open = near.into_iter().filter(|gold| self.gold[*gold]);
            let apart = apart(open, &self.document.gold);
            if self.found[found] && apart.len() > 1 {
                self.close(MentionErrorKind::Merged, vec![found], apart);
            }
        }
    }

    fn split(&mut self) {
        let mut near = vec![Vec::new(); self.gold.len()];
        self.pairs.iter().for_each(|(gold, found)| near[*gold].push(*found));
        for (gold, near) in near.into_iter().enumerate().filter(|(_, near)| near.len() > 1) {
            let open = near.into_iter().filter(|found| self.found[*found]);
            let apart = apart(open, &self.document.found);
            if self.gold[gold] && apart.len() > 1 {
                self.close(MentionErrorKind::Split, apart, vec![gold]);
            }
        }
    }

    /// Pairs each gold mention with the found one that shares most text with it.
    fn other_bounds(&mut self) {
        let spans =
            |(gold, found): (usize, usize)| (self.document.gold[gold].span(), self.document.found[found].span());
        let shared = |pair: &(usize, usize)| {
            let (gold, found) = spans(*pair);
            Reverse(gold.end.min(found.end) - gold.start.max(found.start))
        };
        let mut pairs = self.open_pairs();
        pairs.sort_by_key(shared);
        for (gold, found) in pairs {
            if self.gold[gold] && self.found[found] {
                let (one, two) = (&self.document.gold[gold], &self.document.found[found]);
                let kind = bounds_kind(self.document.text, one, two);
                self.close(kind, vec![found], vec![gold]);
            }
        }
    }
}

/// Returns the mentions of a list that share no text, in order; of those that do, the one that ends first.
fn apart(mentions: impl Iterator<Item = usize>, all: &[TypedMention<'_>]) -> Vec<usize> {
    let mut mentions: Vec<usize> = mentions.collect();
    mentions.sort_by_key(|at| (all[*at].span().end, Reverse(all[*at].span().start)));
    let mut kept: Vec<usize> = Vec::new();
    for at in mentions {
        if kept.last().is_none_or(|last| all[*last].span().end <= all[at].span().start) {
            kept.push(at);
        }
    }
    kept
}

/// Returns the kind of error of a found mention with the gold type and other bounds.
fn bounds_kind(text: &str, gold: &TypedMention<'_>, found: &TypedMention<'_>) -> MentionErrorKind {
    let is_discontinuous = !gold.place.1.is_empty() || !found.place.1.is_empty();
    let (gold, found) = (gold.span(), found.span());
    let (inner, outer) = if found.contains(gold) { (gold, found) } else { (found, gold) };
    if is_discontinuous || !outer.contains(inner) {
        return MentionErrorKind::Bounds;
    }
    let rest = Span::new(inner.end, outer.end);
    let is_genitive = rest.of(text).is_some_and(|rest| matches!(rest.trim_start(), "'s" | "’s" | "'" | "’"));
    if inner.start == outer.start && is_genitive {
        return MentionErrorKind::Genitive;
    }
    let is_modifier = (inner.end == outer.end && is_between_words(text, inner.start))
        || (inner.start == outer.start && is_between_words(text, inner.end));
    if is_modifier { MentionErrorKind::Modifier } else { MentionErrorKind::Bounds }
}

/// Returns whether no word goes on from the text before a byte to the text after it.
fn is_between_words(text: &str, at: usize) -> bool {
    let Some((before, after)) = text.split_at_checked(at) else { return false };
    let is_in_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    !(is_in_word(before.chars().next_back()) && is_in_word(after.chars().next()))
}
