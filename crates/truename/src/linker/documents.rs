//! Documents in, linked mentions out.
//!
//! Documents are linked in batches: a [`Reading`] is a document with the abbreviations that it defines, a
//! recognizer finds the mentions of all of them, and the linker answers each by its text with the short forms in it
//! spelt out, each name once. A short form that the dictionary knows but the document means otherwise is tentative:
//! it is a mention only if its long form is linked.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;
use truename_error::ErrorKind;
use truename_text::{Document, KeyMatch, Mention, Span};

use super::answers::NameAnswer;
use super::is_nil;
use super::{LONGEST_NAME_BYTES, LinkCall, LinkOptions, Linker};
use crate::document_evidence::{keep_type, share_sense, weigh_neighbours};
use crate::explain::explain_mention;
use crate::marked_documents::MarkedDocuments;
use crate::recognizer::{self, Reading, RecognizedMention};
use crate::shared_names::SharedNames;
use crate::{Error, Link, LinkedDocument, LinkedMention, MentionVector, Query};

/// Bytes before and behind a mention in which a text shows that it has capitals.
const NEARBY: usize = 200;

/// Returns the mentions of each document, in a call.
type Find<'f> = &'f dyn Fn(&LinkCall<'_>, &mut Vec<Reading<'_>>) -> Result<Vec<Vec<RecognizedMention>>, Error>;

impl Linker {
    /// Finds the mentions of one document and links each to a concept.
    ///
    /// # Errors
    /// As [`Linker::link_documents`].
    pub fn link_document(&self, document: Document) -> Result<LinkedDocument, Error> {
        Ok(self.link_documents(vec![document])?.remove(0))
    }

    /// Finds the mentions of a batch of documents and links each to a concept, on all threads of the current rayon pool. Returns the
    /// documents in the same order, unchanged beside their mentions.
    ///
    /// # Errors
    /// If the storage, the encoder, the recognizer or the re-ranker fails.
    #[tracing::instrument(skip_all, fields(documents = documents.len()))]
    pub fn link_documents(&self, documents: Vec<Document>) -> Result<Vec<LinkedDocument>, Error> {
        let recognizer = self.recognizer()?;
        self.link_found(documents, recognizer.nil_share(), &|call, readings| {
            let mut recognized = recognizer.recognize_outside_addresses(readings)?;
            check(&recognized, readings)?;
            for (reading, mentions) in readings.iter().zip(&mut recognized) {
                mentions.retain(|one| !call.has_stop_name(&one.text(reading.document())));
            }
            Ok(recognized)
        })
    }

    /// Links the mentions that documents have, as [`Linker::link_documents`] does those that it finds.
    ///
    /// # Errors
    /// As [`Linker::link_documents`].
    #[tracing::instrument(skip_all, fields(documents = documents.len()))]
    pub fn link_mentions(&self, documents: Vec<Document>) -> Result<Vec<LinkedDocument>, Error> {
        self.link_found(documents, 0.0, &|_, readings| Ok(readings.par_iter_mut().map(given).collect()))
    }

    fn link_found(
        &self,
        documents: Vec<Document>,
        nil_share: f64,
        find: Find<'_>,
    ) -> Result<Vec<LinkedDocument>, Error> {
        let marked = MarkedDocuments::of(&documents);
        let mut mentions = self.mentions(&self.begin(true, nil_share)?, marked.plain(&documents), find)?;
        for (at, mentions) in mentions.iter_mut().enumerate() {
            for mention in mentions {
                let Some(written) = marked.written(&documents, at, mention.span, &mention.fragments) else { break };
                mention.text = written.surface(&documents[at].text).into_owned();
                (mention.span, mention.fragments) = (written.span, written.fragments);
            }
        }
        let whole = |(document, mentions)| {
            let mut linked = LinkedDocument { document, mentions };
            self.options.type_name.iter().for_each(|name| linked.set_missing_types(name));
            linked
        };
        Ok(documents.into_iter().zip(mentions).map(whole).collect())
    }

