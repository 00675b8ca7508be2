//! Recognizes names of the knowledge base in texts.

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;
use truename_kb::{ConceptIndex, FormState, Forms, Snapshot};
use truename_text::{
    Abbreviation, Alternative, AlternativePlace, Border, Document, Key, KeyMatch, LegalName, NameKeys, NormalizedName,
    Rotation, Span, Words, is_isotope, stable_hash,
};

use super::company::{Companies, KnownCompanies, Line};
use super::decision::{self, FormExample, FormFeatures, MentionModel, PlaceFeatures};
use super::senses::Senses;
use super::spelling::{self, Capitals, InCapitals, Spelling};
use super::{Reading, RecognizedMention, Recognizer};
use crate::call::Call;
use crate::memo::Memo;
use crate::name_filter::NameFilter;
use crate::short_forms::ShortForms;
use crate::{Error, KnowledgeBase, StopNames};

/// Finds the names of a knowledge base in texts, however they are spaced, hyphenated, inflected or inverted, with digraphs for
/// umlauts and Roman for Arabic numbers ([`Words::alternatives`]), with or without the legal forms of companies, and through the
/// abbreviations that a document defines.
///
/// Walks the automaton of all names ([`Forms`]) from the beginning of each word. A form that ends at a word end is a
/// mention if one of its names may be written like the text, and if a [`MentionModel`] finds it likely enough. Its span has the brackets and
/// the minus that the name has. Of overlapping forms, those are kept whose probabilities exceed the threshold by most together, or all are.
/// Without a model, forms that are written as no name is are none, and of overlapping ones the leftmost longest is kept.
pub struct DictionaryRecognizer {
    kb: KnowledgeBase,
    nested: bool,
    /// Names that are found.
    filter: NameFilter,
    /// Names that are never mentions, beside those of the knowledge base.
    stop_names: Arc<StopNames>,
    /// True if mentions get the types of their concepts.
    typed: bool,
    /// True if forms that are no mentions are found too, as doubtful ones.
    doubtful: bool,
    decision: Decision,
    /// Probability above which a form is a mention in any case.
    above: f64,
    /// True if mentions say what speaks for and against them.
    explained: bool,
    verdicts: Memo<Verdict>,
    companies: Memo<Arc<KnownCompanies>>,
}

/// The decision on forms that are written like names.
enum Decision {
    /// Every form that is written as the name is a mention.
    Rules,
    /// The model that comes with Truename.
    Standard,
    By(Arc<MentionModel>),
}

/// A piece of text that is written like a name.
pub(super) struct FormMatch {
    pub(super) recognized: RecognizedMention,
    pub(super) form: Arc<KnownForm>,
    /// True if a form like this is no mention in this place.
    pub(super) is_doubtful: bool,
    /// True if an abbreviation of the document was expanded.
    is_expanded: bool,
    features: Vec<f32>,
}

/// A piece of text that may be written like a name.
pub(super) struct KnownForm {
    /// Concepts whose name is most alike.
    pub(super) senses: Senses,
    spelling: Spelling,
    /// True if it has to be as likely over a small knowledge base as over a large one: it is not written as the name, or is a letter that the
    /// name writes otherwise.
    is_strict: bool,
    features: FormFeatures,
}

/// Verdict on a piece of text with the letters of a name.
#[derive(Clone)]
enum Verdict {
    /// No name is written like it.
    Refused,
    /// It may be a name.
    Name(Arc<KnownForm>),
}

/// A piece of text with the letters of a name.
struct Match {
    /// The word after the last one.
    end: usize,
    span: Span,
    /// The text in the span, if a word was read as another way to write it.
    read: Option<String>,
    /// True if an abbreviation was expanded.
    expanded: bool,
    /// True if a short form of the document was read as a name of its own.
    literal: bool,
    /// The form of the name if its legal form differs from the text's.
    company: Option<String>,
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
struct Walk<'a> {
    points: Vec<Point>,
    respelt: Vec<RespeltWord<'a>>,
    matches: Vec<Match>,
}

