//! Names of the knowledge base wherever they stand in a text.

use std::cmp::Reverse;

use truename_kb::{ConceptIndex, FormState, Forms, Snapshot};
use truename_text::{KeyMatch, NameKeys, NormalizedName, Span, Words, stable_hash};

use super::{Reading, Recognized, Recognizer, spelling};
use crate::call::Call;
use crate::memo::Memo;
use crate::short_forms::ShortForms;
use crate::{Error, KnowledgeBase};

/// Finds the names of a knowledge base in texts, however they are spaced, hyphenated, inflected or inverted, and
/// through the abbreviations that a document defines.
///
/// The text is walked once along the automaton of all names from the beginning of each word on
/// ([`Forms`]). A form that ends at the end of a word is a mention where one of its names would be written
/// so. Of overlapping mentions the leftmost and longest counts, or all do.
pub struct DictionaryRecognizer {
    kb: KnowledgeBase,
    nested: bool,
    /// Types of the concepts whose names are found; empty for all.
    types: Vec<String>,
    /// Whether a piece of text is written as one of the names is.
    verdicts: Memo<bool>,
}

/// A piece of text that has the letters of a name.
struct Match {
    /// The word after its last.
    end: usize,
    /// Whether it is read through an abbreviation.
    expanded: bool,
    /// Whether it reads a short form of the document as a name of its own.
    literal: bool,
}

/// A point that a walk has reached.
#[derive(Clone, Copy)]
struct Point {
    word: usize,
    state: FormState,
    expanded: bool,
    literal: bool,
}

/// One passage, in words.
struct Passage<'a> {
    text: &'a str,
    words: Words,
    short_forms: &'a ShortForms<'a>,
    in_capitals: bool,
}

impl DictionaryRecognizer {
    /// Finds the names of `kb`.
    pub fn new(kb: KnowledgeBase) -> Self {
        Self { kb, nested: false, types: Vec::new(), verdicts: Memo::new() }
    }

    /// Whether mentions within mentions are found too.
    #[must_use]
    pub fn nested(mut self, nested: bool) -> Self {
        self.nested = nested;
        self
    }

    /// Finds only the names of concepts that have one of these types, where there are any.
    #[must_use]
    pub fn of_types(mut self, types: Vec<String>) -> Self {
        self.types = types;
        self
    }

    /// Finds the mentions of one document, again where they define more abbreviations.
    fn read(&self, reading: &mut Reading<'_>, snapshot: &Snapshot<'_>) -> Result<Vec<Recognized>, Error> {
        let found = self.in_document(reading, snapshot)?;
        match reading.define_behind(found.iter().map(|one| one.span)) {
            true => self.in_document(reading, snapshot),
            false => Ok(found),
        }
    }

    fn in_document(&self, reading: &Reading<'_>, snapshot: &Snapshot<'_>) -> Result<Vec<Recognized>, Error> {
        let text = &reading.document().text;
        let mut found = Vec::new();
        for span in reading.document().passage_spans() {
            let passage = Passage {
                text,
                words: Words::of(text, span),
                short_forms: reading.short_forms(),
                in_capitals: spelling::is_in_capitals(&text[span.range()]),
            };
            found.extend(self.in_passage(&passage, snapshot)?);
        }
        Ok(found)
    }

    fn in_passage(&self, passage: &Passage<'_>, snapshot: &Snapshot<'_>) -> Result<Vec<Recognized>, Error> {
        let forms = snapshot.forms()?;
        let (mut found, mut word) = (Vec::new(), 0);
        let (mut points, mut matches) = (Vec::new(), Vec::new());
        while word < passage.words.len() {
            passage.walk(&forms, word, &mut points, &mut matches);
            // What is read as the document means it goes before what only looks so, then the longer one.
            matches.sort_by_key(|one: &Match| (one.literal, Reverse(one.end)));
            let mut next = word + 1;
            for at in 0..matches.len() {
                let one = &matches[at];
                let is_known = at > 0 && matches[at - 1].end == one.end;
                if is_known && found.last().is_some_and(|last: &Recognized| last.span == passage.span(word, one.end)) {
                    continue;
                }
                if !self.is_mention(passage, word, one, snapshot)? {
                    continue;
                }
                let tentative = one.literal;
                found.push(Recognized { tentative, ..Recognized::new(passage.span(word, one.end)) });
                if !self.nested {
                    next = one.end;
                    break;
                }
            }
            word = next;
        }
        Ok(found)
    }

    fn is_mention(
        &self,
        passage: &Passage<'_>,
        word: usize,
        one: &Match,
        snapshot: &Snapshot<'_>,
    ) -> Result<bool, Error> {
        let span = passage.span(word, one.end);
        if !passage.stands_free(span) {
            return Ok(false);
        }
        let written = &passage.text[span.range()];
        let expanded = if one.expanded { passage.short_forms.expand(written) } else { None };
        let piece = expanded.as_deref().unwrap_or(written);
        let key = format!("{}{piece}", u8::from(passage.in_capitals));
        self.verdicts.get(snapshot.version(), &key, || self.is_written_as_a_name(piece, passage.in_capitals, snapshot))
    }

