//! The comparison of candidates: the features of their names and of what else is known of both.

use std::collections::HashMap;

use rayon::prelude::*;
use truename_text::{Key, KeyMatch};

use crate::Field;
use crate::candidates::{Candidates, Pair};
use crate::compared::Compared;
use crate::difference::Difference;
use crate::feature::{Feature, Features};
use crate::name_match::NameMatch;
use crate::vectors::NameVectors;
use crate::vocabulary::{Rarity, Vocabulary, dot};
use crate::word_table::WordTable;

/// Letters of a short name.
const SHORT: usize = 4;

/// Compares the candidates of two vocabularies.
pub(crate) struct Comparer<'a> {
    pub(crate) source: &'a Vocabulary<'a>,
    pub(crate) target: &'a Vocabulary<'a>,
    pub(crate) rarity: &'a Rarity,
    pub(crate) table: &'a WordTable,
    pub(crate) vectors: Option<&'a NameVectors>,
    concepts_of: [HashMap<Key, u32>; 2],
    xref_counts: [HashMap<&'a str, u32>; 2],
}

impl<'a> Comparer<'a> {
    pub(crate) fn new(
        [source, target]: [&'a Vocabulary<'a>; 2],
        (rarity, table): (&'a Rarity, &'a WordTable),
        vectors: Option<&'a NameVectors>,
    ) -> Self {
        let (concepts_of, xref_counts) = ([source, target].map(concepts_of), [source, target].map(xref_counts));
        Self { source, target, rarity, table, vectors, concepts_of, xref_counts }
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
        let is_sure = |pair: &&Compared| pair.best.level == KeyMatch::Exact && pair.features[Feature::Ambiguous] == 0.0;
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
                (pair.features[Feature::TypesAgree], pair.features[Feature::TypesDiffer]) =
                    (most, (1.0 - most).max(0.0));
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
        let mut features = Features::default();
        self.of_forms(&matches, &mut features);
        self.of_best(names, &best, &mut features);
        self.of_context(pair, &mut features);
        let differences = self.of_words(pair, &matches, &mut features);
        self.of_vectors(pair, &matches, &mut features);
        Compared { source: pair.source, target: pair.target, features, names, best, differences }
    }

