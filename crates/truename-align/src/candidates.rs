//! Pairs of concepts worth comparing, with the pairs of names that proposed them.
//!
//! Names propose by the lookup keys that they share, by the names that synonym rules make of them, by a number behind an initial, and by their nearest names by
//! n-grams and, with an encoder, by vectors, in both directions.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;
use truename_index::{NgramIndex, Search, SearchScratch};
use truename_kb::{Environment, Progress};
use truename_text::{Key, NameKeys, NormalizedName};

use crate::designation::{STRENGTH, designations};
use crate::name_pair::NamePair;
use crate::rewriting::Rewriting;
use crate::vectors::NameVectors;
use crate::vocabulary::{Name, Vocabulary};
use crate::{Error, JudgedPair};

/// Names under one key that are proposed; a key of more tells nothing.
const MOST_UNDER_KEY: usize = 32;
/// Lowest cosine of n-grams of a proposed name.
const MIN_COSINE: f32 = 0.35;
/// Pairs of names kept of a pair of concepts.
const MOST_NAME_PAIRS: usize = 12;
/// Names searched between two looks at the progress.
const PIECE: usize = 512;
/// Address space of an index for each n-gram of a name, and beside that; costs no memory until it is filled.
const MAP_BYTES_PER_GRAM: u64 = 64;
const MAP_BYTES: u64 = 64 << 20;

/// A pair of concepts.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) source: u32,
    pub(crate) target: u32,
    /// Place of its pairs of names.
    pub(crate) names: Range<usize>,
}

/// Pairs of concepts, ascending by source and target.
pub(crate) struct Candidates {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) names: Vec<NamePair>,
}

/// Proposes pairs of concepts of two vocabularies.
pub(crate) struct Proposer<'a> {
    pub(crate) source: &'a Vocabulary<'a>,
    pub(crate) target: &'a Vocabulary<'a>,
    pub(crate) rewriting: &'a Rewriting,
    pub(crate) vectors: Option<&'a NameVectors>,
    /// Nearest names that each name proposes, by each index.
    pub(crate) neighbours: usize,
    /// Pairs of concepts that are compared whatever their names.
    pub(crate) judged: &'a [JudgedPair],
    pub(crate) progress: &'a Progress,
}

