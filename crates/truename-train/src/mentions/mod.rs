//! Data of tasks that learn from mentions in their contexts, with the concepts that they stand for.

mod keys;
mod name_retrieval;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use truename::{
    Concept, ImportOptions, KnowledgeBase, LinkOptions, LinkedDocument, Linker, Reading, Reranker, Shortlist,
    WrittenIds, context_scores,
};
use truename_corpus::ReadOptions;
use truename_error::{ErrorKind, HintPart};
use truename_index::Hit;
use truename_infer::{ClozeCandidate, ContextScores, Encoder, Manifest, RetrieverConfig, ScoredMention};
use truename_kb::Progress;
use truename_text::{Document, Problem, Span, document_hash, stable_hash};
use xxhash_rust::xxh3::Xxh3;

use crate::documents::{not_learnt, read_corpus};
use crate::names::vocabularies;
use crate::recipe::Recipe;
use crate::retrieval::ConceptRetriever;
use crate::training::temporary_folder;
use crate::{DataFile, Error, TaskData, error};

pub(crate) use keys::{CandidateKeys, CandidateSource, DataKeys, MentionKeys};
pub(crate) use name_retrieval::{NameRetrieval, PlannedQuery, QueryText};

/// Mentions to learn from and to evaluate on, and the concepts of a knowledge base.
pub(crate) struct Mentions {
    /// The concepts, by id.
    concepts: Vec<Concept>,
    /// Numbers of the broader concepts of each concept.
    parents: Vec<Vec<u32>>,
    documents: Vec<Document>,
    pub train: Vec<LinkedExample>,
    pub dev: Vec<LinkedExample>,
    left_out: LeftOut,
    problems: Vec<(Problem, usize)>,
    files: Vec<DataFile>,
}

/// A mention with its concept and its candidates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkedExample {
    /// Number of the document.
    pub document: usize,
    /// Place in the document.
    pub span: Span,
    /// The mention as it is linked: its text, with short forms of the document written out.
    pub name: String,
    /// Numbers of the concepts that are right; any is.
    pub right: BTreeSet<u32>,
    /// Candidates, likeliest first.
    pub candidates: Vec<RankedCandidate>,
}

impl LinkedExample {
    /// Returns whether one concept alone has the very name, so that the ranker was not asked.
    pub fn is_exact(&self) -> bool {
        self.candidates.first().is_some_and(|best| best.scores.ranker == f64::INFINITY)
    }
}

/// A candidate with its scores before a re-ranker is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RankedCandidate {
    /// Number of the concept.
    pub concept: u32,
    /// The logit of the ranker is infinite where the exact name decided, 0 where no ranker was asked.
    pub scores: ContextScores,
    /// Probability by the ranker; 0 where none was asked.
    pub probability: f64,
}

/// Numbers of mentions that are not learnt, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LeftOut {
    /// Mentions of several concepts at once.
    composite: usize,
    /// Mentions whose id the knowledge base lacks.
    unknown: usize,
    /// Mentions without an id.
    without_id: usize,
    /// Mentions that the document repeats.
    repeated: usize,
}

impl Mentions {
    /// Reads the knowledge base and the corpora of a recipe, with so many candidates for each mention if they are asked for.
    /// Where there is no corpus to evaluate on, a share of the documents is held out.
    pub fn read(recipe: &Recipe, data: &DataKeys, candidates: Option<(&CandidateKeys, usize)>) -> Result<Self, Error> {
        if data.kb.is_empty() {
            return Err(error::missing("data.kb", HintPart::setting("kb")));
        }
        if data.train.is_empty() {
            return Err(error::no_files("data.train"));
        }
        let folder = temporary_folder()?;
        let kb = open(&data.kb, folder.path())?;
        let mut concepts = Vec::new();
        kb.for_each_concept(|concept| {
            concepts.push(concept);
            Ok::<_, Error>(())
        })?;
        let mut all = Self {
            concepts,
            parents: Vec::new(),
            documents: Vec::new(),
            train: Vec::new(),
            dev: Vec::new(),
            left_out: LeftOut::default(),
            problems: Vec::new(),
            files: Vec::new(),
        };
        let ids = WrittenIds::of(&all.concepts);
        let parents = |concept: &Concept| concept.parents.iter().filter_map(|id| ids.find(id.as_str())).collect();
        all.parents = all.concepts.iter().map(parents).collect();
        all.train = all.examples(&data.train, &ids, data.distinct)?;
        if all.train.is_empty() {
            let message = format!("no mention of {} has an id of the knowledge base", data.train[0].display());
            return Err(Error::new(ErrorKind::TooFew, message)
                .with_hint("name a corpus whose mentions have ids or cross-references of the knowledge base"));
        }
        // All mentions are asked for where accuracy is measured.
        let left_out = all.left_out;
        all.dev = all.examples(&data.dev, &ids, false)?;
        all.left_out = left_out;
        if data.dev.is_empty() && data.dev_share > 0.0 {
            let is_held_out = |example: &LinkedExample| {
                let text = all.documents[example.document].text.trim();
                (stable_hash(&format!("held out {text}")) as f64 / u64::MAX as f64) < data.dev_share
            };
            let train = std::mem::take(&mut all.train);
            (all.dev, all.train) = train.into_iter().partition(is_held_out);
            if all.train.is_empty() {
                let message = "all documents with a mention to learn are held out";
                return Err(Error::new(ErrorKind::TooFew, message)
                    .with_hint("name more documents in data.train, or lower data.dev_share"));
            }
        }
        if all.dev.is_empty() && recipe.evaluation.patience > 0 {
            return Err(error::nothing_to_evaluate());
        }
        if let Some((keys, count)) = candidates {
            all.propose(kb, keys, count)?;
        }
        Ok(all)
    }