    /// Returns the linked mentions of each document.
    fn mentions(
        &self,
        call: &LinkCall<'_>,
        documents: &[Document],
        find: Find<'_>,
    ) -> Result<Vec<Vec<LinkedMention>>, Error> {
        let found = self.find(call, documents, find)?;
        let known = self.rank(call, &found)?;
        let linked = |found: &Vec<MentionQuery<'_>>| {
            let confirmed = found.iter().filter(|one| one.is_confirmed(&known));
            let mut mentions: Vec<LinkedMention> = confirmed.map(|one| one.linked(&known)).collect();
            mentions.sort_by_key(|mention| (mention.span.start, Reverse(mention.span.end)));
            mentions
        };
        let mut linked: Vec<Vec<LinkedMention>> = found.par_iter().map(linked).collect();
        self.rerank(call, documents, &found, &mut linked)?;
        self.weigh_document(&mut linked, call.threshold());
        let shared = SharedNames::new(&self.options, call.threshold());
        linked.par_iter_mut().for_each(|mentions| {
            shared.resolve(mentions);
        });
        self.add_types(call, &known, &mut linked)?;
        self.weigh_mentions(call, &mut linked);
        self.add_assertions(documents, &mut linked);
        Ok(linked)
    }

    /// Weighs what the mentions of a document say of each other.
    fn weigh_document(&self, linked: &mut [Vec<LinkedMention>], threshold: f64) {
        let LinkOptions { one_sense, neighbours, .. } = self.options;
        linked.par_iter_mut().for_each(|mentions| {
            if one_sense {
                share_sense(mentions, threshold);
            }
            if neighbours != 0.0 {
                weigh_neighbours(mentions, neighbours, threshold);
            }
        });
    }

    /// Multiplies the probabilities of candidates by that of the mention. Against a threshold that was asked for counts the product.
    fn weigh_mentions(&self, call: &LinkCall<'_>, linked: &mut [Vec<LinkedMention>]) {
        for mention in linked.iter_mut().flatten() {
            let Some(weight) = mention.mention_probability else { continue };
            let link = Arc::make_mut(&mut mention.link);
            link.candidates.iter_mut().for_each(|candidate| candidate.probability *= weight);
            if self.options.min_probability.is_some() {
                link.is_nil |= is_nil(&link.candidates, call.threshold());
            }
            if let Some(explanation) = &mut link.explanation {
                explanation.push_str(&explain_mention(
                    weight,
                    &std::mem::take(&mut mention.evidence),
                    &link.candidates,
                ));
            }
        }
    }

    /// Leaves out candidates that lack the type of their mention, where concepts have that type.
    fn keep_types(&self, call: &LinkCall<'_>, linked: &mut [Vec<LinkedMention>]) -> Result<(), Error> {
        if !self.options.typed {
            return Ok(());
        }
        let known = self.known_types(call)?;
        let is_typed = |mention: &LinkedMention| has_any(&mention.types, known);
        let mut typed: Vec<&mut LinkedMention> =
            linked.iter_mut().flatten().filter(|mention| is_typed(mention)).collect();
        let links: Vec<&Link> = typed.iter().map(|mention| &*mention.link).collect();
        let types = call.types_of(&links)?;
        for (mention, types) in typed.iter_mut().zip(types) {
            keep_type(mention, &types, call.threshold());
        }
        Ok(())
    }

    /// The types of concepts, in lower case.
    fn known_types<'c>(&self, call: &'c LinkCall<'_>) -> Result<&'c HashSet<String>, Error> {
        if let Some(known) = call.fitted.types.get() {
            return Ok(known);
        }
        let known = self.kb.types()?.iter().map(|concept_type| concept_type.to_lowercase()).collect();
        Ok(call.fitted.types.get_or_init(|| known))
    }

    /// Gives mentions without a type those of their best candidate, and a mention that a model found as another type than its concept has
    /// those of its concept.
    fn add_types(
        &self,
        call: &LinkCall<'_>,
        known: &HashMap<&str, Arc<NameAnswer>>,
        linked: &mut [Vec<LinkedMention>],
    ) -> Result<(), Error> {
        let none = HashSet::new();
        let are_scored = linked.iter().flatten().any(|mention| mention.score.is_some());
        let of_concepts = if are_scored { self.known_types(call)? } else { &none };
        let is_open = |mention: &&mut LinkedMention| {
            let is_doubtful = mention.score.is_some() && !mention.link.is_nil && has_any(&mention.types, of_concepts);
            mention.types.is_empty() || is_doubtful
        };
        for mention in linked.iter_mut().flatten().filter(is_open) {
            let types = match known[mention.link.name.as_str()].types_of_best(&mention.link) {
                Some(types) => types,
                // The context proposed it.
                None => call.types_of(&[&mention.link])?.concat().into_iter().next().unwrap_or_default(),
            };
            let found: HashSet<String> = types.iter().map(|concept_type| concept_type.to_lowercase()).collect();
            if !types.is_empty() && !has_any(&mention.types, &found) {
                mention.types = types;
            }
        }
        Ok(())
    }

    /// Adds what each document says of its mentions; the assertions that a given mention has stay.
    fn add_assertions(&self, documents: &[Document], linked: &mut [Vec<LinkedMention>]) {
        let Some(rules) = &self.options.assertions else { return };
        documents.par_iter().zip(linked).for_each(|(document, mentions)| {
            let spans: Vec<Span> = mentions.iter().map(|mention| mention.span).collect();
            let assertions = rules.of_document(document, &spans);
            let open = mentions.iter_mut().zip(assertions).filter(|(mention, _)| mention.assertions.is_empty());
            open.for_each(|(mention, assertions)| mention.assertions = assertions);
            if self.options.asserted {
                mentions.retain(|mention| mention.assertions.is_affirmed());
            }
        });
    }

    /// Returns the mentions that `find` has for each document.
    fn find<'a>(
        &self,
        call: &LinkCall<'_>,
        documents: &'a [Document],
        find: Find<'_>,
    ) -> Result<Vec<Vec<MentionQuery<'a>>>, Error> {
        let read = if self.options.abbreviations { Reading::new } else { Reading::without_abbreviations };
        let mut readings: Vec<Reading<'a>> = documents.par_iter().map(read).collect();
        let recognized = find(call, &mut readings)?;
        let query = |(reading, recognized): (&Reading<'a>, Vec<RecognizedMention>)| {
            recognized.into_iter().map(|one| MentionQuery::new(reading, one)).collect()
        };
        Ok(readings.par_iter().zip(recognized).map(query).collect())
    }

    /// Ranks each distinct name of the mentions once, and the short forms of tentative mentions.
    fn rank<'f>(
        &self,
        call: &LinkCall<'_>,
        found: &'f [Vec<MentionQuery<'_>>],
    ) -> Result<HashMap<&'f str, Arc<NameAnswer>>, Error> {
        let names = |one: &'f MentionQuery<'_>| {
            let short_form = one.recognized.tentative.then_some(one.written.as_ref());
            [Some(one.name()), short_form].into_iter().flatten()
        };
        let known = self.answers(call, found.iter().flatten().flat_map(names))?.of;
        let untyped: Vec<&NameAnswer> =
            known.values().map(Arc::as_ref).filter(|answer| answer.types.get().is_none()).collect();
        let links: Vec<&Link> = untyped.iter().map(|answer| &*answer.link).collect();
        for (answer, types) in untyped.iter().zip(call.types_of(&links)?) {
            // Another call may have been faster.
            let _ = answer.types.set(types);
        }
        Ok(known)
    }

    /// Retrieves concepts for all mentions of a batch and re-ranks their candidates, if the linker has the models for it.
    fn rerank(
        &self,
        call: &LinkCall<'_>,
        documents: &[Document],
        found: &[Vec<MentionQuery<'_>>],
        linked: &mut [Vec<LinkedMention>],
    ) -> Result<(), Error> {
        if !call.reads_context() {
            return self.keep_types(call, linked);
        }
        let mut asked: Vec<(String, &Document, Span, Option<&MentionVector>)> = Vec::new();
        for ((document, found), mentions) in documents.iter().zip(found).zip(&*linked) {
            let vectors: HashMap<Span, &MentionVector> = found.iter().filter_map(MentionQuery::vector).collect();
            let names = mentions.iter().map(|mention| (mention.link.name.clone(), mention.span));
            asked.extend(names.map(|(name, span)| (name, document, span, vectors.get(&span).copied())));
        }
        let queries = asked
            .iter()
            .map(|(name, document, span, vector)| Query::new(name).in_context(document, *span).with_vector(*vector));
        let queries: Vec<Query<'_>> = queries.collect();
        call.rank_in_context(&queries, &mut links_of(linked))?;
        self.keep_types(call, linked)?;
        call.rerank(&queries, &mut links_of(linked))
    }
}

