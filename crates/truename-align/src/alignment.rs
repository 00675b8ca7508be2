//! The alignment of two vocabularies.

use std::collections::{HashMap, HashSet};

use truename_infer::logistic;
use truename_kb::Concept;
use truename_text::KeyMatch;

use crate::assignment::{Edge, assign};
use crate::candidates::Proposer;
use crate::compared::Compared;
use crate::comparer::Comparer;
use crate::difference::add_differences;
use crate::entailed::entailed;
use crate::feature::Feature;
use crate::mapping::{Field, Mapping, MatchedName, NameEvidence, RemovedMapping};
use crate::options::{AlignOptions, Cardinality};
use crate::repair::{Link, removals};
use crate::rewriting::Rewriting;
use crate::structure::add_structure;
use crate::vectors::NameVectors;
use crate::vocabulary::{Rarity, Vocabulary, weigh_definitions};
use crate::word_table::WordTable;
use crate::{AlignWeights, Error, Predicate, Sample};

/// Rounds of propagation, and the largest change of a probability at which it has converged.
const ROUNDS: usize = 16;
/// Share of the new probability from the second round on, which keeps pairs that rule each other out from swinging.
const STEP: f32 = 0.6;
const TOLERANCE: f32 = 0.01;
/// Largest shift of the logits by the share of matches.
const MOST_SHIFT: f64 = 1.5;
/// Candidates kept of each concept, the likeliest by their names.
const MOST_CANDIDATES: usize = 10;
/// Likeness of names at which an unknown pair is as likely as not before the first round, and the slope there.
const FIRST_LIKENESS: f32 = 0.86;
const FIRST_SLOPE: f32 = 24.0;

/// The mappings between two vocabularies.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Alignment {
    /// The mappings, by relation and the place of their source.
    pub mappings: Vec<Mapping>,
    /// Mappings that were removed by the repair.
    pub removed: Vec<RemovedMapping>,
    /// Number of pairs of concepts that were compared.
    pub compared: usize,
    /// Rounds of propagation.
    pub rounds: usize,
    /// Number of names longer than the encoder's window.
    pub truncated: usize,
}

impl Alignment {
    /// Aligns the concepts of two vocabularies.
    ///
    /// # Errors
    /// If the temporary index or the encoder fails, or [`Error::is_interrupted`].
    pub fn new(source: &[Concept], target: &[Concept], options: &AlignOptions<'_>) -> Result<Self, Error> {
        let mut pairs = ComparedPairs::new(source, target, options)?;
        let standard = AlignWeights::standard(options.encoder.is_some());
        let weights = options.weights.clone().unwrap_or(standard);
        let mut rounds = pairs.propagate(&weights, options)?;
        if !options.judged.is_empty() {
            let prior = weights.shifted(pairs.shift).with_match_share(pairs.match_share());
            let learnt = prior.fit(&pairs.judged_samples(), AlignWeights::PRIOR_PENALTY);
            rounds += pairs.propagate(&learnt, options)?;
        }
        Ok(pairs.select(rounds, options))
    }
}

/// The candidates of two vocabularies with their features and probabilities.
///
/// [`Alignment::new`] is all of this in one; weights are fitted to the [`Sample`]s of several such sets of pairs.
pub struct ComparedPairs<'a> {
    source: Vocabulary<'a>,
    target: Vocabulary<'a>,
    compared: Vec<Compared>,
    probabilities: Vec<f32>,
    judged: HashMap<(u32, u32), bool>,
    /// Last shift of the logits by the share of matches.
    shift: f64,
    truncated: usize,
}

