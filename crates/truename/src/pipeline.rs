//! Documents in, linked documents out.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;
use truename_text::{Abbreviation, Document, KeyMatch, Mention, abbreviations};

use crate::explain::explain_shared;
use crate::memo::Memo;
use crate::recognizer::{DictionaryRecognizer, Recognized, Recognizer};
use crate::short_forms::{ShortForms, defined_behind};
use crate::{Candidate, Error, LONGEST_NAME_BYTES, Link, LinkOptions, LinkedDocument, LinkedMention, Linker};

/// What a pipeline does beside linking each mention.
#[derive(Clone, Debug)]
pub struct PipelineOptions {
    /// Whether the mentions are those of the document, and none is looked for.
    pub given_mentions: bool,
    /// Whether mentions within mentions are kept.
    pub nested: bool,
    /// Whether abbreviations that a document defines are read in full.
    pub abbreviations: bool,
    /// What becomes of a name that several concepts share.
    pub ambiguous: Ambiguous,
}

impl Default for PipelineOptions {
    fn default() -> Self {
        Self { given_mentions: false, nested: false, abbreviations: true, ambiguous: Ambiguous::default() }
    }
}

/// What becomes of a name that several concepts share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ambiguous {
    /// The concept that the document names otherwise too, else the likeliest by the ranker.
    #[default]
    Best,
    /// The same, and all of them stay among the candidates, whatever number is asked for.
    All,
    /// NIL.
    Nil,
}

/// Finds the mentions of documents and links each to a concept.
///
/// A document goes in and comes out unchanged beside its mentions; the result depends on nothing but the
/// document, the knowledge base and the options.
pub struct Pipeline {
    recognizer: Box<dyn Recognizer>,
    linker: Linker,
    options: PipelineOptions,
    links: Memo<Known>,
}

/// The answer to a name, and the types of the best candidate.
#[derive(Clone)]
struct Known {
    link: Arc<Link>,
    types: Vec<String>,
}

impl Pipeline {
    /// Finds the names of the linker's knowledge base, of the types that it is to answer.
    pub fn new(linker: Linker, options: PipelineOptions) -> Self {
        let dictionary = DictionaryRecognizer::new(linker.knowledge_base().clone())
            .nested(options.nested)
            .of_names(linker.allowed_names());
        Self { recognizer: Box::new(dictionary), linker, options, links: Memo::new() }
    }

    /// Takes another recognizer in the place of the dictionary.
    #[must_use]
    pub fn with_recognizer(mut self, recognizer: Box<dyn Recognizer>) -> Self {
        self.recognizer = recognizer;
        self
    }

    /// The linker.
    pub fn linker(&self) -> &Linker {
        &self.linker
    }

    /// Links the documents of a batch, on all threads of the current rayon pool, in their order.
    ///
    /// # Errors
    /// Where the storage, the encoder or the recognizer fails.
    #[tracing::instrument(skip_all, fields(documents = documents.len()))]
    pub fn link_all(&self, documents: Vec<Document>) -> Result<Vec<LinkedDocument>, Error> {
        if self.linker.knowledge_base().encoder().is_none() {
            let link = |document: Document| {
                let found = self.find(&document)?;
                self.link_found(document, found)
            };
            return documents.into_par_iter().map(link).collect();
        }
        // All names of the batch are encoded together: one by one they would take several times as long.
        let found: Vec<Found> = documents.par_iter().map(|document| self.find(document)).collect::<Result<_, _>>()?;
        self.weigh_ahead(&documents, &found)?;
        let link = |(document, found)| self.link_found(document, found);
        documents.into_par_iter().zip(found).map(link).collect()
    }

    /// Links one document.
    ///
    /// # Errors
    /// Where the storage, the encoder or the recognizer fails.
    pub fn link(&self, document: Document) -> Result<LinkedDocument, Error> {
        Ok(self.link_all(vec![document])?.remove(0))
    }