/// Returns whether one of some types is among others, which are in lower case.
fn has_any(types: &[String], others: &HashSet<String>) -> bool {
    types.iter().any(|one| others.contains(&one.to_lowercase()))
}

fn links_of(linked: &mut [Vec<LinkedMention>]) -> Vec<&mut Link> {
    linked.iter_mut().flatten().map(|mention| Arc::make_mut(&mut mention.link)).collect()
}

impl NameAnswer {
    /// Returns the types of the best candidate of `link`; `None` if the name did not propose it.
    fn types_of_best(&self, link: &Link) -> Option<Vec<String>> {
        let Some(best) = link.candidates.first() else { return Some(Vec::new()) };
        let place = self.link.candidates.iter().position(|candidate| candidate.id == best.id)?;
        Some(self.types.get()?[place].clone())
    }
}

/// Returns the given mentions of a document.
fn given(reading: &mut Reading<'_>) -> Vec<RecognizedMention> {
    let mention = |mention: &Mention| RecognizedMention {
        fragments: mention.fragments.clone(),
        mention_type: mention.mention_type.clone(),
        assertions: mention.assertions,
        ..RecognizedMention::new(mention.span)
    };
    let mentions: Vec<RecognizedMention> = reading.document().mentions.iter().map(mention).collect();
    reading.define_behind(mentions.iter().map(|one| one.span));
    mentions
}

