//! The evaluation of a recognizer by annotated documents.

use std::collections::{BTreeMap, HashMap, VecDeque};

use serde::Serialize;
use truename::{RecognizedMention, Recognizer};
use truename_error::ErrorKind;
use truename_text::{Document, Mention};

use super::document::{FoundMention, JudgedDocument};
use super::mention_error::{MentionError, MentionErrorKind, MentionErrors, TrainingTexts};
use super::scores::RecognitionScores;
use super::threshold::{Margins, ThresholdCurve};
use crate::Error;
use crate::linked::no_mention;

/// Number of points of the threshold curve.
const CURVE_POINTS: usize = 41;

impl JudgedDocument {
    /// Finds the mentions of documents with gold mentions. Tentative mentions are left out, for a linker would have to confirm them.
    ///
    /// # Errors
    /// If the recognizer fails.
    pub fn recognized(
        recognizer: &dyn Recognizer,
        documents: Vec<Document>,
        abbreviations: bool,
    ) -> Result<Vec<Self>, Error> {
        let recognized = recognizer.recognize_documents(&documents, abbreviations)?;
        let found = |recognized: Vec<RecognizedMention>| {
            let found = recognized.into_iter().filter(|one| !one.tentative).map(FoundMention::from);
            found.collect::<Vec<_>>()
        };
        Ok(documents.into_iter().zip(recognized).map(|(document, one)| Self::new(document, found(one))).collect())
    }

    fn new(document: Document, found: Vec<FoundMention>) -> Self {
        Self { id: document.id, text: document.text, gold: document.mentions, found }
    }
}

impl From<RecognizedMention> for FoundMention {
    fn from(RecognizedMention { span, fragments, mention_type, score, threshold, .. }: RecognizedMention) -> Self {
        let margin = score.zip(threshold).map(|(score, threshold)| score - threshold);
        Self { span, fragments, mention_type, margin }
    }
}

/// Documents with the mentions of another tool, by their ids.
#[derive(Clone, Debug, Default)]
pub struct FoundDocuments(HashMap<String, VecDeque<Document>>);

impl FoundDocuments {
    /// Adds a document.
    pub fn add(&mut self, document: Document) {
        self.0.entry(document.id.clone()).or_default().push_back(document);
    }

    /// Takes the mentions of the documents that have the ids of documents with gold mentions, the first one of each id first.
    ///
    /// # Errors
    /// If there is no such document, or it has another text.
    pub fn judge(&mut self, documents: Vec<Document>) -> Result<Vec<JudgedDocument>, Error> {
        let found = |document: Document| {
            let mentions = self.mentions(&document)?;
            Ok(JudgedDocument::new(document, mentions))
        };
        documents.into_iter().map(found).collect()
    }

    fn mentions(&mut self, document: &Document) -> Result<Vec<FoundMention>, Error> {
        let same = self.0.get_mut(&document.id).and_then(VecDeque::pop_front).ok_or_else(|| {
            Error::new(ErrorKind::Choice, format!("the found documents lack \"{}\"", document.id))
                .with_hint("give the documents of gold, with the mentions of the other tool")
        })?;
        // PubTator has spaces in place of line breaks.
        let letters = |text: &str| text.replace(char::is_whitespace, " ");
        if same.text.len() != document.text.len() || letters(&same.text) != letters(&document.text) {
            let message = format!("the found document \"{}\" has another text than that of gold", document.id);
            return Err(Error::new(ErrorKind::Choice, message).with_hint("let both tools read the same files"));
        }
        let found = |Mention { span, fragments, mention_type, .. }| FoundMention {
            span,
            fragments,
            mention_type,
            margin: None,
        };
        Ok(same.mentions.into_iter().map(found).collect())
    }
}

/// Scores and errors of a recognizer.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct MentionReport {
    /// The scores.
    #[serde(flatten)]
    pub scores: RecognitionScores,
    /// Number of errors by kind.
    pub error_kinds: BTreeMap<MentionErrorKind, usize>,
    /// The commonest errors.
    pub errors: Vec<MentionError>,
    /// Scores at other thresholds; none where mentions have no margin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<ThresholdCurve>,
}

impl MentionReport {
    /// Margin below the threshold down to which a recognizer should give mentions for [`MentionReport::thresholds`].
    pub const MIN_MARGIN: f64 = -5.0;

    /// Scores documents. `types` are those of the mentions that count, whatever their capitals, all if it is empty; mentions without a type
    /// and of unknown type count too. Types are compared where some gold mention has one, and some found one unless there is none.
    /// `errors` is the largest number of errors.
    ///
    /// # Errors
    /// If there is no gold mention whose type is known.
    pub fn of(
        mut judged: Vec<JudgedDocument>,
        types: &[String],
        training: Option<&TrainingTexts>,
        errors: usize,
    ) -> Result<Self, Error> {
        let counts = |name: &str| {
            let is_named = || types.iter().any(|one| one.to_lowercase() == name.to_lowercase());
            types.is_empty() || name == Mention::UNKNOWN || is_named()
        };
        for document in &mut judged {
            document.gold.retain(|mention| counts(&mention.mention_type));
            document.found.retain(|mention| mention.mention_type.is_empty() || counts(&mention.mention_type));
        }
        let mut gold =
            judged.iter().flat_map(|document| &document.gold).filter(|gold| gold.mention_type != Mention::UNKNOWN);
        let first = gold.next().ok_or_else(|| no_mention(types))?;
        let has_gold = !first.mention_type.is_empty() || gold.any(|mention| !mention.mention_type.is_empty());
        let mut found = judged.iter().flat_map(|document| &document.found).peekable();
        let has_found = found.peek().is_none() || found.any(|mention| !mention.mention_type.is_empty());
        let compare_types = has_gold && has_found;
        let MentionErrors { kinds, errors: mut commonest, .. } = MentionErrors::of(&judged, compare_types, training);
        commonest.truncate(errors);
        Ok(Self {
            scores: RecognitionScores::of(&judged, compare_types),
            error_kinds: kinds,
            errors: commonest,
            thresholds: ThresholdCurve::of(&judged, compare_types, Margins::Quantiles { points: CURVE_POINTS }),
        })
    }
}