/// One passage, split into words.
struct Passage<'a> {
    text: &'a str,
    place: Span,
    words: Words,
    short_forms: &'a ShortForms<'a>,
    in_capitals: InCapitals,
    /// Ends of its lines.
    lines: Vec<usize>,
}

impl DictionaryRecognizer {
    /// Creates a recognizer of the names of `kb`.
    pub fn new(kb: KnowledgeBase) -> Self {
        let (nested, typed, doubtful, explained) = (false, false, false, false);
        Self {
            kb,
            nested,
            filter: NameFilter::default(),
            stop_names: Arc::default(),
            typed,
            doubtful,
            decision: Decision::Standard,
            above: 1.0,
            explained,
            verdicts: Memo::new(),
            companies: Memo::new(),
        }
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

    /// Leaves out names that are never mentions; a shorter name in the place of one is found.
    #[must_use]
    pub fn without_names(mut self, names: Arc<StopNames>) -> Self {
        self.stop_names = names;
        self
    }

    /// Sets whether mentions get the types of the concepts whose names they are. A mention of several types is found
    /// once for each.
    #[must_use]
    pub fn typed(mut self, typed: bool) -> Self {
        self.typed = typed;
        self
    }

    /// Sets whether forms that are no mentions are found too, as doubtful ones, where they overlap no mention.
    pub(super) fn doubtful(mut self, doubtful: bool) -> Self {
        self.doubtful = doubtful;
        self
    }

    /// Decides by another model, or takes every form that is written as the name for a mention.
    #[must_use]
    pub fn with_model(self, model: Option<Arc<MentionModel>>) -> Self {
        Self { decision: model.map_or(Decision::Rules, Decision::By), ..self }
    }

    /// Lowers the probability below which a form that is written as the name is no mention, if it is above this.
    #[must_use]
    pub fn above(self, probability: f64) -> Self {
        Self { above: probability, ..self }
    }

    /// Sets whether mentions say what speaks for and against them.
    #[must_use]
    pub fn explained(self, explained: bool) -> Self {
        Self { explained, ..self }
    }

    /// Returns the forms that it finds in documents, whatever their probability, to fit a [`MentionModel`] to them.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn examples(&self, documents: &[Document]) -> Result<Vec<Vec<FormExample>>, Error> {
        let mut readings: Vec<Reading<'_>> = documents.par_iter().map(Reading::new).collect();
        let example = |one: FormMatch| {
            let (span, ids, is_usual) = (one.recognized.span, one.form.senses.ids().to_vec(), one.is_usual());
            FormExample { span, ids, is_usual, features: one.features }
        };
        Call::begin(&self.kb)?.each(&mut readings, |snapshot, reading| {
            let found = with_definitions(reading, FormMatch::is_usual, |reading| self.forms(reading, true, snapshot))?;
            Ok(found.into_iter().filter(|one| !one.recognized.tentative).map(example).collect())
        })
    }

    /// Returns the knowledge base.
    pub(super) fn kb(&self) -> &KnowledgeBase {
        &self.kb
    }

