//! Pairs of names, labelled by their similarity (NSEEN, section 3.1).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fastrand::Rng;
use rapidfuzz::distance::{jaro_winkler, levenshtein};
use serde::{Deserialize, Serialize};
use truename_infer::Tokenizer;
use truename_nn::{Pair, TextPairs};

use crate::{Error, NamedConcept};

/// The pairs of an epoch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PairKeys {
    pub batch: usize,
    pub max_pairs: usize,
    pub negatives: f64,
    pub variants: bool,
    pub fold_case: bool,
    pub related: f64,
    pub round: usize,
    pub nearest: usize,
    pub keep: bool,
}

impl Default for PairKeys {
    fn default() -> Self {
        Self {
            batch: 1024,
            max_pairs: 0,
            negatives: 1.0,
            variants: true,
            fold_case: true,
            related: 0.5,
            round: 1,
            nearest: 5,
            keep: true,
        }
    }
}

/// Largest distance, in concepts, between a name and its random negative.
const SOON: usize = 64;

/// Draws pairs of names for the contrastive loss. Texts are known by number: the names first, then their variants.
pub(crate) struct PairSampler {
    keys: PairKeys,
    texts: Vec<String>,
    /// The place of the concept of each name.
    owners: Vec<u32>,
    /// All concepts of the names that several have.
    shared: HashMap<String, Vec<u32>>,
    /// Pairs that every epoch has: of one concept, of variants and of related concepts.
    fixed: Vec<Pair>,
    /// Number of fixed pairs that are of one concept.
    positives: usize,
}

impl PairSampler {
    pub fn of(concepts: &[NamedConcept], keys: &PairKeys, seed: u64) -> Self {
        let (mut texts, mut owners, mut fixed) = (Vec::new(), Vec::new(), Vec::new());
        for (place, concept) in concepts.iter().enumerate() {
            let names = texts.len() as u32..(texts.len() + concept.names.len()) as u32;
            fixed.extend(names.clone().flat_map(|left| (left + 1..names.end).map(move |right| pair(left, right, 1.0))));
            texts.extend(concept.names.iter().cloned());
            owners.resize(texts.len(), place as u32);
        }
        let shared = shared(&texts, &owners);
        let mut pairs = Self { keys: keys.clone(), positives: fixed.len(), texts, owners, shared, fixed };
        if keys.variants {
            pairs.add_variants();
        }
        if keys.related > 0.0 {
            pairs.add_related(concepts, &mut Rng::with_seed(seed));
        }
        pairs
    }

    fn add_variants(&mut self) {
        for name in 0..self.owners.len() {
            for variant in variants(&self.texts[name]) {
                let number = self.texts.len() as u32;
                self.texts.push(variant);
                self.add_similar(name as u32, number);
            }
        }
    }

    fn add_related(&mut self, concepts: &[NamedConcept], random: &mut Rng) {
        let mut names_of: Vec<Vec<u32>> = vec![Vec::new(); concepts.len()];
        self.owners.iter().enumerate().for_each(|(name, owner)| names_of[*owner as usize].push(name as u32));
        for family in families(concepts) {
            let names: usize = family.iter().map(|concept| names_of[*concept].len()).sum();
            for _ in 0..(self.keys.related * names as f64).round() as usize {
                let [left, right] = [0, 1].map(|_| random.choice(&family).copied().unwrap_or_default());
                let name = |random: &mut Rng, concept: usize| random.choice(&names_of[concept]).copied();
                if left != right
                    && let (Some(left), Some(right)) = (name(random, left), name(random, right))
                {
                    self.add_similar(left, right);
                }
            }
        }
    }

    /// Adds a pair once for each similarity, as its label.
    fn add_similar(&mut self, left: u32, right: u32) {
        let [one, other] = [left, right].map(|number| self.texts[number as usize].as_str());
        let labels = match self.keys.fold_case {
            true => similarities(&one.to_lowercase(), &other.to_lowercase()),
            false => similarities(one, other),
        };
        self.fixed.extend(labels.map(|label| pair(left, right, label as f32)));
    }

    /// Number of names; the texts after them are variants.
    pub fn names(&self) -> usize {
        self.owners.len()
    }

    pub fn text(&self, number: u32) -> &str {
        &self.texts[number as usize]
    }

    /// Returns whether two names are of one concept, any of the concepts that have the very name.
    pub fn is_one_concept(&self, left: u32, right: u32) -> bool {
        let [left, right] = [left, right].map(|name| {
            let owner = std::slice::from_ref(&self.owners[name as usize]);
            self.shared.get(self.text(name)).map_or(owner, Vec::as_slice)
        });
        left.iter().any(|concept| right.contains(concept))
    }

    /// Returns the expected number of pairs of an epoch; some random negatives turn out to be of one concept.
    pub fn expected(&self, mined: &BTreeSet<(u32, u32)>) -> usize {
        let pairs = self.fixed.len() + self.negatives() + mined.len();
        if self.keys.max_pairs > 0 { pairs.min(self.keys.max_pairs) } else { pairs }
    }

