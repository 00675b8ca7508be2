//! Coordinations whose names share words (`breast and ovarian cancer`), read as each of their names.
//!
//! A passage is cut into segments at conjunctions, commas and slashes. A name of a coordination is a conjunct, the words of
//! one segment, between the words that all conjuncts share: `prefix + conjunct + head`. Corpora call such a mention
//! composite, and its names parts (`SimConcept`, Wei et al. 2015). The automaton of forms tells which words may be shared,
//! and the dictionary which names there are. The words of each part are bounded, so that time is linear in the length of a
//! passage.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use truename_kb::{FormState, Forms, Snapshot};
use truename_text::{Span, Words};

use super::spelling::InCapitals;
use super::{DictionaryRecognizer, Reading, RecognizedMention, Recognizer};
use crate::Error;
use crate::call::Call;

/// Maximum words of a prefix, of a conjunct and of a head.
const MAX_WORDS: usize = 4;
/// Maximum conjuncts of a coordination.
const MAX_CONJUNCTS: usize = 10;
/// Maximum words of a conjunct that makes no name with a head (`colon and some other cancers`); with a prefix alone each makes one.
const MAX_NAMELESS_WORDS: usize = 2;
/// Minimum bytes of the beginning of a word that is a conjunct, and of its rest (`pre- and postoperative`).
const MIN_PIECE_BYTES: usize = 2;

/// Finds the mentions of another recognizer and, in coordinations whose names share words, each of these names.
///
/// `breast and ovarian cancer` is `breast … cancer`, a discontinuous mention, and `ovarian cancer`. A name counts if a
/// dictionary has it. Mentions within the names of a coordination are replaced by them. A coordination that is itself a name
/// (`head and neck cancer`) stays whole; one without a discontinuous name stays as the other recognizer found it.
pub struct CompositeRecognizer {
    recognizer: Arc<dyn Recognizer>,
    names: DictionaryRecognizer,
    nested: bool,
}

/// The names of a coordination.
struct Composite {
    span: Span,
    /// Words of each segment that names have.
    segments: Vec<Span>,
    /// Last conjunct with the head, if they make no name.
    nameless: Option<Span>,
    names: Vec<Name>,
}

/// A name with the pieces of text that it is written in.
struct Name {
    pieces: Vec<Span>,
    /// Types of the concepts with the name.
    types: Vec<String>,
    /// Number of words.
    words: usize,
}

impl CompositeRecognizer {
    /// Creates a recognizer of the mentions of `recognizer` and of coordinated names that `names` has.
    pub fn new(recognizer: Arc<dyn Recognizer>, names: DictionaryRecognizer) -> Self {
        Self { recognizer, names, nested: false }
    }

    /// Sets whether mentions within the names of a coordination are kept beside them.
    #[must_use]
    pub fn nested(self, nested: bool) -> Self {
        Self { nested, ..self }
    }

    /// Adds the names of coordinations to the mentions of a document, in place of those within them.
    fn read(
        &self,
        reading: &Reading<'_>,
        mut found: Vec<RecognizedMention>,
        snapshot: &Snapshot<'_>,
    ) -> Result<Vec<RecognizedMention>, Error> {
        let text = &reading.document().text;
        let (mentions, mut composites) = (Places::of(&found), Vec::new());
        for span in reading.document().passage_spans() {
            let passage = Passage {
                text,
                words: Words::of(text, span),
                in_capitals: InCapitals::of(text, span),
                reading,
                mentions: &mentions,
                names: &self.names,
                snapshot,
                forms: snapshot.forms()?,
            };
            for run in passage.runs(span)? {
                composites.append(&mut passage.composites(&run)?);
            }
        }
        if !self.nested {
            let within = |one: &Composite| mentions.overlapping(one.span).filter(|span| one.replaces(*span)).collect();
            let replaced: HashSet<Span> = composites.iter().flat_map(|one| -> Vec<Span> { within(one) }).collect();
            found.retain(|mention| !replaced.contains(&mention.span));
        }
        let is_new = |name: &&Name| name.pieces.len() > 1 || !mentions.has(name.span());
        found.extend(composites.iter().flat_map(|one| &one.names).filter(is_new).flat_map(Name::mentions));
        Ok(found)
    }
}