    /// Finds the mentions of a batch of documents, with the verdict on each.
    pub(super) fn find(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<FormMatch>>, Error> {
        Call::begin(&self.kb)?.each(readings, |snapshot, reading| {
            with_definitions(reading, |one| !one.is_doubtful, |reading| self.in_document(reading, snapshot))
        })
    }

    fn in_document(&self, reading: &Reading<'_>, snapshot: &Snapshot<'_>) -> Result<Vec<FormMatch>, Error> {
        let model = match &self.decision {
            Decision::Rules => return self.forms(reading, false, snapshot),
            Decision::Standard => MentionModel::standard(),
            Decision::By(model) => Arc::clone(model),
        };
        let found = self.forms(reading, true, snapshot)?;
        Ok(self.decide(&model, model.threshold(snapshot.counts().names), found))
    }

    /// Finds the forms of a document: of overlapping ones the leftmost longest, or all with their features.
    fn forms(&self, reading: &Reading<'_>, is_all: bool, snapshot: &Snapshot<'_>) -> Result<Vec<FormMatch>, Error> {
        let text = &reading.document().text;
        let mut found = Vec::new();
        for span in reading.document().passage_spans() {
            let passage = Passage {
                text,
                place: span,
                words: Words::of(text, span),
                short_forms: reading.short_forms(),
                in_capitals: InCapitals::of(text, span),
                lines: text[span.range()].match_indices('\n').map(|(at, _)| span.start + at).collect(),
            };
            let start = found.len();
            self.in_passage(&passage, is_all, &mut found, snapshot)?;
            if is_all {
                for one in &mut found[start..] {
                    one.features = decision::joined(&one.form.features, &passage.place_features(one));
                }
            }
        }
        if is_all {
            add_document_features(&mut found, self.nested, reading);
        }
        Ok(found)
    }

    /// Gives each form the probability that it is a mention, and keeps those that are; those that are not, if they are asked for.
    fn decide(&self, model: &MentionModel, threshold: f64, found: Vec<FormMatch>) -> Vec<FormMatch> {
        let usual = threshold.min(self.above);
        let strict = model.threshold(MentionModel::LARGE);
        let (mut likely, mut doubtful) = (Vec::new(), Vec::new());
        for mut one in found {
            let least = if one.form.is_strict { strict } else { usual };
            let probability = model.probability(&one.features);
            one.recognized.probability = Some(probability);
            one.is_doubtful = probability < least;
            if self.explained && !one.is_doubtful {
                one.recognized.evidence = model.evidence(&one.features);
            }
            let is_word = one.form.spelling != Spelling::OtherCapitals;
            match one.is_doubtful {
                false => likely.push(one),
                true if self.doubtful && is_word => doubtful.push(one),
                true => {}
            }
        }
        if !self.nested {
            likely = best_apart(likely, threshold);
            let (mentions, mut end) = (likely.len(), 0);
            for one in doubtful {
                let span = one.recognized.span;
                let next = likely[..mentions].partition_point(|other| other.recognized.span.end <= span.start);
                if span.start >= end
                    && !likely[..mentions].get(next).is_some_and(|one| one.recognized.span.overlaps(span))
                {
                    end = span.end;
                    likely.push(one);
                }
            }
        } else {
            likely.append(&mut doubtful);
        }
        likely.sort_by_key(|one| one.recognized.span.start);
        likely
    }

    fn in_passage(
        &self,
        passage: &Passage<'_>,
        is_all: bool,
        found: &mut Vec<FormMatch>,
        snapshot: &Snapshot<'_>,
    ) -> Result<(), Error> {
        let forms = snapshot.forms()?;
        let known = self.companies.get(snapshot.version(), "", || KnownCompanies::of(snapshot).map(Arc::new))?;
        let companies = Companies { forms: &forms, known: &known };
        let keeps_inner = is_all || self.nested;
        let mut word = 0;
        let mut walk = Walk::default();
        while word < passage.words.len() {
            passage.walk(&forms, word, &mut walk);
            passage.add_companies(&companies, word, &mut walk);
            // Readings that follow the document's abbreviations come before literal ones, then longer ones, then words as they are written.
            walk.matches.sort_by_key(|one| (one.literal, Reverse(one.end), Reverse(one.span.end), one.is_read()));
            let (mut next, of_word) = (word + 1, found.len());
            for one in &walk.matches {
                let same = found[of_word..].iter().position(|other| other.recognized.span == one.span);
                let is_taken = match keeps_inner {
                    true => same.is_some_and(|same| found[of_word + same].is_usual()),
                    false => found.last().is_some_and(|last| last.recognized.span.overlaps(one.span)),
                };
                if is_taken {
                    continue;
                }
                let Verdict::Name(form) = self.verdict(passage, one, snapshot)? else { continue };
                let is_usual = form.spelling == Spelling::Name;
                if !is_usual && (!is_all || same.is_some()) {
                    continue;
                }
                let recognized = RecognizedMention { tentative: one.literal, ..RecognizedMention::new(one.span) };
                let is_expanded = one.expanded;
                let this = FormMatch { recognized, form, is_doubtful: false, is_expanded, features: Vec::new() };
                match same {
                    Some(same) => found[of_word + same] = this,
                    None => found.push(this),
                }
                if !keeps_inner {
                    next = one.end;
                    break;
                }
            }
            word = next;
        }
        Ok(())
    }

    fn verdict(&self, passage: &Passage<'_>, one: &Match, snapshot: &Snapshot<'_>) -> Result<Verdict, Error> {
        if !passage.stands_free(one.span) {
            return Ok(Verdict::Refused);
        }
        let capitals = passage.in_capitals.of_span(one.span);
        let Some(form) = &one.company else {
            let piece = passage.piece(one);
            // `In` at the start of a sentence is `in`, and `I` a pronoun everywhere.
            return match piece == "I" || spelling::is_capitalized_word(&piece) && passage.leads_on(one.span) {
                true => self.verdict_of(&piece.to_lowercase(), capitals, snapshot),
                false => self.verdict_of(&piece, capitals, snapshot),
            };
        };
        let piece = &passage.text[one.span.range()];
        if spelling::is_common_word(piece) && (capitals == Capitals::Meaningless || passage.begins_sentence(one.span)) {
            return Ok(Verdict::Refused);
        }
        let key = format!("{}{form}\t{piece}", capitals as u8);
        let verdict = || self.verdict_on_company(piece, form, capitals, snapshot);
        self.verdicts.get(snapshot.version(), &key, verdict)
    }

    /// Returns the verdict on a piece of text, from memory if it was given before.
    fn verdict_of(&self, piece: &str, capitals: Capitals, snapshot: &Snapshot<'_>) -> Result<Verdict, Error> {
        let key = format!("{}{piece}", capitals as u8);
        self.verdicts.get(snapshot.version(), &key, || self.verdict_on(piece, capitals, snapshot))
    }

    /// Returns the types of the concepts that `piece` is a name of, none if mentions are untyped; `None` if it is no name.
    pub(super) fn types_of(
        &self,
        piece: &str,
        capitals: Capitals,
        snapshot: &Snapshot<'_>,
    ) -> Result<Option<Vec<String>>, Error> {
        Ok(match self.verdict_of(piece, capitals, snapshot)? {
            Verdict::Name(form) if form.spelling == Spelling::Name => {
                Some(if self.typed { form.senses.types() } else { Vec::new() })
            }
            _ => None,
        })
    }

    /// Compares `piece` with the names that have its letters.
    fn verdict_on(&self, piece: &str, capitals: Capitals, snapshot: &Snapshot<'_>) -> Result<Verdict, Error> {
        if !piece.contains(char::is_alphabetic) || self.stop_names.has(piece) {
            return Ok(Verdict::Refused);
        }
        let keys = NameKeys::of(&NormalizedName::new(piece));
        if snapshot.has_stop_name(keys.exact)? {
            return Ok(Verdict::Refused);
        }
        let is_common = spelling::is_common_word(piece);
        let is_generic = is_common && is_generic(piece, snapshot)?;
        let by_rules = matches!(self.decision, Decision::Rules);
        if is_generic && by_rules {
            return Ok(Verdict::Refused);
        }
        let mut senses = Senses::default();
        let mut best: Option<BestName<'_>> = None;
        for key in keys.filed() {
            for number in snapshot.names_under(key)? {
                let (concept, name) = snapshot.name(number)?;
                if !self.filter.allows(concept, number, snapshot)? {
                    continue;
                }
                let meeting = keys.meet(&NameKeys::of(&NormalizedName::new(name)));
                if meeting < KeyMatch::Reordered || !spelling::is_spelling_of(piece, name) {
                    continue;
                }
                let is_preferred = snapshot.concept_names(concept)?.1[0] == number;
                // A synonym that is a common word mostly means just that word.
                let is_word = is_generic || is_common && name != piece && !is_preferred;
                let spelling = match spelling::of(piece, name, capitals) {
                    None => continue,
                    Some(Spelling::Name) if is_word => Spelling::Word,
                    Some(Spelling::OtherCapitals) if is_common => continue,
                    Some(spelling) => spelling,
                };
                if by_rules && spelling != Spelling::Name {
                    continue;
                }
                let this = BestName { spelling, meeting, is_identical: name == piece, is_preferred, name };
                // The very name settles what the plural of another name cannot.
                match best.as_ref().map(|best| (spelling, meeting).cmp(&(best.spelling, best.meeting))) {
                    Some(Ordering::Less) => continue,
                    Some(Ordering::Greater) => senses = Senses::default(),
                    Some(Ordering::Equal) | None => {}
                }
                best = best.max(Some(this));
                senses.add(concept, snapshot)?;
            }
        }
        best.map_or(Ok(Verdict::Refused), |best| best.verdict(piece, senses, snapshot))
    }

    /// Compares `piece` with the names of companies that have a form, both without their legal forms.
    fn verdict_on_company(
        &self,
        piece: &str,
        form: &str,
        capitals: Capitals,
        snapshot: &Snapshot<'_>,
    ) -> Result<Verdict, Error> {
        let written = LegalName::new(piece);
        let core = NormalizedName::new(&written.core);
        let keys = NameKeys::of(&core);
        let is_stop_name = [piece, &written.core].into_iter().any(|name| self.stop_names.has(name));
        if is_stop_name || !written.core.contains(char::is_alphabetic) || snapshot.has_stop_name(keys.exact)? {
            return Ok(Verdict::Refused);
        }
        let mut senses = Senses::default();
        let mut best: Option<BestName<'_>> = None;
        for number in snapshot.names_under(Key(stable_hash(form)))? {
            let (concept, name) = snapshot.name(number)?;
            let known = LegalName::new(name);
            let is_other =
                written.form.as_ref().zip(known.form.as_ref()).is_some_and(|(one, other)| one.contradicts(other));
            let is_company = written.form.is_some() || known.form.is_some();
            if is_company
                && !is_other
                && self.filter.allows(concept, number, snapshot)?
                && keys.meet(&NameKeys::of(&NormalizedName::new(&known.core))) == KeyMatch::Exact
                && spelling::is_spelling_of(&written.core, &known.core)
                && spelling::of(&written.core, &known.core, capitals) == Some(Spelling::Name)
            {
                let is_preferred = snapshot.concept_names(concept)?.1[0] == number;
                let (spelling, meeting) = (Spelling::Name, KeyMatch::Exact);
                best = best.max(Some(BestName { spelling, meeting, is_identical: name == piece, is_preferred, name }));
                senses.add(concept, snapshot)?;
            }
        }
        best.map_or(Ok(Verdict::Refused), |best| best.verdict(piece, senses, snapshot))
    }
}

impl FormMatch {
    /// Returns whether this is written as the name is.
    fn is_usual(&self) -> bool {
        self.form.spelling == Spelling::Name
    }