    fn is_allowed(&self, concept: ConceptIndex, snapshot: &Snapshot<'_>) -> Result<bool, Error> {
        if self.types.is_empty() {
            return Ok(true);
        }
        let types = snapshot.concept_types(concept)?;
        Ok(self.types.iter().any(|wanted| types.contains(&wanted.as_str())))
    }

    /// Returns whether `piece` is written as one of the names that have its letters.
    fn is_written_as_a_name(&self, piece: &str, in_capitals: bool, snapshot: &Snapshot<'_>) -> Result<bool, Error> {
        if !piece.contains(char::is_alphabetic) {
            return Ok(false);
        }
        let keys = NameKeys::of(&NormalizedName::new(piece));
        let is_common = spelling::is_common_word(piece);
        if is_common && is_generic(piece, snapshot)? {
            return Ok(false);
        }
        for key in keys.filed() {
            for number in snapshot.names_under(key)? {
                let (concept, name) = snapshot.name(number)?;
                if !self.is_allowed(concept, snapshot)? {
                    continue;
                }
                // A synonym that is a common word is mostly just that word.
                if is_common && snapshot.concept_names(concept)?.1[0] != number && name != piece {
                    continue;
                }
                let meeting = keys.meet(&NameKeys::of(&NormalizedName::new(name)));
                if meeting >= KeyMatch::Reordered && spelling::may_stand_for(piece, name, in_capitals) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// A common word that stands in more than one in so many names says nothing alone (`disease`, `protein`).
const GENERIC_ONE_IN: u32 = 70;
/// Words of fewer names are not counted.
const FEWEST_NAMES: u32 = 100;

fn is_generic(word: &str, snapshot: &Snapshot<'_>) -> Result<bool, Error> {
    let words = Words::of(word, Span::new(0, word.len()));
    let forms = [Some(words.form(0)), words.variant(0)];
    let mut names = 0;
    for form in forms.into_iter().flatten() {
        names = names.max(snapshot.names_with_word(stable_hash(form))?);
    }
    Ok(names >= FEWEST_NAMES && names > snapshot.counts().names / GENERIC_ONE_IN)
}

impl Recognizer for DictionaryRecognizer {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<Recognized>>, Error> {
        Call::begin(&self.kb)?.each(readings, |snapshot, reading| self.read(reading, snapshot))
    }
}

impl Passage<'_> {
    /// From a word up to, not including, another one; without an `'s` at the end.
    fn span(&self, word: usize, end: usize) -> Span {
        let span = Span::new(self.words.span(word).start, self.words.span(end - 1).end);
        let written = &self.text[span.range()];
        let possessor = written.strip_suffix("'s").or_else(|| written.strip_suffix("’s")).unwrap_or(written);
        Span::new(span.start, span.start + possessor.len())
    }

    /// The forms that begin with a word.
    fn walk(&self, forms: &Forms<'_>, start: usize, points: &mut Vec<Point>, matches: &mut Vec<Match>) {
        matches.clear();
        points.push(Point { word: start, state: forms.start(), expanded: false, literal: false });
        while let Some(point) = points.pop() {
            if point.word > start && forms.is_form(point.state) {
                let Point { word: end, expanded, literal, .. } = point;
                matches.push(Match { end, expanded, literal });
            }
            let word = point.word;
            if word < self.words.len() && (word == start || !self.words.breaks_before(word)) {
                self.step(forms, point, points);
            }
        }
    }

    /// Adds the points after the word at a point: read as it is, in the singular, or in full.
    fn step(&self, forms: &Forms<'_>, point: Point, points: &mut Vec<Point>) {
        let word = point.word;
        let in_full =
            if self.short_forms.is_empty() { None } else { self.short_forms.at(self.text, &self.words, word) };
        if let Some((length, short_form)) = in_full {
            for form in &short_form.written_forms {
                if let Some(state) = forms.step(point.state, form) {
                    points.push(Point { word: word + length, state, expanded: true, ..point });
                }
            }
        }
        let literal = point.literal || in_full.is_some();
        for form in std::iter::once(self.words.form(word)).chain(self.words.variant(word)) {
            if let Some(state) = forms.step(point.state, form) {
                points.push(Point { word: word + 1, state, literal, ..point });
            }
        }
    }

    /// Whether a name can begin and end here: `C` does not end before a plus or number sign.
    fn stands_free(&self, span: Span) -> bool {
        let mut after = self.text[span.end..].trim_start_matches(['+', '#']).chars();
        let is_followed = self.text[span.end..].starts_with(['+', '#']);
        !is_followed || after.next().is_some_and(char::is_alphanumeric)
    }
}