impl Recognizer for CompositeRecognizer {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        let found = self.recognizer.recognize(readings)?;
        let mut found: Vec<_> = readings.iter().zip(found).collect();
        Call::begin(self.names.kb())?
            .each(&mut found, |snapshot, (reading, found)| self.read(reading, std::mem::take(found), snapshot))
    }

    fn fingerprint(&self) -> Option<String> {
        self.recognizer.fingerprint()
    }

    fn nil_share(&self) -> f64 {
        self.recognizer.nil_share()
    }
}

impl Composite {
    /// Returns whether the names take the place of a mention. One of the conjunct without a name stays, and so does one that is a name.
    fn replaces(&self, mention: Span) -> bool {
        let is_kept = self.nameless.is_some_and(|nameless| nameless.contains(mention))
            || self.names.iter().any(|name| name.pieces == [mention]);
        let is_within = self.names.iter().flat_map(|name| &name.pieces).any(|piece| piece.contains(mention));
        self.segments_of(mention) > 1 || is_within && !is_kept
    }

    fn segments_of(&self, mention: Span) -> usize {
        self.segments.iter().filter(|segment| segment.overlaps(mention)).count()
    }

    /// Returns whether no mention crosses the bounds of a segment: each lies within one, or in several.
    fn divides_none(&self, mentions: &Places) -> bool {
        mentions.overlapping(self.span).all(|mention| {
            self.segments_of(mention) != 1 || self.segments.iter().any(|segment| segment.contains(mention))
        })
    }

    /// Returns the rank among the readings of a coordination; higher is better.
    fn rank(&self) -> (usize, usize) {
        (self.names.len(), self.names.iter().map(|name| name.words).sum())
    }
}

impl Name {
    fn span(&self) -> Span {
        Span::new(self.pieces[0].start, self.pieces[self.pieces.len() - 1].end)
    }

    /// Returns the mention, once for each type of its concepts.
    fn mentions(&self) -> Vec<RecognizedMention> {
        let fragments = if self.pieces.len() > 1 { self.pieces.clone() } else { Vec::new() };
        let mention = RecognizedMention { fragments, ..RecognizedMention::new(self.span()) };
        if self.types.is_empty() {
            return vec![mention];
        }
        let of_type = |of: &String| RecognizedMention { mention_type: of.clone(), ..mention.clone() };
        self.types.iter().map(of_type).collect()
    }
}

/// Places of the mentions of a document.
struct Places {
    /// Spans by their start.
    spans: Vec<Span>,
    /// The furthest end of all spans up to each.
    ends: Vec<usize>,
}

impl Places {
    fn of(mentions: &[RecognizedMention]) -> Self {
        let mut spans: Vec<Span> = mentions.iter().map(|mention| mention.span).collect();
        spans.sort_unstable();
        spans.dedup();
        let mut furthest = 0;
        let end = |span: &Span| {
            furthest = furthest.max(span.end);
            furthest
        };
        let ends = spans.iter().map(end).collect();
        Self { spans, ends }
    }

    fn overlapping(&self, span: Span) -> impl Iterator<Item = Span> {
        let first = self.ends.partition_point(|end| *end <= span.start);
        let near = self.spans[first..].iter().take_while(move |other| other.start < span.end);
        near.filter(move |other| other.overlaps(span)).copied()
    }

    fn has(&self, span: Span) -> bool {
        self.spans.binary_search(&span).is_ok()
    }
}