    /// Returns the mention, once for each type of its concepts.
    fn typed(self) -> Vec<RecognizedMention> {
        let types = self.form.senses.types();
        if types.is_empty() {
            return vec![self.recognized];
        }
        let of = |mention_type| RecognizedMention { mention_type, ..self.recognized.clone() };
        types.into_iter().map(of).collect()
    }
}

/// Finds the forms of a document, and once more if some of these stand before short forms that they define.
fn with_definitions<'a>(
    reading: &mut Reading<'a>,
    defines: impl Fn(&FormMatch) -> bool,
    find: impl Fn(&Reading<'a>) -> Result<Vec<FormMatch>, Error>,
) -> Result<Vec<FormMatch>, Error> {
    let found = find(reading)?;
    let mentions = found.iter().filter(|one| defines(one)).map(|one| one.recognized.span);
    if reading.define_behind(mentions) { find(reading) } else { Ok(found) }
}

/// The name that a piece of text is most alike; later fields count where earlier ones are equal.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct BestName<'n> {
    spelling: Spelling,
    meeting: KeyMatch,
    is_identical: bool,
    is_preferred: bool,
    name: &'n str,
}

impl BestName<'_> {
    /// Returns the verdict on a piece that is written like this name of some concepts.
    fn verdict(&self, piece: &str, senses: Senses, snapshot: &Snapshot<'_>) -> Result<Verdict, Error> {
        let concepts = senses.ids().len();
        let words = Words::of(piece, Span::new(0, piece.len()));
        let counts: Vec<u32> =
            (0..words.len()).map(|word| names_with(&words, word, snapshot)).collect::<Result<_, _>>()?;
        let names = [counts.iter().min(), counts.last()].map(|count| count.copied().unwrap_or_default());
        let features =
            decision::of_form(piece, self.name, (self.spelling, self.meeting), self.is_preferred, concepts, names);
        let is_letter = piece.chars().nth(1).is_none();
        let is_strict = self.spelling != Spelling::Name || is_letter && !self.is_identical;
        Ok(Verdict::Name(Arc::new(KnownForm { senses, spelling: self.spelling, is_strict, features })))
    }
}