    /// Reads the mentions of corpora, `distinct` ones once a document.
    fn examples(&mut self, corpora: &[PathBuf], ids: &WrittenIds, distinct: bool) -> Result<Vec<LinkedExample>, Error> {
        let mut examples = Vec::new();
        for path in corpora {
            let (options, mut documents) = (ReadOptions::default(), Vec::new());
            let problem = read_corpus(path, &options, &mut self.files, &mut |document| documents.push(document))?;
            self.problems.extend(problem);
            for document in documents {
                examples.extend(self.of_document(&document, ids, distinct));
                self.documents.push(document);
            }
        }
        Ok(examples)
    }

    fn of_document(&mut self, document: &Document, ids: &WrittenIds, distinct: bool) -> Vec<LinkedExample> {
        let (mut examples, mut known, reading) = (Vec::new(), BTreeSet::new(), Reading::new(document));
        for mention in &document.mentions {
            let id = mention.id.as_deref().unwrap_or_default().trim();
            if id.is_empty() || id == "-1" || id == "-" {
                self.left_out.without_id += 1;
                continue;
            }
            if id.contains(['|', '+']) {
                self.left_out.composite += 1;
                continue;
            }
            let right: BTreeSet<u32> = id.split([',', ';']).filter_map(|id| ids.find(id.trim())).collect();
            if right.is_empty() {
                self.left_out.unknown += 1;
                continue;
            }
            let written = &document.text[mention.span.range()];
            if !known.insert((written.to_lowercase(), right.clone())) && distinct {
                self.left_out.repeated += 1;
                continue;
            }
            let name = reading.expand(written, mention.span.start).unwrap_or_else(|| written.to_owned());
            let (document, span) = (self.documents.len(), mention.span);
            examples.push(LinkedExample { document, span, name, right, candidates: Vec::new() });
        }
        examples
    }

    /// Adds `count` candidates to all examples.
    fn propose(&mut self, kb: KnowledgeBase, keys: &CandidateKeys, count: usize) -> Result<(), Error> {
        self.check_not_learnt(&self.learnt(), "data.train")?;
        let retriever = match keys.retriever.as_os_str().is_empty() {
            true => None,
            false => {
                let head: Option<RetrieverConfig> = Manifest::open(&keys.retriever)?.head(RetrieverConfig::HEAD)?;
                let learnt = head.map(|head| head.learnt).unwrap_or_default();
                self.check_not_learnt(&learnt, &format!("the retriever in {}", keys.retriever.display()))?;
                Some(ConceptRetriever::open(&keys.retriever, &self.concepts, &Progress::default())?)
            }
        };
        match (keys.of, retriever) {
            (CandidateSource::All, retriever) => {
                let folder = temporary_folder()?;
                self.rank(self.linker(kb, keys, count, folder.path())?, retriever)
            }
            (CandidateSource::Retriever, Some(retriever)) => self.retrieve(&retriever, count),
            (CandidateSource::Retriever, None) => {
                let key = "candidates.retriever";
                Err(error::missing(key, HintPart::key(key).value("DIR")))
            }
        }
    }

    /// Refuses documents to evaluate on, which probabilities are fitted to, that are among those that were learnt.
    fn check_not_learnt(&self, learnt: &BTreeSet<u64>, by: &str) -> Result<(), Error> {
        let asked: BTreeSet<u64> = self.dev.iter().map(|example| self.hash_of(example)).collect();
        match asked.intersection(learnt).count() {
            0 => Ok(()),
            count => {
                let documents = asked.len();
                let message =
                    format!("{by} has learnt {count} of the {documents} documents with mentions to evaluate on");
                Err(Error::new(ErrorKind::Choice, message).with_hint(
                    "probabilities are fitted to data.dev: name documents there that are not learnt, or leave it out to hold \
                     out a share",
                ))
            }
        }
    }