/// One passage, split into words.
struct Passage<'a, 's> {
    text: &'a str,
    words: Words,
    in_capitals: InCapitals,
    reading: &'a Reading<'a>,
    mentions: &'a Places,
    names: &'a DictionaryRecognizer,
    snapshot: &'a Snapshot<'s>,
    forms: Forms<'a>,
}

/// A word, or a piece of one.
#[derive(Clone, Copy)]
struct Part {
    word: usize,
    span: Span,
}

/// Separator of two segments; a comma is weaker than a conjunction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Separator {
    Comma,
    Conjunction,
}

/// Words between two separators.
struct Segment {
    parts: Vec<Part>,
    /// Separator before it; `None` if it is the first of its run.
    separator: Option<Separator>,
    /// True if it ends in a hyphen (`pre-`).
    is_suspended: bool,
}

/// Segments that only separators divide.
#[derive(Default)]
struct Run {
    segments: Vec<Segment>,
    /// Separator behind the last segment.
    separator: Option<Separator>,
}

/// The words of a coordination: of the first segment the last ones, and of the last segment the first ones.
struct Coordination<'r> {
    first: Vec<Part>,
    middle: Vec<&'r [Part]>,
    last: Vec<Part>,
}

/// Words that all conjuncts share.
struct Shared<'r> {
    prefix: &'r [Part],
    head: &'r [Part],
}

impl Run {
    fn separate(&mut self, separator: Separator) {
        self.separator = self.separator.max(Some(separator));
    }

    fn push(&mut self, part: Part) {
        match self.segments.last_mut() {
            Some(segment) if self.separator.is_none() => segment.parts.push(part),
            last => {
                let separator = self.separator.take().filter(|_| last.is_some());
                self.segments.push(Segment { parts: vec![part], separator, is_suspended: false });
            }
        }
    }

    /// Ends the run, and keeps its segments if conjunctions divide any.
    fn end(&mut self, runs: &mut Vec<Vec<Segment>>) {
        let segments = std::mem::take(self).segments;
        if segments.iter().any(|segment| segment.separator == Some(Separator::Conjunction)) {
            runs.push(segments);
        }
    }
}

impl Passage<'_, '_> {
    /// Cuts the passage into runs of segments. Text in brackets has runs of its own and ends none around it.
    fn runs(&self, span: Span) -> Result<Vec<Vec<Segment>>, Error> {
        let joined = self.joined(span)?;
        let (mut runs, mut open, mut end) = (Vec::new(), vec![Run::default()], span.start);
        for (word, is_joined) in joined.into_iter().enumerate() {
            let span = self.words.span(word);
            if !is_joined {
                divide(&self.text[end..span.start], &mut open, &mut runs);
            }
            end = span.end;
            let run = open.last_mut().expect("the outermost run stays open");
            if !is_joined && self.words.breaks_before(word) {
                run.end(&mut runs);
            }
            match self.words.form(word) {
                _ if is_joined => run.push(Part { word, span }),
                _ if self.is_conjunction(word) => run.separate(Separator::Conjunction),
                "the" if run.separator.is_some() => {}
                _ => run.push(Part { word, span }),
            }
        }
        open.iter_mut().for_each(|run| run.end(&mut runs));
        Ok(runs)
    }

    /// Returns for each word of the passage whether it belongs to the name of the word before it, in names with separators
    /// (`head and neck cancer`).
    fn joined(&self, passage: Span) -> Result<Vec<bool>, Error> {
        let (mut joined, mut first) = (vec![false; self.words.len()], 0);
        for mention in self.mentions.overlapping(passage) {
            while first < self.words.len() && self.words.span(first).start < mention.start {
                first += 1;
            }
            if first == self.words.len() {
                break;
            }
            let is_in = |word: &usize| mention.contains(self.words.span(*word));
            let last = (first..self.words.len()).take_while(is_in).last().unwrap_or(first);
            let written = &self.text[mention.range()];
            let has_separator = written.contains([',', '/']) || (first..last).any(|word| self.is_conjunction(word));
            if has_separator && self.types(written, mention)?.is_some() {
                joined[first + 1..=last].fill(true);
            }
        }
        Ok(joined)
    }