/// Returns the forms, none of which overlaps another, whose probabilities exceed a threshold by most together (weighted interval scheduling),
/// and so the longer one where two are equal. A short form that the document defines is no name of its own beside what it stands for.
fn best_apart(mut forms: Vec<FormMatch>, threshold: f64) -> Vec<FormMatch> {
    /// Part of its gain that a literal reading of a short form has.
    const LITERAL: f64 = 1e-3;
    /// Gain of a probability below the threshold, of one.
    const UNLIKELY: f64 = 1e-6;
    forms.sort_by_key(|one| (one.recognized.span.end, Reverse(one.recognized.span.start)));
    // The best gain of the first forms, each with whether the last of them is taken.
    let mut best = vec![(0.0, false)];
    let before = |at: usize| {
        let start = forms[at].recognized.span.start;
        forms[..at].partition_point(|one| one.recognized.span.end <= start)
    };
    for (at, one) in forms.iter().enumerate() {
        let probability = one.recognized.probability.unwrap_or(1.0);
        let gain = (probability - threshold).max(UNLIKELY * probability);
        let gain = if one.recognized.tentative { LITERAL * gain } else { gain };
        let taken = gain + best[before(at)].0;
        best.push(if taken >= best[at].0 { (taken, true) } else { (best[at].0, false) });
    }
    let (mut at, mut kept) = (forms.len(), HashSet::new());
    while at > 0 {
        at = match best[at].1 {
            true => {
                kept.insert(at - 1);
                before(at - 1)
            }
            false => at - 1,
        };
    }
    let mut number = 0..;
    forms.retain(|_| number.next().is_some_and(|at| kept.contains(&at)));
    forms
}

