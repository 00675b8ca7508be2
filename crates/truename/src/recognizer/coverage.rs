//! Which concepts of a knowledge base a trained recognizer finds, by a sample of their names.

use std::collections::{BTreeMap, BTreeSet};

use truename_text::natural_order;

use super::trained::TrainedRecognizer;
use crate::{Error, KnowledgeBase};

/// Concepts of the sample, evenly spaced by id.
const CONCEPTS: usize = 512;
/// Fewest names of a type that tell whether it is covered.
const FEWEST: usize = 32;
/// Most names of a type that are read.
const MOST: usize = 96;
/// Least share of the names of a covered type that are mentions, each read alone.
const COVERED: f64 = 0.55;
/// Least share of a recognizer's type among the mentions in the names of a covered type.
const USUAL: f64 = 0.25;

/// Types of a knowledge base whose concepts a trained recognizer finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Coverage {
    /// Types of the recognizer that stand for concepts of the knowledge base.
    pub found: BTreeSet<String>,
    /// Types of the knowledge base whose concepts it does not find.
    pub others: Vec<String>,
    /// True if it finds most of the concepts without a type.
    pub has_untyped: bool,
}

impl Coverage {
    /// Returns the types that are covered: those of the recognizer's names of types, and those of which it finds a sample of the names, each
    /// read alone. `None` where none is, or where some concepts have no type and these are not covered. `wanted`: types to look for; empty for all.
    pub(super) fn of(
        kb: &KnowledgeBase,
        recognizer: &TrainedRecognizer,
        wanted: &[String],
    ) -> Result<Option<Self>, Error> {
        let is_wanted = |name: &String| wanted.is_empty() || wanted.contains(name);
        let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for concept in kb.sample(CONCEPTS)? {
            let name = natural_order(&concept.name).unwrap_or(concept.name);
            let types = if concept.types.is_empty() { vec![String::new()] } else { concept.types };
            for concept_type in types.into_iter().filter(is_wanted) {
                let names = names.entry(concept_type).or_default();
                if names.len() < MOST {
                    names.push(name.clone());
                }
            }
        }
        let known: Vec<String> = recognizer.types().into_iter().map(|known| known.name).collect();
        let mut coverage = Self::default();
        let mut covered = BTreeSet::new();
        for (concept_type, names) in names {
            let is_enough = names.len() >= FEWEST;
            if let Some(same) = known.iter().find(|known| is_enough && known.eq_ignore_ascii_case(&concept_type)) {
                coverage.found.insert(same.clone());
                covered.insert(concept_type);
                continue;
            }
            let texts: Vec<&str> = names.iter().map(String::as_str).collect();
            let mut found: BTreeMap<String, usize> = BTreeMap::new();
            for name in recognizer.types_of_names(&texts)?.into_iter().flatten() {
                *found.entry(name).or_default() += 1;
            }
            let share = found.values().sum::<usize>() as f64 / names.len() as f64;
            tracing::info!("{share:.2} of {} names of type \"{concept_type}\" are mentions of {found:?}", names.len());
            if is_enough && share >= COVERED {
                let usual = found.into_iter().filter(|(_, count)| *count as f64 >= USUAL * share * names.len() as f64);
                coverage.found.extend(usual.map(|(name, _)| name));
                coverage.has_untyped |= concept_type.is_empty();
                covered.insert(concept_type);
            } else if concept_type.is_empty() {
                return Ok(None);
            }
        }
        if covered.is_empty() {
            return Ok(None);
        }
        coverage.others = kb.types()?.into_iter().filter(|name| is_wanted(name) && !covered.contains(name)).collect();
        Ok(Some(coverage))
    }
}