    fn is_conjunction(&self, word: usize) -> bool {
        let is_code = |word: usize| {
            let form = self.words.form(word);
            form.chars().nth(1).is_none() || form.bytes().all(|byte| byte.is_ascii_digit())
        };
        match self.words.form(word) {
            "and" | "or" => true,
            "to" => word > 0 && is_code(word - 1) && word + 1 < self.words.len() && is_code(word + 1),
            _ => false,
        }
    }

    /// Returns the coordinations of a run that have discontinuous names, the last first.
    fn composites(&self, run: &[Segment]) -> Result<Vec<Composite>, Error> {
        let (mut composites, mut last) = (Vec::<Composite>::new(), run.len() - 1);
        while last > 0 {
            let next = composites.last().map_or(usize::MAX, |next| next.span.start);
            match self.composite_up_to(run, last)?.filter(|(_, composite)| composite.span.end <= next) {
                Some((first, composite)) => {
                    composites.push(composite);
                    last = first;
                }
                None => last -= 1,
            }
        }
        Ok(composites)
    }

    /// Returns the best reading of the coordinations that end with a segment, and its first segment.
    fn composite_up_to(&self, run: &[Segment], last: usize) -> Result<Option<(usize, Composite)>, Error> {
        if run[last].separator != Some(Separator::Conjunction) {
            return Ok(None);
        }
        let mut best: Option<(usize, Composite)> = None;
        for first in (last.saturating_sub(MAX_CONJUNCTS - 1)..last).rev() {
            if first + 1 < last && run[first + 1].parts.len() > MAX_WORDS {
                break;
            }
            for coordination in self.coordinations(&run[first..=last]) {
                for composite in self.readings(&coordination)? {
                    if best.as_ref().is_none_or(|(_, best)| composite.rank() > best.rank()) {
                        best = Some((first, composite));
                    }
                }
            }
        }
        Ok(best)
    }

