//! Scores of linked documents: mentions found, mentions with ids, concepts of documents; by type.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Add;

use serde::Serialize;
use truename_text::Mention;

use super::document::{Answer, FoundMention, JudgedDocument, Pairs, is_composite};
use super::precision_recall::{BOUNDS, Counts, PrecisionRecall};
use super::reliability::Reliability;

/// Scores of finding mentions, by the part of their bounds that must be right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MentionScores {
    /// Both bounds.
    pub strict: PrecisionRecall,
    /// The start.
    pub start: PrecisionRecall,
    /// The end.
    pub end: PrecisionRecall,
    /// Any overlap.
    pub loose: PrecisionRecall,
}

impl MentionScores {
    /// Computes the scores of the counts of each of [`BOUNDS`].
    pub(crate) fn of(counts: [Counts; 4]) -> Self {
        let [strict, start, end, loose] = counts.map(PrecisionRecall::of);
        Self { strict, start, end, loose }
    }
}

/// Accuracy of linking mentions whose spans are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LinkingScores {
    /// Share of mentions whose best candidate is right.
    #[serde(rename = "acc@1")]
    pub accuracy_1: f64,
    /// Share of mentions with the right concept among the best five candidates.
    #[serde(rename = "acc@5")]
    pub accuracy_5: f64,
    /// Number of gold mentions with an id.
    pub mentions: usize,
}

/// Scores of all mentions, or of the mentions of one type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TypeScores {
    /// Scores of finding mentions.
    pub mentions: MentionScores,
    /// Scores of linking given mentions.
    pub linking: LinkingScores,
    /// Scores of mentions with both bounds and the id right. Gold mentions without an id and found mentions without an
    /// answer do not count. One part of a composite id (`D001943|D010051`) is enough.
    /// Found mentions within a composite gold mention, one of them discontinuous, have its bounds if together they begin and end as it does.
    pub end_to_end: PrecisionRecall,
}

/// All scores of a corpus, micro-averaged.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LinkedScores {
    /// Over all types.
    #[serde(flatten)]
    pub all: TypeScores,
    /// The concepts of each document as a set.
    pub documents: PrecisionRecall,
    /// The concepts of each composite gold mention (`D001943|D010051`) as a set, against those of the mentions found within it.
    pub composites: PrecisionRecall,
    /// Scores by gold type. Only recall has a meaning for a type that is not in `types_compared`.
    pub types: BTreeMap<String, TypeScores>,
    /// Gold types that the knowledge base also has, ignoring case. A found mention must have the gold type if it is
    /// one of them.
    pub types_compared: BTreeSet<String>,
    /// Number of documents.
    pub document_count: usize,
    /// Calibration error of the links, and precision and recall by their probability.
    pub reliability: Reliability,
    /// Number of gold mentions whose id is not in the knowledge base. Set by the caller, which has it.
    pub unknown_ids: usize,
}

impl LinkedScores {
    /// Scores documents; `known_types` are those of the knowledge base.
    pub fn of(documents: &[JudgedDocument], known_types: &BTreeSet<String>) -> Self {
        let known: BTreeSet<String> = known_types.iter().map(|name| name.to_lowercase()).collect();
        let mention_types: BTreeSet<String> =
            documents.iter().flat_map(|document| &document.gold).map(|mention| mention.mention_type.clone()).collect();
        let compared: BTreeSet<String> =
            mention_types.iter().filter(|mention_type| known.contains(&mention_type.to_lowercase())).cloned().collect();
        let by_type = |mention_type: &String| {
            let of_type: Vec<JudgedDocument> =
                documents.iter().map(|document| restricted(document, mention_type, &compared)).collect();
            (mention_type.clone(), type_scores(&of_type, &compared))
        };
        Self {
            all: type_scores(documents, &compared),
            documents: PrecisionRecall::of(documents.iter().map(concept_sets).fold(Counts::default(), Counts::add)),
            composites: PrecisionRecall::of(documents.iter().map(composite_sets).fold(Counts::default(), Counts::add)),
            types: mention_types.iter().map(by_type).collect(),
            types_compared: compared,
            document_count: documents.len(),
            reliability: Reliability::of(documents),
            unknown_ids: 0,
        }
    }
}