    /// Adds the features of equal names.
    fn of_forms(&self, matches: &[([u32; 2], NameMatch)], features: &mut Features) {
        let fields =
            |names: &[u32; 2]| [self.source.names[names[0] as usize].field, self.target.names[names[1] as usize].field];
        let exact: Vec<&[u32; 2]> =
            matches.iter().filter(|(_, found)| found.level == KeyMatch::Exact).map(|(names, _)| names).collect();
        features[Feature::Constant] = 1.0;
        if !exact.is_empty() {
            let labels = exact.iter().map(|names| fields(names).iter().filter(|field| **field == Field::Label).count());
            let equal = [Feature::EqualSynonyms, Feature::LabelEqualsSynonym, Feature::EqualLabels];
            features[equal[labels.max().unwrap_or_default()]] = 1.0;
            features[Feature::FurtherEqualNames] = (exact.len() - 1).min(3) as f32 / 3.0;
            let concepts = exact.iter().map(|names| self.sharers(names)).min().unwrap_or(1);
            features[Feature::Ambiguous] = 1.0 - 1.0 / concepts.max(1) as f32;
            let letters = exact.iter().map(|names| self.source.names[names[0] as usize].profile.letters.len()).max();
            features[Feature::Short] = f32::from(u8::from(letters.is_some_and(|letters| letters <= SHORT)));
            return;
        }
        let has = |level: KeyMatch| matches.iter().any(|(_, found)| found.level == level && !found.contradicts);
        if has(KeyMatch::Variant) {
            features[Feature::EqualButForInflection] = 1.0;
        } else if has(KeyMatch::Reordered) {
            features[Feature::EqualButForWordOrder] = 1.0;
        } else {
            features[Feature::EqualBySynonymRules] =
                matches.iter().map(|(_, found)| found.rewritten).fold(0.0, f32::max);
            features[Feature::Acronym] = f32::from(u8::from(has(KeyMatch::Acronym)));
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
        features.set([
            (Feature::Ngrams, best.grams),
            (Feature::NgramsSquared, best.grams * best.grams),
            (Feature::Words, words),
            (Feature::WordsSquared, words * words),
            (Feature::WordsOfOneSide, best.words[0].max(best.words[1])),
            (Feature::JaroWinkler, best.jaro_winkler),
            (Feature::SortedWords, best.sorted),
            (Feature::DesignatorsDiffer, f32::from(u8::from(best.contradicts))),
            (Feature::NumbersDiffer, 1.0 - best.numbers),
            (Feature::MissingInTarget, best.missing[0]),
            (Feature::MissingInSource, best.missing[1]),
            (Feature::OneWord, f32::from(u8::from(is_one_word))),
        ]);
    }

    /// Adds the weight of the words that the other name lacks and that nothing above its concept explains; returns the keys of the
    /// differences of unequal names.
    fn of_words(&self, pair: &Pair, matches: &[([u32; 2], NameMatch)], features: &mut Features) -> Vec<u64> {
        if matches.iter().any(|(_, found)| found.level >= KeyMatch::Reordered) {
            return Vec::new();
        }
        let above = [&self.target.words_above[pair.target as usize], &self.source.words_above[pair.source as usize]];
        let heaviest = |words: &[u32], above: &[u32]| {
            let is_explained = |word: u32| above.iter().any(|other| self.table.are_related(word, *other));
            let unexplained = words.iter().filter(|word| !is_explained(**word));
            unexplained.map(|word| self.table.weight(*word)).fold(0.0, f32::max)
        };
        let (mut least, mut keys) = ([1.0; 2], Vec::new());
        for (names, found) in matches {
            let (source, target) = (&self.source.names[names[0] as usize], &self.target.names[names[1] as usize]);
            let difference = Difference::of(&source.words, &target.words);
            let is_rewritten = found.rewritten > 0.0;
            let unexplained =
                [0, 1].map(|side| if is_rewritten { 0.0 } else { heaviest(&difference.words[side], above[side]) });
            if unexplained.iter().sum::<f32>() < least.iter().sum() {
                least = unexplained;
            }
            keys.extend(difference.key(self.table));
        }
        features.set([(Feature::UnexplainedInTarget, least[0]), (Feature::UnexplainedInSource, least[1])]);
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Adds the features of labels, all names, cross-references, types and definitions.
    fn of_context(&self, pair: &Pair, features: &mut Features) {
        let (source, target) = (self.source.names_of(pair.source), self.target.names_of(pair.target));
        let names = |side: &Vocabulary<'_>, range: std::ops::Range<usize>| -> Vec<Key> {
            side.names[range].iter().map(|name| name.keys.variant).collect()
        };
        let (left, right) = (&self.source.names[source.clone()], &self.target.names[target.clone()]);
        if let (Some(left), Some(right)) = (left.first(), right.first()) {
            features[Feature::NgramsOfLabels] = self.rarity.gram_cosine(&left.grams, &right.grams);
        }
        let (left, right) = (names(self.source, source), names(self.target, target));
        let shared = left.iter().filter(|key| right.contains(key)).count();
        features[Feature::NamesShared] = shared as f32 / left.len().min(right.len()).max(1) as f32;
        (features[Feature::XrefsShared], features[Feature::XrefsDiffer]) = self.xrefs(pair);
        let (source, target) = (pair.source as usize, pair.target as usize);
        if let (Some(left), Some(right)) = (self.source.definitions.get(source), self.target.definitions.get(target)) {
            features[Feature::Definitions] = dot(left, right);
            features[Feature::BothDefined] = f32::from(u8::from(!left.is_empty() && !right.is_empty()));
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
        features[Feature::Vectors] = matches.iter().map(|(names, _)| cosine(names)).fold(0.0, f32::max);
        let labels = [self.source.names_of(pair.source).start, self.target.names_of(pair.target).start];
        features[Feature::VectorsOfLabels] = cosine(&labels.map(|label| label as u32)).max(0.0);
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
    let vectors = Rivals::new(compared, |pair| pair.features[Feature::Vectors]);
    compared.par_iter_mut().for_each(|pair| {
        let margins = likeness.margins(pair, pair.best.likeness);
        (pair.features[Feature::MarginOfSource], pair.features[Feature::MarginOfTarget]) = margins;
        pair.features[Feature::NearestBothWays] = f32::from(u8::from(margins.0 >= 0.0 && margins.1 >= 0.0));
        (pair.features[Feature::VectorMarginOfSource], pair.features[Feature::VectorMarginOfTarget]) =
            vectors.margins(pair, pair.features[Feature::Vectors]);
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
