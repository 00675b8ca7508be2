//! Recognizes mentions by a model that `train` made: by spans and descriptions of types, or by tags.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use truename_error::{ErrorKind, HintPart, hint};
use truename_infer::{
    EntityType, LikelySpans, Manifest, SpanConfig, SpanOptions, SpanScorer, SpanStrategy, TagConfig, Tagger,
};
use truename_text::{Abbreviation, Document, Span, Words, is_pictograph, segments};

use super::decision::function_word_kind;
use super::{DictionaryRecognizer, MentionVector, Reading, RecognizedMention, Recognizer};
use crate::Error;

/// Share of the mentions that have no concept: most of those in words that are no name of the knowledge base, and what is no mention.
const NIL_SHARE: f64 = 0.5;
/// Amount subtracted from the thresholds of names of the knowledge base; chosen on NLM-Chem and the NCBI development part.
const SLACK: f32 = 8.0;

/// Finds mentions by a trained model: by the similarity of spans to descriptions of types (BINDER), or by tags of words.
///
/// Passages are read one by one, long ones in windows that overlap by the longest mention. Short forms that the document defines are
/// mentions wherever their long form is one.
#[derive(Clone)]
pub struct TrainedRecognizer {
    model: Model,
    /// Hash of the network, if it learnt to place mentions near names.
    linking_network: Option<Arc<str>>,
    options: SpanOptions,
    /// Finds names that are mentions at lower thresholds.
    names: Option<Arc<DictionaryRecognizer>>,
    /// Types whose mentions are kept; empty for all.
    kept: BTreeSet<String>,
}

#[derive(Clone)]
enum Model {
    Spans(Arc<SpanScorer>),
    Tags(Arc<Tagger>),
}

