//! Features of a pair of concepts: of names, of what else is known of both, and of the concepts around them.

use std::collections::HashMap;

use rayon::prelude::*;
use truename_text::{Key, KeyMatch};

use crate::Field;
use crate::candidates::{Candidates, Pair};
use crate::name_match::NameMatch;
use crate::vectors::NameVectors;
use crate::vocabulary::{Rarity, Vocabulary, dot};

/// Names of the features, in order. All lie between -1 and 1.
pub const FEATURES: [&str; 52] = [
    "constant",
    "equal labels",
    "label equals synonym",
    "equal synonyms",
    "further equal names",
    "equal but for inflection",
    "equal but for word order",
    "equal by synonym rules",
    "acronym",
    "ambiguous",
    "short",
    "n-grams",
    "n-grams²",
    "words",
    "words²",
    "words of one side",
    "Jaro-Winkler",
    "sorted words",
    "designators differ",
    "numbers differ",
    "missing in target",
    "missing in source",
    "one word",
    "n-grams of labels",
    "names shared",
    "margin of source",
    "margin of target",
    "nearest both ways",
    "cross-references shared",
    "cross-references differ",
    "types agree",
    "types differ",
    "definitions",
    "both defined",
    "vectors",
    "vectors of labels",
    "margin of vectors of source",
    "margin of vectors of target",
    // Of the concepts around the pair, from here on.
    "rival of source",
    "rival of target",
    "ancestors agree",
    "ancestors differ",
    "children agree",
    "children differ",
    "siblings agree",
    "siblings differ",
    "unequal × ancestors agree",
    "unequal × ancestors differ",
    "unequal × children agree",
    "unequal × siblings agree",
    "unequal × rival of source",
    "unequal × rival of target",
];

/// Place of the first feature of the concepts around a pair.
pub(crate) const FIRST_OF_STRUCTURE: usize = 38;
/// Letters of a short name.
const SHORT: usize = 4;

/// The features of a pair, as [`FEATURES`] names them.
pub type Features = [f32; FEATURES.len()];

/// A pair of concepts with its features.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    pub(crate) source: u32,
    pub(crate) target: u32,
    pub(crate) features: Features,
    /// The names that are most alike.
    pub(crate) names: [u32; 2],
    pub(crate) best: NameMatch,
}

/// Compares the candidates of two vocabularies.
pub(crate) struct Comparer<'a> {
    pub(crate) source: &'a Vocabulary<'a>,
    pub(crate) target: &'a Vocabulary<'a>,
    pub(crate) rarity: &'a Rarity,
    pub(crate) vectors: Option<&'a NameVectors>,
    concepts_of: [HashMap<Key, u32>; 2],
    xref_counts: [HashMap<&'a str, u32>; 2],
}

impl<'a> Comparer<'a> {
    pub(crate) fn new(
        [source, target]: [&'a Vocabulary<'a>; 2],
        rarity: &'a Rarity,
        vectors: Option<&'a NameVectors>,
    ) -> Self {
        let (concepts_of, xref_counts) = ([source, target].map(concepts_of), [source, target].map(xref_counts));
        Self { source, target, rarity, vectors, concepts_of, xref_counts }
    }

    /// Compares all candidates. Features of the concepts around them are 0.
    pub(crate) fn compare(&self, candidates: &Candidates) -> Vec<Compared> {
        let mut compared: Vec<Compared> =
            candidates.pairs.par_iter().map(|pair| self.compare_pair(pair, candidates)).collect();
        add_margins(&mut compared);
        self.add_types(&mut compared);
        compared
    }

    /// Adds how often the types of the source go with those of the target, among the pairs that alone have an equal name.
    fn add_types(&self, compared: &mut [Compared]) {
        let types = |pair: &Compared| {
            let side = |side: &'a Vocabulary<'a>, concept: u32| &side.concepts[concept as usize].types;
            (side(self.source, pair.source), side(self.target, pair.target))
        };
        let (mut together, mut alone) = (HashMap::<(&str, &str), f32>::new(), HashMap::<&str, f32>::new());
        let is_sure = |pair: &&Compared| pair.best.level == KeyMatch::Exact && pair.features[9] == 0.0;
        for (source, target) in compared.iter().filter(is_sure).map(types) {
            for one in source.iter().filter(|_| !target.is_empty()) {
                *alone.entry(one).or_default() += 1.0;
                target.iter().for_each(|other| *together.entry((one, other)).or_default() += 1.0);
            }
        }
        compared.par_iter_mut().for_each(|pair| {
            let (source, target) = types(pair);
            let share = |one: &'a String, other: &'a String| {
                let both = together.get(&(one.as_str(), other.as_str())).copied().unwrap_or_default();
                (both + 0.5) / (alone.get(one.as_str()).copied().unwrap_or_default() + 1.0)
            };
            let shares = source.iter().flat_map(|one| target.iter().map(move |other| share(one, other)));
            if let Some(most) = shares.reduce(f32::max) {
                (pair.features[30], pair.features[31]) = (most, (1.0 - most).max(0.0));
            }
        });
    }