impl Proposer<'_> {
    pub(crate) fn propose(&self) -> Result<Candidates, Error> {
        let mut found = self.by_keys();
        found.extend(self.by_designations());
        found.extend(self.judged.iter().filter_map(|pair| self.labels(pair)));
        found.extend(self.by_ngrams()?);
        if let Some(vectors) = self.vectors {
            found.extend(vectors.nearest(self.neighbours, self.progress)?);
        }
        Ok(self.group(found))
    }

    /// Returns the labels of a judged pair; none if a concept has no name.
    fn labels(&self, pair: &JudgedPair) -> Option<NamePair> {
        let label =
            |side: &Vocabulary<'_>, concept: usize| side.names_of(concept as u32).next().map(|name| name as u32);
        let (source, target) = (label(self.source, pair.source)?, label(self.target, pair.target)?);
        Some(NamePair { source, target, rewritten: 0.0 })
    }

    fn by_keys(&self) -> Vec<NamePair> {
        let filed = KeyTable::new(&self.target.names);
        let of_name = |(source, name): (usize, &Name)| {
            let source = source as u32;
            let pair = move |target: u32, rewritten| NamePair { source, target, rewritten };
            let mut found: Vec<NamePair> = filed.of(&name.keys).map(|target| pair(target, 0.0)).collect();
            for form in self.rewriting.forms(name.profile.normalized.as_str()) {
                let keys = NameKeys::of(&NormalizedName::new(&form.text));
                found.extend(filed.of_form(&keys).map(|target| pair(target, form.strength)));
            }
            found
        };
        self.source.names.par_iter().enumerate().map(|(at, name)| of_name((at, name))).flatten_iter().collect()
    }

    /// Returns the names that are equal but for a number behind the initial of a word.
    fn by_designations(&self) -> Vec<NamePair> {
        let find = |names: &[Name], others: &[Name], is_forth: bool| -> Vec<NamePair> {
            let filed = KeyTable::new(others);
            let of_name = |(name, own): (usize, &Name)| {
                let forms = designations(own.profile.normalized.as_str());
                let keys = forms.iter().map(|form| NameKeys::of(&NormalizedName::new(form)));
                let found: Vec<u32> = keys.flat_map(|keys| filed.of_form(&keys).collect::<Vec<_>>()).collect();
                found.into_iter().map(move |other| {
                    let (source, target) = if is_forth { (name as u32, other) } else { (other, name as u32) };
                    NamePair { source, target, rewritten: STRENGTH }
                })
            };
            names.par_iter().enumerate().flat_map_iter(of_name).collect()
        };
        let mut found = find(&self.source.names, &self.target.names, true);
        found.extend(find(&self.target.names, &self.source.names, false));
        found
    }

    fn by_ngrams(&self) -> Result<Vec<NamePair>, Error> {
        let pair = |source: u32, target: u32| NamePair { source, target, rewritten: 0.0 };
        let near = |queries: &[Name], others: &[Name]| self.nearest(queries, others);
        let forth = near(&self.source.names, &self.target.names)?.into_iter().map(|(name, other)| pair(name, other));
        let back = near(&self.target.names, &self.source.names)?.into_iter().map(|(name, other)| pair(other, name));
        Ok(forth.chain(back).collect())
    }

    /// Returns each query with the names nearest to it.
    fn nearest(&self, queries: &[Name], names: &[Name]) -> Result<Vec<(u32, u32)>, Error> {
        self.progress.begin("searching by n-grams", queries.len() as u64);
        // Searches are fastest where names are numbered by length.
        let mut order: Vec<u32> = (0..names.len() as u32).collect();
        order.sort_by_key(|name| names[*name as usize].grams.len());
        let grams: u64 = names.iter().map(|name| name.grams.len() as u64).sum();
        let environment = Environment::scratch(MAP_BYTES + MAP_BYTES_PER_GRAM * grams)?;
        let mut write = environment.write()?;
        let index = NgramIndex::create(&environment, &mut write)?;
        index.build(&mut write, names.len() as u32, |at| names[order[at as usize] as usize].grams.clone())?;
        write.commit()?;
        let rank = |at: u32| order[at as usize];
        let piece = |(number, piece): (usize, &[Name])| {
            self.progress.check()?;
            let read = environment.read()?;
            let search = Search { limit: self.neighbours, min_score: MIN_COSINE, rank: Some(&rank), allowed: None };
            let (mut scratch, mut found) = (SearchScratch::default(), Vec::new());
            for (query, name) in ((number * PIECE) as u32..).zip(piece) {
                let hits = index.search(&read, &name.grams, &search, &mut scratch)?;
                found.extend(hits.into_iter().map(|hit| (query, rank(hit.name))));
            }
            self.progress.advance(piece.len() as u64);
            Ok(found)
        };
        let pieces: Result<Vec<_>, Error> = queries.par_chunks(PIECE).enumerate().map(piece).collect();
        Ok(pieces?.concat())
    }

    /// Groups pairs of names by their concepts.
    fn group(&self, mut names: Vec<NamePair>) -> Candidates {
        let concepts = |pair: &NamePair| {
            let (source, target) = (&self.source.names[pair.source as usize], &self.target.names[pair.target as usize]);
            (source.concept, target.concept)
        };
        let is_exact = |pair: &NamePair| {
            let (source, target) = (&self.source.names[pair.source as usize], &self.target.names[pair.target as usize]);
            source.keys.exact == target.keys.exact
        };
        names.par_sort_unstable_by(|one, other| {
            let key = |pair: &NamePair| (concepts(pair), !is_exact(pair), pair.source, pair.target);
            key(one).cmp(&key(other)).then(other.rewritten.total_cmp(&one.rewritten))
        });
        names.dedup_by_key(|pair| (pair.source, pair.target));
        let (mut pairs, mut kept): (Vec<Pair>, Vec<NamePair>) = (Vec::new(), Vec::with_capacity(names.len()));
        for pair in names {
            let (source, target) = concepts(&pair);
            let at = kept.len();
            match pairs.last_mut().filter(|last| (last.source, last.target) == (source, target)) {
                Some(last) if last.names.len() == MOST_NAME_PAIRS => continue,
                Some(last) => last.names.end = at + 1,
                None => pairs.push(Pair { source, target, names: at..at + 1 }),
            }
            kept.push(pair);
        }
        Candidates { pairs, names: kept }
    }
}

/// Names of one side by their lookup keys.
struct KeyTable {
    names: HashMap<Key, Vec<u32>>,
    initials: HashMap<Key, Vec<u32>>,
}

impl KeyTable {
    fn new(names: &[Name]) -> Self {
        let (mut table, mut initials) = (HashMap::<Key, Vec<u32>>::new(), HashMap::<Key, Vec<u32>>::new());
        for (number, name) in (0..).zip(names) {
            name.keys.filed().for_each(|key| table.entry(key).or_default().push(number));
            name.keys.initials.iter().for_each(|key| initials.entry(*key).or_default().push(number));
        }
        Self { names: table, initials }
    }

    /// Returns the names that share a key with a name, or are an acronym of it, or it of them.
    fn of(&self, keys: &NameKeys) -> impl Iterator<Item = u32> {
        let acronym = keys.initials.and_then(|key| self.names.get(&key));
        self.of_form(keys).chain(few(self.initials.get(&keys.exact))).chain(few(acronym))
    }

    fn of_form(&self, keys: &NameKeys) -> impl Iterator<Item = u32> {
        keys.filed().flat_map(|key| few(self.names.get(&key)))
    }
}

fn few(names: Option<&Vec<u32>>) -> impl Iterator<Item = u32> {
    names.filter(|names| names.len() <= MOST_UNDER_KEY).into_iter().flatten().copied()
}
