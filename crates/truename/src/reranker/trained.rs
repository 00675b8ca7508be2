//! Re-ranking by a model that `train` made.

use std::path::Path;

use truename_infer::{ClozeConfig, ClozeQuery, ClozeScorer, Manifest};

use super::{Reranker, Shortlist};
use crate::Error;

/// A re-ranker that reads the context of a mention and all its candidates at once (Prompt-BioEL, section 3.2).
///
/// A query without a context keeps the scores of the ranker.
pub struct TrainedReranker {
    scorer: ClozeScorer,
}

impl TrainedReranker {
    /// Opens the folder of a model.
    ///
    /// # Errors
    /// If the folder has no re-ranker, or a file is missing or is not what it should be.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        Ok(Self { scorer: ClozeScorer::open(folder)? })
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
        let with_context = |shortlist: &&Shortlist<'_>| shortlist.query.context.is_some();
        let asked = shortlists.iter().filter(with_context).filter_map(cloze_query);
        let queries: Vec<ClozeQuery<'_>> = asked.collect();
        let mut scores = self.scorer.score(&queries)?.into_iter();
        let mapping = self.scorer.config().mapping;
        let of = |shortlist: &Shortlist<'_>| {
            let ranker = shortlist.candidates.iter().map(|candidate| candidate.scores.ranker.unwrap_or_default());
            match with_context(&shortlist).then(|| scores.next()).flatten() {
                Some(cloze) => {
                    cloze.into_iter().zip(ranker).map(|(cloze, ranker)| mapping.logit(cloze.into(), ranker)).collect()
                }
                None => ranker.collect(),
            }
        };
        Ok(shortlists.iter().map(of).collect())
    }
}

fn cloze_query<'a>(shortlist: &'a Shortlist<'_>) -> Option<ClozeQuery<'a>> {
    let context = shortlist.query.context?;
    let candidates = shortlist.names.iter().map(|names| names.iter().map(String::as_str).collect()).collect();
    Some(ClozeQuery { text: &context.document.text, span: context.span, candidates })
}
