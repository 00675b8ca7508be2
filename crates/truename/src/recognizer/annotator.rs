//! Labels documents by the names of a knowledge base, to train recognizers without annotators.

use std::cmp::Reverse;
use std::collections::HashSet;

use rayon::prelude::*;
use truename_text::{Document, Mention};

use super::dictionary::FormMatch;
use super::{DictionaryRecognizer, Reading};
use crate::{Error, KnowledgeBase};

/// Labels the names of a knowledge base in documents, to train a recognizer without annotators.
///
/// Finds what [`DictionaryRecognizer`] finds. The type of a label is that of the concepts with the name; a label of
/// several types is written once for each. It is [`Mention::UNKNOWN`] where the dictionary does not decide:
/// - the concepts with the name have different types, no type or the type [`Mention::UNKNOWN`]; a concept that has the
///   very name settles it against one that has its plural;
/// - the text is written as the name, but is no mention by the [`MentionModel`](crate::MentionModel);
/// - the text is a short form that the document defines otherwise.
///
/// ```
/// use truename::{Annotator, Document, ImportOptions, KnowledgeBase};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let (file, mykb) = (folder.path().join("kb.tsv"), folder.path().join("mykb"));
/// std::fs::write(&file, "id\tname\ttype\n1\taspirin\tChemical\n2\tcold\tDisease\n3\tcold\tFinding\n")?;
/// KnowledgeBase::import(&[file], &mykb, &ImportOptions::default(), false)?;
/// let annotator = Annotator::new(KnowledgeBase::open(&mykb)?);
/// let labelled = annotator.annotate(vec![Document::new("1", "Aspirin for a cold.")])?;
/// let labels: Vec<&str> = labelled[0].mentions.iter().map(|mention| mention.mention_type.as_str()).collect();
/// assert_eq!(labels, ["Chemical", "unknown"]);
/// # Ok(())
/// # }
/// ```
pub struct Annotator {
    dictionary: DictionaryRecognizer,
    mention_type: Option<String>,
    ids: bool,
    abbreviations: bool,
}

impl Annotator {
    /// Creates an annotator with the names of `kb`.
    pub fn new(kb: KnowledgeBase) -> Self {
        let dictionary = DictionaryRecognizer::new(kb).typed(true).doubtful(true);
        Self { dictionary, mention_type: None, ids: false, abbreviations: true }
    }

    /// Sets one type for all labels but those of words, letters and short forms that the dictionary does not decide, and
    /// those of concepts with the type [`Mention::UNKNOWN`].
    #[must_use]
    pub fn of_type(mut self, mention_type: impl Into<String>) -> Self {
        self.mention_type = Some(mention_type.into());
        self
    }

    /// Sets whether labels within labels are written too.
    #[must_use]
    pub fn nested(mut self, nested: bool) -> Self {
        self.dictionary = self.dictionary.nested(nested);
        self
    }

    /// Sets whether a label has the id of its concept, if only one concept has the name.
    #[must_use]
    pub fn with_ids(mut self, ids: bool) -> Self {
        self.ids = ids;
        self
    }

    /// Sets whether abbreviations that a document defines are labelled as their long forms are.
    #[must_use]
    pub fn abbreviations(mut self, abbreviations: bool) -> Self {
        self.abbreviations = abbreviations;
        self
    }

    /// Replaces the mentions of documents by labels, by start, longer ones first.
    ///
    /// # Errors
    /// If the storage fails.
    #[tracing::instrument(skip_all, fields(documents = documents.len()))]
    pub fn annotate(&self, mut documents: Vec<Document>) -> Result<Vec<Document>, Error> {
        let read = if self.abbreviations { Reading::new } else { Reading::without_abbreviations };
        let mut readings: Vec<Reading<'_>> = documents.par_iter().map(read).collect();
        let found = self.dictionary.find(&mut readings)?;
        for (document, found) in documents.iter_mut().zip(found) {
            document.mentions = self.labels(found);
        }
        Ok(documents)
    }

    /// Returns the labels of a document. Where a name is read in two ways, the one with a type counts.
    fn labels(&self, found: Vec<FormMatch>) -> Vec<Mention> {
        let mut labels: Vec<Mention> = found.iter().flat_map(|one| self.label(one)).collect();
        let order =
            |label: &Mention| (label.span.start, Reverse(label.span.end), label.mention_type == Mention::UNKNOWN);
        labels.sort_by(|one, other| {
            order(one).cmp(&order(other)).then_with(|| one.mention_type.cmp(&other.mention_type))
        });
        labels.dedup_by(|one, other| one.span == other.span && one.mention_type == other.mention_type);
        let decided: HashSet<_> =
            labels.iter().filter(|label| label.mention_type != Mention::UNKNOWN).map(|label| label.span).collect();
        labels.retain(|label| label.mention_type != Mention::UNKNOWN || !decided.contains(&label.span));
        labels
    }

    /// Returns the label of a mention, once for each of its types.
    fn label(&self, FormMatch { recognized, form, is_doubtful, .. }: &FormMatch) -> Vec<Mention> {
        let unknown = || vec![Mention::new(recognized.span, Mention::UNKNOWN, None)];
        let senses = &form.senses;
        if recognized.tentative || *is_doubtful {
            return unknown();
        }
        let given = self.mention_type.as_slice();
        let types = match given {
            [] => senses.agreed_types(),
            _ if senses.has_unknown() => &[],
            _ => given,
        };
        let id = if self.ids { senses.id().map(ToString::to_string) } else { None };
        let label = |mention_type: &str| Mention::new(recognized.span, mention_type, id.clone());
        match types {
            [] => vec![label(Mention::UNKNOWN)],
            _ => types.iter().map(|mention_type| label(mention_type)).collect(),
        }
    }
}