impl<'a> ComparedPairs<'a> {
    /// Proposes and compares pairs.
    ///
    /// # Errors
    /// As [`Alignment::new`].
    pub fn new(source: &'a [Concept], target: &'a [Concept], options: &AlignOptions<'_>) -> Result<Self, Error> {
        let mut table = WordTable::default();
        let (mut source, mut target) = (Vocabulary::new(source, &mut table), Vocabulary::new(target, &mut table));
        weigh_definitions([&mut source, &mut target]);
        let rarity = Rarity::new([&source, &target]);
        let encode = |encoder| NameVectors::new([&source, &target], encoder, &options.progress);
        let vectors = options.encoder.map(encode).transpose()?;
        let rewriting = learn_rewriting([&source, &target], options.background);
        let proposer = Proposer {
            source: &source,
            target: &target,
            rewriting: &rewriting,
            vectors: vectors.as_ref(),
            neighbours: options.neighbours,
            judged: options.judged,
            progress: &options.progress,
        };
        let candidates = proposer.propose()?;
        options.progress.check()?;
        options.progress.begin("comparing", 0);
        let mut compared = Comparer::new([&source, &target], (&rarity, &table), vectors.as_ref()).compare(&candidates);
        let judged: HashMap<(u32, u32), bool> =
            options.judged.iter().map(|pair| ((pair.source as u32, pair.target as u32), pair.is_match)).collect();
        keep_likeliest(&mut compared, &judged);
        let probabilities = compared.iter().map(first_probability).collect();
        let truncated = vectors.map_or(0, |vectors| vectors.truncated);
        Ok(Self { source, target, compared, probabilities, judged, shift: 0.0, truncated })
    }

    /// Propagates probabilities over the two hierarchies to a fixed point. Returns the number of rounds.
    ///
    /// The share of matches among the pairs may be another one than that of the pairs that the weights were fitted to. Each round moves
    /// the logits by the difference of both, the share estimated from the round before (Saerens, Latinne and Decaestecker 2002). They are moved up
    /// alone: where vocabularies share little, fewer names are equal, but equal ones mean the same as often.
    ///
    /// # Errors
    /// [`Error::is_interrupted`] if the work is stopped.
    pub fn propagate(&mut self, weights: &AlignWeights, options: &AlignOptions<'_>) -> Result<usize, Error> {
        options.progress.begin("propagating", ROUNDS as u64);
        let fitted_share = logit(weights.match_share());
        self.shift = 0.0;
        for round in 1..=ROUNDS {
            options.progress.check()?;
            self.add_structure();
            let (shift, mut largest) = (self.shift, 0.0_f32);
            for (pair, probability) in self.compared.iter().zip(&mut self.probabilities) {
                let judged =
                    self.judged.get(&(pair.source, pair.target)).map(|is_match| f32::from(u8::from(*is_match)));
                let next = judged.unwrap_or_else(|| logistic(weights.logit(&pair.features) + shift) as f32);
                let step = if round == 1 || judged.is_some() { 1.0 } else { STEP };
                largest = largest.max((next - *probability).abs());
                *probability += step * (next - *probability);
            }
            self.shift = (logit(self.match_share()) - fitted_share).clamp(0.0, MOST_SHIFT);
            options.progress.advance(1);
            if largest < TOLERANCE {
                return Ok(round);
            }
        }
        Ok(ROUNDS)
    }

    /// Returns the share of matches that the probabilities expect.
    fn match_share(&self) -> f64 {
        let matches = self.probabilities.iter().map(|probability| f64::from(*probability)).sum::<f64>();
        matches / self.compared.len().max(1) as f64
    }

    /// Computes the features of the concepts around each pair from the probabilities.
    pub fn add_structure(&mut self) {
        let hierarchies = [&self.source.surroundings, &self.target.surroundings];
        let sizes = [self.source.concepts.len(), self.target.concepts.len()];
        add_structure(&mut self.compared, &self.probabilities, hierarchies, sizes);
        add_differences(&mut self.compared, &self.probabilities);
    }

    /// Returns the pairs whose label is known: `label` says for the ids of a pair whether both are the same.
    pub fn samples(&self, label: impl Fn(&str, &str) -> Option<bool>) -> Vec<Sample> {
        let sample = |pair: &Compared| {
            let ids = (&self.source.concepts[pair.source as usize].id, &self.target.concepts[pair.target as usize].id);
            let is_match = label(ids.0.as_str(), ids.1.as_str())?;
            Some(Sample { features: pair.features, is_match, weight: 1.0 })
        };
        self.compared.iter().filter_map(sample).collect()
    }