    /// The mentions of a document and the abbreviations that it defines.
    fn find(&self, document: &Document) -> Result<Found, Error> {
        let mut defined = if self.options.abbreviations { abbreviations(&document.text) } else { Vec::new() };
        let mut mentions = self.found(document, &defined)?;
        if self.options.abbreviations {
            let mut more = defined_behind(&document.text, mentions.iter().map(|one| one.span), &defined);
            if !more.is_empty() {
                more.append(&mut defined);
                defined = more;
                mentions = self.found(document, &defined)?;
            }
        }
        Ok(Found { mentions, defined })
    }

    /// Links the names of several documents before they are asked for one by one.
    fn weigh_ahead(&self, documents: &[Document], found: &[Found]) -> Result<(), Error> {
        let mut names = BTreeSet::new();
        for (document, found) in documents.iter().zip(found) {
            let short_forms = ShortForms::of(&document.text, &found.defined);
            for mention in &found.mentions {
                let asked = Asked::of(document, mention, &short_forms);
                // What a tentative mention's short form means by itself may be asked for too.
                let short_form = mention.tentative.then_some(asked.written.as_ref());
                let unknown =
                    [Some(asked.name()), short_form].into_iter().flatten().filter(|name| !self.links.knows(name));
                names.extend(unknown.map(str::to_owned));
            }
        }
        let names: Vec<String> = names.into_iter().collect();
        for (name, link) in names.iter().zip(self.linker.weigh_names(&names)?) {
            self.links.insert(name, self.with_types(link)?);
        }
        Ok(())
    }

    fn link_found(&self, document: Document, found: Found) -> Result<LinkedDocument, Error> {
        let short_forms = ShortForms::of(&document.text, &found.defined);
        let mut mentions = Vec::with_capacity(found.mentions.len());
        for mention in found.mentions {
            mentions.extend(self.linked(&document, mention, &short_forms)?);
        }
        mentions.sort_by_key(|mention| (mention.span.start, Reverse(mention.span.end)));
        settle_shared(&mut mentions, &self.linker, self.options.ambiguous);
        for mention in mentions.iter_mut().filter(|mention| mention.types.is_empty()) {
            mention.types = self.linker.types_of(&mention.link)?;
        }
        drop(short_forms);
        Ok(LinkedDocument { document, mentions })
    }

    /// The mentions of a document: its own, or those that the recognizer finds.
    fn found(&self, document: &Document, defined: &[Abbreviation]) -> Result<Vec<Recognized>, Error> {
        if !self.options.given_mentions {
            return self.recognizer.recognize(document, defined);
        }
        let given = |mention: &Mention| Recognized {
            span: mention.span,
            fragments: mention.fragments.clone(),
            kind: mention.kind.clone(),
            tentative: false,
        };
        Ok(document.mentions.iter().map(given).collect())
    }

    /// Links one mention; nothing where it is tentative and not confirmed.
    fn linked(
        &self,
        document: &Document,
        found: Recognized,
        short_forms: &ShortForms<'_>,
    ) -> Result<Option<LinkedMention>, Error> {
        let asked = Asked::of(document, &found, short_forms);
        let Recognized { span, fragments, kind, tentative } = found;
        let Known { link, mut types } = self.known(asked.name())?;
        if tentative && !self.is_confirmed(&link, &asked.written)? {
            return Ok(None);
        }
        if !kind.is_empty() {
            types = vec![kind];
        } else if link.shared() > 1 {
            // Which concept it is, and so of which type, is still to be settled.
            types.clear();
        }
        Ok(Some(LinkedMention { span, fragments, types, long_form: asked.long_form, link }))
    }

    /// Whether the answer to a long form has it for a name, or resembles it and has the short form for one.
    fn is_confirmed(&self, link: &Link, short_form: &str) -> Result<bool, Error> {
        let Some(answer) = link.answer() else { return Ok(false) };
        if answer.scores.exact >= KeyMatch::Reordered.score() {
            return Ok(true);
        }
        let literal = self.known(short_form)?.link;
        let mut named = literal.candidates.iter().filter(|candidate| candidate.scores.exact == 1.0);
        Ok(answer.scores.exact == KeyMatch::None.score() && named.any(|candidate| candidate.id == answer.id))
    }