/// Keeps the mentions of one gold type of a document, without its text.
fn restricted(document: &JudgedDocument, mention_type: &str, compared: &BTreeSet<String>) -> JudgedDocument {
    let pairs = document.gold.iter().zip(&document.given).filter(|(gold, _)| gold.mention_type == mention_type);
    let (gold, given) = pairs.map(|(gold, given)| (gold.clone(), given.clone())).unzip();
    let is_of_type = |found: &&FoundMention| {
        !compared.contains(mention_type)
            || found.types.iter().any(|name| name.to_lowercase() == mention_type.to_lowercase())
    };
    let found = document.found.iter().filter(is_of_type).cloned().collect();
    JudgedDocument { gold, given, found, ..JudgedDocument::default() }
}

fn type_scores(documents: &[JudgedDocument], compared: &BTreeSet<String>) -> TypeScores {
    let (mut counts, mut end_to_end) = ([Counts::default(); 4], Counts::default());
    for document in documents {
        let JudgedDocument { gold, found, .. } = document;
        let pairs = Pairs::of(document);
        let has_type = |gold: &Mention, found: &FoundMention| {
            !compared.contains(&gold.mention_type)
                || found.types.iter().any(|name| name.to_lowercase() == gold.mention_type.to_lowercase())
        };
        let (every_gold, every_found) = (vec![true; gold.len()], vec![true; found.len()]);
        for (sum, bounds) in counts.iter_mut().zip(BOUNDS) {
            let right = pairs.all.iter().filter(|at| {
                let (gold, found) = pairs.mentions(at);
                has_type(gold, found) && pairs.is_met(bounds, at)
            });
            *sum = *sum + Counts::of(&every_gold, &every_found, right);
        }
        let with_id: Vec<bool> = gold.iter().map(|gold| gold.id.is_some()).collect();
        let answered: Vec<bool> = found.iter().map(|found| found.answer.is_some()).collect();
        let linked = pairs.all.iter().filter(|at| pairs.is_linked(at));
        end_to_end = end_to_end + Counts::of(&with_id, &answered, linked);
    }
    let mentions = MentionScores::of(counts);
    TypeScores { mentions, linking: linking(documents), end_to_end: PrecisionRecall::of(end_to_end) }
}

fn concept_sets(document: &JudgedDocument) -> Counts {
    sets(&document.gold, document.found.iter())
}

fn composite_sets(document: &JudgedDocument) -> Counts {
    let mut found: Vec<Vec<&FoundMention>> = vec![Vec::new(); document.gold.len()];
    for (gold, one) in document.overlapping() {
        let one = &document.found[one];
        found[gold].extend(document.gold[gold].span.contains(one.span).then_some(one));
    }
    let gold = document.gold.iter().zip(found).filter(|(gold, _)| is_composite(gold));
    gold.map(|(gold, found)| sets(std::slice::from_ref(gold), found)).fold(Counts::default(), Counts::add)
}

/// Compares the concepts of found mentions with those of gold ones.
fn sets<'f>(gold: &[Mention], found: impl IntoIterator<Item = &'f FoundMention>) -> Counts {
    let gold: BTreeSet<&str> = gold.iter().flat_map(Mention::ids).collect();
    let answers = found.into_iter().filter_map(|found| found.answer.as_ref());
    let found: BTreeMap<&str, &Answer> = answers.map(|answer| (answer.ids[0].as_str(), answer)).collect();
    Counts {
        found: found.len(),
        gold: gold.len(),
        right: found.values().filter(|answer| gold.iter().any(|id| answer.is(id))).count(),
        recalled: gold.iter().filter(|id| found.values().any(|answer| answer.is(id))).count(),
    }
}

fn linking(documents: &[JudgedDocument]) -> LinkingScores {
    let pairs = documents.iter().flat_map(|document| document.gold.iter().zip(&document.given));
    let ranks: Vec<Option<usize>> = pairs
        .filter(|(gold, _)| gold.id.is_some())
        .map(|(gold, candidates)| candidates.iter().position(|candidate| candidate.is_any(gold)))
        .collect();
    let within = |places: usize| {
        let right = ranks.iter().filter(|rank| rank.is_some_and(|rank| rank < places)).count();
        if ranks.is_empty() { 0.0 } else { right as f64 / ranks.len() as f64 }
    };
    LinkingScores { accuracy_1: within(1), accuracy_5: within(5), mentions: ranks.len() }
}