impl TrainedRecognizer {
    /// Opens a model folder that `train` made with a task `recognize` or `tag`.
    ///
    /// # Errors
    /// If a file is missing or not what it should be, or the folder holds another kind of model.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        if !folder.is_dir() {
            let message = format!("there is no folder {} with a recognizer", folder.display());
            let dictionary = HintPart::setting("recognizer").value("dictionary");
            let train = HintPart::action("train");
            let advice = hint![train, " makes one; ", dictionary, " goes by the names of the knowledge base"];
            return Err(Error::new(ErrorKind::NotFound, message).with_hint(advice));
        }
        let has_tags = Manifest::open(folder)?.heads().any(|head| head == TagConfig::HEAD);
        let (model, linking_network) = match has_tags {
            true => (Model::Tags(Arc::new(Tagger::open(folder)?)), None),
            false => {
                let scorer = SpanScorer::open(folder)?;
                let network = scorer.reads_in_context()?.then(|| scorer.backbone().hash().into());
                (Model::Spans(Arc::new(scorer)), network)
            }
        };
        let (options, kept) = (SpanOptions::default(), BTreeSet::new());
        Ok(Self { model, linking_network, options, names: None, kept })
    }

    /// Returns whether a model folder is that of a recognizer.
    ///
    /// # Errors
    /// If its manifest cannot be read.
    pub fn is_in(folder: &Path) -> Result<bool, Error> {
        Ok(Manifest::open(folder)?.heads().any(|head| [SpanConfig::HEAD, TagConfig::HEAD].contains(&head)))
    }

    /// Sets the options of a recognizer by spans; a tagger has none.
    ///
    /// # Errors
    /// If joint inference is asked for and the model did not learn starts and ends.
    pub fn with_options(self, options: SpanOptions) -> Result<Self, Error> {
        if let (Model::Spans(scorer), SpanStrategy::Joint) = (&self.model, options.strategy)
            && !scorer.config().has_bounds
        {
            let message =
                format!("the model in {} did not learn starts and ends", scorer.backbone().folder().display());
            let advice = "leave joint inference out, or train it with objective.alpha and objective.gamma above 0";
            return Err(Error::new(ErrorKind::Choice, message).with_hint(advice));
        }
        Ok(Self { options, ..self })
    }

    /// Lowers the thresholds of the spans that a dictionary finds. A tagger has none.
    #[must_use]
    pub fn with_names(self, names: DictionaryRecognizer) -> Self {
        Self { names: Some(Arc::new(names)), ..self }
    }

    /// Leaves out the mentions of other types than these, which still compete with the others for the spans; empty for none.
    #[must_use]
    pub(crate) fn keeping(self, types: BTreeSet<String>) -> Self {
        Self { kept: types, ..self }
    }

    /// Returns whether the mentions of a type are kept.
    pub(super) fn keeps(&self, name: &str) -> bool {
        self.kept.is_empty() || self.kept.contains(name)
    }

    /// Returns the type that each of these names has as a mention, read alone; `None` where it is no mention.
    pub(super) fn types_of_names(&self, names: &[&str]) -> Result<Vec<Option<String>>, Error> {
        /// Least share of a name's bytes in its mention; the rest may be an article or a qualifier.
        const MOST: f64 = 0.6;
        let of_name = |(name, found): (&&str, Vec<RecognizedMention>)| {
            let is_name = |one: &RecognizedMention| one.span.range().len() as f64 >= MOST * name.len() as f64;
            found.into_iter().find(is_name).map(|one| one.mention_type)
        };
        Ok(names.iter().zip(self.find(names, &[])?).map(of_name).collect())
    }

    /// Looks for other types than those that the model was trained on, by their descriptions alone.
    ///
    /// # Errors
    /// If a type has no description or one that is too long, or the model does not read descriptions.
    pub fn with_types(self, types: Vec<EntityType>) -> Result<Self, Error> {
        match self.model {
            Model::Spans(scorer) => {
                let scorer = match Arc::try_unwrap(scorer) {
                    Ok(scorer) => scorer,
                    Err(shared) => SpanScorer::open(shared.backbone().folder())?,
                };
                Ok(Self { model: Model::Spans(Arc::new(scorer.with_types(types)?)), ..self })
            }
            Model::Tags(_) => {
                let message = "a tagger finds the types that it was trained on, and no others";
                Err(Error::new(ErrorKind::Choice, message)
                    .with_hint("train a recognizer by `task.kind = \"recognize\"`"))
            }
        }
    }

    /// Returns the types that are looked for; those of a tagger have no descriptions.
    pub fn types(&self) -> Vec<EntityType> {
        match &self.model {
            Model::Spans(scorer) => scorer.types().to_vec(),
            Model::Tags(tagger) => {
                let entity_type = |name: &String| EntityType { name: name.clone(), descriptions: Vec::new() };
                tagger.config().types.iter().map(entity_type).collect()
            }
        }
    }

    /// Returns the hash of the model: of weights, tokenizer and configuration.
    pub fn hash(&self) -> String {
        match &self.model {
            Model::Spans(scorer) => scorer.hash(),
            Model::Tags(tagger) => tagger.backbone().hash().to_owned(),
        }
    }

    /// Returns the folder that was opened.
    pub fn folder(&self) -> &Path {
        match &self.model {
            Model::Spans(scorer) => scorer.backbone().folder(),
            Model::Tags(tagger) => tagger.backbone().folder(),
        }
    }

    /// Finds the mentions of texts, by their places in each; `names` are the names of a knowledge base there.
    fn find(&self, texts: &[&str], names: &[Vec<Span>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        match &self.model {
            Model::Spans(scorer) => {
                let recognized = |span: &truename_infer::ScoredSpan| {
                    let (score, threshold) = (f64::from(span.score), f64::from(span.threshold));
                    let is_zero_shot = scorer.is_zero_shot(span.type_number);
                    let calibration = scorer.config().calibration.filter(|_| !is_zero_shot);
                    RecognizedMention {
                        mention_type: scorer.types()[span.type_number as usize].name.clone(),
                        score: Some(score),
                        threshold: Some(threshold),
                        probability: calibration.map(|calibration| calibration.probability(score - threshold)),
                        is_zero_shot,
                        vector: span
                            .vector
                            .clone()
                            .zip(self.linking_network.clone())
                            .map(|(values, network)| MentionVector { values, network }),
                        ..RecognizedMention::new(span.span)
                    }
                };
                // A type that is left out takes no name at a lowered threshold.
                let likely = LikelySpans { spans: names, slack: SLACK, types: &self.kept };
                let options = SpanOptions { has_vectors: self.linking_network.is_some(), ..self.options };
                let found = scorer.find_likely(texts, likely, &options)?;
                Ok(found.iter().map(|spans| spans.iter().map(recognized).collect()).collect())
            }
            Model::Tags(tagger) => {
                let recognized = |span: &truename_infer::TaggedSpan| {
                    let mention_type = &tagger.config().types[span.type_number as usize];
                    RecognizedMention {
                        mention_type: mention_type.clone(),
                        score: Some(f64::from(span.probability)),
                        ..RecognizedMention::new(span.span)
                    }
                };
                let found = tagger.find(texts)?;
                Ok(found.iter().map(|spans| spans.iter().map(recognized).collect()).collect())
            }
        }
    }
}

