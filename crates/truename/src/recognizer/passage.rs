//! Pieces of a passage that have the letters of names.

use std::borrow::Cow;

use truename_kb::{FormState, Forms};
use truename_text::{Abbreviation, Alternative, AlternativePlace, Border, Rotation, Span, Words, is_isotope};

use super::Reading;
use super::company::{Companies, Line};
use super::decision::{self, PlaceFeatures};
use super::spelling::{self, InCapitals};
use crate::short_forms::ShortForms;

/// A piece of text with the letters of a name.
pub(super) struct Match {
    /// The word after the last one.
    pub(super) end: usize,
    pub(super) span: Span,
    /// The text in the span, if a word was read as another way to write it.
    read: Option<String>,
    /// True if an abbreviation was expanded.
    pub(super) expanded: bool,
    /// True if a short form of the document was read as a name of its own.
    pub(super) literal: bool,
    /// The form of the name if its legal form differs from the text's.
    pub(super) company: Option<String>,
}

/// A position of the automaton walk.
#[derive(Clone, Copy)]
struct Point {
    word: usize,
    state: FormState,
    expanded: bool,
    literal: bool,
    /// The last of [`Walk::respelt`] before this position.
    respelt: Option<usize>,
    /// True if a form must end here.
    is_last: bool,
}

/// A word that was read as another way to write it.
#[derive(Clone, Copy)]
struct RespeltWord<'a> {
    span: Span,
    alternative: &'a Alternative,
    /// Index of the one before it in the same form.
    before: Option<usize>,
}

/// Matches at one word, and the buffers of the walk there.
#[derive(Default)]
pub(super) struct Walk<'a> {
    points: Vec<Point>,
    respelt: Vec<RespeltWord<'a>>,
    pub(super) matches: Vec<Match>,
}

/// One passage, split into words.
pub(super) struct Passage<'a> {
    pub(super) text: &'a str,
    place: Span,
    pub(super) words: Words,
    short_forms: &'a ShortForms<'a>,
    definitions: &'a [Abbreviation],
    pub(super) in_capitals: InCapitals,
    /// Ends of its lines.
    lines: Vec<usize>,
}

impl Match {
    /// Returns true if the text is not written like the name.
    pub(super) fn is_read(&self) -> bool {
        self.read.is_some() || self.company.is_some()
    }
}

impl<'a> Passage<'a> {
    pub(super) fn new(reading: &'a Reading<'a>, place: Span) -> Self {
        let (text, short_forms) = (reading.document().text.as_str(), reading.short_forms());
        let lines = text[place.range()].match_indices('\n').map(|(at, _)| place.start + at).collect();
        let (words, in_capitals) = (Words::of(text, place), InCapitals::of(text, place));
        Self { text, place, words, short_forms, definitions: reading.abbreviations(), in_capitals, lines }
    }

    /// Returns the span from a word up to, not including, the word `end`, with the brackets around it whose partners it has; a final `'s` is left
    /// out. `None` if a bracket has no partner.
    fn span(&self, word: usize, end: usize) -> Option<Span> {
        let span = Span::new(self.words.span(word).start, self.words.span(end - 1).end);
        let written = &self.text[span.range()];
        let possessor = written.strip_suffix("'s").or_else(|| written.strip_suffix("’s")).unwrap_or(written);
        spelling::with_brackets(self.text, Span::new(span.start, span.start + possessor.len()))
    }

    /// Returns the text of a match as it was read, with its abbreviations expanded.
    pub(super) fn piece<'p>(&'p self, one: &'p Match) -> Cow<'p, str> {
        let read = one.read.as_deref().unwrap_or(&self.text[one.span.range()]);
        let expanded = if one.expanded { self.short_forms.expand(read, one.span.start) } else { None };
        expanded.map_or(Cow::Borrowed(read), Cow::Owned)
    }

