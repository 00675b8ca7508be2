//! Re-ranking by a model that `train` made.

use std::borrow::Cow;
use std::path::Path;

use truename_infer::{ClozeCandidate, ClozeConfig, ClozeQuery, ClozeScorer, ContextMapping, ContextScores, Manifest};
use truename_kb::Concept;
use truename_text::{Span, document_hash};

use super::{CandidateConcept, Reranker, Shortlist, context_scores};
use crate::{Error, Query};

/// A re-ranker that reads the context of a mention and all its candidates at once (Prompt-BioEL, section 3.2).
///
/// A query without a context keeps the scores of the ranker.
pub struct TrainedReranker {
    scorer: ClozeScorer,
    mapping: ContextMapping,
    certain: Option<f64>,
}

impl TrainedReranker {
    /// Opens the folder of a model.
    ///
    /// # Errors
    /// If the folder has no re-ranker, or a file is missing or is not what it should be.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let scorer = ClozeScorer::open(folder)?;
        let (mapping, certain) = (scorer.config().mapping, scorer.config().certain);
        Ok(Self { scorer, mapping, certain })
    }

    /// Sets the mapping to logits, and the probability of the ranker from which it is not asked.
    #[must_use]
    pub fn with_mapping(self, mapping: ContextMapping, certain: Option<f64>) -> Self {
        Self { mapping, certain, ..self }
    }

    /// Returns the mapping to logits.
    pub fn mapping(&self) -> ContextMapping {
        self.mapping
    }

    /// Returns whether a document was learnt from, whatever space stands around it.
    pub fn has_learnt(&self, text: &str) -> bool {
        self.scorer.config().learnt.contains(&document_hash(text))
    }

    /// Returns whether a concept has a name that is read whole.
    ///
    /// # Errors
    /// If the tokenizer fails.
    pub fn holds_name(&self, concept: &Concept) -> Result<bool, Error> {
        self.scorer.holds_name(concept.names())
    }

    /// Returns the scores of the candidates before the mapping; `None` for a query without context.
    pub(crate) fn scores(&self, shortlists: &[Shortlist<'_>]) -> Result<Vec<Option<Vec<ContextScores>>>, Error> {
        let prompts: Vec<Option<Prompt<'_>>> = shortlists.iter().map(Prompt::of).collect();
        let asked: Vec<ClozeQuery<'_>> = prompts.iter().flatten().map(Prompt::query).collect();
        let mut scored = self.scorer.score(&asked)?.into_iter();
        let of = |(prompt, shortlist): (&Option<Prompt<'_>>, &Shortlist<'_>)| {
            let cloze = prompt.as_ref().and_then(|_| scored.next())?;
            let before = context_scores(shortlist.candidates).into_iter().zip(cloze);
            Some(before.map(|(scores, cloze)| ContextScores { cloze: f64::from(cloze), ..scores }).collect())
        };
        Ok(prompts.iter().zip(shortlists).map(of).collect())
    }

    /// Returns whether a folder has a re-ranker.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn is_in(folder: &Path) -> Result<bool, Error> {
        let manifest = Manifest::open(folder)?;
        Ok(manifest.heads().any(|head| head == ClozeConfig::HEAD))
    }

    /// Returns the folder that was opened.
    pub fn folder(&self) -> &Path {
        self.scorer.backbone().folder()
    }

    /// Returns the hash of its weights, tokenizer and configuration.
    pub fn hash(&self) -> &str {
        self.scorer.backbone().hash()
    }
}

impl Reranker for TrainedReranker {
    fn depth(&self) -> usize {
        self.scorer.config().candidates
    }

    fn score(&self, shortlists: &[Shortlist<'_>]) -> Result<Vec<Vec<f64>>, Error> {
        let of = |(shortlist, scores): (&Shortlist<'_>, Option<Vec<ContextScores>>)| match scores {
            Some(scores) => scores.into_iter().map(|scores| self.mapping.logit(scores)).collect(),
            None => context_scores(shortlist.candidates).into_iter().map(|scores| scores.ranker).collect(),
        };
        Ok(shortlists.iter().zip(self.scores(shortlists)?).map(of).collect())
    }

    fn certain(&self) -> f64 {
        self.certain.unwrap_or(f64::INFINITY)
    }

    fn reads(&self, query: &Query<'_>) -> bool {
        query.context.is_none() || self.scorer.holds_mention(query.name).unwrap_or_default()
    }

    fn attended(&self, shortlist: &Shortlist<'_>) -> Result<Vec<Span>, Error> {
        /// Words that are told.
        const WORDS: usize = 4;
        let Some(prompt) = Prompt::of(shortlist) else { return Ok(Vec::new()) };
        let attended = self.scorer.attended(&prompt.query(), WORDS)?;
        Ok(attended.into_iter().filter_map(|(word, _)| prompt.written(word)).collect())
    }
}

/// A shortlist whose query has a context, with the query's name in the place of the mention.
struct Prompt<'a> {
    shortlist: &'a Shortlist<'a>,
    text: Cow<'a, str>,
    /// Place of the name in the text.
    name: Span,
    /// Place of the mention in the document.
    mention: Span,
}

impl<'a> Prompt<'a> {
    fn of(shortlist: &'a Shortlist<'_>) -> Option<Self> {
        let mention = shortlist.query.context?.span;
        let (text, name) = shortlist.query.named_context()?;
        Some(Self { shortlist, text, name, mention })
    }

    fn query(&self) -> ClozeQuery<'_> {
        let of = |CandidateConcept { concept, parents }: &'a CandidateConcept| ClozeCandidate {
            names: concept.names().collect(),
            types: concept.types.iter().map(String::as_str).collect(),
            parents: parents.iter().map(String::as_str).collect(),
        };
        let candidates = self.shortlist.concepts.iter().map(of).collect();
        ClozeQuery { text: &self.text, span: self.name, candidates }
    }

    /// Returns the place in the document of a word; `None` for one of the name.
    fn written(&self, word: Span) -> Option<Span> {
        if word.end <= self.name.start {
            return Some(word);
        }
        let behind = |at: usize| at - self.name.end + self.mention.end;
        (word.start >= self.name.end).then(|| Span::new(behind(word.start), behind(word.end)))
    }
}