    fn compare_pair(&self, pair: &Pair, candidates: &Candidates) -> Compared {
        let matches = candidates.names[pair.names.clone()].iter().map(|names| {
            let (source, target) =
                (&self.source.names[names.source as usize], &self.target.names[names.target as usize]);
            ([names.source, names.target], NameMatch::of(source, target, names.rewritten, self.rarity))
        });
        let matches: Vec<([u32; 2], NameMatch)> = matches.collect();
        let better = |one: &&([u32; 2], NameMatch), other: &&([u32; 2], NameMatch)| {
            // Of equally like names those of the lower numbers, labels before synonyms.
            one.1.likeness.total_cmp(&other.1.likeness).then(other.0.cmp(&one.0))
        };
        let (names, best) = *matches.iter().max_by(better).expect("a pair of concepts has a pair of names");
        let mut features = [0.0; FEATURES.len()];
        self.of_forms(&matches, &mut features);
        self.of_best(names, &best, &mut features);
        self.of_context(pair, &mut features);
        self.of_vectors(pair, &matches, &mut features);
        Compared { source: pair.source, target: pair.target, features, names, best }
    }

    /// Adds the features of equal names.
    fn of_forms(&self, matches: &[([u32; 2], NameMatch)], features: &mut Features) {
        let fields =
            |names: &[u32; 2]| [self.source.names[names[0] as usize].field, self.target.names[names[1] as usize].field];
        let exact: Vec<&[u32; 2]> =
            matches.iter().filter(|(_, found)| found.level == KeyMatch::Exact).map(|(names, _)| names).collect();
        features[0] = 1.0;
        if !exact.is_empty() {
            let labels = exact.iter().map(|names| fields(names).iter().filter(|field| **field == Field::Label).count());
            features[3 - labels.max().unwrap_or_default()] = 1.0;
            features[4] = (exact.len() - 1).min(3) as f32 / 3.0;
            let concepts = exact.iter().map(|names| self.sharers(names)).min().unwrap_or(1);
            features[9] = 1.0 - 1.0 / concepts.max(1) as f32;
            let letters = exact.iter().map(|names| self.source.names[names[0] as usize].profile.letters.len()).max();
            features[10] = f32::from(u8::from(letters.is_some_and(|letters| letters <= SHORT)));
            return;
        }
        let has = |level: KeyMatch| matches.iter().any(|(_, found)| found.level == level && !found.contradicts);
        if has(KeyMatch::Variant) {
            features[5] = 1.0;
        } else if has(KeyMatch::Reordered) {
            features[6] = 1.0;
        } else {
            features[7] = matches.iter().map(|(_, found)| found.rewritten).fold(0.0, f32::max);
            features[8] = f32::from(u8::from(has(KeyMatch::Acronym)));
        }
    }

    /// Returns the number of pairs of concepts that have the equal form of two names.
    fn sharers(&self, names: &[u32; 2]) -> u32 {
        let key = &self.source.names[names[0] as usize].keys.exact;
        self.concepts_of.iter().map(|counts| counts.get(key).copied().unwrap_or(1)).product()
    }

    /// Adds the features of the names that are most alike.
    fn of_best(&self, [source, target]: [u32; 2], best: &NameMatch, features: &mut Features) {
        let (source, target) = (&self.source.names[source as usize], &self.target.names[target as usize]);
        let words = best.words[0].min(best.words[1]);
        let is_one_word = source.profile.tokens.len() == 1 && target.profile.tokens.len() == 1;
        features[11..23].copy_from_slice(&[
            best.grams,
            best.grams * best.grams,
            words,
            words * words,
            best.words[0].max(best.words[1]),
            best.jaro_winkler,
            best.sorted,
            f32::from(u8::from(best.contradicts)),
            1.0 - best.numbers,
            best.missing[0],
            best.missing[1],
            f32::from(u8::from(is_one_word)),
        ]);
    }