    /// Returns the coordination of segments, and those in which a part of a word is a conjunct: `pre- and postoperative pain`,
    /// `SCA1 and 2`.
    fn coordinations<'r>(&self, segments: &'r [Segment]) -> Vec<Coordination<'r>> {
        let [first, middle @ .., last] = segments else { return Vec::new() };
        let bounded = |first: &[Part], last: &[Part]| Coordination {
            first: first[first.len().saturating_sub(2 * MAX_WORDS)..].to_vec(),
            middle: middle.iter().map(|segment| &segment.parts[..]).collect(),
            last: last[..last.len().min(2 * MAX_WORDS)].to_vec(),
        };
        let mut all = vec![bounded(&first.parts, &last.parts)];
        if first.is_suspended && middle.iter().all(|segment| segment.is_suspended) {
            let (word, rest) = last.parts.split_first().expect("a segment has words");
            let written = &self.text[word.span.range()];
            let places = written.char_indices().map(|(at, _)| at);
            for at in places.filter(|at| *at >= MIN_PIECE_BYTES && at + MIN_PIECE_BYTES <= written.len()) {
                all.push(bounded(&first.parts, &[&word.split(at)[..], rest].concat()));
            }
        }
        let (word, before) = first.parts.split_last().expect("a segment has words");
        let next = segments[1].parts[0];
        let letters = self.text[word.span.range()].trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let is_number = self.words.form(next.word).bytes().all(|byte| byte.is_ascii_digit());
        if is_number && letters > 0 && letters < word.span.end - word.span.start {
            all.push(bounded(&[before, &word.split(letters)[..]].concat(), &last.parts));
        }
        all
    }

    /// Returns the readings of a coordination that have a discontinuous name.
    fn readings(&self, coordination: &Coordination<'_>) -> Result<Vec<Composite>, Error> {
        let Coordination { first, last, .. } = coordination;
        let mut readings = Vec::new();
        for start in 0..first.len() {
            let states = self.follow(vec![self.forms.start()], &first[start..]);
            if states.is_empty() {
                continue;
            }
            for head in self.heads(&states, last) {
                for conjunct in start..first.len() {
                    readings.extend(self.reading(coordination, start..conjunct, &head)?);
                }
            }
        }
        Ok(readings)
    }

    /// Returns the words of the last segment that end a form which begins at `states`, behind a conjunct of their own; an empty range if
    /// the form is complete.
    fn heads(&self, states: &[FormState], last: &[Part]) -> Vec<Range<usize>> {
        let is_form = |states: &[FormState]| states.iter().any(|state| self.forms.is_form(*state));
        let mut heads = Vec::new();
        if is_form(states) {
            heads.push(0..0);
        }
        for start in 1..last.len().min(MAX_WORDS + 1) {
            let mut states = states.to_vec();
            for end in start + 1..=last.len().min(start + MAX_WORDS) {
                states = self.follow(states, &last[end - 1..end]);
                if is_form(&states) {
                    heads.push(start..end);
                }
            }
        }
        heads
    }

    /// Reads a coordination with the words of its first segment that are the prefix, and those of its last that are the head. `None` if the
    /// names are none, or only those that the text has in one piece.
    fn reading(
        &self,
        coordination: &Coordination<'_>,
        prefix: Range<usize>,
        head: &Range<usize>,
    ) -> Result<Option<Composite>, Error> {
        let Coordination { first, middle, last } = coordination;
        let (start, conjunct) = (prefix.start, &first[prefix.end..]);
        let shared = Shared { prefix: &first[prefix], head: &last[head.clone()] };
        let is_long = shared.prefix.len() > MAX_WORDS || conjunct.len() > MAX_WORDS;
        if is_long || shared.prefix.is_empty() && shared.head.is_empty() {
            return Ok(None);
        }
        let Some(name) = self.name(&shared, conjunct)? else { return Ok(None) };
        let (mut names, mut segments) = (vec![name], vec![extent(&first[start..])]);
        for conjunct in middle {
            let name = self.name(&shared, conjunct)?;
            if name.is_none() && (shared.head.is_empty() || conjunct.len() > MAX_NAMELESS_WORDS) {
                return Ok(None);
            }
            names.extend(name);
            segments.push(extent(conjunct));
        }
        let Some((end, name)) = self.last_name(&shared, last, head)? else { return Ok(None) };
        let of_last = extent(&last[..end]);
        let nameless = if name.is_none() { Some(of_last) } else { None };
        names.extend(name);
        segments.push(of_last);
        let span = Span::new(segments[0].start, of_last.end);
        let composite = Composite { span, segments, nameless, names };
        let is_one_name = || Ok::<_, Error>(self.types(&self.text[span.range()], span)?.is_some());
        Ok(if composite.divides_none(self.mentions) && !is_one_name()? { Some(composite) } else { None })
    }

    /// Returns the end of the words that names have of the last segment, with the name of its conjunct; `None` if it ends no coordination.
    fn last_name(
        &self,
        shared: &Shared<'_>,
        last: &[Part],
        head: &Range<usize>,
    ) -> Result<Option<(usize, Option<Name>)>, Error> {
        if shared.head.is_empty() {
            for end in (1..=last.len().min(MAX_WORDS)).rev() {
                if let Some(name) = self.name(shared, &last[..end])? {
                    return Ok(Some((end, Some(name))));
                }
            }
            return Ok(None);
        }
        let name = self.name(shared, &last[..head.start])?;
        // `breast and other cancers`: the conjunct has no name, but its head is a mention.
        let is_short = shared.prefix.is_empty() && head.start <= MAX_NAMELESS_WORDS;
        let is_last = name.is_some() || is_short && self.mentions.has(extent(shared.head));
        Ok(is_last.then_some((head.end, name)))
    }

    /// Returns the name that a conjunct makes with the words shared; `None` if it makes none, or needs none: it is a mention by itself
    /// (`renal failure and hypertension`).
    fn name(&self, shared: &Shared<'_>, conjunct: &[Part]) -> Result<Option<Name>, Error> {
        let parts = [shared.prefix, conjunct, shared.head].concat();
        let states = self.follow(vec![self.forms.start()], &parts);
        let pieces: Vec<Span> = parts.chunk_by(|part, next| next.word <= part.word + 1).map(extent).collect();
        let is_needed = pieces.len() == 1 || !self.mentions.has(extent(conjunct));
        if !is_needed || !states.iter().any(|state| self.forms.is_form(*state)) {
            return Ok(None);
        }
        let written: Vec<&str> = pieces.iter().map(|piece| &self.text[piece.range()]).collect();
        Ok(self.types(&written.join(" "), pieces[0])?.map(|types| Name { pieces, types, words: parts.len() }))
    }

    /// Returns the types of the concepts with a name that begins at `place`, its short forms expanded; `None` if no concept has it.
    fn types(&self, name: &str, place: Span) -> Result<Option<Vec<String>>, Error> {
        let long_form = self.reading.expand(name, place.start);
        self.names.types_of(long_form.as_deref().unwrap_or(name), self.in_capitals.of_span(place), self.snapshot)
    }

    /// Follows the forms from `states` on by parts, read as written, in the singular, or as expanded abbreviations.
    fn follow(&self, mut states: Vec<FormState>, parts: &[Part]) -> Vec<FormState> {
        for part in parts {
            let piece;
            let (words, word) = match part.span == self.words.span(part.word) {
                true => (&self.words, part.word),
                false => {
                    piece = Words::of(self.text, part.span);
                    (&piece, 0)
                }
            };
            if states.is_empty() || word == words.len() {
                return Vec::new();
            }
            let mut next = Vec::new();
            let mut step = |form: &str| next.extend(states.iter().filter_map(|state| self.forms.step(*state, form)));
            step(words.form(word));
            words.variant(word).into_iter().for_each(&mut step);
            if let Some((1, short_form)) = self.reading.short_forms().at(self.text, words, word, words.span(word).start)
            {
                short_form.written_forms.iter().for_each(|form| step(form));
            }
            states = next;
        }
        states
    }
}

