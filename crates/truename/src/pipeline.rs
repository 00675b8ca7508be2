//! Finds and links the mentions of documents.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;
use truename_text::{Document, KeyMatch, Mention, Span};

use crate::document_evidence::{keep_type, share_sense, weigh_neighbours};
use crate::linker::LinkCall;
use crate::memo::Memo;
use crate::recognizer::{DictionaryRecognizer, Reading, Recognized, Recognizer};
use crate::shared_names::{Ambiguous, SharedNames};
use crate::{Error, LONGEST_NAME_BYTES, Link, LinkOptions, LinkedDocument, LinkedMention, Linker, Query};

/// Options of a [`Pipeline`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PipelineOptions {
    /// True if the document's own mentions are linked and no recognizer runs.
    pub given_mentions: bool,
    /// True if mentions within mentions are kept.
    pub nested: bool,
    /// True if abbreviations that a document defines are expanded.
    pub abbreviations: bool,
    /// Answer to a name that several concepts share.
    pub ambiguous: Ambiguous,
    /// True if the mentions of a document that are written alike have one answer.
    pub one_sense: bool,
    /// What the logit of a candidate gains if it is the certain answer of a mention with another name in the document.
    pub neighbours: f64,
    /// True if a mention's candidates have the type that the recognizer or the document gave it, where concepts have that type.
    pub typed: bool,
    /// Memory for the links of repeated mentions, in bytes.
    pub remembered_bytes: usize,
}

impl Default for PipelineOptions {
    fn default() -> Self {
        Self {
            given_mentions: false,
            nested: false,
            abbreviations: true,
            ambiguous: Ambiguous::default(),
            one_sense: false,
            neighbours: 0.0,
            typed: false,
            remembered_bytes: 32 << 20,
        }
    }
}

impl PipelineOptions {
    /// Sets whether the document's own mentions are linked and no recognizer runs.
    #[must_use]
    pub fn given_mentions(self, given_mentions: bool) -> Self {
        Self { given_mentions, ..self }
    }

    /// Sets whether mentions within mentions are kept.
    #[must_use]
    pub fn nested(self, nested: bool) -> Self {
        Self { nested, ..self }
    }

    /// Sets whether abbreviations that a document defines are expanded.
    #[must_use]
    pub fn abbreviations(self, abbreviations: bool) -> Self {
        Self { abbreviations, ..self }
    }

    /// Sets the answer to a name that several concepts share.
    #[must_use]
    pub fn ambiguous(self, ambiguous: Ambiguous) -> Self {
        Self { ambiguous, ..self }
    }

    /// Sets whether the mentions of a document that are written alike have one answer.
    #[must_use]
    pub fn one_sense(self, one_sense: bool) -> Self {
        Self { one_sense, ..self }
    }

    /// Sets what the logit of a candidate gains if it is the certain answer of a mention with another name in the document.
    #[must_use]
    pub fn neighbours(self, neighbours: f64) -> Self {
        Self { neighbours, ..self }
    }

    /// Sets whether a mention's candidates have its type, where concepts have that type.
    #[must_use]
    pub fn typed(self, typed: bool) -> Self {
        Self { typed, ..self }
    }

    /// Sets the memory for the links of repeated mentions, in bytes.
    #[must_use]
    pub fn remembered_bytes(self, remembered_bytes: usize) -> Self {
        Self { remembered_bytes, ..self }
    }
}

/// Finds the mentions of documents and links each to a concept.
///
/// Documents are returned unchanged beside their mentions. The result depends only on the document, the knowledge base
/// and the options. All links of a call come from one version of the knowledge base.
pub struct Pipeline {
    recognizer: Box<dyn Recognizer>,
    linker: Linker,
    options: PipelineOptions,
    links: Memo<Arc<Known>>,
}

/// The ranked answer to a name, with the types of its candidates.
struct Known {
    link: Arc<Link>,
    types: Vec<Vec<String>>,
}