    /// Returns the linker whose candidates a re-ranker would be shown, `count` of them. `folder` is empty, and there as long as the linker is.
    fn linker(&self, kb: KnowledgeBase, keys: &CandidateKeys, count: usize, folder: &Path) -> Result<Linker, Error> {
        let linker = match keys.encoder.as_os_str().is_empty() {
            true => Linker::new(kb)?.without_context(),
            false => {
                let encoder = Encoder::open(&keys.encoder)?;
                let learnt = encoder.in_context().map(|config| config.learnt.clone()).unwrap_or_default();
                self.check_not_learnt(&learnt, &format!("the encoder in {}", keys.encoder.display()))?;
                self.linker_in_context(encoder, folder)?
            }
        };
        shortlisting(linker, count)
    }

    /// Returns a linker over the concepts, which are stored in `folder`, with the vectors of an encoder that reads mentions in their sentences.
    fn linker_in_context(&self, encoder: Encoder, folder: &Path) -> Result<Linker, Error> {
        let kb = KnowledgeBase::create(self.concepts.clone(), &folder.join("in-context"))?;
        kb.embed(&encoder, |_, _| ControlFlow::Continue(()))?;
        Linker::new(kb.with_encoder(Arc::new(encoder))?)
    }

    /// Returns the mentions to evaluate on with their scores by an encoder that reads them in their sentences, those left out whose exact name
    /// decides.
    pub fn scored_in_context(&self, encoder: Encoder, count: usize) -> Result<Vec<ScoredMention>, Error> {
        let folder = temporary_folder()?;
        let linker = shortlisting(self.linker_in_context(encoder, folder.path())?, count)?;
        let mut examples = self.dev.clone();
        self.add_candidates(&linker, &mut examples)?;
        let scored = |example: &LinkedExample| ScoredMention {
            candidates: example.candidates.iter().map(|candidate| candidate.scores).collect(),
            right: example.candidates.iter().position(|candidate| example.right.contains(&candidate.concept)),
        };
        Ok(examples.iter().filter(|example| !example.is_exact()).map(scored).collect())
    }

    /// Adds the candidates that a re-ranker would be shown: the likeliest by the ranker and the nearest by the retriever.
    fn rank(&mut self, linker: Linker, retriever: Option<ConceptRetriever>) -> Result<(), Error> {
        let linker = match retriever {
            Some(retriever) => linker.with_retriever(Arc::new(retriever)),
            None => linker,
        };
        let [mut train, mut dev] = [&mut self.train, &mut self.dev].map(std::mem::take);
        self.add_candidates(&linker, &mut train)?;
        self.add_candidates(&linker, &mut dev)?;
        (self.train, self.dev) = (train, dev);
        Ok(())
    }

    /// Adds the candidates of a linker to examples.
    fn add_candidates(&self, linker: &Linker, examples: &mut [LinkedExample]) -> Result<(), Error> {
        let numbers: HashMap<&str, u32> =
            self.concepts.iter().zip(0..).map(|(concept, number)| (concept.id.as_str(), number)).collect();
        let documents: BTreeSet<usize> = examples.iter().map(|example| example.document).collect();
        let linked = linker.link_mentions(documents.iter().map(|at| self.documents[*at].clone()).collect())?;
        let linked: HashMap<usize, LinkedDocument> = documents.into_iter().zip(linked).collect();
        for example in examples {
            let mentions = &linked[&example.document].mentions;
            let Some(mention) = mentions.iter().find(|mention| mention.span == example.span) else { continue };
            let candidates = &mention.link.candidates;
            let ranked = |(candidate, scores): (&truename::Candidate, ContextScores)| RankedCandidate {
                concept: numbers[candidate.id.as_str()],
                scores: ContextScores { ranker: candidate.scores.ranker.unwrap_or(f64::INFINITY), ..scores },
                probability: candidate.probability_by_name.unwrap_or(candidate.probability),
            };
            example.candidates = candidates.iter().zip(context_scores(candidates)).map(ranked).collect();
        }
        Ok(())
    }