    /// Returns all pairs: those that were judged or that a judged match excludes with their label, the others with both, weighed by their
    /// probability. Without these the judged pairs would say too much: people judge concepts that have a match.
    fn judged_samples(&self) -> Vec<Sample> {
        let matches = || self.judged.iter().filter(|(_, is_match)| **is_match).map(|(pair, _)| pair);
        let sources: HashSet<u32> = matches().map(|pair| pair.0).collect();
        let targets: HashSet<u32> = matches().map(|pair| pair.1).collect();
        let samples = |(pair, probability): (&Compared, &f32)| {
            let is_excluded = sources.contains(&pair.source) || targets.contains(&pair.target);
            let judged = self.judged.get(&(pair.source, pair.target)).copied();
            let share = match judged.or(is_excluded.then_some(false)) {
                Some(is_match) => f64::from(u8::from(is_match)),
                None => f64::from(*probability),
            };
            let sample = |is_match, weight| Sample { features: pair.features, is_match, weight };
            [sample(true, share), sample(false, 1.0 - share)].into_iter().filter(|sample| sample.weight > 0.0)
        };
        self.compared.iter().zip(&self.probabilities).flat_map(samples).collect()
    }

    /// Chooses the mappings.
    fn select(&self, rounds: usize, options: &AlignOptions<'_>) -> Alignment {
        let mut places = self.chosen(options);
        let sides = [&self.source.hierarchy, &self.target.hierarchy];
        let sizes = [self.source.concepts.len(), self.target.concepts.len()];
        let stated: Vec<usize> = places.iter().copied().filter(|at| self.is_stated(*at, options)).collect();
        let links: Vec<Link> = stated.iter().map(|at| self.link(*at)).collect();
        let removals = removals(sides, sizes, &links);
        let removed = removals.iter().map(|removal| RemovedMapping {
            mapping: self.mapping(stated[removal.weak]),
            conflict: (links[removal.strong].source as usize, links[removal.strong].target as usize),
            reason: removal.reason,
        });
        let removed: Vec<RemovedMapping> = removed.collect();
        let weak: HashSet<usize> = removals.iter().map(|removal| stated[removal.weak]).collect();
        places.retain(|at| !weak.contains(at));
        let mut mappings: Vec<Mapping> = places.into_iter().map(|at| self.mapping(at)).collect();
        let [broad, narrow] = [(Predicate::Broad, 0), (Predicate::Narrow, 1)].map(|(predicate, side)| {
            let is_asked = options.predicates.contains(&predicate);
            if is_asked { entailed(&mappings, sides[side], sizes[side], predicate) } else { Vec::new() }
        });
        let by_scope = self.by_scope(&mappings, options);
        if !options.predicates.contains(&Predicate::Exact) {
            mappings.clear();
        }
        let stated: HashSet<(usize, usize)> = by_scope.iter().map(|mapping| (mapping.source, mapping.target)).collect();
        let entailed = broad.into_iter().chain(narrow);
        mappings.extend(entailed.filter(|mapping| !stated.contains(&(mapping.source, mapping.target))));
        mappings.extend(by_scope);
        Alignment { mappings, removed, compared: self.compared.len(), rounds, truncated: self.truncated }
    }

    /// Returns the relations that are asked for of the pairs that are not mapped and have an equal name, of which one side says that it means
    /// more or less than its concept, or something related.
    fn by_scope(&self, mappings: &[Mapping], options: &AlignOptions<'_>) -> Vec<Mapping> {
        let mapped: HashSet<(usize, usize)> = mappings.iter().map(|mapping| (mapping.source, mapping.target)).collect();
        let relation = |at: usize| {
            let pair = &self.compared[at];
            let is_open =
                pair.best.level >= KeyMatch::Reordered && !self.judged.contains_key(&(pair.source, pair.target));
            let [source, target] = [(&self.source, pair.names[0]), (&self.target, pair.names[1])]
                .map(|(side, name)| side.names[name as usize].field);
            let predicate = Field::relation(source, target).filter(|_| is_open)?;
            let is_asked = options.predicates.contains(&predicate)
                && !mapped.contains(&(pair.source as usize, pair.target as usize));
            is_asked.then(|| Mapping { predicate, ..self.mapping(at) })
        };
        (0..self.compared.len()).filter_map(relation).collect()
    }