/// Refuses mentions outside their documents.
fn check(recognized: &[Vec<RecognizedMention>], readings: &[Reading<'_>]) -> Result<(), Error> {
    if recognized.len() != readings.len() {
        let (documents, lists) = (readings.len(), recognized.len());
        let message = format!("the recognizer gave {documents} documents, {lists} lists of mentions");
        return Err(Error::new(ErrorKind::Other, message));
    }
    for (reading, recognized) in readings.iter().zip(recognized) {
        let document = reading.document();
        let mut spans = recognized.iter().flat_map(|one| std::iter::once(&one.span).chain(&one.fragments));
        if let Some(span) = spans.find(|span| span.of(&document.text).is_none()) {
            let (id, length) = (&document.id, document.text.len());
            let message = format!(
                "the recognizer gave the span {}..{} in document \"{id}\", which has {length} bytes",
                span.start, span.end
            );
            return Err(Error::new(ErrorKind::Other, message));
        }
    }
    Ok(())
}

/// A mention that is not linked yet.
struct MentionQuery<'a> {
    recognized: RecognizedMention,
    written: Cow<'a, str>,
    /// Long form of the mention if its document defines it as an abbreviation.
    long_form: Option<String>,
    document: &'a Document,
}

impl<'a> MentionQuery<'a> {
    fn new(reading: &Reading<'a>, recognized: RecognizedMention) -> Self {
        let written = recognized.text(reading.document());
        let is_name = written.len() <= LONGEST_NAME_BYTES;
        let long_form = if is_name { reading.expand(&written, recognized.span.start) } else { None };
        Self { long_form, written, recognized, document: reading.document() }
    }

    /// Returns the name to link: the long form, else the text; empty if the text is too long for a name.
    fn name(&self) -> &str {
        let is_name = self.written.len() <= LONGEST_NAME_BYTES;
        self.long_form.as_deref().unwrap_or(if is_name { &self.written } else { "" })
    }

    /// Returns the vector of the mention in its text with its place, if the recognizer gave one.
    fn vector(&self) -> Option<(Span, &MentionVector)> {
        Some((self.recognized.span, self.recognized.vector.as_ref()?))
    }

    /// Returns whether this is a mention. A tentative one counts only if its long form links to a concept that has the
    /// long form among its names or, if no lookup key matches, the short form.
    fn is_confirmed(&self, known: &HashMap<&str, Arc<NameAnswer>>) -> bool {
        if !self.recognized.tentative {
            return !self.is_word(known);
        }
        let Some(answer) = known[self.name()].link.answer() else { return false };
        if answer.scores.exact >= KeyMatch::Reordered.score() {
            return true;
        }
        let literal = &known[self.written.as_ref()].link;
        let mut named = literal.candidates.iter().filter(|candidate| candidate.scores.exact == 1.0);
        answer.scores.exact == KeyMatch::None.score() && named.any(|candidate| candidate.id == answer.id)
    }

    /// Returns whether a trained recognizer takes a common word in small letters for an acronym: `cat` for `CAT`, beside capitals.
    fn is_word(&self, known: &HashMap<&str, Arc<NameAnswer>>) -> bool {
        let is_lower = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase());
        let word = self.written.as_ref();
        let has_capitals = || {
            let (text, Span { start, end }) = (self.document.text.as_bytes(), self.recognized.span);
            text[start.saturating_sub(NEARBY)..text.len().min(end + NEARBY)].iter().any(u8::is_ascii_uppercase)
        };
        let is_acronym =
            |name: &str| name.bytes().all(|byte| byte.is_ascii_uppercase()) && name.eq_ignore_ascii_case(word);
        self.recognized.score.is_some()
            && self.long_form.is_none()
            && is_lower(word)
            && recognizer::is_common_word(word)
            && known[self.name()].link.answer().is_some_and(|answer| is_acronym(&answer.matched_name))
            && has_capitals()
    }

    /// Returns the mention with the answer to its name and the recognizer's type.
    fn linked(&self, known: &HashMap<&str, Arc<NameAnswer>>) -> LinkedMention {
        let (text, link) = (self.written.clone().into_owned(), Arc::clone(&known[self.name()].link));
        LinkedMention { long_form: self.long_form.clone(), ..LinkedMention::of(self.recognized.clone(), text, link) }
    }
}