    fn known(&self, name: &str) -> Result<Known, Error> {
        self.links.get(name, || self.with_types(self.linker.weigh_names(&[name])?.remove(0)))
    }

    fn with_types(&self, link: Link) -> Result<Known, Error> {
        let types = self.linker.types_of(&link)?;
        Ok(Known { link: Arc::new(link), types })
    }
}

/// What a document mentions, before it is linked.
struct Found {
    mentions: Vec<Recognized>,
    defined: Vec<Abbreviation>,
}

/// What the linker is asked for a mention.
struct Asked<'a> {
    written: Cow<'a, str>,
    /// What the mention is short for, in this document.
    long_form: Option<String>,
}

impl<'a> Asked<'a> {
    fn of(document: &'a Document, found: &Recognized, short_forms: &ShortForms<'_>) -> Self {
        let Recognized { span, fragments, .. } = found;
        let mention = Mention { span: *span, fragments: fragments.clone(), ..Mention::default() };
        let written = mention.surface(&document.text);
        let is_name = written.len() <= LONGEST_NAME_BYTES;
        Self { long_form: if is_name { short_forms.expand(&written) } else { None }, written }
    }

    /// The long form, or else what is written; empty where that is no name.
    fn name(&self) -> &str {
        let is_name = self.written.len() <= LONGEST_NAME_BYTES;
        self.long_form.as_deref().unwrap_or(if is_name { &self.written } else { "" })
    }
}

/// Decides between the concepts that share a name, and leaves as many candidates as were asked for.
fn settle_shared(mentions: &mut [LinkedMention], linker: &Linker, policy: Ambiguous) {
    let named: BTreeSet<String> = mentions
        .iter()
        .filter(|mention| mention.link.shared() < 2)
        .filter_map(|mention| mention.link.id().map(str::to_owned))
        .collect();
    let LinkOptions { top, min_probability, .. } = *linker.options();
    for mention in mentions {
        let count = mention.link.shared();
        if count < 2 {
            if mention.link.candidates.len() > top {
                Arc::make_mut(&mut mention.link).candidates.truncate(top);
            }
            continue;
        }
        let link = Arc::make_mut(&mut mention.link);
        let is_meant = settle(&mut link.candidates, count, &named);
        let whole: f64 = link.candidates[..count].iter().map(|candidate| candidate.probability).sum();
        let reached = if min_probability.is_some() { link.candidates[0].probability } else { whole };
        link.is_nil = policy == Ambiguous::Nil || reached < linker.threshold();
        if link.explanation.is_some() {
            link.explanation = Some(explain_shared(link, count, is_meant));
        }
        link.candidates.truncate(if policy == Ambiguous::All { top.max(count) } else { top });
    }
}

/// Puts the concepts that share the name first, the likeliest on top, preferred names before synonyms. One that
/// the document names otherwise too takes what the others have; whether there is one is returned.
fn settle(candidates: &mut [Candidate], count: usize, named: &BTreeSet<String>) -> bool {
    candidates.sort_by(|left, right| {
        let is_shared = |candidate: &Candidate| candidate.scores.exact == 1.0;
        let is_preferred = |candidate: &Candidate| candidate.matched_name == candidate.preferred_name;
        (is_shared(right).cmp(&is_shared(left)))
            .then(right.probability.total_cmp(&left.probability))
            .then(is_preferred(right).cmp(&is_preferred(left)))
            .then_with(|| left.id.cmp(&right.id))
    });
    let shared = &mut candidates[..count];
    let mut meant = (0..count).filter(|at| named.contains(&shared[*at].id));
    let (Some(meant), None) = (meant.next(), meant.next()) else { return false };
    let whole = shared.iter().map(|candidate| candidate.probability).sum();
    shared.iter_mut().for_each(|candidate| candidate.probability = 0.0);
    shared[meant].probability = whole;
    shared[..=meant].rotate_right(1);
    true
}