    /// Adds the features of labels, all names, cross-references, types and definitions.
    fn of_context(&self, pair: &Pair, features: &mut Features) {
        let (source, target) = (self.source.names_of(pair.source), self.target.names_of(pair.target));
        let names = |side: &Vocabulary<'_>, range: std::ops::Range<usize>| -> Vec<Key> {
            side.names[range].iter().map(|name| name.keys.variant).collect()
        };
        let (left, right) = (&self.source.names[source.clone()], &self.target.names[target.clone()]);
        if let (Some(left), Some(right)) = (left.first(), right.first()) {
            features[23] = self.rarity.gram_cosine(&left.grams, &right.grams);
        }
        let (left, right) = (names(self.source, source), names(self.target, target));
        let shared = left.iter().filter(|key| right.contains(key)).count();
        features[24] = shared as f32 / left.len().min(right.len()).max(1) as f32;
        (features[28], features[29]) = self.xrefs(pair);
        let (source, target) = (pair.source as usize, pair.target as usize);
        if let (Some(left), Some(right)) = (self.source.definitions.get(source), self.target.definitions.get(target)) {
            features[32] = dot(left, right);
            features[33] = f32::from(u8::from(!left.is_empty() && !right.is_empty()));
        }
    }

    /// Returns how surely shared cross-references say that both are the same, and 1 if both have some of one source and share none.
    fn xrefs(&self, pair: &Pair) -> (f32, f32) {
        let (left, right) = (&self.source.xrefs[pair.source as usize], &self.target.xrefs[pair.target as usize]);
        let shared = left.iter().filter(|xref| right.binary_search(xref).is_ok());
        let sureness = |xref: &String| {
            let counts = self.xref_counts.each_ref().map(|counts| counts.get(xref.as_str()).copied().unwrap_or(1));
            1.0 / (counts[0] * counts[1]) as f32
        };
        let unsure: f32 = shared.map(|xref| 1.0 - sureness(xref)).product();
        let prefix = |xref: &String| {
            let (prefix, local) = xref.split_once(':')?;
            (!local.starts_with("//")).then(|| prefix.to_owned())
        };
        let has_prefix = |xref: &String| {
            prefix(xref).is_some_and(|one| right.iter().any(|xref| prefix(xref).as_ref() == Some(&one)))
        };
        let differs = unsure == 1.0 && left.iter().any(has_prefix);
        (1.0 - unsure, f32::from(u8::from(differs)))
    }

    fn of_vectors(&self, pair: &Pair, matches: &[([u32; 2], NameMatch)], features: &mut Features) {
        let Some(vectors) = self.vectors else { return };
        let cosine = |names: &[u32; 2]| vectors.cosine(names[0], names[1]);
        features[34] = matches.iter().map(|(names, _)| cosine(names)).fold(0.0, f32::max);
        let labels = [self.source.names_of(pair.source).start, self.target.names_of(pair.target).start];
        features[35] = cosine(&labels.map(|label| label as u32)).max(0.0);
    }
}

/// Returns the number of concepts that have each exact form.
fn concepts_of(side: &Vocabulary<'_>) -> HashMap<Key, u32> {
    let mut counts = HashMap::new();
    for concept in 0..side.concepts.len() as u32 {
        let mut keys: Vec<Key> = side.names[side.names_of(concept)].iter().map(|name| name.keys.exact).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.into_iter().for_each(|key| *counts.entry(key).or_default() += 1);
    }
    counts
}

/// Returns the number of concepts that have each cross-reference.
fn xref_counts<'a>(side: &'a Vocabulary<'_>) -> HashMap<&'a str, u32> {
    let mut counts = HashMap::new();
    side.xrefs.iter().flatten().for_each(|xref| *counts.entry(xref.as_str()).or_default() += 1);
    counts
}

/// Adds how much more alike the names, and the vectors, are than those of each side's other candidates.
fn add_margins(compared: &mut [Compared]) {
    let likeness = Rivals::new(compared, |pair| pair.best.likeness);
    let vectors = Rivals::new(compared, |pair| pair.features[34]);
    compared.par_iter_mut().for_each(|pair| {
        let margins = likeness.margins(pair, pair.best.likeness);
        (pair.features[25], pair.features[26]) = margins;
        pair.features[27] = f32::from(u8::from(margins.0 >= 0.0 && margins.1 >= 0.0));
        (pair.features[36], pair.features[37]) = vectors.margins(pair, pair.features[34]);
    });
}

/// The two highest values of the candidates of each concept.
pub(crate) struct Rivals {
    sources: HashMap<u32, [f32; 2]>,
    targets: HashMap<u32, [f32; 2]>,
}

impl Rivals {
    pub(crate) fn new(compared: &[Compared], mut value: impl FnMut(&Compared) -> f32) -> Self {
        let (mut sources, mut targets) = (HashMap::new(), HashMap::new());
        for pair in compared {
            let value = value(pair);
            for highest in [sources.entry(pair.source).or_default(), targets.entry(pair.target).or_default()] {
                let [first, second]: &mut [f32; 2] = highest;
                if value > *first {
                    (*first, *second) = (value, *first);
                } else if value > *second {
                    *second = value;
                }
            }
        }
        Self { sources, targets }
    }

    /// Returns the highest value of the other candidates of the source, and of those of the target.
    pub(crate) fn of(&self, pair: &Compared, value: f32) -> (f32, f32) {
        let other = |highest: Option<&[f32; 2]>| {
            highest.map_or(0.0, |[first, second]| if value >= *first { *second } else { *first })
        };
        (other(self.sources.get(&pair.source)), other(self.targets.get(&pair.target)))
    }

    fn margins(&self, pair: &Compared, value: f32) -> (f32, f32) {
        let (source, target) = self.of(pair, value);
        (value - source, value - target)
    }
}