/// Adds to the features of each form what the document says of it; `is_nested`: forms around it say nothing.
fn add_document_features(found: &mut [FormMatch], is_nested: bool, reading: &Reading<'_>) {
    let text = &reading.document().text;
    let spellings: Vec<String> = found.iter().map(|one| text[one.recognized.span.range()].to_lowercase()).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut first: HashMap<ConceptIndex, &str> = HashMap::new();
    // Concepts that have several spellings.
    let mut renamed: HashSet<ConceptIndex> = HashSet::new();
    for (one, spelling) in found.iter().zip(&spellings) {
        *counts.entry(spelling).or_default() += 1;
        for concept in one.form.senses.concepts() {
            if first.entry(*concept).or_insert(spelling) != spelling {
                renamed.insert(*concept);
            }
        }
    }
    let mut start = 0;
    while start < found.len() {
        // Forms that overlap stand together, for they are in the order of their first words.
        let (mut end, mut reach) = (start, found[start].recognized.span.end);
        while end < found.len() && (end == start || found[end].recognized.span.start < reach) {
            reach = reach.max(found[end].recognized.span.end);
            end += 1;
        }
        let together = &mut found[start..end];
        let usual: Vec<Span> = together.iter().filter(|one| one.is_usual()).map(|one| one.recognized.span).collect();
        for (one, spelling) in together.iter_mut().zip(&spellings[start..end]) {
            let span = one.recognized.span;
            let defines = |one: &Abbreviation| one.short == span || one.long == span;
            let is_any = |is_one: &dyn Fn(Span) -> bool| {
                !is_nested && usual.iter().any(|other| *other != span && is_one(*other))
            };
            one.features.extend([
                f32::from(reading.abbreviations().iter().any(defines)),
                counts[spelling.as_str()] as f32,
                f32::from(one.form.senses.concepts().iter().any(|concept| renamed.contains(concept))),
                f32::from(is_any(&|other| other.contains(span))),
                f32::from(is_any(&|other| span.contains(other))),
            ]);
        }
        start = end;
    }
}