    /// Collects the forms that begin at a word.
    pub(super) fn walk<'w>(&'w self, forms: &Forms<'_>, start: usize, walk: &mut Walk<'w>) {
        walk.matches.clear();
        walk.respelt.clear();
        let (expanded, literal, respelt, is_last) = (false, false, None, false);
        if !self.words.may_begin_name(start) {
            return;
        }
        walk.points.push(Point { word: start, state: forms.start(), expanded, literal, respelt, is_last });
        while let Some(point) = walk.points.pop() {
            if point.word > start && self.words.may_end_name(point.word - 1) && forms.is_form(point.state) {
                self.add(start, &point, walk);
            }
            let word = point.word;
            let reaches = |word| word == start || self.words.border_before(word) < Border::Pictograph;
            if word < self.words.len() && !point.is_last && reaches(word) {
                self.step(forms, start, point, walk);
            }
        }
    }

    /// Adds the match that ends at a point: with the sign of rotation before it, with the minus behind it, and without them.
    fn add(&self, start: usize, point: &Point, walk: &mut Walk<'_>) {
        let Point { word: end, expanded, literal, respelt, .. } = *point;
        let Some(span) = self.span(start, end) else { return };
        let with_sign = Rotation::before(self.text, span.start).map(|start| Span::new(start, span.end));
        let spans = with_sign.into_iter().chain(spelling::with_minus(self.text, span)).chain([span]);
        for span in spans.filter(|span| self.place.contains(*span)) {
            let written = &self.text[span.range()];
            let read = respelt.map(|last| respelt_text(written, span.start, &walk.respelt, last));
            let racemic = written.strip_prefix("(+/-)").map(|rest| format!("(±){rest}"));
            walk.matches.push(Match { end, span, read: read.or(racemic), expanded, literal, company: None });
        }
    }

    /// Adds the companies that begin at a word and that the text writes with another legal form or without one.
    pub(super) fn add_companies(&self, companies: &Companies<'_, '_>, start: usize, walk: &mut Walk<'_>) {
        for company in companies.at(Line { text: self.text, words: &self.words }, start) {
            let Some(span) = self.span(start, company.end).filter(|span| self.place.contains(*span)) else { continue };
            let (end, company) = (company.end, Some(company.form));
            walk.matches.push(Match { end, span, read: None, expanded: false, literal: false, company });
        }
    }

    /// Returns the features of the place of a form; `short_form`: how it reads the document's abbreviations.
    pub(super) fn place_features(&self, span: Span, short_form: f32) -> PlaceFeatures {
        let (before, after) = (&self.text[..span.start], &self.text[span.end..]);
        let (first, next) = (self.words.first_from(span.start), self.words.first_from(span.end));
        let word = |beside: usize, border: usize| {
            let is_near = (1..self.words.len()).contains(&border) && self.words.border_before(border) == Border::None;
            decision::neighbour(is_near.then(|| &self.text[self.words.span(beside).range()]))
        };
        let at = self.lines.partition_point(|line| *line < span.start);
        let bound = |line: Option<&usize>, end: usize| line.copied().unwrap_or(end);
        let line = bound(self.lines.get(at), self.place.end).saturating_sub(span.end) + span.start
            - bound(at.checked_sub(1).map(|at| &self.lines[at]), self.place.start);
        [
            decision::beside(before.chars().next_back()),
            decision::beside(after.chars().next()),
            word(first.wrapping_sub(1), first),
            word(next, next),
            (1.0 + line as f32).ln(),
            short_form,
            self.in_capitals.share(),
        ]
    }

    /// Returns true if a sentence begins with a span.
    pub(super) fn begins_sentence(&self, span: Span) -> bool {
        let first = self.words.first_from(span.start);
        first < self.words.len() && self.words.breaks_before(first)
    }

    /// Returns true if a sentence begins with a span and goes on behind it.
    pub(super) fn leads_on(&self, span: Span) -> bool {
        let next = self.words.first_from(span.end);
        self.begins_sentence(span) && next < self.words.len() && !self.words.breaks_before(next)
    }

    /// Adds the points after the word at a point, read as written, in the singular, as others write it, or as an expanded abbreviation.
    fn step<'w>(&'w self, forms: &Forms<'_>, start: usize, point: Point, walk: &mut Walk<'w>) {
        let (word, span) = (point.word, self.words.span(point.word));
        let in_full = match self.short_forms.is_empty() {
            true => None,
            false => self.short_forms.at(self.text, &self.words, word, span.start),
        };
        if let Some((length, short_form)) = in_full {
            for form in &short_form.written_forms {
                if let Some(state) = forms.step(point.state, form) {
                    walk.points.push(Point { word: word + length, state, expanded: true, ..point });
                }
            }
        }
        let point = Point { word: word + 1, literal: point.literal || in_full.is_some(), ..point };
        for form in std::iter::once(self.words.form(word)).chain(self.words.variant(word)) {
            if let Some(state) = forms.step(point.state, form) {
                walk.points.push(Point { state, ..point });
            }
        }
        for alternative in self.words.alternatives(word) {
            if let Some(state) = forms.step(point.state, &alternative.form)
                && alternative.place.allows(word == start, forms.is_form(state))
            {
                let (respelt, is_last) = (Some(walk.respelt.len()), alternative.place == AlternativePlace::Last);
                walk.respelt.push(RespeltWord { span, alternative, before: point.respelt });
                walk.points.push(Point { state, respelt, is_last, ..point });
            }
        }
    }

    /// Returns whether a name may begin and end here: `C` does not end before a plus or number sign, nor before a charge in brackets, `5 mg` does
    /// not begin within `2.5 mg`, `14C` is a label in `[14C]choline`, and a definition is two names.
    pub(super) fn stands_free(&self, span: Span) -> bool {
        const SIGNS: [char; 4] = ['+', '#', '\u{207A}', '\u{FF0B}'];
        const ALLELES: [char; 5] = ['+', '-', '\u{2212}', '\u{207A}', '\u{207B}'];
        let after = &self.text[span.end..];
        let in_brackets = after.strip_prefix('(').map(|inner| inner.trim_start_matches(|c: char| c.is_ascii_digit()));
        let is_charged = in_brackets.is_some_and(|inner| inner.starts_with("+)"));
        let behind_signs = after.trim_start_matches(SIGNS);
        // `p53+/-` is a genotype of `p53`.
        let is_genotype = behind_signs.strip_prefix('/').is_some_and(|rest| rest.starts_with(ALLELES));
        let is_followed = after.starts_with(SIGNS) && !behind_signs.starts_with(char::is_alphanumeric) && !is_genotype;
        // `CD4+` and `HER2(+)` are cells and tumours with a marker; an ion has one capital, or one of two elements.
        let piece = &self.text[span.range()];
        let capitals = piece.chars().filter(char::is_ascii_uppercase).count();
        let is_marker = capitals > 1 && piece.ends_with(|c: char| c.is_ascii_digit());
        let is_ion = !is_marker && (is_charged || is_followed);
        !is_ion && !self.is_fraction(span) && !self.is_label(span) && !self.is_definition(span)
    }

    /// Returns true if a span has a short form and what the document defines it as (`end-stage renal disease (ESRD)`), which are two mentions.
    fn is_definition(&self, span: Span) -> bool {
        self.definitions.iter().any(|known| span.contains(known.long) && span.contains(known.short))
    }

    /// Returns true if a number at the beginning of a span goes on before it (`2.5`, `1,5`, ` .5`).
    fn is_fraction(&self, span: Span) -> bool {
        let before = &self.text[..span.start];
        let is_digit = |c: char| c.is_ascii_digit();
        self.text[span.start..].starts_with(is_digit)
            && (before.strip_suffix(['.', ',']).is_some_and(|whole| whole.ends_with(is_digit))
                || before.strip_suffix('.').is_some_and(|rest| rest.is_empty() || rest.ends_with([' ', '('])))
    }

    /// Returns true if a span is the symbol of an isotope that labels the word it is joined to.
    fn is_label(&self, span: Span) -> bool {
        let after = &self.text[span.end..];
        let joined = after.strip_prefix([']', ')']).unwrap_or(after);
        let is_joined = joined.len() < after.len() || joined.starts_with('-');
        let is_compound = || joined.trim_start_matches('-').chars().take_while(|c| c.is_alphabetic()).nth(2).is_some();
        is_joined && is_compound() && is_isotope(&self.text[span.range()])
    }
}

/// Returns a text that begins at byte `start` of a document with the words of a form in it as they were read, given the last of these.
fn respelt_text(written: &str, start: usize, respelt: &[RespeltWord<'_>], last: usize) -> String {
    let mut read = written.to_owned();
    let words = std::iter::successors(Some(&respelt[last]), |word| word.before.map(|before| &respelt[before]));
    for word in words {
        let end = (word.span.end - start).min(written.len());
        read.replace_range(word.span.start - start..end, &word.alternative.written);
    }
    read
}