impl Part {
    fn split(self, at: usize) -> [Self; 2] {
        let Self { word, span } = self;
        let middle = span.start + at;
        [Span::new(span.start, middle), Span::new(middle, span.end)].map(|span| Self { word, span })
    }
}

fn extent(parts: &[Part]) -> Span {
    Span::new(parts[0].span.start, parts[parts.len() - 1].span.end)
}

/// Divides the innermost open run by the text between two words; brackets open and close runs.
fn divide(between: &str, open: &mut Vec<Run>, runs: &mut Vec<Vec<Segment>>) {
    let is_hyphen = |c: char| matches!(c, '-' | '\u{2010}'..='\u{2013}');
    let is_suspended = between.starts_with(is_hyphen) && between.chars().nth(1).is_some();
    if let Some(segment) = open.last_mut().and_then(|run| run.segments.last_mut()) {
        segment.is_suspended |= is_suspended;
    }
    for character in between.chars() {
        if matches!(character, '(' | '[') {
            open.push(Run::default());
            continue;
        }
        let closes = matches!(character, ')' | ']') && open.len() > 1;
        let run = open.last_mut().expect("the outermost run stays open");
        match character {
            ',' => run.separate(Separator::Comma),
            '/' => run.separate(Separator::Conjunction),
            '.' | '\'' | '’' => {}
            _ if character.is_whitespace() || is_hyphen(character) => {}
            _ => run.end(runs),
        }
        if closes {
            open.pop();
        }
    }
}
