//! The last stage: the sentences of each concept, from its definition and from the sorted ones of texts.

use std::collections::{HashMap, HashSet};

use truename::KnowledgeBase;
use truename_kb::{Concept, Progress};
use truename_text::Span;

use super::definition::{of_definition, of_parents};
use super::exclusion::Exclusion;
use super::group::{Group, group};
use super::report::CorpusReport;
use super::runs::SentenceMerge;
use super::{CorpusOptions, MarkedSentence};
use crate::{Error, error};

/// Largest number of sentences of one name, and of one concept, that are drawn from; the first ones by their random numbers. More make
/// no difference to 50 pairs.
const SENTENCES_A_NAME: usize = 64;
const SENTENCES_A_CONCEPT: usize = 1024;

/// Passes the sentences of all concepts to `visit`, in the order of ids, and counts them.
pub(super) fn compose(
    kb: &KnowledgeBase,
    mut found: SentenceMerge,
    exclusion: &mut Exclusion,
    report: &mut CorpusReport,
    progress: &Progress,
    visit: &mut dyn FnMut(&MarkedSentence) -> Result<(), Error>,
) -> Result<(), Error> {
    let options = report.options.clone();
    let parents = if options.parents { names_of_parents(kb)? } else { HashMap::new() };
    let (mut totals, mut number) = (Totals::default(), 0);
    progress.begin("drawing pairs", 0);
    kb.for_each_concept(|concept| {
        progress.check()?;
        progress.advance(1);
        let mut originals = sampled(&mut found, &concept, report)?;
        number += 1;
        if exclusion.has(number - 1, &concept) {
            report.left_out.excluded_concepts += 1;
            return Ok(());
        }
        originals.extend(own_sentences(&concept, &parents, &options));
        if originals.is_empty() {
            report.left_out.concepts_without_sentence += 1;
            return Ok(());
        }
        let group = group(&concept, originals, &options);
        totals.add(&group, report);
        group.sentences.iter().try_for_each(&mut *visit)
    })?;
    totals.finish(report);
    found.concept().map_or(Ok(()), |id| Err(error::lost_concept(id)))
}

/// Returns the names of all concepts that are a parent.
fn names_of_parents(kb: &KnowledgeBase) -> Result<HashMap<String, String>, Error> {
    let mut parents: HashSet<String> = HashSet::new();
    kb.for_each_concept(|concept| {
        parents.extend(concept.parents.into_iter().map(String::from));
        Ok::<_, Error>(())
    })?;
    let mut names = HashMap::new();
    kb.for_each_concept(|concept| {
        if parents.contains(concept.id.as_str()) {
            names.insert(concept.id.to_string(), concept.name);
        }
        Ok::<_, Error>(())
    })?;
    Ok(names)
}

/// Returns the sentences of a definition, else of the parents.
fn own_sentences(concept: &Concept, parents: &HashMap<String, String>, options: &CorpusOptions) -> Vec<MarkedSentence> {
    match &concept.definition {
        Some(definition) => of_definition(concept, definition, options.max_length),
        None => {
            let named = concept.parents.iter().filter_map(|parent| parents.get(parent.as_str()).cloned());
            of_parents(concept, &named.collect::<Vec<_>>(), options.max_length).into_iter().collect()
        }
    }
}

/// Returns sentences that texts have of a concept, a bounded number of each name.
fn sampled(
    found: &mut SentenceMerge,
    concept: &Concept,
    report: &mut CorpusReport,
) -> Result<Vec<MarkedSentence>, Error> {
    let (mut sentences, mut by_name) = (Vec::<MarkedSentence>::new(), HashMap::<String, usize>::new());
    let mut last = None;
    while found.concept().is_some_and(|id| id <= concept.id.as_str()) {
        let Some(next) = found.next().transpose()? else { break };
        if concept.id != *next.concept {
            return Err(error::lost_concept(&next.concept));
        }
        if last.as_ref() == Some(&(next.order, next.start)) {
            report.left_out.repeated_sentences += 1;
            continue;
        }
        last = Some((next.order, next.start));
        let sentence = MarkedSentence {
            concept: next.concept,
            text: next.text,
            span: Span::new(next.start, next.end),
            source: next.source,
        };
        let of_name = by_name.entry(sentence.entity().to_lowercase()).or_default();
        if *of_name < SENTENCES_A_NAME && sentences.len() < SENTENCES_A_CONCEPT {
            *of_name += 1;
            sentences.push(sentence);
        } else {
            report.left_out.further_sentences += 1;
        }
    }
    Ok(sentences)
}

/// Sums that means are made of.
#[derive(Default)]
struct Totals {
    length: u64,
    distance: u64,
}

impl Totals {
    fn add(&mut self, group: &Group, report: &mut CorpusReport) {
        report.left_out.near_names += group.near;
        if group.pairs == 0 {
            report.left_out.concepts_without_pair += 1;
            return;
        }
        let written = &mut report.written;
        written.concepts += 1;
        written.sentences += group.sentences.len() as u64;
        written.pairs += group.pairs as u64;
        self.distance += group.distance;
        for sentence in &group.sentences {
            self.length += sentence.text.chars().count() as u64;
            *written.by_source.entry(sentence.source.clone()).or_default() += 1;
        }
    }

    fn finish(&self, report: &mut CorpusReport) {
        let written = &mut report.written;
        let mean = |sum: u64, count: u64| if count == 0 { 0.0 } else { sum as f64 / count as f64 };
        written.pairs_per_concept = mean(written.pairs, written.concepts);
        written.mean_length = mean(self.length, written.sentences);
        written.mean_edit_distance = mean(self.distance, written.pairs);
    }
}
