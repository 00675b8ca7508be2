//! Fits what a knowledge base makes of contexts, by its re-ranker or its encoder, to annotated documents.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use truename_error::ErrorKind;
use truename_infer::{ContextMapping, ContextScores, InContextConfig, MentionOutcome, ScoredMention};
use truename_kb::ConceptId;
use truename_text::{Document, GoldName, Mention, Span, document_hash, stable_hash};

use crate::{
    Candidate, Encoder, Error, KnowledgeBase, LinkOptions, Linker, Reranker, Shortlist, TrainedReranker, WrittenIds,
    context_scores, error,
};

/// Minimum number of mentions to fit a re-ranker's mapping to.
const MIN_MENTIONS: usize = 20;

/// Gains of the calibration of a re-ranker, or of an encoder that reads mentions in their sentences. Each pair is the value before and, by a
/// mapping fitted to other documents, after.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ContextGain {
    /// True if the new mapping is kept; it is not if the log-loss before is lower.
    pub kept: bool,
    /// Number of mentions that the model was asked for.
    pub mentions: usize,
    /// Share of these whose right concept is first.
    pub accuracy: (f64, f64),
    /// Mean negative log-likelihood of the right answer, NIL included.
    pub log_loss: (f64, f64),
    /// Share of these that the ranker answers as well, so that the re-ranker is not asked for the like any more; 0 without one.
    pub certain: f64,
}

impl KnowledgeBase {
    /// Returns the names that annotated documents mention, each once a document, with the ids of this knowledge base. Mentions without an
    /// id are left out; `-1` or `-` as id is NIL.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn gold_names(&self, documents: &[Document]) -> Result<Vec<GoldName>, Error> {
        let answers = Answers::of(self)?;
        let mut names = Vec::new();
        for document in documents {
            let mut known = BTreeSet::new();
            for mention in &document.mentions {
                let Some(ids) = answers.ids(mention) else { continue };
                let name = mention.surface(&document.text).into_owned();
                if known.insert((name.to_lowercase(), ids.clone())) {
                    names.push(GoldName { name, ids, ..GoldName::default() });
                }
            }
        }
        Ok(names)
    }

    /// Divides documents in two where the knowledge base has a re-ranker or an encoder that reads mentions in their sentences: those to fit the
    /// ranker to, and those to fit the mapping of its scores to, which sees answers of a ranker that did not learn them. Without one all are of
    /// the first part.
    ///
    /// # Errors
    /// If the encoder, the retriever or the re-ranker learnt one of the documents, or cannot be read.
    pub fn divide_documents(&self, documents: Vec<Document>) -> Result<[Vec<Document>; 2], Error> {
        let (reranker, retriever) = (self.attached_reranker()?, self.attached_retriever()?);
        let encoder = self.encoder()?.and_then(Encoder::in_context);
        let has_learnt = |document: &&Document| {
            reranker.as_ref().is_some_and(|reranker| reranker.has_learnt(&document.text))
                || retriever.as_ref().is_some_and(|retriever| retriever.has_learnt(&document.text))
                || encoder.is_some_and(|encoder| encoder.learnt.contains(&document_hash(&document.text)))
        };
        let learnt = documents.iter().filter(has_learnt).count();
        if learnt > 0 {
            let message = format!("a model of the knowledge base learnt {learnt} of {} documents", documents.len());
            return Err(Error::new(ErrorKind::Choice, message).with_hint("give documents that none learnt"));
        }
        if reranker.is_none() && encoder.is_none() {
            return Ok([documents, Vec::new()]);
        }
        let is_first = |document: &Document| stable_hash(&format!("ranker {}", document.text)).is_multiple_of(2);
        let (ranker, mapping) = documents.into_iter().partition(is_first);
        Ok([ranker, mapping])
    }

    /// Fits the mapping from the scores of the attached re-ranker and the ranker to probabilities, and the probability from which the
    /// re-ranker is not asked, to documents that neither learnt, and keeps both beside the re-ranker. Without one the mapping of the encoder that
    /// reads mentions in their sentences is fitted.
    ///
    /// # Errors
    /// If there is neither, there are too few mentions, a model fails or the store cannot be written.
    pub fn calibrate_context(&self, mut documents: Vec<Document>) -> Result<ContextGain, Error> {
        let answers = Answers::of(self)?;
        for (number, document) in documents.iter_mut().enumerate() {
            document.id = number.to_string();
        }
        let right: Vec<HashMap<Span, Vec<String>>> = documents
            .iter()
            .map(|document| {
                let of = |mention: &Mention| Some((mention.span, answers.ids(mention)?));
                document.mentions.iter().filter_map(of).collect()
            })
            .collect();
        let reranker = self.attached_reranker()?;
        let (before, start) = match (&reranker, self.encoder_mapping()?) {
            (Some(reranker), _) => (reranker.mapping(), ContextMapping::default()),
            (None, Some(mapping)) => (mapping, ContextMapping::of_ranker()),
            (None, None) => return Err(error::no_model(self.path(), "reranker")),
        };
        let has_reranker = reranker.is_some();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let recorder = Recorder { reranker, seen: Arc::clone(&seen) };
        let options = LinkOptions { placeholders: None, ..LinkOptions::default() };
        let linker = Linker::new(self.clone())?.with_options(options)?.with_reranker(Arc::new(recorder));
        linker.link_mentions(documents)?;
        let seen = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
        let judged = |seen: RerankedMention| {
            let ids = right[seen.document].get(&seen.span)?;
            let is_right = |id: &ConceptId| ids.iter().any(|right| right == id.as_str());
            let place = seen.ids.iter().position(is_right);
            let scored = ScoredMention { candidates: seen.scores, right: place };
            Some((scored, seen.document % 2 == 1, seen.probability))
        };
        let judged: Vec<(ScoredMention, bool, f64)> = seen.into_iter().filter_map(judged).collect();
        if judged.len() < MIN_MENTIONS {
            let message = format!(
                "the probabilities in context need at least {MIN_MENTIONS} mentions that no exact name decides; half of the \
                 documents have {}",
                judged.len()
            );
            return Err(Error::new(ErrorKind::TooFew, message)
                .with_hint("give more documents; the mapping of the training stays"));
        }
        let mentions: Vec<ScoredMention> = judged.iter().map(|(scored, _, _)| scored.clone()).collect();
        let is_second: Vec<bool> = judged.iter().map(|(_, is_second, _)| *is_second).collect();
        let after = ScoredMention::best_by_other_part(start, &mentions, &is_second);
        let share = |count: usize| count as f64 / mentions.len() as f64;
        let is_right = |(mention, best): &(&ScoredMention, Option<usize>)| best.is_some() && *best == mention.right;
        let by_before = |mention: &ScoredMention| mention.best(|scores| before.logit(scores));
        let count = |best: &dyn Fn(usize, &ScoredMention) -> Option<usize>| {
            share(mentions.iter().enumerate().filter(|(at, mention)| is_right(&(mention, best(*at, mention)))).count())
        };
        let outcome =
            |((mention, _, probability), best): (&(ScoredMention, bool, f64), &Option<usize>)| MentionOutcome {
                probability: *probability,
                by_name: mention.right == Some(0),
                in_context: is_right(&(mention, *best)),
            };
        let outcomes: Vec<MentionOutcome> = judged.iter().zip(&after).map(outcome).collect();
        let certain = if has_reranker { MentionOutcome::certain_from(&outcomes) } else { None };
        let log_loss =
            (before.log_loss(&mentions), ScoredMention::log_loss_by_other_part(start, &mentions, &is_second));
        let is_certain = |judged: &&MentionOutcome| certain.is_some_and(|certain| judged.probability >= certain);
        let gain = ContextGain {
            kept: log_loss.1 <= log_loss.0,
            mentions: mentions.len(),
            accuracy: (count(&|_, mention| by_before(mention)), count(&|at, _| after[at])),
            log_loss,
            certain: share(outcomes.iter().filter(is_certain).count()),
        };
        match gain.kept {
            true if has_reranker => self.put_mapping(start.fitted(&mentions), certain)?,
            true => self.put_encoder_mapping(start.fitted(&mentions))?,
            false => {}
        }
        Ok(gain)
    }
}

