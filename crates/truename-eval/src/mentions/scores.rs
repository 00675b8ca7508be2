//! Scores of a recognizer, of all mentions and by type.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use truename_text::Mention;

use super::comparison::{Comparison, TypedMention};
use super::document::JudgedDocument;
use crate::linked::{BOUNDS, Counts, MentionScores};

/// Scores of all mentions, or of the mentions of one type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TypeScores {
    /// Scores of finding mentions.
    pub mentions: MentionScores,
}

/// Scores of a recognizer on a corpus, micro-averaged.
///
/// ```
/// use truename_eval::mentions::{FoundMention, JudgedDocument, RecognitionScores};
/// use truename_text::{Mention, Span};
///
/// let document = JudgedDocument {
///     text: "aspirin for a cold".into(),
///     gold: vec![Mention::new(Span::new(0, 7), "Chemical", None), Mention::new(Span::new(14, 18), "Disease", None)],
///     found: vec![FoundMention::new(Span::new(0, 7), "chemical"), FoundMention::new(Span::new(12, 18), "disease")],
///     ..JudgedDocument::default()
/// };
/// let scores = RecognitionScores::of(&[document], true);
/// assert_eq!((scores.all.mentions.strict.f1, scores.all.mentions.end.f1), (0.5, 1.0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecognitionScores {
    /// Over all types.
    #[serde(flatten)]
    pub all: TypeScores,
    /// Scores by gold type. Only recall has a meaning where types are not compared.
    pub types: BTreeMap<String, TypeScores>,
    /// Gold types that a found mention must have, ignoring case: all, or none where types are not compared.
    pub types_compared: BTreeSet<String>,
    /// Number of found mentions by type, of types that no gold mention has. They are wrong where types are compared.
    pub other_types: BTreeMap<String, usize>,
    /// Number of gold mentions of the type [`Mention::UNKNOWN`], which do not count.
    pub undecided: usize,
    /// Number of documents.
    pub document_count: usize,
}

impl RecognitionScores {
    /// Scores documents. If `compare_types`, a found mention is right only with the gold type, ignoring case.
    pub fn of(documents: &[JudgedDocument], compare_types: bool) -> Self {
        let compared: Vec<Comparison<'_>> =
            documents.iter().map(|document| Comparison::at_threshold(document, compare_types)).collect();
        // The first spelling of a type names it.
        let mut mention_types: BTreeMap<&str, &str> = BTreeMap::new();
        for mention in compared.iter().flat_map(|document| &document.gold) {
            mention_types.entry(&mention.folded_type).or_insert(mention.mention_type);
        }
        let mut other_types: BTreeMap<String, usize> = BTreeMap::new();
        for mention in compared.iter().flat_map(|document| &document.found) {
            if !mention_types.contains_key(mention.folded_type.as_str()) {
                *other_types.entry(mention.mention_type.to_owned()).or_default() += 1;
            }
        }
        let of_type = |(folded_type, mention_type): (&&str, &&str)| {
            let is_found = |mention: &TypedMention<'_>| !compare_types || mention.folded_type == *folded_type;
            (
                (*mention_type).to_owned(),
                type_scores(&compared, &|mention| mention.folded_type == *folded_type, &is_found),
            )
        };
        Self {
            all: type_scores(&compared, &|_| true, &|_| true),
            types: mention_types.iter().map(of_type).collect(),
            types_compared: mention_types
                .values()
                .filter(|_| compare_types)
                .map(|mention_type| (*mention_type).to_owned())
                .collect(),
            other_types,
            undecided: documents.iter().map(undecided).sum(),
            document_count: documents.len(),
        }
    }
}

fn undecided(document: &JudgedDocument) -> usize {
    document.gold.iter().filter(|mention| mention.mention_type == Mention::UNKNOWN).count()
}

/// Chooses mentions.
type Filter<'f> = &'f dyn Fn(&TypedMention<'_>) -> bool;

/// Scores the gold and found mentions that the filters choose.
fn type_scores(documents: &[Comparison<'_>], gold: Filter<'_>, found: Filter<'_>) -> TypeScores {
    let mut counts = [Counts::default(); 4];
    for document in documents {
        let chosen = [(&document.gold, gold), (&document.found, found)]
            .map(|(mentions, is_chosen)| mentions.iter().map(is_chosen).collect::<Vec<bool>>());
        let mut pairs = document.overlapping();
        pairs.retain(|(gold, found)| chosen[0][*gold] && chosen[1][*found] && document.types_agree(*gold, *found));
        for (sum, is_met) in counts.iter_mut().zip(BOUNDS) {
            let right =
                pairs.iter().filter(|(gold, found)| is_met(document.gold[*gold].place, document.found[*found].place));
            *sum = *sum + Counts::of(&chosen[0], &chosen[1], right);
        }
    }
    TypeScores { mentions: MentionScores::of(counts) }
}
