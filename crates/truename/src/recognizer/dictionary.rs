//! Recognizes names of the knowledge base in texts.

use std::cmp::{Ordering, Reverse};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;
use truename_kb::{ConceptIndex, Snapshot};
use truename_text::{
    Abbreviation, Document, Key, KeyMatch, LegalName, NameKeys, NormalizedName, Span, Words, stable_hash,
};

use super::company::{Companies, KnownCompanies};
use super::decision::{self, FormExample, FormFeatures, MentionModel};
use super::passage::{Match, Passage, Walk};
use super::senses::Senses;
use super::spelling::{self, Capitals, Spelling};
use super::{Reading, RecognizedMention, Recognizer};
use crate::call::Call;
use crate::memo::Memo;
use crate::name_filter::NameFilter;
use crate::{Error, KnowledgeBase, StopNames};

/// Finds the names of a knowledge base in texts, however they are spaced, hyphenated, inflected or inverted, with digraphs for
/// umlauts and Roman for Arabic numbers ([`Words::alternatives`]), with or without the legal forms of companies, and through the
/// abbreviations that a document defines.
///
/// Walks the automaton of all names ([`Forms`](truename_kb::Forms)) from the beginning of each word. A form that ends at a word end is a
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

    /// Returns a form as mentions: one, or where they are typed one for each type of its concepts.
    pub(super) fn mentions(&self, form: FormMatch) -> Vec<RecognizedMention> {
        let types = if self.typed { form.form.senses.types() } else { Vec::new() };
        if types.is_empty() {
            return vec![form.recognized];
        }
        let of = |mention_type| RecognizedMention { mention_type, ..form.recognized.clone() };
        types.into_iter().map(of).collect()
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
        let mut found = Vec::new();
        for span in reading.document().passage_spans() {
            let passage = Passage::new(reading, span);
            let start = found.len();
            self.in_passage(&passage, is_all, &mut found, snapshot)?;
            if is_all {
                for one in &mut found[start..] {
                    let place = passage.place_features(one.recognized.span, one.short_form());
                    one.features = decision::joined(&one.form.features, &place);
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
                let is_identical = name == piece;
                let meeting = match is_identical {
                    true => KeyMatch::Exact,
                    false => keys.meet(&NameKeys::of(&NormalizedName::new(name))),
                };
                if meeting < KeyMatch::Reordered || !is_identical && !spelling::is_spelling_of(piece, name) {
                    continue;
                }
                let is_preferred = snapshot.concept_names(concept)?.1[0] == number;
                // A synonym that is a common word mostly means just that word.
                let is_word = is_generic || is_common && !is_identical && !is_preferred;
                let spelling = match spelling::of(piece, name, capitals) {
                    None => continue,
                    Some(Spelling::Name) if is_word => Spelling::Word,
                    Some(Spelling::OtherCapitals) if is_common => continue,
                    Some(spelling) => spelling,
                };
                if by_rules && spelling != Spelling::Name {
                    continue;
                }
                let this = BestName { spelling, meeting, is_identical, is_preferred, name };
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
        best.map_or(Ok(Verdict::Refused), |best| best.verdict(piece, capitals, senses, snapshot))
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
        best.map_or(Ok(Verdict::Refused), |best| best.verdict(piece, capitals, senses, snapshot))
    }
}

impl FormMatch {
    /// Returns whether this is written as the name is.
    fn is_usual(&self) -> bool {
        self.form.spelling == Spelling::Name
    }

    /// Returns how it reads the document's abbreviations, as a feature: 1 expanded, 2 as names of their own.
    fn short_form(&self) -> f32 {
        f32::from(u8::from(self.is_expanded) + 2 * u8::from(self.recognized.tentative))
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
    fn verdict(
        &self,
        piece: &str,
        capitals: Capitals,
        senses: Senses,
        snapshot: &Snapshot<'_>,
    ) -> Result<Verdict, Error> {
        let concepts = senses.ids().len();
        let words = Words::of(piece, Span::new(0, piece.len()));
        let counts: Vec<u32> =
            (0..words.len()).map(|word| names_with(&words, word, snapshot)).collect::<Result<_, _>>()?;
        let names = [counts.iter().min(), counts.last()].map(|count| count.copied().unwrap_or_default());
        let how = (self.spelling, self.meeting, capitals);
        let features = decision::of_form(piece, self.name, how, self.is_preferred, concepts, names);
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
        let mentions = |found: Vec<FormMatch>| found.into_iter().flat_map(|one| self.mentions(one)).collect();
        Ok(self.find(readings)?.into_iter().map(mentions).collect())
    }
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