/// A common word is generic (`disease`, `protein`), and no mention by itself, if more than one in this many names
/// contains it.
const GENERIC_ONE_IN: u32 = 70;
/// Minimum number of names with a word for the word to count as generic.
const MIN_NAMES: u32 = 100;

fn is_generic(word: &str, snapshot: &Snapshot<'_>) -> Result<bool, Error> {
    let names = names_with(&Words::of(word, Span::new(0, word.len())), 0, snapshot)?;
    Ok(names >= MIN_NAMES && names > snapshot.counts().names / GENERIC_ONE_IN)
}

/// Returns the number of names with a word, in the singular or as it is written.
fn names_with(words: &Words, word: usize, snapshot: &Snapshot<'_>) -> Result<u32, Error> {
    let mut names = 0;
    for form in [Some(words.form(word)), words.variant(word)].into_iter().flatten() {
        names = names.max(snapshot.names_with_word(stable_hash(form))?);
    }
    Ok(names)
}

impl Recognizer for DictionaryRecognizer {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        let mentions = |found: Vec<FormMatch>| match self.typed {
            true => found.into_iter().flat_map(FormMatch::typed).collect(),
            false => found.into_iter().map(|one| one.recognized).collect(),
        };
        Ok(self.find(readings)?.into_iter().map(mentions).collect())
    }
}

impl Match {
    /// Returns true if the text is not written like the name.
    fn is_read(&self) -> bool {
        self.read.is_some() || self.company.is_some()
    }
}

