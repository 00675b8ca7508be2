//! The first filling of a store: concepts numbered by id, names by length.

use rayon::prelude::*;
use truename_storage::WriteTransaction;
use truename_text::{Key, NormalizedName};

use super::Store;
use super::counts::Counts;
use super::filed::{distinct_words, filed_keys};
use super::record::{Record, encode_name};
use crate::{Concept, ConceptIndex, Error};

impl Store {
    /// Fills an empty store, and returns the names by number.
    ///
    /// Concepts are numbered by id and names by length, which the n-gram search profits from.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn fill(&self, write: &mut WriteTransaction<'_>, mut concepts: Vec<Concept>) -> Result<Vec<String>, Error> {
        concepts.par_sort_unstable_by(|left, right| left.id.cmp(&right.id));
        let mut names: Vec<(usize, u32, u32)> = Vec::new();
        for (number, concept) in (0u32..).zip(&concepts) {
            self.tables.ids.append(write, concept.id.as_str(), &number)?;
            names.extend(concept.names().zip(0u32..).map(|(name, place)| (name.chars().count(), number, place)));
        }
        names.par_sort_unstable();
        let mut numbers: Vec<Vec<u32>> = concepts.iter().map(|concept| vec![0; concept.name_count()]).collect();
        for (number, (_, concept, place)) in (0u32..).zip(&names) {
            numbers[*concept as usize][*place as usize] = number;
        }
        for (number, concept) in (0u32..).zip(&concepts) {
            let names = std::mem::take(&mut numbers[number as usize]);
            let record = Record::encode(concept, names)?;
            self.tables.concepts.append(write, &number, &record)?;
        }
        let counts = Counts {
            concepts: concepts.len() as u32,
            names: names.len() as u32,
            next_concept: concepts.len() as u32,
            next_name: names.len() as u32,
        };
        self.tables.put_counts(write, counts)?;
        self.fill_names(write, concepts, &names)
    }

    fn fill_names(
        &self,
        write: &mut WriteTransaction<'_>,
        concepts: Vec<Concept>,
        order: &[(usize, u32, u32)],
    ) -> Result<Vec<String>, Error> {
        let mut texts: Vec<Vec<String>> = concepts
            .into_par_iter()
            .map(|concept| {
                let aliases = concept.aliases.into_iter().map(|alias| alias.name);
                std::iter::once(concept.name).chain(concept.synonyms).chain(aliases).collect()
            })
            .collect();
        let mut names = Vec::with_capacity(order.len());
        for (number, (_, concept, place)) in (0u32..).zip(order) {
            let name = std::mem::take(&mut texts[*concept as usize][*place as usize]);
            let value = encode_name(ConceptIndex(*concept), &name);
            self.tables.names.append(write, &number, &value)?;
            names.push(name);
        }
        let (mut keys, mut words): (Vec<(Key, u32)>, Vec<u64>) = (0u32..names.len() as u32)
            .into_par_iter()
            .fold(Default::default, |(mut keys, mut words): (Vec<_>, Vec<_>), number| {
                let normalized = NormalizedName::new(&names[number as usize]);
                keys.extend(filed_keys(&normalized).into_iter().map(|key| (key, number)));
                words.extend(distinct_words(&normalized));
                (keys, words)
            })
            .reduce(Default::default, |mut left, right| {
                left.0.extend(right.0);
                left.1.extend(right.1);
                left
            });
        keys.par_sort_unstable();
        for run in keys.chunk_by(|left, right| left.0 == right.0) {
            let numbers: Vec<u8> = run.iter().flat_map(|(_, number)| number.to_le_bytes()).collect();
            self.tables.keys.append(write, &run[0].0.0, &numbers)?;
        }
        words.par_sort_unstable();
        for run in words.chunk_by(|left, right| left == right) {
            self.tables.words.append(write, &run[0], &(run.len() as u32))?;
        }
        self.tables.forms.build(write, &names)?;
        Ok(names)
    }
}
