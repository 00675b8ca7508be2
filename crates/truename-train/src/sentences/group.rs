//! The sentences of one concept: names balanced, pairs drawn.

use std::collections::{BTreeMap, HashSet};

use rapidfuzz::distance::levenshtein;
use truename_kb::Concept;
use truename_text::{Span, stable_hash};

use super::definition::{flat, marked};
use super::{CorpusOptions, MarkedSentence};
use crate::augmentation::folded;

/// Mark of a source whose sentence has another name in the place of its own.
pub(super) const REPLACED: &str = "replaced in ";
/// Largest number of sentences made by replacement for each pair that a concept may have: no pair has more than two.
const REPLACED_A_PAIR: usize = 2;

/// The sentences of a concept that stand in a pair.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Group {
    /// Sentences by entity, then by text.
    pub sentences: Vec<MarkedSentence>,
    /// Number of pairs of sentences.
    pub pairs: usize,
    /// Sum of the edit distances of the pairs.
    pub distance: u64,
    /// Number of pairs of names that are too near.
    pub near: u64,
}

/// Balances the names of a concept's sentences, and draws its pairs.
pub(super) fn group(concept: &Concept, mut originals: Vec<MarkedSentence>, options: &CorpusOptions) -> Group {
    let draw = Draw { seed: options.seed, concept: concept.id.as_str() };
    originals.sort_by_cached_key(|sentence| draw.place(&[&sentence.text, &sentence.span.start.to_string()]));
    let replaced = replaced(concept, &originals, &draw, options);
    originals.extend(replaced);
    let mut by_name: BTreeMap<String, Vec<MarkedSentence>> = BTreeMap::new();
    for sentence in originals {
        let sentences = by_name.entry(folded(sentence.entity())).or_default();
        if sentences.iter().all(|known| (&known.text, known.span) != (&sentence.text, sentence.span)) {
            sentences.push(sentence);
        }
    }
    paired(by_name.into_iter().collect(), &draw, options)
}

/// The order in which things of a concept are drawn.
struct Draw<'a> {
    seed: u64,
    concept: &'a str,
}

impl Draw<'_> {
    fn place(&self, parts: &[&str]) -> u64 {
        stable_hash(&format!("{}\0{}\0{}", self.seed, self.concept, parts.join("\0")))
    }
}

/// Returns sentences of common names with rare names in their place (PICSO, section 3.5).
///
/// A name is rare if fewer sentences have it than its equal share, the sentences by the names. It takes the place of more common
/// names, each sentence once, up to its share. All names get their first such sentence before one gets a second, the rarest first.
fn replaced(
    concept: &Concept,
    originals: &[MarkedSentence],
    draw: &Draw<'_>,
    options: &CorpusOptions,
) -> Vec<MarkedSentence> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for sentence in originals {
        *counts.entry(folded(sentence.entity())).or_default() += 1;
    }
    let mut seen = HashSet::new();
    let mut names: Vec<(usize, u64, String, String)> = Vec::new();
    for name in concept.names().map(flat) {
        let name_key = folded(&name);
        if !name_key.is_empty() && seen.insert(name_key.clone()) {
            names.push((counts.get(&name_key).copied().unwrap_or(0), draw.place(&[&name_key]), name_key, name));
        }
    }
    names.sort();
    let all = names.len() + counts.keys().filter(|entity| !seen.contains(*entity)).count();
    let share = originals.len().div_ceil(all.max(1));
    let limit = options.max_pairs.saturating_mul(REPLACED_A_PAIR);
    let mut sentences = Vec::new();
    for round in 0..share {
        for (count, place, name_key, name) in &names {
            if count + round >= share || sentences.len() >= limit {
                continue;
            }
            let mut bases: Vec<&MarkedSentence> = originals.iter().collect();
            bases.retain(|base| counts[&folded(base.entity())] > *count && folded(base.entity()) != *name_key);
            if round < bases.len() {
                let base = bases[(*place as usize % bases.len() + round) % bases.len()];
                sentences.extend(with_name(concept, base, name, options.max_length));
            }
        }
    }
    sentences
}

/// Returns a sentence with another name in the place of its entity, the article before it in the form that the name needs.
fn with_name(concept: &Concept, base: &MarkedSentence, name: &str, limit: usize) -> Option<MarkedSentence> {
    let before = with_article(&base.text[..base.span.start], name);
    let span = Span::new(before.len(), before.len() + name.len());
    let text = format!("{before}{name}{}", &base.text[base.span.end..]);
    marked(concept, &text, span, &format!("{REPLACED}{}", base.source), limit)
}

/// Returns the text before a name, with `a` or `an` before it by the name's first letter.
fn with_article(before: &str, name: &str) -> String {
    let vowel = name.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U']);
    let stem = before.strip_suffix(' ').unwrap_or_default();
    let word = stem.rsplit(' ').next().unwrap_or_default();
    match (word, vowel) {
        ("a" | "A", true) => format!("{stem}n "),
        ("an" | "An", false) => format!("{} ", &stem[..stem.len() - 1]),
        _ => before.to_owned(),
    }
}