    /// Returns the places of the known pairs and of those with at least the threshold. One-to-one it is those of the best assignment of the
    /// concepts that no known pair has.
    fn chosen(&self, options: &AlignOptions<'_>) -> Vec<usize> {
        let is_likely =
            |pair: &Compared, at: usize| self.is_known(pair) || f64::from(self.probabilities[at]) >= options.threshold;
        let mut likely: Vec<usize> =
            (0..self.compared.len()).filter(|at| is_likely(&self.compared[*at], *at)).collect();
        if options.cardinality == Cardinality::Many {
            return likely;
        }
        let known = self.judged.iter().filter(|(_, is_match)| **is_match).map(|(pair, _)| *pair);
        let (sources, targets): (HashSet<u32>, HashSet<u32>) = known.unzip();
        let is_free = |pair: &Compared| !sources.contains(&pair.source) && !targets.contains(&pair.target);
        let edges = likely.iter().filter(|at| is_free(&self.compared[**at])).map(|at| {
            let (pair, probability) = (&self.compared[*at], f64::from(self.probabilities[*at]));
            Edge { row: pair.source, column: pair.target, weight: probability - options.threshold + 1e-6 }
        });
        let assigned = assign(&edges.collect::<Vec<_>>());
        likely.retain(|at| {
            let pair = &self.compared[*at];
            self.is_known(pair) || assigned.binary_search(&(pair.source, pair.target)).is_ok()
        });
        likely
    }

    /// Returns true if a chosen pair takes part in the repair. Of all candidates those that are less likely than not state nothing.
    fn is_stated(&self, at: usize, options: &AlignOptions<'_>) -> bool {
        let is_likely = f64::from(self.probabilities[at]) >= AlignOptions::THRESHOLD;
        options.cardinality == Cardinality::OneToOne || is_likely || self.is_known(&self.compared[at])
    }

    fn link(&self, at: usize) -> Link {
        let Compared { source, target, .. } = self.compared[at];
        let is_judged = self.is_known(&self.compared[at]);
        Link { source, target, probability: f64::from(self.probabilities[at]), is_judged }
    }

    /// Returns true if a pair was judged to be a match.
    fn is_known(&self, pair: &Compared) -> bool {
        self.judged.get(&(pair.source, pair.target)) == Some(&true)
    }

    fn mapping(&self, at: usize) -> Mapping {
        let pair = &self.compared[at];
        let name = |side: &Vocabulary<'_>, name: u32| {
            let name = &side.names[name as usize];
            MatchedName {
                name: name.profile.written.clone(),
                normalized: name.profile.normalized.as_str().to_owned(),
                field: name.field,
            }
        };
        let around = [Feature::AncestorsAgree, Feature::ChildrenAgree, Feature::SiblingsAgree];
        Mapping {
            source: pair.source as usize,
            target: pair.target as usize,
            predicate: Predicate::Exact,
            confidence: f64::from(self.probabilities[at]),
            names: Some(NameEvidence {
                names: [name(&self.source, pair.names[0]), name(&self.target, pair.names[1])],
                equal: pair.best.level,
                is_rewritten: pair.best.rewritten > 0.0 && pair.best.level < KeyMatch::Reordered,
                similarity: f64::from(pair.best.likeness),
            }),
            is_judged: self.is_known(pair),
            structure: f64::from(around.into_iter().map(|feature| pair.features[feature]).fold(0.0, f32::max)),
        }
    }
}