impl TrainedRecognizer {
    /// Returns the names in each passage with their types, by their places in it.
    fn names_in(
        &self,
        readings: &mut [Reading<'_>],
        passages: &[Vec<Span>],
    ) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        let Some(names) = &self.names else { return Ok(vec![Vec::new(); passages.iter().map(Vec::len).sum()]) };
        let mut all = Vec::new();
        for (passages, mut names) in passages.iter().zip(names.recognize(readings)?) {
            names.retain(|name| name.fragments.is_empty() && !name.tentative);
            all.extend(passages.iter().map(|passage| {
                let inside = names.iter().filter(|name| passage.contains(name.span));
                let place = |name: &RecognizedMention| {
                    Span::new(name.span.start - passage.start, name.span.end - passage.start)
                };
                inside.map(|name| RecognizedMention { span: place(name), ..name.clone() }).collect()
            }));
        }
        Ok(all)
    }

    /// Returns whether no two mentions overlap.
    fn is_flat(&self) -> bool {
        match &self.model {
            Model::Spans(scorer) => self.options.is_flat.unwrap_or(scorer.config().is_flat),
            Model::Tags(_) => true,
        }
    }
}

impl Recognizer for TrainedRecognizer {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        let passages: Vec<Vec<Span>> = readings.iter().map(|reading| passages(reading.document())).collect();
        let texts: Vec<&str> = readings
            .iter()
            .zip(&passages)
            .flat_map(|(reading, spans)| spans.iter().map(|span| &reading.document().text[span.range()]))
            .collect();
        let plain: Vec<Cow<'_, str>> = texts.iter().map(|text| without_pictographs(text)).collect();
        let plain: Vec<&str> = plain.iter().map(AsRef::as_ref).collect();
        let names = self.names_in(readings, &passages)?;
        let types = self.types();
        // Types of the knowledge base that the model does not know may stand for any of its own.
        let is_of = |one: &RecognizedMention, name: &str| {
            let known = || types.iter().any(|known| known.name.eq_ignore_ascii_case(name));
            self.keeps(&one.mention_type) && (one.mention_type.eq_ignore_ascii_case(name) || !known())
        };
        let spans: Vec<Vec<Span>> = names.iter().map(|names| names.iter().map(|name| name.span).collect()).collect();
        let mut found = self.find(&plain, &spans)?;
        for (((text, names), spans), mentions) in texts.iter().zip(&names).zip(&spans).zip(&mut found) {
            *mentions = mentions
                .drain(..)
                .flat_map(|one| at_pictographs(text, one))
                .flat_map(|one| at_names(text, one, spans))
                .map(|one| RecognizedMention { span: with_bracket(text, one.span), ..one })
                .filter(|one| !is_other_word(text, one))
                .collect();
            if self.is_flat() {
                extend_to_names(text, mentions, names, is_of);
            }
        }
        let mut found = found.into_iter();
        let mut all = Vec::with_capacity(readings.len());
        for (reading, spans) in readings.iter_mut().zip(&passages) {
            let mut mentions = Vec::new();
            for (passage, found) in spans.iter().zip(found.by_ref()) {
                let moved = |one: RecognizedMention| RecognizedMention {
                    span: Span::new(one.span.start + passage.start, one.span.end + passage.start),
                    ..one
                };
                mentions.extend(found.into_iter().map(moved));
            }
            reading.define_behind(mentions.iter().filter(|one| is_mention(one)).map(|one| one.span));
            let meant = short_forms(reading, spans, &mentions);
            for one in &mut mentions {
                if let Some(long) = meant.iter().find(|other| other.span == one.span) {
                    one.vector.clone_from(&long.vector);
                }
            }
            let is_free = |one: &RecognizedMention| {
                !mentions.iter().any(|other| is_mention(other) && other.span.overlaps(one.span))
            };
            let short_forms: Vec<RecognizedMention> = meant.into_iter().filter(is_free).collect();
            mentions.retain(|one| self.keeps(&one.mention_type));
            // Spans below their threshold give way.
            mentions.retain(|one| is_mention(one) || !short_forms.iter().any(|other| other.span.overlaps(one.span)));
            mentions.extend(short_forms);
            all.push(mentions);
        }
        Ok(all)
    }

    fn fingerprint(&self) -> Option<String> {
        Some(self.hash())
    }

    fn nil_share(&self) -> f64 {
        NIL_SHARE
    }
}

