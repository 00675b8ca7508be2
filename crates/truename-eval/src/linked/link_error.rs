//! Errors of linking by kind, counted over a corpus.

use std::collections::BTreeMap;

use serde::Serialize;
use truename_text::Span;

use super::document::{FoundMention, JudgedDocument};

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
    for (gold, found) in document.overlapping() {
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