    /// Adds the candidates of the retriever alone.
    fn retrieve(&mut self, retriever: &ConceptRetriever, count: usize) -> Result<(), Error> {
        let examples = || self.train.iter().chain(&self.dev);
        let contexts: Vec<(Cow<'_, str>, Span)> = examples().map(|example| self.context(example)).collect();
        let asked: Vec<(&str, Span)> = contexts.iter().map(|(text, span)| (text.as_ref(), *span)).collect();
        let found = retriever.numbers(&asked, count)?;
        for (example, hits) in self.train.iter_mut().chain(&mut self.dev).zip(found) {
            let candidate = |hit: Hit| RankedCandidate { concept: hit.name, ..RankedCandidate::default() };
            example.candidates = hits.into_iter().map(candidate).collect();
        }
        Ok(())
    }

    /// Hashes of the documents to learn from, without the space around them.
    pub fn learnt(&self) -> BTreeSet<u64> {
        self.train.iter().map(|example| self.hash_of(example)).collect()
    }

    fn hash_of(&self, example: &LinkedExample) -> u64 {
        document_hash(self.text(example))
    }

    /// Number of concepts.
    pub fn concepts(&self) -> usize {
        self.concepts.len()
    }

    /// The text around a mention.
    pub fn text(&self, example: &LinkedExample) -> &str {
        &self.documents[example.document].text
    }

    /// Returns the text around a mention with its name in its place, and the place of the name there.
    pub fn context(&self, example: &LinkedExample) -> (Cow<'_, str>, Span) {
        example.span.replaced(self.text(example), &example.name)
    }

    pub fn names(&self, concept: u32) -> Vec<&str> {
        self.concepts[concept as usize].names().collect()
    }

    /// A concept as a prompt shows it.
    pub fn candidate(&self, concept: u32) -> ClozeCandidate<'_> {
        let name = |parent: &u32| self.concepts[*parent as usize].name.as_str();
        ClozeCandidate {
            names: self.names(concept),
            types: self.concepts[concept as usize].types.iter().map(String::as_str).collect(),
            parents: self.parents[concept as usize].iter().map(name).collect(),
        }
    }

    /// Describes the data for the user.
    pub fn describe(&self) -> Vec<String> {
        let LeftOut { composite, unknown, without_id, repeated } = self.left_out;
        let mut lines = vec![format!(
            "{} concepts; {} mentions to learn, {} to evaluate on",
            self.concepts.len(),
            self.train.len(),
            self.dev.len()
        )];
        let problems = self.problems.iter();
        lines.extend(problems.map(|(first, count)| format!("{first} ({count} skipped in this file)")));
        let reasons = [
            (composite, "are composite"),
            (unknown, "have an id that the knowledge base lacks"),
            (without_id, "have no id"),
            (repeated, "repeat a name of their document"),
        ];
        lines.extend(not_learnt(&reasons));
        lines
    }
}

impl TaskData for Mentions {
    fn hash(&self) -> String {
        let mut hasher = Xxh3::new();
        for concept in &self.concepts {
            concept.names().for_each(|name| hasher.update(format!("{}\0{name}\0", concept.id).as_bytes()));
            hasher.update(format!("{:?}{:?}\0", concept.types, concept.parents).as_bytes());
        }
        for (part, examples) in [&self.train, &self.dev].into_iter().enumerate() {
            for example in examples {
                hasher.update(self.text(example).as_bytes());
                let LinkedExample { span, right, candidates, .. } = example;
                hasher.update(format!("\0{part}{span:?}{right:?}{candidates:?}\0").as_bytes());
            }
        }
        format!("{:032x}", hasher.digest128())
    }

    fn provenance(&self) -> serde_json::Value {
        serde_json::json!({
            "concepts": self.concepts.len(), "documents": self.documents.len(), "train": self.train.len(),
            "dev": self.dev.len(), "files": self.files,
        })
    }

    fn has_evaluation(&self) -> bool {
        !self.dev.is_empty()
    }
}

/// Keeps the candidates that a re-ranker of this depth is shown, with the logits of the ranker.
struct ShortlistReranker(usize);

impl Reranker for ShortlistReranker {
    fn depth(&self) -> usize {
        self.0
    }

    fn score(&self, shortlists: &[Shortlist<'_>]) -> Result<Vec<Vec<f64>>, Error> {
        let logit = |candidate: &truename::Candidate| candidate.scores.ranker.unwrap_or_default();
        Ok(shortlists.iter().map(|shortlist| shortlist.candidates.iter().map(logit).collect()).collect())
    }
}

/// Returns a linker that keeps `count` candidates as a re-ranker of this depth is shown them.
fn shortlisting(linker: Linker, count: usize) -> Result<Linker, truename::Error> {
    let options = LinkOptions { top: count, placeholders: None, ..LinkOptions::default() };
    Ok(linker.with_options(options)?.with_reranker(Arc::new(ShortlistReranker(count))))
}

/// Opens a knowledge base, or imports files into a temporary one.
fn open(paths: &[PathBuf], folder: &Path) -> Result<KnowledgeBase, Error> {
    Ok(match paths {
        [path] if KnowledgeBase::is_at(path) => KnowledgeBase::open(path)?,
        _ => {
            KnowledgeBase::import(&vocabularies(paths)?, &folder.join("kb"), &ImportOptions::default(), false)
                .map_err(error::import_first)?
                .0
        }
    })
}
