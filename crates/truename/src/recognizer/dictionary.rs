//! Recognizes names of the knowledge base in texts.

use std::cmp::Reverse;
use std::sync::Arc;

use truename_kb::{FormState, Forms, Snapshot};
use truename_text::{KeyMatch, NameKeys, NormalizedName, Span, Words, stable_hash};

use super::senses::Senses;
use super::{Reading, RecognizedMention, Recognizer, spelling};
use crate::call::Call;
use crate::memo::Memo;
use crate::name_filter::NameFilter;
use crate::short_forms::ShortForms;
use crate::{Error, KnowledgeBase};

/// Finds the names of a knowledge base in texts, however they are spaced, hyphenated, inflected or inverted, and
/// through the abbreviations that a document defines.
///
/// Walks the automaton of all names ([`Forms`]) from the beginning of each word. A form that ends at a word end is a
/// mention if one of its names may be written like the text. Of overlapping mentions, the leftmost longest is kept, or
/// all are.
pub struct DictionaryRecognizer {
    kb: KnowledgeBase,
    nested: bool,
    /// Names that are found.
    filter: NameFilter,
    /// True if mentions get the types of their concepts.
    typed: bool,
    /// True if common words and letters that are names are found too.
    common_words: bool,
    verdicts: Memo<Verdict>,
}

/// A piece of text that is written like a name.
pub(super) struct FormMatch {
    pub(super) recognized: RecognizedMention,
    pub(super) verdict: Verdict,
}

/// Verdict on a piece of text with the letters of a name.
#[derive(Clone)]
pub(super) enum Verdict {
    /// No name is written like it.
    Refused,
    /// It is a name, and a common word that mostly means just that word, or a letter. Only if common words are asked for.
    Common,
    /// It is a name of these concepts, those whose name is most alike. They are collected only for types.
    Name(Option<Arc<Senses>>),
}

/// A piece of text with the letters of a name.
struct Match {
    /// The word after the last one.
    end: usize,
    /// True if an abbreviation was expanded.
    expanded: bool,
    /// True if a short form of the document was read as a name of its own.
    literal: bool,
}

/// A position of the automaton walk.
#[derive(Clone, Copy)]
struct Point {
    word: usize,
    state: FormState,
    expanded: bool,
    literal: bool,
}

/// One passage, split into words.
struct Passage<'a> {
    text: &'a str,
    words: Words,
    short_forms: &'a ShortForms<'a>,
    in_capitals: bool,
}

impl DictionaryRecognizer {
    /// Creates a recognizer of the names of `kb`.
    pub fn new(kb: KnowledgeBase) -> Self {
        let (nested, typed, common_words) = (false, false, false);
        Self { kb, nested, filter: NameFilter::default(), typed, common_words, verdicts: Memo::new() }
    }

    /// Sets whether mentions within mentions are found too.
    #[must_use]
    pub fn nested(mut self, nested: bool) -> Self {
        self.nested = nested;
        self
    }

    /// Restricts the names to concepts that have one of these types; empty for all.
    #[must_use]
    pub fn of_types(mut self, types: Vec<String>) -> Self {
        self.filter = self.filter.types(types);
        self
    }

    /// Leaves out the aliases of these sources; `*` stands for all.
    #[must_use]
    pub fn without_aliases(mut self, sources: Vec<String>) -> Self {
        self.filter = self.filter.without_aliases(sources);
        self
    }

    /// Sets whether mentions get the types of the concepts whose names they are. A mention of several types is found
    /// once for each.
    #[must_use]
    pub fn typed(mut self, typed: bool) -> Self {
        self.typed = typed;
        self
    }

    /// Sets whether common words that are names, but mostly mean just that word, are found too, as
    /// [`Verdict::Common`]; so are letters that the name writes otherwise.
    pub(super) fn common_words(mut self, common_words: bool) -> Self {
        self.common_words = common_words;
        self
    }

