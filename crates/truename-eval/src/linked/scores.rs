use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use truename_text::Mention;

use super::document::{Answer, FoundMention, JudgedDocument};
use super::precision_recall::{Counts, PrecisionRecall};

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
    /// Scores by gold type. Only recall has a meaning for a type that is not in `types_compared`.
    pub types: BTreeMap<String, TypeScores>,
    /// Gold types that the knowledge base also has, ignoring case. A found mention must have the gold type if it is
    /// one of them.
    pub types_compared: BTreeSet<String>,
    /// Number of documents.
    pub document_count: usize,
    /// Number of gold mentions whose id is not in the knowledge base. Set by the caller, which has it.
    pub unknown_ids: usize,
}

impl LinkedScores {
    /// Scores documents; `known_types` are those of the knowledge base.
    pub fn of(documents: &[JudgedDocument], known_types: &BTreeSet<String>) -> Self {
        let known: BTreeSet<String> = known_types.iter().map(|name| folded(name)).collect();
        let kinds: BTreeSet<String> =
            documents.iter().flat_map(|document| &document.gold).map(|mention| mention.kind.clone()).collect();
        let compared: BTreeSet<String> = kinds.iter().filter(|kind| known.contains(&folded(kind))).cloned().collect();
        let by_type = |kind: &String| {
            let of_type: Vec<JudgedDocument> =
                documents.iter().map(|document| restricted(document, kind, &compared)).collect();
            (kind.clone(), type_scores(&of_type, &compared))
        };
        Self {
            all: type_scores(documents, &compared),
            documents: PrecisionRecall::of(sum(documents, concept_sets)),
            types: kinds.iter().map(by_type).collect(),
            types_compared: compared,
            document_count: documents.len(),
            unknown_ids: 0,
        }
    }
}

fn folded(kind: &str) -> String {
    kind.to_lowercase()
}

/// Keeps the mentions of one gold type of a document, without its text.
fn restricted(document: &JudgedDocument, kind: &str, compared: &BTreeSet<String>) -> JudgedDocument {
    let pairs = document.gold.iter().zip(&document.given).filter(|(gold, _)| gold.kind == kind);
    let (gold, given) = pairs.map(|(gold, given)| (gold.clone(), given.clone())).unzip();
    let is_of_type =
        |found: &&FoundMention| !compared.contains(kind) || found.types.iter().any(|name| folded(name) == folded(kind));
    let found = document.found.iter().filter(is_of_type).cloned().collect();
    JudgedDocument { gold, given, found, ..JudgedDocument::default() }
}

fn type_scores(documents: &[JudgedDocument], compared: &BTreeSet<String>) -> TypeScores {
    let mut counts = [Counts::default(); 5];
    for document in documents {
        let pairs = document.overlapping();
        for (sum, criterion) in counts.iter_mut().zip(Criterion::ALL) {
            *sum = *sum + count(document, &pairs, criterion, compared);
        }
    }
    let [strict, start, end, loose, end_to_end] = counts.map(PrecisionRecall::of);
    let mentions = MentionScores { strict, start, end, loose };
    TypeScores { mentions, linking: linking(documents), end_to_end }
}

/// The criterion by which a found mention is right.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Criterion {
    Strict,
    Start,
    End,
    Loose,
    EndToEnd,
}

impl Criterion {
    const ALL: [Self; 5] = [Self::Strict, Self::Start, Self::End, Self::Loose, Self::EndToEnd];

    fn is_met(self, gold: &Mention, found: &FoundMention, compared: &BTreeSet<String>) -> bool {
        let has_type =
            || !compared.contains(&gold.kind) || found.types.iter().any(|name| folded(name) == folded(&gold.kind));
        let is_same = || gold.span == found.span && gold.fragments == found.fragments;
        match self {
            Self::Strict => is_same() && has_type(),
            Self::Start => gold.span.start == found.span.start && has_type(),
            Self::End => gold.span.end == found.span.end && has_type(),
            Self::Loose => has_type(),
            Self::EndToEnd => is_same() && found.answer.as_ref().is_some_and(|answer| answer.is_any(gold)),
        }
    }
}

fn sum(documents: &[JudgedDocument], counts: impl Fn(&JudgedDocument) -> Counts) -> Counts {
    documents.iter().map(counts).fold(Counts::default(), |sum, one| sum + one)
}

fn count(
    document: &JudgedDocument,
    pairs: &[(usize, usize)],
    criterion: Criterion,
    compared: &BTreeSet<String>,
) -> Counts {
    let with_ids = criterion == Criterion::EndToEnd;
    let (mut right, mut recalled) = (vec![false; document.found.len()], vec![false; document.gold.len()]);
    for (gold, found) in pairs {
        if criterion.is_met(&document.gold[*gold], &document.found[*found], compared) {
            (recalled[*gold], right[*found]) = (true, true);
        }
    }
    Counts {
        found: document.found.iter().filter(|found| !with_ids || found.answer.is_some()).count(),
        gold: document.gold.iter().filter(|gold| !with_ids || gold.id.is_some()).count(),
        right: right.into_iter().filter(|right| *right).count(),
        recalled: recalled.into_iter().filter(|recalled| *recalled).count(),
    }
}

fn concept_sets(document: &JudgedDocument) -> Counts {
    let gold: BTreeSet<&str> = document.gold.iter().flat_map(Mention::ids).collect();
    let answers = document.found.iter().filter_map(|found| found.answer.as_ref());
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
