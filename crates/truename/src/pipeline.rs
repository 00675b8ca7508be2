//! Documents in, linked documents out.

use std::collections::BTreeSet;

use rayon::prelude::*;
use truename_text::{Abbreviation, Document, KeyMatch, Mention, Span, abbreviations};

use crate::memo::Memo;
use crate::recognizer::{DictionaryRecognizer, Recognized, Recognizer};
use crate::short_forms::{ShortForms, defined_behind};
use crate::{Candidate, Error, Link, LinkOptions, LinkedDocument, LinkedMention, Linker};

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
    /// Links by name, with the types of the best candidate.
    links: Memo<(Link, Vec<String>)>,
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
    /// Where the storage or the recognizer fails.
    #[tracing::instrument(skip_all, fields(documents = documents.len()))]
    pub fn link_all(&self, documents: Vec<Document>) -> Result<Vec<LinkedDocument>, Error> {
        documents.into_par_iter().map(|document| self.link(document)).collect()
    }

    /// Links one document.
    ///
    /// # Errors
    /// Where the storage or the recognizer fails.
    pub fn link(&self, document: Document) -> Result<LinkedDocument, Error> {
        let defined = if self.options.abbreviations { abbreviations(&document.text) } else { Vec::new() };
        let mentions = self.mentions(&document, defined)?;
        Ok(LinkedDocument { document, mentions })
    }

    fn mentions(&self, document: &Document, mut defined: Vec<Abbreviation>) -> Result<Vec<LinkedMention>, Error> {
        let mut found = self.found(document, &defined)?;
        if self.options.abbreviations {
            let mut more = defined_behind(&document.text, found.iter().map(|one| one.0.span), &defined);
            if !more.is_empty() {
                more.append(&mut defined);
                defined = more;
                found = self.found(document, &defined)?;
            }
        }
        let short_forms = ShortForms::of(&document.text, &defined);
        let mut mentions = Vec::with_capacity(found.len());
        for (found, fragments) in &found {
            mentions.extend(self.linked(document, found, fragments, &short_forms)?);
        }
        mentions.sort_by_key(|mention| (mention.span.start, std::cmp::Reverse(mention.span.end)));
        settle_shared(&mut mentions, &self.linker, self.options.ambiguous);
        for mention in mentions.iter_mut().filter(|mention| mention.types.is_empty()) {
            mention.types = self.linker.types_of(&mention.link)?;
        }
        Ok(mentions)
    }

    /// The mentions of a document with their fragments: its own, or those that the recognizer finds.
    fn found<'a>(
        &self,
        document: &'a Document,
        defined: &[Abbreviation],
    ) -> Result<Vec<(Recognized, &'a [Span])>, Error> {
        if self.options.given_mentions {
            let given = |mention: &'a Mention| {
                let found = Recognized { span: mention.span, kind: mention.kind.clone(), tentative: false };
                (found, mention.fragments.as_slice())
            };
            return Ok(document.mentions.iter().map(given).collect());
        }
        let found = self.recognizer.recognize(document, defined)?;
        Ok(found.into_iter().map(|found| (found, &[][..])).collect())
    }

    /// Links one mention; nothing where it is tentative and no concept is found for it.
    fn linked(
        &self,
        document: &Document,
        found: &Recognized,
        fragments: &[Span],
        short_forms: &ShortForms<'_>,
    ) -> Result<Option<LinkedMention>, Error> {
        let written = surface(&document.text, found.span, fragments);
        let long_form = short_forms.expand(&written);
        let (mut link, mut types) = self.link_name(long_form.as_deref().unwrap_or(&written))?;
        if found.tentative && !is_confirmed(&link) {
            return Ok(None);
        }
        link.name = written;
        if !found.kind.is_empty() {
            types = vec![found.kind.clone()];
        } else if shared(&link) > 1 {
            // Which concept it is, and so of which type, is still to be settled.
            types.clear();
        }
        Ok(Some(LinkedMention { span: found.span, fragments: fragments.to_vec(), types, long_form, link }))
    }

    fn link_name(&self, name: &str) -> Result<(Link, Vec<String>), Error> {
        self.links.get(name, || {
            let link = self.linker.weigh_name(name)?;
            let types = self.linker.types_of(&link)?;
            Ok((link, types))
        })
    }
}

/// Whether a long form is a name of a concept, and not merely one with the same initials.
fn is_confirmed(link: &Link) -> bool {
    link.answer().is_some_and(|answer| answer.scores.exact != f64::from(KeyMatch::Acronym as u8) / 4.0)
}

/// Decides between the concepts that share a name, and leaves as many candidates as were asked for.
fn settle_shared(mentions: &mut [LinkedMention], linker: &Linker, policy: Ambiguous) {
    let named: BTreeSet<String> = mentions
        .iter()
        .filter(|mention| shared(&mention.link) < 2)
        .filter_map(|mention| mention.link.id().map(str::to_owned))
        .collect();
    let LinkOptions { top, min_probability, .. } = *linker.options();
    for LinkedMention { link, .. } in mentions {
        let count = shared(link);
        if count > 1 {
            settle(link, count, &named);
            let whole: f64 = link.candidates[..count].iter().map(|candidate| candidate.probability).sum();
            let reached = if min_probability.is_some() { link.candidates[0].probability } else { whole };
            link.is_nil = policy == Ambiguous::Nil || reached < linker.threshold();
        }
        link.candidates.truncate(if policy == Ambiguous::All { top.max(count) } else { top });
    }
}

/// How many of the best candidates have the very name.
fn shared(link: &Link) -> usize {
    link.candidates.iter().filter(|candidate| candidate.scores.exact == 1.0).count()
}

/// Puts the concepts that share the name first, the likeliest on top, preferred names before synonyms. One that
/// the document names otherwise too takes what the others have.
fn settle(link: &mut Link, count: usize, named: &BTreeSet<String>) {
    link.candidates.sort_by(|left, right| {
        let is_shared = |candidate: &Candidate| candidate.scores.exact == 1.0;
        let is_preferred = |candidate: &Candidate| candidate.matched_name == candidate.preferred_name;
        (is_shared(right).cmp(&is_shared(left)))
            .then(right.probability.total_cmp(&left.probability))
            .then(is_preferred(right).cmp(&is_preferred(left)))
            .then_with(|| left.id.cmp(&right.id))
    });
    let shared = &mut link.candidates[..count];
    let mut meant = (0..count).filter(|at| named.contains(&shared[*at].id));
    if let (Some(meant), None) = (meant.next(), meant.next()) {
        let whole = shared.iter().map(|candidate| candidate.probability).sum();
        shared.iter_mut().for_each(|candidate| candidate.probability = 0.0);
        shared[meant].probability = whole;
        shared[..=meant].rotate_right(1);
        if let Some(explanation) = &mut link.explanation {
            explanation.push_str(&format!(
                " Of the concepts with this name the document names {} otherwise too.",
                link.candidates[0].id
            ));
        }
    }
}

/// The text of a mention, its fragments joined by spaces.
fn surface(text: &str, span: Span, fragments: &[Span]) -> String {
    if fragments.is_empty() {
        return span.of(text).unwrap_or_default().to_owned();
    }
    fragments.iter().filter_map(|fragment| fragment.of(text)).collect::<Vec<_>>().join(" ")
}
