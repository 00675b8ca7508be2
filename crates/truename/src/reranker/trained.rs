//! Re-ranking by a model that `train` made.

use std::path::Path;

use truename_infer::{ClozeConfig, ClozeMapping, ClozeQuery, ClozeScorer, Manifest};
use truename_kb::Concept;
use truename_text::{Span, document_hash};

use super::{Reranker, Shortlist};
use crate::{Context, Error, Query};

/// A re-ranker that reads the context of a mention and all its candidates at once (Prompt-BioEL, section 3.2).
///
/// A query without a context keeps the scores of the ranker.
pub struct TrainedReranker {
    scorer: ClozeScorer,
    mapping: ClozeMapping,
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
    pub fn with_mapping(self, mapping: ClozeMapping, certain: Option<f64>) -> Self {
        Self { mapping, certain, ..self }
    }

    /// Returns the mapping to logits.
    pub fn mapping(&self) -> ClozeMapping {
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
    pub(crate) fn scores(&self, shortlists: &[Shortlist<'_>]) -> Result<Vec<Option<Vec<f64>>>, Error> {
        let queries: Vec<Option<ClozeQuery<'_>>> = shortlists.iter().map(cloze_query).collect();
        let asked: Vec<ClozeQuery<'_>> = queries.iter().flatten().cloned().collect();
        let mut scores = self.scorer.score(&asked)?.into_iter();
        let of = |query: &Option<ClozeQuery<'_>>| {
            query.as_ref().and_then(|_| scores.next()).map(|scores| scores.into_iter().map(f64::from).collect())
        };
        Ok(queries.iter().map(of).collect())
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
        let of = |(shortlist, scores): (&Shortlist<'_>, Option<Vec<f64>>)| {
            let ranker = shortlist.candidates.iter().map(|candidate| candidate.scores.ranker.unwrap_or_default());
            match scores {
                Some(scores) => {
                    scores.into_iter().zip(ranker).map(|(score, ranker)| self.mapping.logit(score, ranker)).collect()
                }
                None => ranker.collect(),
            }
        };
        Ok(shortlists.iter().zip(self.scores(shortlists)?).map(of).collect())
    }

    fn certain(&self) -> f64 {
        self.certain.unwrap_or(f64::INFINITY)
    }

    fn reads(&self, query: &Query<'_>) -> bool {
        let mention = |context: Context<'_>| self.scorer.holds_mention(&context.document.text[context.span.range()]);
        query.context.is_none_or(|context| mention(context).unwrap_or_default())
    }

    fn attended(&self, shortlist: &Shortlist<'_>) -> Result<Vec<Span>, Error> {
        /// Words that are told.
        const WORDS: usize = 4;
        let Some(query) = cloze_query(shortlist) else { return Ok(Vec::new()) };
        Ok(self.scorer.attended(&query, WORDS)?.into_iter().map(|(word, _)| word).collect())
    }
}

fn cloze_query<'a>(shortlist: &'a Shortlist<'_>) -> Option<ClozeQuery<'a>> {
    let context = shortlist.query.context?;
    let candidates = shortlist.names.iter().map(|names| names.iter().map(String::as_str).collect()).collect();
    Some(ClozeQuery { text: &context.document.text, span: context.span, candidates })
}
