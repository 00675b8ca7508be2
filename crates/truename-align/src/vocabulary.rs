//! A vocabulary prepared for comparison: its names taken apart, its hierarchy, its cross-references and definitions.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;
use truename_kb::Concept;
use truename_text::{Designators, Gram, NameKeys, NameProfile, NormalizedName, stable_hash};

use crate::Field;
use crate::hierarchy::{Hierarchy, Relations};
use crate::word_table::WordTable;

/// Names of one concept that are compared, the first ones.
const MOST_NAMES: usize = 64;

/// The concepts of one side with what is compared of them.
pub(crate) struct Vocabulary<'a> {
    pub(crate) concepts: &'a [Concept],
    /// Names of all concepts, those of one concept adjacent, each normal form of a concept once.
    pub(crate) names: Vec<Name>,
    ranges: Vec<Range<usize>>,
    /// Parents alone, in which a cycle is an error.
    pub(crate) hierarchy: Hierarchy,
    /// Parents and wholes, which say where a concept stands.
    pub(crate) surroundings: Hierarchy,
    /// Words of the names of each concept's ancestors, ascending.
    pub(crate) words_above: Vec<Vec<u32>>,
    /// Cross-references of each concept in capitals, its own id among them.
    pub(crate) xrefs: Vec<Vec<String>>,
    /// Words of each definition with their TF-IDF weights, of unit length.
    pub(crate) definitions: Vec<Vec<(u64, f32)>>,
}

/// A name of a concept.
pub(crate) struct Name {
    pub(crate) concept: u32,
    pub(crate) field: Field,
    pub(crate) profile: NameProfile,
    pub(crate) keys: NameKeys,
    pub(crate) designators: Designators,
    /// Distinct n-grams, ascending.
    pub(crate) grams: Vec<Gram>,
    /// Numbers of its content words, ascending.
    pub(crate) words: Vec<u32>,
}

impl<'a> Vocabulary<'a> {
    pub(crate) fn new(concepts: &'a [Concept], table: &mut WordTable) -> Self {
        let of_concepts: Vec<Vec<Name>> =
            concepts.par_iter().zip(0..concepts.len() as u32).map(|(concept, number)| names(concept, number)).collect();
        let (mut names, mut ranges) = (Vec::new(), Vec::with_capacity(concepts.len()));
        for mut found in of_concepts {
            found.iter_mut().for_each(|name| name.words = table.add(&name.profile.normalized));
            let first = names.len();
            names.extend(found);
            ranges.push(first..names.len());
        }
        let hierarchy = Hierarchy::new(concepts, Relations::Parents);
        let surroundings = Hierarchy::new(concepts, Relations::ParentsAndWholes);
        let words_above = (0..concepts.len() as u32).into_par_iter().map(|concept| {
            let above = surroundings.ancestors(concept).iter();
            let mut words: Vec<u32> = above
                .flat_map(|above| &names[ranges[*above as usize].clone()])
                .flat_map(|name: &Name| name.words.iter().copied())
                .collect();
            words.sort_unstable();
            words.dedup();
            words
        });
        let words_above = words_above.collect();
        let xrefs = concepts.iter().map(xrefs).collect();
        Self { concepts, names, ranges, hierarchy, surroundings, words_above, xrefs, definitions: Vec::new() }
    }

    /// Returns the numbers of the names of a concept.
    pub(crate) fn names_of(&self, concept: u32) -> Range<usize> {
        self.ranges[concept as usize].clone()
    }
}

fn names(concept: &Concept, number: u32) -> Vec<Name> {
    let own = [(Field::Label, &concept.name)].into_iter();
    let synonyms = || concept.synonyms.iter().map(|name| (Field::Synonym(concept.scopes.get(name).copied()), name));
    // What means exactly the concept comes first: of equally like names it is the evidence.
    let own = own.chain(synonyms().filter(|(field, _)| *field == Field::Synonym(None)));
    let own = own.chain(synonyms().filter(|(field, _)| *field != Field::Synonym(None)));
    let all = own.chain(concept.aliases.iter().map(|alias| (Field::Alias, &alias.name)));
    let mut found: Vec<Name> = Vec::new();
    for (field, written) in all {
        let profile = NameProfile::new(written);
        let is_known = found.iter().any(|known| known.profile.normalized == profile.normalized);
        if profile.normalized.is_empty() || is_known || found.len() == MOST_NAMES {
            continue;
        }
        let (keys, grams) = (profile.keys(), profile.grams());
        let designators = Designators::of(written);
        found.push(Name { concept: number, field, profile, keys, designators, grams, words: Vec::new() });
    }
    found
}