/// Draws pairs of sentences whose names differ enough: one of each pair of names, then a second of each, and so on.
fn paired(names: Vec<(String, Vec<MarkedSentence>)>, draw: &Draw<'_>, options: &CorpusOptions) -> Group {
    let mut group = Group::default();
    let mut pairs = Vec::new();
    for (one, (left, _)) in names.iter().enumerate() {
        for (other, (right, _)) in names.iter().enumerate().skip(one + 1) {
            let distance = levenshtein::distance(left.chars(), right.chars());
            match distance < options.min_edit_distance {
                true => group.near += 1,
                false => pairs.push((draw.place(&[left, right]), one, other, distance)),
            }
        }
    }
    pairs.sort_unstable();
    let most = |(_, one, other, _): &(u64, usize, usize, usize)| names[*one].1.len() * names[*other].1.len();
    let rounds = pairs.iter().map(most).max().unwrap_or(0);
    let (mut drawn, mut kept) = (HashSet::new(), HashSet::new());
    'drawing: for round in 0..rounds {
        for (_, one, other, distance) in &pairs {
            if drawn.len() == options.max_pairs {
                break 'drawing;
            }
            let (left, right) = (names[*one].1.len(), names[*other].1.len());
            // Every two sentences once: by remainders up to the common multiple, then shifted.
            let shift = round / (left * right / common_divisor(left, right));
            let pair = ((*one, round % left), (*other, (round + shift) % right));
            if round < left * right && drawn.insert(pair) {
                kept.extend([pair.0, pair.1]);
                group.distance += *distance as u64;
            }
        }
    }
    group.pairs = drawn.len();
    for (name, (_, sentences)) in names.into_iter().enumerate() {
        let kept = sentences.into_iter().enumerate().filter(|(place, _)| kept.contains(&(name, *place)));
        let mut sentences: Vec<MarkedSentence> = kept.map(|(_, sentence)| sentence).collect();
        sentences.sort_by(|one, other| (&one.text, one.span).cmp(&(&other.text, other.span)));
        group.sentences.extend(sentences);
    }
    group
}

fn common_divisor(one: usize, other: usize) -> usize {
    if other == 0 { one } else { common_divisor(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concept(names: &[&str]) -> Concept {
        let mut concept = Concept::new("X:1".parse().unwrap(), names[0]);
        concept.synonyms = names[1..].iter().map(|name| (*name).to_owned()).collect();
        concept
    }

    fn sentence(before: &str, entity: &str, after: &str) -> MarkedSentence {
        let span = Span::new(before.len(), before.len() + entity.len());
        MarkedSentence { concept: "X:1".into(), text: format!("{before}{entity}{after}"), span, source: "a".into() }
    }

    fn texts(group: &Group) -> Vec<&str> {
        group.sentences.iter().map(|sentence| sentence.text.as_str()).collect()
    }

    #[test]
    fn a_rare_name_takes_the_place_of_a_common_one() {
        let originals = vec![sentence("We live in a ", "California", " now.")];
        let group = group(&concept(&["California", "The Golden State"]), originals, &CorpusOptions::default());
        assert_eq!(texts(&group), ["We live in a California now.", "We live in a The Golden State now."]);
        // python: rapidfuzz.distance.Levenshtein.distance("california", "the golden state") = 13
        assert_eq!((group.pairs, group.distance, group.near), (1, 13, 0));
        assert_eq!(group.sentences[1].source, "replaced in a");
        assert_eq!(group.sentences[1].entity(), "The Golden State");
    }

    #[test]
    fn articles_follow_the_name() {
        for (before, name, wanted) in [
            ("of a ", "infarct", "of an "),
            ("An ", "heart attack", "A "),
            ("an ", "attack", "an "),
            ("via ", "attack", "via "),
            ("", "attack", ""),
        ] {
            assert_eq!(with_article(before, name), wanted);
        }
    }

    #[test]
    fn names_that_are_too_near_make_no_pair() {
        let originals = vec![sentence("a ", "tumour", ""), sentence("the ", "tumor", "")];
        let names = concept(&["tumor", "tumour"]);
        let none = group(&names, originals.clone(), &CorpusOptions::default());
        assert_eq!((none.pairs, none.near, none.sentences.len()), (0, 1, 0));
        let some = group(&names, originals, &CorpusOptions { min_edit_distance: 1, ..CorpusOptions::default() });
        assert_eq!((some.pairs, some.near, some.distance), (1, 0, 1));
        // Case and blanks make no difference of names.
        let originals = vec![sentence("a ", "Heart  attack", ""), sentence("the ", "heart Attack", "")];
        let same = group(
            &concept(&["heart attack"]),
            originals,
            &CorpusOptions { min_edit_distance: 0, ..CorpusOptions::default() },
        );
        assert_eq!((same.pairs, same.near), (0, 0));
    }

    #[test]
    fn names_are_balanced_and_pairs_are_bounded() {
        let originals: Vec<_> = (0..12).map(|n| sentence(&format!("{n} had a "), "heart attack", ".")).collect();
        let names = concept(&["heart attack", "myocardial infarction", "MI", "cardiac infarction"]);
        let options = CorpusOptions { min_edit_distance: 1, ..CorpusOptions::default() };
        let all = group(&names, originals.clone(), &CorpusOptions { max_pairs: 1000, ..options.clone() });
        let count = |group: &Group, entity: &str| group.sentences.iter().filter(|one| one.entity() == entity).count();
        // 12 sentences by 4 names are a share of 3.
        let counts =
            ["heart attack", "myocardial infarction", "MI", "cardiac infarction"].map(|name| count(&all, name));
        assert_eq!(counts, [12, 3, 3, 3]);
        assert_eq!(all.pairs, 3 * 12 * 3 + 3 * 3 * 3);
        let few = group(&names, originals.clone(), &CorpusOptions { max_pairs: 6, ..options.clone() });
        assert_eq!(few.pairs, 6);
        // Each pair of names has one before one has two.
        assert!(
            ["heart attack", "myocardial infarction", "MI", "cardiac infarction"]
                .iter()
                .all(|name| count(&few, name) > 0)
        );
        let mut backwards = originals;
        backwards.reverse();
        assert_eq!(group(&names, backwards.clone(), &CorpusOptions { max_pairs: 6, ..options.clone() }), few);
        assert_ne!(group(&names, backwards, &CorpusOptions { max_pairs: 6, seed: 2, ..options }), few);
    }
}
