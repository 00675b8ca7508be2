//! Judged pairs of concepts.

use std::collections::HashMap;

use truename_kb::Concept;

use crate::{FileMapping, Predicate, plain_id};

/// A pair of concepts that was judged, by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgedPair {
    /// Place of the concept among those of the source.
    pub source: usize,
    /// Place of the concept among those of the target.
    pub target: usize,
    /// True if both are the same.
    pub is_match: bool,
}

/// Judged pairs of two vocabularies.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct JudgedPairs {
    /// The pairs, those that are known before those that are excluded.
    pub pairs: Vec<JudgedPair>,
    /// Mappings without a concept in one of the vocabularies.
    pub unknown: Vec<FileMapping>,
}

impl JudgedPairs {
    /// Finds the concepts of known and of excluded mappings. Mappings that say anything else than that two concepts are the same are left
    /// out.
    pub fn of_files(sides: [&[Concept]; 2], known: &[FileMapping], excluded: &[FileMapping]) -> Self {
        let [sources, targets] = sides.map(Numbers::new);
        let mut judged = Self::default();
        let all = known.iter().map(|mapping| (mapping, !mapping.is_negative));
        for (mapping, is_match) in all.chain(excluded.iter().map(|mapping| (mapping, false))) {
            if mapping.predicate != Some(Predicate::Exact) {
                continue;
            }
            match (sources.of(&mapping.subject), targets.of(&mapping.object)) {
                (Some(source), Some(target)) => judged.pairs.push(JudgedPair { source, target, is_match }),
                _ => judged.unknown.push(mapping.clone()),
            }
        }
        judged
    }
}

/// Places of concepts by their ids.
struct Numbers(HashMap<String, usize>);

impl Numbers {
    fn new(concepts: &[Concept]) -> Self {
        Self(concepts.iter().zip(0..).map(|(concept, place)| (plain_id(concept.id.as_str()), place)).collect())
    }

    /// Returns the place of an id; ids without a prefix are found by what is behind that of the file.
    fn of(&self, id: &str) -> Option<usize> {
        let local = || self.0.get(id.split_once(':')?.1);
        self.0.get(id).or_else(local).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concepts_are_found_with_and_without_a_prefix() {
        let concepts =
            |ids: &[&str]| -> Vec<Concept> { ids.iter().map(|id| Concept::new(id.parse().unwrap(), "name")).collect() };
        let (source, target) = (concepts(&["MONDO:1", "http://mouse.owl#MA_1"]), concepts(&["D001", "D002"]));
        let known = [FileMapping::exact("mondo:1", "mesh:D002", 1.0), FileMapping::exact("mondo:9", "mesh:D002", 1.0)];
        let excluded = [FileMapping::exact("http://mouse.owl#MA_1", "D001", 1.0)];
        let judged = JudgedPairs::of_files([&source, &target], &known, &excluded);
        let pair = |source, target, is_match| JudgedPair { source, target, is_match };
        assert_eq!(judged.pairs, [pair(0, 1, true), pair(1, 0, false)]);
        assert_eq!(judged.unknown, [known[1].clone()]);
    }
}