    /// Finds the mentions of a batch of documents, with the verdict on each.
    pub(super) fn find(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<FormMatch>>, Error> {
        Call::begin(&self.kb)?.each(readings, |snapshot, reading| self.read(reading, snapshot))
    }

    /// Finds the mentions of one document, and once more if they define further abbreviations.
    fn read(&self, reading: &mut Reading<'_>, snapshot: &Snapshot<'_>) -> Result<Vec<FormMatch>, Error> {
        let found = self.in_document(reading, snapshot)?;
        let mentions = found.iter().filter(|one| one.is_mention()).map(|one| one.recognized.span);
        match reading.define_behind(mentions) {
            true => self.in_document(reading, snapshot),
            false => Ok(found),
        }
    }

    fn in_document(&self, reading: &Reading<'_>, snapshot: &Snapshot<'_>) -> Result<Vec<FormMatch>, Error> {
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

    fn in_passage(&self, passage: &Passage<'_>, snapshot: &Snapshot<'_>) -> Result<Vec<FormMatch>, Error> {
        let forms = snapshot.forms()?;
        let (mut found, mut word): (Vec<FormMatch>, usize) = (Vec::new(), 0);
        let (mut points, mut matches) = (Vec::new(), Vec::new());
        while word < passage.words.len() {
            passage.walk(&forms, word, &mut points, &mut matches);
            // Readings that follow the document's abbreviations come before literal ones, then longer ones.
            matches.sort_by_key(|one: &Match| (one.literal, Reverse(one.end)));
            let mut next = word + 1;
            for at in 0..matches.len() {
                let one = &matches[at];
                let is_known = at > 0 && matches[at - 1].end == one.end;
                let span = passage.span(word, one.end);
                if is_known && found.last().is_some_and(|last| last.recognized.span == span) {
                    continue;
                }
                let verdict = self.verdict(passage, word, one, snapshot)?;
                if matches!(verdict, Verdict::Refused) {
                    continue;
                }
                let recognized = RecognizedMention { tentative: one.literal, ..RecognizedMention::new(span) };
                found.push(FormMatch { recognized, verdict });
                if !self.nested && found.last().is_some_and(FormMatch::is_mention) {
                    next = one.end;
                    break;
                }
            }
            word = next;
        }
        Ok(found)
    }

    fn verdict(
        &self,
        passage: &Passage<'_>,
        word: usize,
        one: &Match,
        snapshot: &Snapshot<'_>,
    ) -> Result<Verdict, Error> {
        let span = passage.span(word, one.end);
        if !passage.stands_free(span) {
            return Ok(Verdict::Refused);
        }
        let written = &passage.text[span.range()];
        let expanded = if one.expanded { passage.short_forms.expand(written, span.start) } else { None };
        let piece = expanded.as_deref().unwrap_or(written);
        let key = format!("{}{piece}", u8::from(passage.in_capitals));
        self.verdicts.get(snapshot.version(), &key, || self.verdict_on(piece, passage.in_capitals, snapshot))
    }

    /// Compares `piece` with the names that have its letters.
    fn verdict_on(&self, piece: &str, in_capitals: bool, snapshot: &Snapshot<'_>) -> Result<Verdict, Error> {
        if !piece.contains(char::is_alphabetic) {
            return Ok(Verdict::Refused);
        }
        let keys = NameKeys::of(&NormalizedName::new(piece));
        let is_common = spelling::is_common_word(piece);
        let is_generic = is_common && is_generic(piece, snapshot)?;
        if is_generic && !self.common_words {
            return Ok(Verdict::Refused);
        }
        let (mut senses, mut best, mut is_mention) = (Senses::default(), KeyMatch::None, false);
        for key in keys.filed() {
            for number in snapshot.names_under(key)? {
                let (concept, name) = snapshot.name(number)?;
                if !self.filter.allows(concept, number, snapshot)? {
                    continue;
                }
                // A synonym that is a common word mostly means just that word.
                let is_synonym = || Ok::<_, Error>(snapshot.concept_names(concept)?.1[0] != number);
                let is_just_a_word = is_generic
                    || (is_common && name != piece && is_synonym()?)
                    || (self.common_words && name != piece && spelling::is_letter(piece));
                if is_just_a_word && !self.common_words {
                    continue;
                }
                let meeting = keys.meet(&NameKeys::of(&NormalizedName::new(name)));
                if meeting < KeyMatch::Reordered || !spelling::may_stand_for(piece, name, in_capitals) {
                    continue;
                }
                if !self.typed {
                    return Ok(Verdict::Name(None));
                }
                // The very name settles what the plural of another name cannot.
                if meeting < best {
                    continue;
                }
                if meeting > best {
                    (senses, best, is_mention) = (Senses::default(), meeting, false);
                }
                senses.add(concept, snapshot)?;
                is_mention |= !is_just_a_word;
            }
        }
        Ok(match senses.is_empty() {
            true => Verdict::Refused,
            false if is_mention => Verdict::Name(Some(Arc::new(senses))),
            false => Verdict::Common,
        })
    }
}

impl FormMatch {
    /// Returns whether this is a mention and no mere word.
    fn is_mention(&self) -> bool {
        matches!(self.verdict, Verdict::Name(_))
    }

    /// Returns the mention, once for each type of its concepts.
    fn typed(self) -> Vec<RecognizedMention> {
        match self.verdict {
            Verdict::Name(Some(senses)) if !senses.types().is_empty() => {
                let of = |mention_type| RecognizedMention { mention_type, ..self.recognized.clone() };
                senses.types().into_iter().map(of).collect()
            }
            _ => vec![self.recognized],
        }
    }
}

/// A common word is generic (`disease`, `protein`), and no mention by itself, if more than one in this many names
/// contains it.
const GENERIC_ONE_IN: u32 = 70;
/// Minimum number of names with a word for the word to count as generic.
const MIN_NAMES: u32 = 100;

fn is_generic(word: &str, snapshot: &Snapshot<'_>) -> Result<bool, Error> {
    let words = Words::of(word, Span::new(0, word.len()));
    let forms = [Some(words.form(0)), words.variant(0)];
    let mut names = 0;
    for form in forms.into_iter().flatten() {
        names = names.max(snapshot.names_with_word(stable_hash(form))?);
    }
    Ok(names >= MIN_NAMES && names > snapshot.counts().names / GENERIC_ONE_IN)
}

impl Recognizer for DictionaryRecognizer {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        let found = self.find(readings)?;
        Ok(found.into_iter().map(|found| found.into_iter().flat_map(FormMatch::typed).collect()).collect())
    }
}

impl Passage<'_> {
    /// Returns the span from a word up to, not including, the word `end`; a final `'s` is left out.
    fn span(&self, word: usize, end: usize) -> Span {
        let span = Span::new(self.words.span(word).start, self.words.span(end - 1).end);
        let written = &self.text[span.range()];
        let possessor = written.strip_suffix("'s").or_else(|| written.strip_suffix("’s")).unwrap_or(written);
        Span::new(span.start, span.start + possessor.len())
    }

    /// Collects the forms that begin at a word.
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

    /// Adds the points after the word at a point, read as written, in the singular, or as an expanded abbreviation.
    fn step(&self, forms: &Forms<'_>, point: Point, points: &mut Vec<Point>) {
        let word = point.word;
        let in_full =
            match self.short_forms.is_empty() {
                true => None,
                false => self.short_forms.at(self.text, &self.words, word, self.words.span(word).start),
            };
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

    /// Returns whether a name may begin and end here: `C` does not end before a plus or number sign.
    fn stands_free(&self, span: Span) -> bool {
        let mut after = self.text[span.end..].trim_start_matches(['+', '#']).chars();
        let is_followed = self.text[span.end..].starts_with(['+', '#']);
        !is_followed || after.next().is_some_and(char::is_alphanumeric)
    }
}
