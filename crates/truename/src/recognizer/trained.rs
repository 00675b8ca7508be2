//! Recognizes mentions by a model that `train` made: by spans and descriptions of types, or by tags.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use truename_error::{ErrorKind, HintPart, hint};
use truename_infer::{EntityType, Manifest, SpanConfig, SpanOptions, SpanScorer, TagConfig, Tagger};
use truename_text::{Abbreviation, Span, Words};

use super::{Reading, RecognizedMention, Recognizer};
use crate::Error;

/// Finds mentions by a trained model: by the similarity of spans to descriptions of types (BINDER), or by tags of words.
///
/// Passages are read one by one, long ones in windows that overlap by the longest mention. Short forms that the document defines are
/// mentions wherever their long form is one.
#[derive(Clone)]
pub struct TrainedRecognizer {
    model: Model,
    options: SpanOptions,
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
        let model = match has_tags {
            true => Model::Tags(Arc::new(Tagger::open(folder)?)),
            false => Model::Spans(Arc::new(SpanScorer::open(folder)?)),
        };
        Ok(Self { model, options: SpanOptions::default() })
    }

    /// Returns whether a model folder is that of a recognizer.
    ///
    /// # Errors
    /// If its manifest cannot be read.
    pub fn is_in(folder: &Path) -> Result<bool, Error> {
        Ok(Manifest::open(folder)?.heads().any(|head| [SpanConfig::HEAD, TagConfig::HEAD].contains(&head)))
    }

    /// Sets the options of a recognizer by spans; a tagger has none.
    #[must_use]
    pub fn with_options(self, options: SpanOptions) -> Self {
        Self { options, ..self }
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
                Ok(Self { model: Model::Spans(Arc::new(scorer.with_types(types)?)), options: self.options })
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

    /// Finds the mentions of texts, by their places in each.
    fn find(&self, texts: &[&str]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        match &self.model {
            Model::Spans(scorer) => {
                let recognized = |span: &truename_infer::ScoredSpan| RecognizedMention {
                    mention_type: scorer.types()[span.type_number as usize].name.clone(),
                    score: Some(f64::from(span.score)),
                    threshold: Some(f64::from(span.threshold)),
                    is_zero_shot: scorer.is_zero_shot(span.type_number),
                    ..RecognizedMention::new(span.span)
                };
                let found = scorer.find(texts, &self.options)?;
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

impl Recognizer for TrainedRecognizer {
    fn recognize(&self, readings: &mut [Reading<'_>]) -> Result<Vec<Vec<RecognizedMention>>, Error> {
        let passages: Vec<Vec<Span>> = readings.iter().map(|reading| reading.document().passage_spans()).collect();
        let texts: Vec<&str> = readings
            .iter()
            .zip(&passages)
            .flat_map(|(reading, spans)| spans.iter().map(|span| &reading.document().text[span.range()]))
            .collect();
        let mut found = self.find(&texts)?.into_iter();
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
            let short_forms = short_forms(reading, spans, &mentions);
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
}

/// Returns whether a span is above its threshold, and not only in a curve of thresholds.
fn is_mention(one: &RecognizedMention) -> bool {
    one.score.zip(one.threshold).is_none_or(|(score, threshold)| score > threshold)
}

/// Returns the short forms whose long form is a mention where the document defines them, wherever they stand in no mention. A
/// model that reads a passage or window without the definition can hardly know them.
fn short_forms(reading: &Reading<'_>, passages: &[Span], mentions: &[RecognizedMention]) -> Vec<RecognizedMention> {
    let text = reading.document().text.as_str();
    let mut meant: HashMap<Span, &RecognizedMention> = HashMap::new();
    let mentions: Vec<&RecognizedMention> = mentions.iter().filter(|one| is_mention(one)).collect();
    for Abbreviation { long, .. } in reading.abbreviations() {
        let mention = mentions.iter().copied().find(|one| one.span.end == long.end && one.fragments.is_empty());
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
            if let Some(long) = meant.get(&form.defined)
                && !mentions.iter().any(|one| one.span.overlaps(span))
            {
                found.push(RecognizedMention { span, ..(*long).clone() });
            }
            word += length;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use truename_text::Document;

    use super::*;

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
        assert_eq!(texts, [("OAB", 21), ("OABs", text.find("OABs").unwrap())]);
        assert!(found.iter().all(|one| one.mention_type == "Disease" && one.score == Some(3.0)));
        let plain = Reading::without_abbreviations(&document);
        assert!(short_forms(&plain, &document.passage_spans(), &mentions).is_empty());
    }
}