/// Returns the parts of a document that are read one by one: its passages, cut where no mention reaches across.
fn passages(document: &Document) -> Vec<Span> {
    document.passage_spans().into_iter().flat_map(|passage| segments(&document.text, passage)).collect()
}

/// Returns a span with the bracket beside it that one within it lacks: `(lactic acid` of `poly(lactic acid)`.
fn with_bracket(text: &str, span: Span) -> Span {
    let piece = &text[span.range()];
    for (open, close) in [('(', ')'), ('[', ']')] {
        match piece.matches(open).count().cmp(&piece.matches(close).count()) {
            Ordering::Greater if text[span.end..].starts_with(close) => return Span::new(span.start, span.end + 1),
            Ordering::Less if text[..span.start].ends_with(open) => return Span::new(span.start - 1, span.end),
            _ => {}
        }
    }
    span
}

/// Extends each mention to the longest name that it ends (`kidney injury` in `acute kidney injury`), whose word it begins, or that
/// goes on as a qualifier does (`kidney injury type 2`), and leaves the likeliest of those that are one then. A name that goes on with another
/// word is another thing (`dopamine agonist`). `is_of`: whether a mention may be a name of a type, which may be empty.
fn extend_to_names(
    text: &str,
    mentions: &mut Vec<RecognizedMention>,
    names: &[RecognizedMention],
    is_of: impl Fn(&RecognizedMention, &str) -> bool,
) {
    for one in mentions.iter_mut() {
        let is_around = |name: &&RecognizedMention| {
            name.span.contains(one.span)
                && (name.span.end == one.span.end || goes_on(&text[one.span.end..name.span.end]))
                && is_of(one, &name.mention_type)
        };
        if let Some(name) = names.iter().filter(is_around).max_by_key(|name| name.span.range().len())
            && name.span != one.span
        {
            (one.span, one.vector) = (name.span, None);
        }
    }
    let margin =
        |one: &RecognizedMention| one.score.zip(one.threshold).map_or(0.0, |(score, threshold)| score - threshold);
    mentions.sort_by(|one, other| {
        let place = |one: &RecognizedMention| (one.span.start, one.span.end);
        place(one).cmp(&place(other)).then(margin(other).total_cmp(&margin(one)))
    });
    mentions.dedup_by_key(|one| one.span);
    // Mentions did not overlap before: of two that do, the longer one was extended.
    let length = |one: &RecognizedMention| one.span.range().len();
    mentions.dedup_by(|next, one| {
        let overlap = next.span.overlaps(one.span);
        if overlap && length(next) > length(one) {
            std::mem::swap(next, one);
        }
        overlap
    });
}

