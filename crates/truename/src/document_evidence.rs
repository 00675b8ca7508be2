//! Evidence of the other mentions of a document and of the recognizer's type; none is used unless it is asked for.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use truename_kb::ConceptId;

use crate::linker::{is_nil, sort};
use crate::{Candidate, Link, LinkedMention};

/// Probability of an answer that counts as evidence for other mentions.
const CERTAIN: f64 = 0.9;

/// Gives the mentions of a document that are written alike the same candidates, each with its mean probability.
pub(crate) fn share_sense(mentions: &mut [LinkedMention], threshold: f64) {
    let mut alike: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, mention) in mentions.iter().enumerate() {
        alike.entry(mention.link.name.to_lowercase()).or_default().push(at);
    }
    for places in alike.into_values().filter(|places| places.len() > 1) {
        let mut mean: HashMap<ConceptId, Candidate> = HashMap::new();
        for candidate in places.iter().flat_map(|at| &mentions[*at].link.candidates) {
            let mean = mean.entry(candidate.id.clone());
            mean.or_insert_with(|| Candidate { probability: 0.0, ..candidate.clone() }).probability +=
                candidate.probability / places.len() as f64;
        }
        let mut shared: Vec<Candidate> = mean.into_values().collect();
        sort(&mut shared);
        for at in places {
            let link = Arc::make_mut(&mut mentions[at].link);
            link.candidates.clone_from(&shared);
            link.is_nil = is_nil(&link.candidates, threshold);
        }
    }
}

/// Adds `weight` to the logits of candidates that are the certain answer of a mention with another name in the document.
pub(crate) fn weigh_neighbours(mentions: &mut [LinkedMention], weight: f64, threshold: f64) {
    let mut answers: HashMap<ConceptId, HashSet<String>> = HashMap::new();
    for link in mentions.iter().map(|mention| &mention.link) {
        if let Some(best) = link.candidates.first().filter(|best| best.probability >= CERTAIN) {
            answers.entry(best.id.clone()).or_default().insert(link.name.to_lowercase());
        }
    }
    for mention in mentions {
        let name = mention.link.name.to_lowercase();
        let is_neighbour = |candidate: &Candidate| {
            answers.get(&candidate.id).is_some_and(|names| names.iter().any(|other| *other != name))
        };
        if !mention.link.candidates.iter().any(is_neighbour) {
            continue;
        }
        let link = Arc::make_mut(&mut mention.link);
        let none = 1.0 - link.candidates.iter().map(|candidate| candidate.probability).sum::<f64>();
        for candidate in link.candidates.iter_mut().filter(|candidate| is_neighbour(candidate)) {
            candidate.probability *= weight.exp();
        }
        rescale(link, none.max(0.0), threshold);
    }
}

/// Leaves out candidates that lack the type which the recognizer gave a mention. `types`: those of each candidate.
pub(crate) fn keep_type(mention: &mut LinkedMention, types: &[Vec<String>], threshold: f64) {
    let is_kept: Vec<bool> = types
        .iter()
        .map(|types| {
            types
                .iter()
                .any(|concept_type| mention.types.iter().any(|wanted| wanted.eq_ignore_ascii_case(concept_type)))
        })
        .collect();
    if is_kept.iter().all(|is_kept| *is_kept) {
        return;
    }
    let link = Arc::make_mut(&mut mention.link);
    let none = 1.0 - link.candidates.iter().map(|candidate| candidate.probability).sum::<f64>();
    let mut at = 0..;
    link.candidates.retain(|_| at.next().is_some_and(|at| is_kept[at]));
    rescale(link, none.max(0.0), threshold);
}

/// Scales the probabilities of the candidates and of none of them to a sum of 1.
fn rescale(link: &mut Link, none: f64, threshold: f64) {
    let sum = none + link.candidates.iter().map(|candidate| candidate.probability).sum::<f64>();
    if sum > 0.0 {
        link.candidates.iter_mut().for_each(|candidate| candidate.probability /= sum);
    }
    sort(&mut link.candidates);
    link.is_nil = is_nil(&link.candidates, threshold);
}

#[cfg(test)]
mod tests {
    use truename_text::Span;

    use super::*;

    fn mention(name: &str, concept_type: &str, candidates: &[(&str, f64)]) -> LinkedMention {
        let of = |(id, probability): &(&str, f64)| Candidate::new(id.parse().unwrap(), *id, *probability);
        let link = Link::new(name, candidates.iter().map(of).collect(), false);
        LinkedMention { types: vec![concept_type.to_owned()], ..LinkedMention::new(Span::new(0, 1), "", link.into()) }
    }

    fn answers(mention: &LinkedMention) -> Vec<(&str, f64)> {
        let rounded = |probability: f64| (probability * 1e6).round() / 1e6;
        mention.link.candidates.iter().map(|one| (one.id.as_str(), rounded(one.probability))).collect()
    }

    #[test]
    fn names_written_alike_have_one_answer() {
        let other = mention("flu", "", &[("X", 0.7)]);
        let mut mentions =
            [mention("Cold", "", &[("A", 0.9), ("B", 0.1)]), mention("cold", "", &[("B", 0.5)]), other.clone()];
        share_sense(&mut mentions, 0.5);
        assert_eq!(answers(&mentions[0]), [("A", 0.45), ("B", 0.3)]);
        assert_eq!(answers(&mentions[1]), answers(&mentions[0]));
        assert!(mentions[0].link.is_nil && mentions[1].link.is_nil);
        assert_eq!(mentions[2], other);
    }

    #[test]
    fn the_certain_answer_to_another_name_is_evidence() {
        let mut mentions = [
            mention("common cold", "", &[("A", 0.95)]),
            mention("cold", "", &[("B", 0.5), ("A", 0.25)]),
            mention("wind", "", &[("C", 1.0)]),
        ];
        weigh_neighbours(&mut mentions, 4f64.ln(), 0.5);
        // 4 · .25 beside .5 and the .25 of none.
        assert_eq!(answers(&mentions[1]), [("A", 0.571429), ("B", 0.285714)]);
        assert_eq!((answers(&mentions[0]), answers(&mentions[2])), (vec![("A", 0.95)], vec![("C", 1.0)]));
    }

    #[test]
    fn a_type_leaves_out_the_candidates_of_others() {
        let mut typed = mention("cold", "disease", &[("A", 0.5), ("B", 0.3)]);
        keep_type(&mut typed, &[vec!["weather".into()], vec!["Disease".into()]], 0.5);
        assert_eq!(answers(&typed), [("B", 0.6)]);
        assert!(!typed.link.is_nil);
    }
}