impl Pipeline {
    /// Creates a pipeline that recognizes the names in the linker's knowledge base, those that it may answer.
    pub fn new(linker: Linker, options: PipelineOptions) -> Self {
        let LinkOptions { types, without_aliases, .. } = linker.options().clone();
        let dictionary = DictionaryRecognizer::new(linker.knowledge_base().clone())
            .nested(options.nested)
            .of_types(types)
            .without_aliases(without_aliases);
        let links = Memo::with_bytes(options.remembered_bytes);
        Self { recognizer: Box::new(dictionary), linker, options, links }
    }

    /// Replaces the dictionary by another recognizer.
    #[must_use]
    pub fn with_recognizer(mut self, recognizer: Box<dyn Recognizer>) -> Self {
        self.recognizer = recognizer;
        self
    }

    /// Returns the linker.
    pub fn linker(&self) -> &Linker {
        &self.linker
    }

    /// Links a batch of documents on all threads of the current rayon pool. Returns them in the same order.
    ///
    /// # Errors
    /// If the storage, the encoder, the recognizer or the re-ranker fails.
    #[tracing::instrument(skip_all, fields(documents = documents.len()))]
    pub fn link_all(&self, documents: Vec<Document>) -> Result<Vec<LinkedDocument>, Error> {
        let mentions = self.mentions(&documents)?;
        let whole = |(document, mentions)| LinkedDocument { document, mentions };
        Ok(documents.into_iter().zip(mentions).map(whole).collect())
    }

    /// Links one document.
    ///
    /// # Errors
    /// As [`Pipeline::link_all`].
    pub fn link(&self, document: Document) -> Result<LinkedDocument, Error> {
        Ok(self.link_all(vec![document])?.remove(0))
    }