impl Passage<'_> {
    /// Returns the span from a word up to, not including, the word `end`, with the brackets around it whose partners it has; a final `'s` is left
    /// out. `None` if a bracket has no partner.
    fn span(&self, word: usize, end: usize) -> Option<Span> {
        let span = Span::new(self.words.span(word).start, self.words.span(end - 1).end);
        let written = &self.text[span.range()];
        let possessor = written.strip_suffix("'s").or_else(|| written.strip_suffix("’s")).unwrap_or(written);
        spelling::with_brackets(self.text, Span::new(span.start, span.start + possessor.len()))
    }

    /// Returns the text of a match as it was read, with its abbreviations expanded.
    fn piece<'p>(&'p self, one: &'p Match) -> Cow<'p, str> {
        let read = one.read.as_deref().unwrap_or(&self.text[one.span.range()]);
        let expanded = if one.expanded { self.short_forms.expand(read, one.span.start) } else { None };
        expanded.map_or(Cow::Borrowed(read), Cow::Owned)
    }

    /// Collects the forms that begin at a word.
    fn walk<'w>(&'w self, forms: &Forms<'_>, start: usize, walk: &mut Walk<'w>) {
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
    fn add_companies(&self, companies: &Companies<'_, '_>, start: usize, walk: &mut Walk<'_>) {
        for company in companies.at(Line { text: self.text, words: &self.words }, start) {
            let Some(span) = self.span(start, company.end).filter(|span| self.place.contains(*span)) else { continue };
            let (end, company) = (company.end, Some(company.form));
            walk.matches.push(Match { end, span, read: None, expanded: false, literal: false, company });
        }
    }

    /// Returns the features of the place of a match.
    fn place_features(&self, one: &FormMatch) -> PlaceFeatures {
        let span = one.recognized.span;
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
            f32::from(u8::from(one.is_expanded) + 2 * u8::from(one.recognized.tentative)),
        ]
    }

    /// Returns true if a sentence begins with a span.
    fn begins_sentence(&self, span: Span) -> bool {
        let first = self.words.first_from(span.start);
        first < self.words.len() && self.words.breaks_before(first)
    }

    /// Returns true if a sentence begins with a span and goes on behind it.
    fn leads_on(&self, span: Span) -> bool {
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
    /// not begin within `2.5 mg`, and `14C` is a label in `[14C]choline`.
    fn stands_free(&self, span: Span) -> bool {
        const SIGNS: [char; 4] = ['+', '#', '\u{207A}', '\u{FF0B}'];
        const ALLELES: [char; 5] = ['+', '-', '\u{2212}', '\u{207A}', '\u{207B}'];
        let after = &self.text[span.end..];
        let in_brackets = after.strip_prefix('(').map(|inner| inner.trim_start_matches(|c: char| c.is_ascii_digit()));
        let is_charged = in_brackets.is_some_and(|inner| inner.starts_with("+)"));
        let behind_signs = after.trim_start_matches(SIGNS);
        // `p53+/-` is a genotype of `p53`.
        let is_genotype = behind_signs.strip_prefix('/').is_some_and(|rest| rest.starts_with(ALLELES));
        let is_followed = after.starts_with(SIGNS) && !behind_signs.starts_with(char::is_alphanumeric) && !is_genotype;
        !is_charged && !is_followed && !self.is_fraction(span) && !self.is_label(span)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Start, end and probability.
    type Form = (usize, usize, f64);
    type Bounds = (usize, usize);

    /// Returns the spans that are kept of forms; the threshold is 0.4.
    fn kept(forms: &[Form], literal: Option<usize>) -> Vec<Bounds> {
        let known = Arc::new(KnownForm {
            senses: Senses::default(),
            spelling: Spelling::Name,
            is_strict: false,
            features: FormFeatures::default(),
        });
        let form = |(at, (start, end, probability)): (usize, &Form)| FormMatch {
            recognized: RecognizedMention {
                probability: Some(*probability),
                tentative: literal == Some(at),
                ..RecognizedMention::new(Span::new(*start, *end))
            },
            form: Arc::clone(&known),
            is_doubtful: false,
            is_expanded: false,
            features: Vec::new(),
        };
        let kept = best_apart(forms.iter().enumerate().map(form).collect(), 0.4);
        kept.into_iter().map(|one| (one.recognized.span.start, one.recognized.span.end)).collect()
    }

    #[test]
    fn of_overlapping_forms_those_are_kept_that_are_likeliest_together() {
        let cases: [(&[Form], &[Bounds]); 6] = [
            (&[], &[]),
            (&[(0, 4, 0.5), (0, 9, 0.9), (5, 9, 0.6), (10, 12, 0.1)], &[(0, 9), (10, 12)]),
            (&[(0, 4, 0.7), (0, 9, 0.6), (5, 9, 0.7)], &[(0, 4), (5, 9)]),
            (&[(0, 9, 0.5), (5, 20, 0.9), (15, 22, 0.5)], &[(5, 20)]),
            (&[(0, 4, 0.1), (0, 9, 0.3), (5, 9, 0.15)], &[(0, 9)]),
            (&[(0, 9, 0.7), (0, 4, 0.7)], &[(0, 9)]),
        ];
        for (forms, expected) in cases {
            assert_eq!(kept(forms, None), expected, "{forms:?}");
        }
        assert_eq!(kept(&[(0, 4, 0.9), (2, 6, 0.5)], Some(0)), [(2, 6)]);
    }
}