    fn negatives(&self) -> usize {
        (self.keys.negatives * self.positives as f64).round() as usize
    }

    /// Draws the pairs of an epoch in the order in which they are learnt; `mined` are the hard negatives.
    ///
    /// Concepts come in random order, each with all pairs whose left name it has. Random negatives are of concepts that come
    /// soon after, so that a batch has few texts for its pairs.
    pub fn epoch(&self, mined: &BTreeSet<(u32, u32)>, random: &mut Rng) -> Vec<Pair> {
        let names = self.names() as u32;
        // A concept without names has no turn.
        let mut order = self.owners.clone();
        order.dedup();
        let mut turn = vec![0; order.last().map_or(0, |owner| *owner as usize + 1)];
        random.shuffle(&mut order);
        order.iter().enumerate().for_each(|(place, concept)| turn[*concept as usize] = place);
        let turn_of = |name: u32| turn[self.owners[name as usize] as usize];
        let mut pairs = self.fixed.clone();
        for _ in 0..self.negatives() {
            let left = random.u32(..names);
            let soon = order[(turn_of(left) + random.usize(..SOON)) % order.len()];
            let first = self.owners.partition_point(|owner| *owner < soon);
            let right = random.usize(first..self.owners.partition_point(|owner| *owner <= soon)) as u32;
            if !self.is_one_concept(left, right) {
                pairs.push(pair(left, right, 0.0));
            }
        }
        pairs.extend(mined.iter().map(|(left, right)| pair(*left, *right, 0.0)));
        pairs.sort_by_key(|pair| turn_of(pair.left));
        if self.keys.max_pairs > 0 {
            pairs.truncate(self.keys.max_pairs);
        }
        pairs
    }

    /// Makes a batch that has each text once.
    pub fn batch(&self, pairs: &[Pair], tokenizer: &Tokenizer) -> Result<TextPairs, Error> {
        let mut batch = TextPairs::default();
        let mut places: HashMap<u32, u32> = HashMap::new();
        for Pair { left, right, label } in pairs {
            let mut place = |number: u32| -> Result<u32, Error> {
                if let Some(place) = places.get(&number) {
                    return Ok(*place);
                }
                let place = batch.texts.len() as u32;
                batch.texts.push(&tokenizer.tokens(self.text(number))?.ids);
                places.insert(number, place);
                Ok(place)
            };
            let (left, right) = (place(*left)?, place(*right)?);
            batch.pairs.push(pair(left, right, *label));
        }
        Ok(batch)
    }
}

fn pair(left: u32, right: u32, label: f32) -> Pair {
    Pair { left, right, label }
}

/// Returns spellings of a name that differ from it, none twice.
fn variants(name: &str) -> BTreeSet<String> {
    let joined = name.split_whitespace().collect::<String>();
    let bare = name.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>();
    let all = [joined, bare, name.to_uppercase(), name.to_lowercase()];
    all.into_iter().filter(|variant| variant != name && !variant.is_empty()).collect()
}

/// Returns similarities of two names: shared trigrams, edit similarity and Jaro–Winkler.
fn similarities(left: &str, right: &str) -> [f64; 3] {
    let (one, other) = (trigrams(left), trigrams(right));
    let shared = one.intersection(&other).count() as f64 / one.union(&other).count().max(1) as f64;
    let edits = levenshtein::normalized_similarity(left.chars(), right.chars());
    [shared, edits, jaro_winkler::normalized_similarity(left.chars(), right.chars())]
}

/// Returns the trigrams of a name with two blanks before and after it.
fn trigrams(name: &str) -> BTreeSet<[char; 3]> {
    let letters: Vec<char> = [' '; 2].into_iter().chain(name.chars()).chain([' '; 2]).collect();
    letters.windows(3).map(|run| [run[0], run[1], run[2]]).collect()
}

/// Returns the names that several concepts have, with the places of these concepts.
fn shared(texts: &[String], owners: &[u32]) -> HashMap<String, Vec<u32>> {
    let mut all: HashMap<&str, Vec<u32>> = HashMap::new();
    for (text, owner) in texts.iter().zip(owners) {
        all.entry(text).or_default().push(*owner);
    }
    let shared = all.into_iter().filter(|(_, owners)| owners.len() > 1);
    shared.map(|(text, owners)| (text.to_owned(), owners)).collect()
}