    /// Returns the linked mentions of each document.
    fn mentions(&self, documents: &[Document]) -> Result<Vec<Vec<LinkedMention>>, Error> {
        let found = self.find(documents)?;
        let call = self.linker.begin()?;
        let known = self.rank(&call, &found)?;
        let linked = |found: &Vec<Found<'_>>| {
            let confirmed = found.iter().filter(|one| one.is_confirmed(&known));
            let mut mentions: Vec<LinkedMention> = confirmed.map(|one| one.linked(&known)).collect();
            mentions.sort_by_key(|mention| (mention.span.start, Reverse(mention.span.end)));
            mentions
        };
        let mut linked: Vec<Vec<LinkedMention>> = found.par_iter().map(linked).collect();
        self.rerank(&call, documents, &mut linked)?;
        self.weigh_document(&mut linked, call.threshold());
        let shared = SharedNames::new(self.options.ambiguous, self.linker.options(), call.threshold());
        linked.par_iter_mut().for_each(|mentions| {
            shared.resolve(mentions);
        });
        self.add_types(&call, &known, &mut linked)?;
        Ok(linked)
    }

    /// Weighs what the mentions of a document say of each other.
    fn weigh_document(&self, linked: &mut [Vec<LinkedMention>], threshold: f64) {
        let PipelineOptions { one_sense, neighbours, .. } = self.options;
        linked.par_iter_mut().for_each(|mentions| {
            if one_sense {
                share_sense(mentions, threshold);
            }
            if neighbours != 0.0 {
                weigh_neighbours(mentions, neighbours, threshold);
            }
        });
    }

    /// Leaves out candidates that lack the type of their mention, where concepts have that type.
    fn keep_types(&self, call: &LinkCall<'_>, linked: &mut [Vec<LinkedMention>]) -> Result<(), Error> {
        if !self.options.typed {
            return Ok(());
        }
        let known: HashSet<String> =
            self.linker.knowledge_base().types()?.iter().map(|kind| kind.to_lowercase()).collect();
        let is_typed = |mention: &LinkedMention| mention.types.iter().any(|kind| known.contains(&kind.to_lowercase()));
        let mut typed: Vec<&mut LinkedMention> =
            linked.iter_mut().flatten().filter(|mention| is_typed(mention)).collect();
        let links: Vec<Link> = typed.iter().map(|mention| (*mention.link).clone()).collect();
        for (mention, types) in typed.iter_mut().zip(call.types_of(&links)?) {
            keep_type(mention, &types, call.threshold());
        }
        Ok(())
    }

    /// Gives mentions without a type those of their best candidate.
    fn add_types(
        &self,
        call: &LinkCall<'_>,
        known: &HashMap<&str, Arc<Known>>,
        linked: &mut [Vec<LinkedMention>],
    ) -> Result<(), Error> {
        for mention in linked.iter_mut().flatten().filter(|mention| mention.types.is_empty()) {
            mention.types = match known[mention.link.name.as_str()].types_of_best(&mention.link) {
                Some(types) => types,
                // The context proposed it.
                None => {
                    call.types_of(std::slice::from_ref(&*mention.link))?.concat().into_iter().next().unwrap_or_default()
                }
            };
        }
        Ok(())
    }

    /// Returns the mentions of each document: given ones or those found by the recognizer.
    fn find<'a>(&self, documents: &'a [Document]) -> Result<Vec<Vec<Found<'a>>>, Error> {
        let read = if self.options.abbreviations { Reading::new } else { Reading::without_abbreviations };
        let mut readings: Vec<Reading<'a>> = documents.par_iter().map(read).collect();
        let recognized = match self.options.given_mentions {
            true => readings.par_iter_mut().map(given).collect(),
            false => {
                let recognized = self.recognizer.recognize(&mut readings)?;
                check(&recognized, documents)?;
                recognized
            }
        };
        let found = |(reading, recognized): (&Reading<'a>, Vec<Recognized>)| {
            recognized.into_iter().map(|one| Found::new(reading, one)).collect()
        };
        Ok(readings.par_iter().zip(recognized).map(found).collect())
    }

    /// Ranks each distinct name of the mentions once, and the short forms of tentative mentions.
    fn rank<'f>(
        &self,
        call: &LinkCall<'_>,
        found: &'f [Vec<Found<'_>>],
    ) -> Result<HashMap<&'f str, Arc<Known>>, Error> {
        let (mut known, mut unknown, mut seen) = (HashMap::new(), Vec::new(), HashSet::new());
        for one in found.iter().flatten() {
            let short_form = one.recognized.tentative.then_some(one.written.as_ref());
            for name in [Some(one.name()), short_form].into_iter().flatten() {
                if !seen.insert(name) {
                    continue;
                }
                match self.links.known(call.version(), name) {
                    Some(answer) => drop(known.insert(name, answer)),
                    None => unknown.push(name),
                }
            }
        }
        let links = call.rank(&unknown)?;
        let types = call.types_of(&links)?;
        for ((name, link), types) in unknown.into_iter().zip(links).zip(types) {
            let answer = Arc::new(Known { link: Arc::new(link), types });
            self.links.insert(call.version(), name, Arc::clone(&answer), answer.link.bytes());
            known.insert(name, answer);
        }
        Ok(known)
    }

    /// Retrieves concepts for all mentions of a batch and re-ranks their candidates, if the linker has the models for it.
    fn rerank(
        &self,
        call: &LinkCall<'_>,
        documents: &[Document],
        linked: &mut [Vec<LinkedMention>],
    ) -> Result<(), Error> {
        if !self.linker.reads_context() {
            return self.keep_types(call, linked);
        }
        let names: Vec<(String, &Document, Span)> = documents
            .iter()
            .zip(&*linked)
            .flat_map(|(document, mentions)| {
                mentions.iter().map(move |mention| (mention.link.name.clone(), document, mention.span))
            })
            .collect();
        let queries: Vec<Query<'_>> =
            names.iter().map(|(name, document, span)| Query::new(name).in_context(document, *span)).collect();
        call.rank_in_context(&queries, &mut links_of(linked))?;
        self.keep_types(call, linked)?;
        call.rerank(&queries, &mut links_of(linked))
    }
}

fn links_of(linked: &mut [Vec<LinkedMention>]) -> Vec<&mut Link> {
    linked.iter_mut().flatten().map(|mention| Arc::make_mut(&mut mention.link)).collect()
}

