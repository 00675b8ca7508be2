//! Probabilities of a recognizer's mentions, fitted to annotated documents.

use std::collections::HashSet;
use std::path::Path;

use truename::Recognizer;
use truename_error::ErrorKind;
use truename_infer::{Manifest, MarginCalibration, SpanConfig};
use truename_text::Document;

use super::comparison::Comparison;
use super::document::JudgedDocument;
use crate::Error;

/// Margins of found mentions, each with its type and whether it is right.
#[derive(Clone, Debug, Default)]
pub struct JudgedMargins {
    found: Vec<(String, f64, bool)>,
    /// Types that the documents annotate, in lower case.
    types: HashSet<String>,
}

impl JudgedMargins {
    /// Finds the mentions of annotated documents, as [`JudgedDocument::recognized`] does, and adds their margins.
    ///
    /// # Errors
    /// If the recognizer fails.
    pub fn add_recognized(&mut self, recognizer: &dyn Recognizer, documents: Vec<Document>) -> Result<(), Error> {
        JudgedDocument::recognized(recognizer, documents, true)?.iter().for_each(|judged| self.add(judged));
        Ok(())
    }

    /// Adds the mentions of a document.
    pub fn add(&mut self, document: &JudgedDocument) {
        let compared = Comparison::at_threshold(document, true);
        self.types.extend(compared.gold.iter().map(|gold| gold.folded_type.clone()));
        let mut is_right = vec![false; compared.found.len()];
        for (gold, found) in compared.overlapping() {
            is_right[found] |= compared.is_right(gold, found);
        }
        let judged = compared.found.iter().zip(is_right).filter(|(found, _)| found.margin.is_finite());
        self.found.extend(judged.map(|(found, is_right)| (found.folded_type.clone(), found.margin, is_right)));
    }

    /// Returns the margins of the types that the documents annotate, each with whether the mention is right.
    pub fn annotated(&self) -> Vec<(f64, bool)> {
        let annotated = self.found.iter().filter(|(mention_type, ..)| self.types.contains(mention_type));
        annotated.map(|(_, margin, is_right)| (*margin, *is_right)).collect()
    }

    /// Fits the probability of a mention to the margins, and keeps it in the folder of the recognizer.
    ///
    /// # Errors
    /// If there are too few right or wrong mentions, or the folder has no recognizer by spans or cannot be written to.
    pub fn calibrate(&self, folder: &Path) -> Result<MarginCalibration, Error> {
        let margins = self.annotated();
        let calibration = MarginCalibration::fit(&margins).ok_or_else(|| {
            let right = margins.iter().filter(|(_, is_right)| *is_right).count();
            let message = format!(
                "{right} right and {} wrong mentions are too few; 50 of each are needed",
                margins.len() - right
            );
            Error::new(ErrorKind::TooFew, message)
                .with_hint("give more annotated documents, with the recognizer's names of types")
        })?;
        let mut manifest = Manifest::open(folder)?;
        let config: Option<SpanConfig> = manifest.head(SpanConfig::HEAD)?;
        let Some(mut config) = config else {
            let message = format!("{} has no recognizer by spans", folder.display());
            return Err(Error::new(ErrorKind::Choice, message).with_hint("a tagger gives probabilities itself"));
        };
        config.calibration = Some(calibration);
        manifest.set_head(SpanConfig::HEAD, &config)?;
        manifest.save(folder)?;
        Ok(calibration)
    }
}

#[cfg(test)]
mod tests {
    use truename_text::{Mention, Span};

    use super::super::FoundMention;
    use super::*;

    #[test]
    fn types_that_no_document_annotates_are_left_out() {
        let found = |start, mention_type: &str, margin| FoundMention {
            margin: Some(margin),
            ..FoundMention::new(Span::new(start, start + 1), mention_type)
        };
        let gold = Mention { span: Span::new(0, 1), mention_type: "Disease".into(), ..Mention::default() };
        let document = JudgedDocument {
            text: "abc".into(),
            gold: vec![gold],
            found: vec![
                found(0, "disease", 2.0),
                found(1, "disease", 1.0),
                found(2, "gene", 3.0),
                found(2, "disease", -1.0),
            ],
            ..JudgedDocument::default()
        };
        let mut margins = JudgedMargins::default();
        margins.add(&document);
        assert_eq!(margins.annotated(), [(2.0, true), (1.0, false)]);
        let few = margins.calibrate(Path::new("nowhere")).unwrap_err();
        assert_eq!(few.to_string(), "1 right and 1 wrong mentions are too few; 50 of each are needed");
    }
}