/// Returns families of related concepts, by place: the concepts with one parent, and the parent.
fn families(concepts: &[NamedConcept]) -> Vec<Vec<usize>> {
    let place_of: HashMap<&str, usize> =
        concepts.iter().enumerate().map(|(place, concept)| (concept.id.as_str(), place)).collect();
    let mut families: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (place, concept) in concepts.iter().enumerate() {
        for parent in &concept.parents {
            let family = families.entry(parent).or_default();
            family.insert(place);
            family.extend(place_of.get(parent.as_str()));
        }
    }
    families.into_values().filter(|family| family.len() > 1).map(|family| family.into_iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(id: &str, names: &[&str], parents: &[&str]) -> NamedConcept {
        let [names, parents] = [names, parents].map(|all| all.iter().map(|text| (*text).to_owned()).collect());
        NamedConcept { id: id.into(), names, parents }
    }

    fn concepts() -> Vec<NamedConcept> {
        vec![
            named("a", &["FOX P2", "CAGH44", "SPCH1"], &["fox"]),
            named("b", &["FOXP3", "JM2"], &["fox"]),
            named("c", &["Ras"], &[]),
        ]
    }

    fn pairs(keys: &PairKeys) -> PairSampler {
        PairSampler::of(&concepts(), keys, 1)
    }

    #[test]
    fn names_of_one_concept_are_all_paired() {
        let pairs = pairs(&PairKeys { variants: false, related: 0.0, ..PairKeys::default() });
        let expected = [(0, 1), (0, 2), (1, 2), (3, 4)].map(|(left, right)| pair(left, right, 1.0));
        assert_eq!((pairs.fixed.as_slice(), pairs.names()), (&expected[..], 6));
        let mined = BTreeSet::from([(0, 3)]);
        let epoch = pairs.epoch(&mined, &mut Rng::with_seed(1));
        assert!(expected.iter().chain([&pair(0, 3, 0.0)]).all(|pair| epoch.contains(pair)), "{epoch:?}");
        assert!(epoch.iter().all(|pair| (pair.label == 1.0) == pairs.is_one_concept(pair.left, pair.right)));
        assert_eq!(epoch, pairs.epoch(&mined, &mut Rng::with_seed(1)));
    }

    #[test]
    fn a_concept_without_names_has_no_negatives() {
        let mut all = concepts();
        all.insert(1, named("none", &[], &[]));
        all.push(named("last", &[], &[]));
        let keys = PairKeys { variants: false, related: 0.0, negatives: 50.0, ..PairKeys::default() };
        let epoch = PairSampler::of(&all, &keys, 1).epoch(&BTreeSet::new(), &mut Rng::with_seed(1));
        assert!(epoch.iter().filter(|pair| pair.label == 0.0).count() > 100);
    }

    #[test]
    fn names_of_concepts_that_share_one_are_no_negatives() {
        let shared =
            [named("a", &["p53", "antigen NY-CO-13"], &[]), named("b", &["p53", "p53 protein homologue"], &[])];
        let pairs = PairSampler::of(&shared, &PairKeys { variants: false, related: 0.0, ..PairKeys::default() }, 1);
        let is_negative = |left, right| !pairs.is_one_concept(left, right);
        assert!(!is_negative(0, 2) && !is_negative(0, 3) && !is_negative(1, 2) && is_negative(1, 3));
        for seed in 0..20 {
            let epoch = pairs.epoch(&BTreeSet::new(), &mut Rng::with_seed(seed));
            assert!(epoch.iter().all(|pair| pair.label == 1.0 || is_negative(pair.left, pair.right)), "{epoch:?}");
        }
    }

    #[test]
    fn variants_are_labelled_by_each_measure() {
        let expected = ["FOXP2", "fox p2"].map(str::to_owned);
        assert_eq!(variants("FOX P2"), BTreeSet::from(expected));
        assert_eq!(variants("PLC-γ2").len(), 3);
        assert!(variants("1").is_empty());
        let [shared, edits, winkler] = similarities("FOX P2", "FOXP2");
        // Trigrams: __F _FO FOX P2_ 2__ of both, of eleven.
        assert!((shared - 5.0 / 10.0).abs() < 1e-9, "{shared}");
        assert!((edits - 5.0 / 6.0).abs() < 1e-9 && winkler > 0.9, "{edits} {winkler}");
        for fold_case in [true, false] {
            let pairs = pairs(&PairKeys { related: 0.0, fold_case, ..PairKeys::default() });
            let of_ras: Vec<&Pair> = pairs.fixed.iter().filter(|pair| pair.left == 5).collect();
            assert_eq!(of_ras.len(), 2 * 3, "RAS and ras, three measures each");
            assert!(of_ras.iter().all(|pair| (pair.label == 1.0) == fold_case), "{of_ras:?}");
        }
    }

    #[test]
    fn related_concepts_are_paired_by_likeness() {
        let pairs = pairs(&PairKeys { variants: false, related: 4.0, ..PairKeys::default() });
        let related = &pairs.fixed[pairs.positives..];
        assert!(!related.is_empty() && related.len().is_multiple_of(3));
        assert!(
            related.iter().all(|pair| !pairs.is_one_concept(pair.left, pair.right) && pair.left.max(pair.right) < 5)
        );
    }
}