fn xrefs(concept: &Concept) -> Vec<String> {
    let all = concept.xrefs.iter().map(String::as_str).chain([concept.id.as_str()]);
    let mut xrefs: Vec<String> = all.map(str::to_uppercase).collect();
    xrefs.sort_unstable();
    xrefs.dedup();
    xrefs
}

/// Weights of words and n-grams by their rarity among the names of both sides.
pub(crate) struct Rarity {
    words: HashMap<u64, f32>,
    grams: HashMap<Gram, f32>,
    /// Weight of a word that one name has.
    pub(crate) heaviest: f32,
}

impl Rarity {
    /// Counts words and n-grams; a word weighs `ln((1 + names) / (1 + names with it)) + 1` relative to the rarest, an n-gram the
    /// square of that.
    pub(crate) fn new(sides: [&Vocabulary<'_>; 2]) -> Self {
        let (mut words, mut grams) = (HashMap::<u64, u32>::new(), HashMap::<Gram, u32>::new());
        let names = || sides.into_iter().flat_map(|side| &side.names);
        for name in names() {
            let mut hashes: Vec<u64> = name.profile.tokens.iter().map(|token| token.hash).collect();
            hashes.sort_unstable();
            hashes.dedup();
            hashes.into_iter().for_each(|hash| *words.entry(hash).or_default() += 1);
            name.grams.iter().for_each(|gram| *grams.entry(*gram).or_default() += 1);
        }
        let total = names().count() as f32;
        let idf = |count: u32| ((1.0 + total) / (1.0 + count as f32)).ln() + 1.0;
        Self {
            words: words.into_iter().map(|(word, count)| (word, idf(count))).collect(),
            grams: grams.into_iter().map(|(gram, count)| (gram, idf(count).powi(2))).collect(),
            heaviest: idf(1),
        }
    }

    pub(crate) fn word(&self, hash: u64) -> f32 {
        self.words.get(&hash).copied().unwrap_or(self.heaviest)
    }

    /// Returns the weight of each word of a name.
    pub(crate) fn of(&self, profile: &NameProfile) -> Vec<f64> {
        profile.tokens.iter().map(|token| f64::from(self.word(token.hash))).collect()
    }

    /// Returns the TF-IDF cosine of the n-grams of two names.
    pub(crate) fn gram_cosine(&self, left: &[Gram], right: &[Gram]) -> f32 {
        let weight = |gram: &Gram| self.grams.get(gram).copied().unwrap_or_default();
        let norm = |grams: &[Gram]| grams.iter().map(weight).sum::<f32>();
        let (mut shared, mut others) = (0.0, right.iter().peekable());
        for gram in left {
            while others.next_if(|other| *other < gram).is_some() {}
            if others.peek() == Some(&gram) {
                shared += weight(gram);
            }
        }
        if shared == 0.0 { 0.0 } else { shared / (norm(left) * norm(right)).sqrt() }
    }
}

/// Weighs the words of the definitions of both sides, by their rarity among these.
pub(crate) fn weigh_definitions(sides: [&mut Vocabulary<'_>; 2]) {
    let words = |concept: &Concept| -> Vec<u64> {
        let text = NormalizedName::new(concept.definition.as_deref().unwrap_or_default());
        let mut words: Vec<u64> = text.tokens().map(stable_hash).collect();
        words.sort_unstable();
        words.dedup();
        words
    };
    let of_sides = [0, 1].map(|side| sides[side].concepts.par_iter().map(words).collect::<Vec<_>>());
    let mut counts = HashMap::<u64, u32>::new();
    of_sides.iter().flatten().flatten().for_each(|word| *counts.entry(*word).or_default() += 1);
    let total = of_sides.iter().flatten().filter(|words| !words.is_empty()).count() as f32;
    let weighed = |words: Vec<u64>| -> Vec<(u64, f32)> {
        let weights: Vec<f32> = words.iter().map(|word| ((1.0 + total) / (1.0 + counts[word] as f32)).ln()).collect();
        let norm = weights.iter().map(|weight| weight * weight).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        words.into_iter().zip(weights).map(|(word, weight)| (word, weight / norm)).collect()
    };
    for (side, words) in sides.into_iter().zip(of_sides) {
        side.definitions = words.into_iter().map(weighed).collect();
    }
}

/// Returns the dot product of two sparse vectors whose terms ascend.
pub(crate) fn dot(left: &[(u64, f32)], right: &[(u64, f32)]) -> f32 {
    let (mut sum, mut others) = (0.0, right.iter().peekable());
    for (term, weight) in left {
        while others.next_if(|(other, _)| other < term).is_some() {}
        if let Some((_, other)) = others.next_if(|(other, _)| other == term) {
            sum += weight * other;
        }
    }
    sum
}