/// Returns whether a text behind a mention belongs to it where the whole is a name: the rest of a word (`-converting enzyme`, `-2-one`), or a
/// qualifier, which begins with a comma, bracket or preposition, or ends with a number or letter.
fn goes_on(text: &str) -> bool {
    const PREPOSITIONS: [&str; 8] = ["of", "with", "without", "due", "in", "caused", "associated", "from"];
    if !text.starts_with(char::is_whitespace) || text.trim_start().starts_with([',', '(']) {
        return true;
    }
    let mut words = text.split(|c: char| c.is_whitespace() || ",()-".contains(c)).filter(|word| !word.is_empty());
    let is_number = |word: &str| {
        word.contains(|c: char| c.is_ascii_digit())
            || word.chars().count() == 1
            || word.chars().all(|c| "IVX".contains(c))
    };
    words.next().is_some_and(|first| PREPOSITIONS.contains(&first) || is_number(words.next_back().unwrap_or(first)))
}

/// Returns a text with blanks in the place of pictographs that touch a word, of as many bytes, so that the word is read.
fn without_pictographs(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.contains(is_pictograph) {
        return Cow::Borrowed(text);
    }
    let (mut plain, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find(is_pictograph) {
        let (before, behind) = rest.split_at(start);
        let behind_them = behind.trim_start_matches(is_pictograph);
        let run = &behind[..behind.len() - behind_them.len()];
        plain.push_str(before);
        let touches = before.ends_with(char::is_alphanumeric) || behind_them.starts_with(char::is_alphanumeric);
        match touches {
            true => plain.extend(std::iter::repeat_n(' ', run.len())),
            false => plain.push_str(run),
        }
        rest = behind_them;
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Returns whether a mention is a word without a meaning of its own, as `no`, or a name behind a title, as `Burns` of `Dr. Burns`.
fn is_other_word(text: &str, one: &RecognizedMention) -> bool {
    const TITLES: [&str; 5] = ["Dr", "Mr", "Mrs", "Ms", "Prof"];
    let piece = &text[one.span.range()];
    let before = text[..one.span.start].trim_end_matches(' ').trim_end_matches('.');
    let title = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_titled = TITLES.contains(&title) && piece.starts_with(char::is_uppercase) && one.mention_type != "person";
    is_titled || piece.starts_with(char::is_lowercase) && function_word_kind(piece).is_some()
}

/// Returns the parts of a mention between pictographs.
fn at_pictographs(text: &str, one: RecognizedMention) -> Vec<RecognizedMention> {
    let piece = &text[one.span.range()];
    if piece.is_ascii() || !piece.contains(is_pictograph) {
        return vec![one];
    }
    let parts = piece.split(is_pictograph).map(str::trim).filter(|part| part.contains(char::is_alphanumeric));
    let span = |part: &str| {
        let start = one.span.start + part.as_ptr().addr() - piece.as_ptr().addr();
        Span::new(start, start + part.len())
    };
    parts.map(|part| RecognizedMention { span: span(part), vector: None, ..one.clone() }).collect()
}

/// Returns a mention as it is, or, where it goes over the ends of lines and each part is a name but the whole is none, as its parts: a list of
/// names in small letters looks like a wrapped sentence.
fn at_names(text: &str, one: RecognizedMention, names: &[Span]) -> Vec<RecognizedMention> {
    let ends_line = |gap: &str| gap.trim().is_empty() && gap.contains(|c: char| c.is_whitespace() && c != ' ');
    let mut parts: Vec<Span> = names.iter().copied().filter(|name| one.span.contains(*name)).collect();
    parts.sort_unstable_by_key(|part| part.start);
    let are_parts = |two: &[Span]| text.get(two[0].end..two[1].start).is_some_and(ends_line);
    let is_whole = parts.first().zip(parts.last()).is_some_and(|(first, last)| {
        first.start == one.span.start && last.end == one.span.end && parts.windows(2).all(are_parts)
    });
    if !is_whole || parts.len() < 2 {
        return vec![one];
    }
    parts.into_iter().map(|span| RecognizedMention { span, vector: None, ..one.clone() }).collect()
}

/// Returns whether a span is above its threshold, and not only in a curve of thresholds.
fn is_mention(one: &RecognizedMention) -> bool {
    one.score.zip(one.threshold).is_none_or(|(score, threshold)| score > threshold)
}

/// Returns the short forms whose long form is a mention where the document defines them, each as that mention. A model that reads a passage or
/// window without the definition can hardly know them.
fn short_forms(reading: &Reading<'_>, passages: &[Span], mentions: &[RecognizedMention]) -> Vec<RecognizedMention> {
    let text = reading.document().text.as_str();
    let mut meant: HashMap<Span, &RecognizedMention> = HashMap::new();
    for Abbreviation { long, .. } in reading.abbreviations() {
        let is_long =
            |one: &&RecognizedMention| one.span.end == long.end && one.fragments.is_empty() && is_mention(one);
        let mention = mentions.iter().find(is_long);
        meant.extend(mention.map(|mention| (*long, mention)));
    }
    let mut found = Vec::new();
    if meant.is_empty() {
        return found;
    }
    for passage in passages {
        let words = Words::of(text, *passage);
        let mut word = 0;
        while word < words.len() {
            let Some((length, form)) = reading.short_forms().at(text, &words, word, words.span(word).start) else {
                word += 1;
                continue;
            };
            let span = Span::new(words.span(word).start, words.span(word + length - 1).end);
            found.extend(meant.get(&form.defined).map(|long| RecognizedMention { span, ..(*long).clone() }));
            word += length;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_over_lines_is_the_names_that_it_consists_of() {
        let text = "fever\ncough of heart\nattack";
        let span = |piece: &str| Span::new(text.find(piece).unwrap(), text.find(piece).unwrap() + piece.len());
        let parts = |whole: &str, names: &[&str]| {
            let names: Vec<Span> = names.iter().map(|name| span(name)).collect();
            let found = at_names(text, RecognizedMention::new(span(whole)), &names);
            found.iter().map(|one| &text[one.span.range()]).collect::<Vec<_>>()
        };
        assert_eq!(parts("fever\ncough", &["cough", "fever", "attack"]), ["fever", "cough"]);
        assert_eq!(parts("fever\ncough", &["fever"]), ["fever\ncough"]);
        assert_eq!(parts("cough of heart", &["cough", "heart"]), ["cough of heart"]);
        assert_eq!(parts("heart\nattack", &["heart\nattack"]), ["heart\nattack"]);
    }

    #[test]
    fn a_mention_is_the_longest_name_that_it_ends() {
        let text = "acute kidney injury by an angiotensin-converting enzyme inhibitor and a dopamine agonist";
        let mention = |piece: &str, mention_type: &str, score: f64| {
            let start = text.find(piece).unwrap();
            RecognizedMention {
                mention_type: mention_type.into(),
                score: Some(score),
                threshold: Some(0.0),
                ..RecognizedMention::new(Span::new(start, start + piece.len()))
            }
        };
        let names =
            ["acute kidney injury", "kidney injury", "angiotensin-converting enzyme inhibitor", "dopamine agonist"];
        let names = names.map(|name| mention(name, if name.contains("kidney") { "disease" } else { "chemical" }, 0.0));
        let extended = |found: &[(&str, &str, f64)]| {
            let mut mentions: Vec<_> = found.iter().map(|(piece, kind, score)| mention(piece, kind, *score)).collect();
            extend_to_names(text, &mut mentions, &names, |one, name| one.mention_type == name);
            mentions.iter().map(|one| (&text[one.span.range()], one.score.unwrap())).collect::<Vec<_>>()
        };
        assert_eq!(extended(&[("kidney injury", "disease", 1.0)]), [("acute kidney injury", 1.0)]);
        assert_eq!(extended(&[("kidney injury", "gene", 1.0)]), [("kidney injury", 1.0)]);
        let inhibitor = [("inhibitor", "chemical", 1.0), ("angiotensin", "chemical", 2.0)];
        assert_eq!(extended(&inhibitor), [("angiotensin-converting enzyme inhibitor", 2.0)]);
        assert_eq!(extended(&[("dopamine", "chemical", 1.0)]), [("dopamine", 1.0)]);
    }

    #[test]
    fn a_mention_is_the_name_that_qualifies_it() {
        for (name, is_extended) in [
            ("cataract 48", true),
            ("cataract type 2", true),
            ("cataract 3B", true),
            ("cataract, X-linked recessive IV", true),
            ("cataract (juvenile type)", true),
            ("cataract of the left eye", true),
            ("cataract surgery", false),
            ("cataract2", true),
            ("cataract-2-one", true),
            ("cataract-related disease", true),
            ("cataract I think", false),
        ] {
            let whole = Span::new(0, name.len());
            let mut mentions = vec![RecognizedMention::new(Span::new(0, "cataract".len()))];
            extend_to_names(name, &mut mentions, &[RecognizedMention::new(whole)], |_, _| true);
            assert_eq!(mentions[0].span == whole, is_extended, "{name}");
        }
    }

    #[test]
    fn brackets_are_in_pairs() {
        for (text, piece, expected) in [
            ("of poly(lactic acid), in", "poly(lactic acid", "poly(lactic acid)"),
            ("(2-[foo]bar)", "foo]bar", "[foo]bar"),
            ("a lung (cancer and", "lung (cancer", "lung (cancer"),
            ("(lung) (cancer)", "lung", "lung"),
        ] {
            let start = text.find(piece).unwrap();
            assert_eq!(&text[with_bracket(text, Span::new(start, start + piece.len())).range()], expected);
        }
    }

    #[test]
    fn no_mention_reaches_across_a_pictograph() {
        for (text, expected) in [("fever 🤒 cough😷", vec!["fever", "cough"]), ("naïve", vec!["naïve"]), ("😷", vec![])]
        {
            let found = at_pictographs(text, RecognizedMention::new(Span::new(0, text.len())));
            assert_eq!(found.iter().map(|one| &text[one.span.range()]).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn pictographs_that_touch_a_word_are_blanks() {
        for (text, plain) in
            [("a 🤒fever★ 😷", "a     fever    😷"), ("asthma❤\u{FE0F}fever", "asthma      fever"), ("café", "café")]
        {
            assert_eq!(without_pictographs(text), plain);
        }
    }

    #[test]
    fn what_is_no_mention_is_told_by_its_words() {
        for (text, piece, expected) in [
            ("Asthma: no.", "no", true),
            ("NO rose", "NO", false),
            ("Seen by Dr. Burns", "Burns", true),
            ("Seen by Dr. burns", "burns", false),
            ("Seen with burns", "burns", false),
        ] {
            let start = text.find(piece).unwrap();
            let one = RecognizedMention::new(Span::new(start, start + piece.len()));
            assert_eq!(is_other_word(text, &one), expected, "{text}");
        }
    }

    #[test]
    fn a_short_form_is_what_its_long_form_is() {
        let text = "Over active bladder (OAB) and nitroglycerin (NTG). OAB, NTG and OABs; XOAB, GTN.";
        let document = Document::new("1", text);
        let mut reading = Reading::new(&document);
        let mention = |piece: &str| {
            let start = text.find(piece).unwrap();
            RecognizedMention {
                mention_type: "Disease".into(),
                score: Some(3.0),
                ..RecognizedMention::new(Span::new(start, start + piece.len()))
            }
        };
        let doubtful = RecognizedMention { threshold: Some(9.0), ..mention("OABs") };
        let mentions = [mention("active bladder"), mention("OAB, NTG"), doubtful];
        reading.define_behind(mentions.iter().map(|one| one.span));
        let found = short_forms(&reading, &document.passage_spans(), &mentions);
        let texts: Vec<(&str, usize)> = found.iter().map(|one| (&text[one.span.range()], one.span.start)).collect();
        let second = text.find("OAB, NTG").unwrap();
        assert_eq!(texts, [("OAB", 21), ("OAB", second), ("OABs", text.find("OABs").unwrap())]);
        assert!(found.iter().all(|one| one.mention_type == "Disease" && one.score == Some(3.0)));
        let plain = Reading::without_abbreviations(&document);
        assert!(short_forms(&plain, &document.passage_spans(), &mentions).is_empty());
    }
}