impl Known {
    /// Returns the types of the best candidate of `link`; `None` if the name did not propose it.
    fn types_of_best(&self, link: &Link) -> Option<Vec<String>> {
        let Some(best) = link.candidates.first() else { return Some(Vec::new()) };
        let place = self.link.candidates.iter().position(|candidate| candidate.id == best.id)?;
        Some(self.types[place].clone())
    }
}

/// Returns the given mentions of a document.
fn given(reading: &mut Reading<'_>) -> Vec<Recognized> {
    let mention = |mention: &Mention| Recognized {
        fragments: mention.fragments.clone(),
        kind: mention.kind.clone(),
        ..Recognized::new(mention.span)
    };
    let mentions: Vec<Recognized> = reading.document().mentions.iter().map(mention).collect();
    reading.define_behind(mentions.iter().map(|one| one.span));
    mentions
}

/// Refuses mentions outside their documents.
fn check(recognized: &[Vec<Recognized>], documents: &[Document]) -> Result<(), Error> {
    if recognized.len() != documents.len() {
        return Err(Error::recognizer(format!(
            "{} documents, {} lists of mentions",
            documents.len(),
            recognized.len()
        )));
    }
    for (document, recognized) in documents.iter().zip(recognized) {
        let mut spans = recognized.iter().flat_map(|one| std::iter::once(&one.span).chain(&one.fragments));
        if let Some(span) = spans.find(|span| span.of(&document.text).is_none()) {
            let (id, length) = (&document.id, document.text.len());
            return Err(Error::recognizer(format!(
                "the span {}..{} in document \"{id}\", which has {length} bytes",
                span.start, span.end
            )));
        }
    }
    Ok(())
}

/// A mention that is not linked yet.
struct Found<'a> {
    recognized: Recognized,
    written: Cow<'a, str>,
    /// Long form of the mention if its document defines it as an abbreviation.
    long_form: Option<String>,
}

impl<'a> Found<'a> {
    fn new(reading: &Reading<'a>, recognized: Recognized) -> Self {
        let Recognized { span, fragments, .. } = &recognized;
        let mention = Mention { span: *span, fragments: fragments.clone(), ..Mention::default() };
        let written = mention.surface(&reading.document().text);
        let is_name = written.len() <= LONGEST_NAME_BYTES;
        Self { long_form: if is_name { reading.expand(&written) } else { None }, written, recognized }
    }

    /// Returns the name to link: the long form, else the text; empty if the text is too long for a name.
    fn name(&self) -> &str {
        let is_name = self.written.len() <= LONGEST_NAME_BYTES;
        self.long_form.as_deref().unwrap_or(if is_name { &self.written } else { "" })
    }

    /// Returns whether this is a mention. A tentative one counts only if its long form links to a concept that has the
    /// long form among its names or, if no lookup key matches, the short form.
    fn is_confirmed(&self, known: &HashMap<&str, Arc<Known>>) -> bool {
        if !self.recognized.tentative {
            return true;
        }
        let Some(answer) = known[self.name()].link.answer() else { return false };
        if answer.scores.exact >= KeyMatch::Reordered.score() {
            return true;
        }
        let literal = &known[self.written.as_ref()].link;
        let mut named = literal.candidates.iter().filter(|candidate| candidate.scores.exact == 1.0);
        answer.scores.exact == KeyMatch::None.score() && named.any(|candidate| candidate.id == answer.id)
    }

    /// Returns the mention with the answer to its name and the recognizer's type.
    fn linked(&self, known: &HashMap<&str, Arc<Known>>) -> LinkedMention {
        let Recognized { span, fragments, kind, score, threshold, is_zero_shot, .. } = self.recognized.clone();
        LinkedMention {
            span,
            fragments,
            types: if kind.is_empty() { Vec::new() } else { vec![kind] },
            score,
            threshold,
            is_zero_shot,
            long_form: self.long_form.clone(),
            link: Arc::clone(&known[self.name()].link),
        }
    }
}
