//! Scores of linked documents: of the mentions found, and of their ids.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Add;

use serde::Serialize;
use truename_text::{Mention, Span};

/// A document with the mentions of its annotators and those of the system.
#[derive(Clone, Debug, Default)]
pub struct JudgedDocument {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// The mentions of the annotators.
    pub gold: Vec<Mention>,
    /// The mentions of the system.
    pub found: Vec<FoundMention>,
    /// The candidates of each gold mention, best first, from a run in which the system was given its span.
    pub given: Vec<Vec<Answer>>,
}

/// A mention of the system.
#[derive(Clone, Debug)]
pub struct FoundMention {
    /// Its place in the text.
    pub span: Span,
    /// The pieces of a discontinuous mention; empty where the mention is the whole span.
    pub fragments: Vec<Span>,
    /// Its types.
    pub types: Vec<String>,
    /// Its concept; `None` where the answer is NIL.
    pub answer: Option<Answer>,
}

/// A concept under all ids by which annotators may name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its id and the ids of its cross-references, its own first.
    pub ids: Vec<String>,
}

impl Answer {
    /// Returns true where an annotator's id names the concept. The prefix (`MESH:` in `MESH:D001249`) counts only if
    /// both ids have one.
    pub fn is(&self, gold: &str) -> bool {
        self.ids.iter().any(|id| same_id(id, gold))
    }

    fn is_any(&self, mention: &Mention) -> bool {
        mention.ids().any(|gold| self.is(gold))
    }
}

fn same_id(left: &str, right: &str) -> bool {
    fn local(id: &str) -> (Option<&str>, &str) {
        id.split_once(':').map_or((None, id), |(prefix, local)| (Some(prefix), local))
    }
    let ((left_prefix, left_local), (right_prefix, right_local)) = (local(left), local(right));
    let prefixes = left_prefix.zip(right_prefix).is_none_or(|(left, right)| left.eq_ignore_ascii_case(right));
    prefixes && left_local == right_local
}

/// Precision, recall and F1, with the counts behind them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PrecisionRecall {
    /// Share of the found mentions that are right; 0 where there are none.
    pub precision: f64,
    /// Share of the gold mentions that were found; 0 where there are none.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
    /// Number of found mentions.
    pub found: usize,
    /// Number of gold mentions.
    pub gold: usize,
}

impl PrecisionRecall {
    fn of(counts: Counts) -> Self {
        let share = |right: usize, of: usize| if of == 0 { 0.0 } else { right as f64 / of as f64 };
        let (precision, recall) = (share(counts.right, counts.found), share(counts.recalled, counts.gold));
        let sum = precision + recall;
        let f1 = if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 };
        Self { precision, recall, f1, found: counts.found, gold: counts.gold }
    }
}

#[derive(Clone, Copy, Default)]
struct Counts {
    found: usize,
    gold: usize,
    /// Found ones that are right.
    right: usize,
    /// Gold ones that were found.
    recalled: usize,
}

impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            found: self.found + other.found,
            gold: self.gold + other.gold,
            right: self.right + other.right,
            recalled: self.recalled + other.recalled,
        }
    }
}

/// Scores of finding mentions, by the part of their bounds that must be right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
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
        let pairs = overlapping(document);
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

/// The gold and found mentions of a document that share text, by their places in it.
fn overlapping(document: &JudgedDocument) -> Vec<(usize, usize)> {
    let mut found: Vec<usize> = (0..document.found.len()).collect();
    found.sort_by_key(|at| document.found[*at].span);
    // The furthest end of all up to each tells where to begin to look.
    let mut furthest = 0;
    let ends: Vec<usize> = found
        .iter()
        .map(|at| {
            furthest = furthest.max(document.found[*at].span.end);
            furthest
        })
        .collect();
    let mut pairs = Vec::new();
    for (at, gold) in document.gold.iter().enumerate() {
        let first = ends.partition_point(|end| *end <= gold.span.start);
        let near = found[first..].iter().take_while(|other| document.found[**other].span.start < gold.span.end);
        let shares = |other: &&usize| document.found[**other].span.overlaps(gold.span);
        pairs.extend(near.filter(shares).map(|other| (at, *other)));
    }
    pairs
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

/// An error, counted over a corpus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinkError {
    /// The kind of error.
    pub kind: LinkErrorKind,
    /// The text of the mention.
    pub text: String,
    /// The gold id or, for wrong bounds, the gold text.
    pub gold: String,
    /// The id answered or, for wrong bounds, the text found.
    pub found: String,
    /// Number of times that the error was made.
    pub count: usize,
    /// Document and byte of its first occurrence.
    pub example: (String, usize),
}

/// Kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkErrorKind {
    /// A gold mention overlaps no found one.
    Missed,
    /// A found mention overlaps no gold one.
    Spurious,
    /// A mention was found with other bounds.
    Bounds,
    /// A mention got another id, or none.
    WrongId,
}

/// Returns the errors of a corpus, the commonest first.
pub fn link_errors(documents: &[JudgedDocument]) -> Vec<LinkError> {
    type Mistake = (LinkErrorKind, String, String, String);
    let mut errors: BTreeMap<Mistake, LinkError> = BTreeMap::new();
    for document in documents {
        for (kind, span, gold, found) in errors_of(document) {
            let text = span.of(&document.text).unwrap_or_default().to_lowercase();
            let error = errors.entry((kind, text.clone(), gold.clone(), found.clone())).or_insert_with(|| {
                let example = (document.id.clone(), span.start);
                LinkError { kind, text, gold, found, count: 0, example }
            });
            error.count += 1;
        }
    }
    let mut errors: Vec<LinkError> = errors.into_values().collect();
    errors.sort_by_key(|error| std::cmp::Reverse(error.count));
    errors
}

fn errors_of(document: &JudgedDocument) -> Vec<(LinkErrorKind, Span, String, String)> {
    let id_of = |found: &FoundMention| found.answer.as_ref().map_or("NIL".to_owned(), |answer| answer.ids[0].clone());
    let text_of = |span: Span| span.of(&document.text).unwrap_or_default().to_owned();
    let mut near: Vec<Vec<&FoundMention>> = vec![Vec::new(); document.gold.len()];
    let mut is_spurious = vec![true; document.found.len()];
    for (gold, found) in overlapping(document) {
        near[gold].push(&document.found[found]);
        is_spurious[found] = false;
    }
    let mut errors = Vec::new();
    for (gold, near) in document.gold.iter().zip(near) {
        let id = || gold.id.clone().unwrap_or_default();
        match near.iter().find(|found| found.span == gold.span).or(near.first()) {
            None => errors.push((LinkErrorKind::Missed, gold.span, id(), String::new())),
            Some(found) if found.span != gold.span => {
                errors.push((LinkErrorKind::Bounds, gold.span, text_of(gold.span), text_of(found.span)));
            }
            Some(found) if gold.id.is_some() && !found.answer.as_ref().is_some_and(|answer| answer.is_any(gold)) => {
                errors.push((LinkErrorKind::WrongId, gold.span, id(), id_of(found)));
            }
            Some(_) => {}
        }
    }
    let spurious = document.found.iter().zip(is_spurious).filter(|(_, is_spurious)| *is_spurious);
    errors.extend(spurious.map(|(found, _)| (LinkErrorKind::Spurious, found.span, String::new(), id_of(found))));
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(id: &str) -> Answer {
        Answer { ids: vec![id.into(), "OMIM:7".into()] }
    }

    fn found(start: usize, end: usize, id: Option<&str>) -> FoundMention {
        FoundMention {
            span: Span::new(start, end),
            fragments: Vec::new(),
            types: vec!["disease".into()],
            answer: id.map(answer),
        }
    }

    fn document() -> JudgedDocument {
        let gold =
            |start, end, kind: &str, id: Option<&str>| Mention::new(Span::new(start, end), kind, id.map(str::to_owned));
        JudgedDocument {
            id: "1".into(),
            text: "0123456789".repeat(5),
            gold: vec![
                gold(0, 5, "Disease", Some("MESH:D1")),
                gold(10, 15, "Disease", Some("D2|D3")),
                gold(20, 25, "Disease", None),
                gold(30, 35, "Chemical", Some("D4")),
            ],
            found: vec![
                found(0, 5, Some("D1")),
                found(10, 14, Some("D3")),
                found(20, 25, Some("D9")),
                found(40, 45, None),
            ],
            given: vec![vec![answer("D1")], vec![answer("D9"), answer("D2")], vec![], vec![answer("7")]],
        }
    }

    #[test]
    fn mentions_ids_and_sets_are_scored_apart() {
        let scores = LinkedScores::of(&[document()], &BTreeSet::from(["disease".into(), "gene".into()]));
        let all = &scores.all;
        assert_eq!(scores.types_compared, BTreeSet::from(["Disease".into()]));
        assert_eq!((all.mentions.strict.precision, all.mentions.strict.recall), (0.5, 0.5));
        assert_eq!((all.mentions.start.precision, all.mentions.end.precision), (0.75, 0.5));
        assert_eq!((all.mentions.loose.precision, all.mentions.loose.recall), (0.75, 0.75));
        assert_eq!((all.linking.accuracy_1, all.linking.accuracy_5, all.linking.mentions), (1.0 / 3.0, 2.0 / 3.0, 3));
        assert_eq!((all.end_to_end.precision, all.end_to_end.recall), (1.0 / 3.0, 1.0 / 3.0));
        assert_eq!((scores.documents.found, scores.documents.gold), (3, 4));
        assert_eq!((scores.documents.precision, scores.documents.recall), (2.0 / 3.0, 0.5));
        assert_eq!(scores.types["Chemical"].mentions.strict.found, 4);
        assert_eq!(scores.types["Disease"].mentions.strict.recall, 2.0 / 3.0);
    }

    #[test]
    fn errors_are_told_apart() {
        let kinds: Vec<LinkErrorKind> = link_errors(&[document()]).into_iter().map(|error| error.kind).collect();
        assert_eq!(kinds, [LinkErrorKind::Missed, LinkErrorKind::Spurious, LinkErrorKind::Bounds]);
    }

    #[test]
    fn a_discontinuous_mention_is_not_its_envelope() {
        let mut document = document();
        document.gold[0].fragments = vec![Span::new(0, 2), Span::new(3, 5)];
        let scores = LinkedScores::of(&[document], &BTreeSet::new());
        assert_eq!((scores.all.mentions.strict.recall, scores.all.mentions.loose.recall), (0.25, 0.75));
        assert_eq!(scores.all.end_to_end.recall, 0.0);
    }

    #[test]
    fn many_mentions_take_no_longer_than_they_must() {
        let text = "x ".repeat(100_000);
        let spans = || (0..100_000).map(|at| Span::new(2 * at, 2 * at + 1));
        let gold = spans().map(|span| Mention::new(span, "", None)).collect();
        let found = spans().map(|span| FoundMention { span, fragments: vec![], types: vec![], answer: None }).collect();
        let document = JudgedDocument { text, gold, found, ..JudgedDocument::default() };
        assert_eq!(LinkedScores::of(&[document], &BTreeSet::new()).all.mentions.strict.f1, 1.0);
    }

    #[test]
    fn prefixes_that_one_side_lacks_do_not_matter() {
        assert!(same_id("MESH:D1", "D1") && same_id("mesh:D1", "MESH:D1") && same_id("D1", "D1"));
        assert!(!same_id("OMIM:1", "MESH:1") && !same_id("D1", "D12"));
    }

    #[test]
    fn nothing_at_all_scores_nothing() {
        assert_eq!(LinkedScores::of(&[], &BTreeSet::new()).all.mentions.strict.f1, 0.0);
    }
}