/// Returns the logit of a share, which is kept from 0 and 1.
fn logit(share: f64) -> f64 {
    let share = share.clamp(1e-6, 1.0 - 1e-6);
    (share / (1.0 - share)).ln()
}

/// Returns the probability of a pair before anything is known of the concepts around it.
fn first_probability(pair: &Compared) -> f32 {
    let of_names = 1.0 / (1.0 + (FIRST_SLOPE * (FIRST_LIKENESS - pair.best.likeness)).exp());
    let ambiguity = pair.features[Feature::Ambiguous];
    let is_nearest = pair.features[Feature::NearestBothWays] > 0.0;
    of_names * (1.0 - ambiguity) * if is_nearest { 0.95 } else { 0.3 }
}

/// Keeps the likeliest candidates of each concept of either side, by the likeness of names and vectors, and the judged ones.
fn keep_likeliest(compared: &mut Vec<Compared>, judged: &HashMap<(u32, u32), bool>) {
    let value =
        |pair: &Compared| pair.best.likeness.max(pair.features[Feature::Vectors]) + pair.features[Feature::XrefsShared];
    let mut kept: Vec<bool> = compared.iter().map(|pair| judged.contains_key(&(pair.source, pair.target))).collect();
    for concept in [|pair: &Compared| pair.source, |pair: &Compared| pair.target] {
        let mut order: Vec<usize> = (0..compared.len()).collect();
        order.sort_by(|one, other| {
            let (one_pair, other_pair) = (&compared[*one], &compared[*other]);
            let by_concept = concept(one_pair).cmp(&concept(other_pair));
            by_concept.then(value(other_pair).total_cmp(&value(one_pair))).then(one.cmp(other))
        });
        for of_concept in order.chunk_by(|one, other| concept(&compared[*one]) == concept(&compared[*other])) {
            of_concept.iter().take(MOST_CANDIDATES).for_each(|at| kept[*at] = true);
        }
    }
    let mut kept = kept.into_iter();
    compared.retain(|_| kept.next() == Some(true));
}

/// Learns synonym rules from the names of each concept, with those of the concept of the other side that alone has an equal name.
fn learn_rewriting(sides: [&Vocabulary<'_>; 2], background: &[Concept]) -> Rewriting {
    let mut groups: Vec<Vec<String>> = Vec::new();
    let mut concepts: [HashMap<truename_text::Key, Option<u32>>; 2] = Default::default();
    for (side, concepts) in sides.iter().zip(&mut concepts) {
        for name in &side.names {
            let known = concepts.entry(name.keys.exact).or_insert(Some(name.concept));
            *known = known.filter(|concept| *concept == name.concept);
        }
    }
    let names = |side: &Vocabulary<'_>, concept: u32| -> Vec<String> {
        let names = side.names[side.names_of(concept)].iter();
        names.map(|name| name.profile.normalized.as_str().to_owned()).collect()
    };
    let mut is_joined = vec![false; sides[1].concepts.len()];
    for concept in 0..sides[0].concepts.len() as u32 {
        let mut group = names(sides[0], concept);
        let keys = sides[0].names[sides[0].names_of(concept)].iter().map(|name| name.keys.exact);
        let unique = keys.filter(|key| concepts[0].get(key).copied().flatten().is_some());
        let partner = unique.filter_map(|key| concepts[1].get(&key).copied().flatten()).next();
        if let Some(partner) = partner {
            is_joined[partner as usize] = true;
            group.extend(names(sides[1], partner));
            group.sort_unstable();
            group.dedup();
        }
        groups.push(group);
    }
    let alone = (0..sides[1].concepts.len() as u32).filter(|concept| !is_joined[*concept as usize]);
    groups.extend(alone.map(|concept| names(sides[1], concept)));
    let normal = |name: &str| truename_text::NormalizedName::new(name).as_str().to_owned();
    groups.extend(background.iter().map(|concept| concept.names().map(normal).collect()));
    let groups: Vec<Vec<&str>> = groups.iter().map(|group| group.iter().map(String::as_str).collect()).collect();
    Rewriting::learn(&groups)
}