/// The concepts that annotators mean.
struct Answers {
    ids: WrittenIds,
    concepts: Vec<String>,
}

impl Answers {
    fn of(kb: &KnowledgeBase) -> Result<Self, Error> {
        let mut concepts = Vec::new();
        kb.for_each_concept(|concept| {
            concepts.push(concept);
            Ok::<_, Error>(())
        })?;
        let ids = WrittenIds::of(&concepts);
        Ok(Self { ids, concepts: concepts.into_iter().map(|concept| concept.id.to_string()).collect() })
    }

    /// Returns the ids of the knowledge base that a mention means, any of which is right, as written where the knowledge base lacks it;
    /// none where it means NIL. `None` for a mention without an id or of several concepts.
    fn ids(&self, mention: &Mention) -> Option<Vec<String>> {
        let written = mention.id.as_deref()?.trim();
        if written == "-1" || written == "-" {
            return Some(Vec::new());
        }
        if written.is_empty() || written.contains(['|', '+']) {
            return None;
        }
        let known: Vec<String> = mention
            .ids()
            .filter_map(|id| self.ids.find(id))
            .map(|number| self.concepts[number as usize].clone())
            .collect();
        Some(if known.is_empty() { vec![written.to_owned()] } else { known })
    }
}

/// What the re-ranker scored.
struct RerankedMention {
    /// Number of the document.
    document: usize,
    span: Span,
    ids: Vec<ConceptId>,
    /// Scores of each candidate.
    scores: Vec<ContextScores>,
    /// Probability of the best by the ranker.
    probability: f64,
}

/// Records the scores of the mentions that no exact name decides.
struct Recorder {
    reranker: Option<TrainedReranker>,
    seen: Arc<Mutex<Vec<RerankedMention>>>,
}

impl Reranker for Recorder {
    fn depth(&self) -> usize {
        self.reranker.as_ref().map_or(InContextConfig::CANDIDATES, Reranker::depth)
    }

    fn score(&self, shortlists: &[Shortlist<'_>]) -> Result<Vec<Vec<f64>>, Error> {
        let scores = match &self.reranker {
            Some(reranker) => reranker.scores(shortlists)?,
            None => shortlists.iter().map(|shortlist| Some(context_scores(shortlist.candidates))).collect(),
        };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for (shortlist, scores) in shortlists.iter().zip(scores) {
            let Some((context, scores)) = shortlist.query.context.zip(scores) else { continue };
            seen.push(RerankedMention {
                document: context.document.id.parse().unwrap_or_default(),
                span: context.span,
                ids: shortlist.candidates.iter().map(|candidate| candidate.id.clone()).collect(),
                scores,
                probability: shortlist.candidates.first().map_or(0.0, |best| best.probability),
            });
        }
        let ranker = |candidate: &Candidate| candidate.scores.ranker.unwrap_or_default();
        Ok(shortlists.iter().map(|shortlist| shortlist.candidates.iter().map(ranker).collect()).collect())
    }
}
