//! The hierarchy of a vocabulary: parents, children and ancestors of its concepts, by number.

use std::collections::HashMap;

use truename_kb::Concept;

/// Levels above a concept that count as its ancestors.
const LEVELS: usize = 12;
/// Most ancestors kept of one concept, the nearest ones.
const MOST_ANCESTORS: usize = 64;

/// Relations that a hierarchy follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relations {
    /// Broader concepts.
    Parents,
    /// Broader concepts, and the wholes of parts.
    ParentsAndWholes,
}

/// Parents, children and ancestors of the concepts of a vocabulary.
pub(crate) struct Hierarchy {
    parents: Vec<Vec<u32>>,
    children: Vec<Vec<u32>>,
    /// Ancestors of each concept, the nearest first.
    ancestors: Vec<Vec<u32>>,
    /// Pairs of concepts that have no narrower one in common, both ways, ascending.
    disjoint: Vec<(u32, u32)>,
}

impl Hierarchy {
    /// Reads the hierarchy of concepts; relations to others are left out.
    pub(crate) fn new(concepts: &[Concept], relations: Relations) -> Self {
        let numbers: HashMap<&str, u32> =
            concepts.iter().zip(0..).map(|(concept, number)| (concept.id.as_str(), number)).collect();
        let (mut parents, mut children) = (vec![Vec::new(); concepts.len()], vec![Vec::new(); concepts.len()]);
        for (child, concept) in (0u32..).zip(concepts) {
            let wholes = concept.part_of.iter().filter(|_| relations == Relations::ParentsAndWholes);
            let above = concept.parents.iter().chain(wholes);
            for parent in above.filter_map(|parent| numbers.get(parent.as_str())).filter(|parent| **parent != child) {
                if !parents[child as usize].contains(parent) {
                    parents[child as usize].push(*parent);
                    children[*parent as usize].push(child);
                }
            }
        }
        let ancestors = (0..concepts.len()).map(|concept| ancestors(&parents, concept)).collect();
        let mut disjoint = Vec::new();
        for (one, concept) in (0u32..).zip(concepts) {
            let others = concept.disjoint_from.iter().filter_map(|other| numbers.get(other.as_str()));
            disjoint.extend(others.filter(|other| **other != one).flat_map(|other| [(one, *other), (*other, one)]));
        }
        disjoint.sort_unstable();
        disjoint.dedup();
        Self { parents, children, ancestors, disjoint }
    }

    /// Returns true if some of its concepts are disjoint.
    pub(crate) fn has_disjoint(&self) -> bool {
        !self.disjoint.is_empty()
    }

    /// Returns true if no concept can be below both or the same as both: they, or concepts above them, are disjoint.
    pub(crate) fn are_disjoint(&self, one: u32, other: u32) -> bool {
        let upwards = |concept: u32| std::iter::once(concept).chain(self.ancestors(concept).iter().copied());
        let is_stated = |above: u32| {
            let first = self.disjoint.partition_point(|(concept, _)| *concept < above);
            let mut others = self.disjoint[first..].iter().take_while(|(concept, _)| *concept == above);
            others.any(|(_, disjoint)| upwards(other).any(|above| above == *disjoint))
        };
        self.has_disjoint() && upwards(one).any(is_stated)
    }

    pub(crate) fn parents(&self, concept: u32) -> &[u32] {
        &self.parents[concept as usize]
    }

    pub(crate) fn children(&self, concept: u32) -> &[u32] {
        &self.children[concept as usize]
    }

    /// Returns the ancestors of a concept, the nearest first.
    pub(crate) fn ancestors(&self, concept: u32) -> &[u32] {
        &self.ancestors[concept as usize]
    }

    /// Returns true if `above` is an ancestor of `concept`.
    pub(crate) fn is_above(&self, above: u32, concept: u32) -> bool {
        self.ancestors(concept).contains(&above)
    }

    /// Returns the other children of the parents of a concept.
    pub(crate) fn siblings(&self, concept: u32) -> impl Iterator<Item = u32> {
        let parents = self.parents(concept).iter();
        parents.flat_map(|parent| self.children(*parent)).copied().filter(move |sibling| *sibling != concept)
    }
}

fn ancestors(parents: &[Vec<u32>], concept: usize) -> Vec<u32> {
    let (mut found, mut level) = (Vec::new(), parents[concept].clone());
    for _ in 0..LEVELS {
        let mut next = Vec::new();
        for parent in level {
            if found.len() < MOST_ANCESTORS && parent as usize != concept && !found.contains(&parent) {
                found.push(parent);
                next.extend(&parents[parent as usize]);
            }
        }
        level = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concept(id: &str, parents: &[&str]) -> Concept {
        let mut concept = Concept::new(id.parse().unwrap(), id);
        concept.parents = parents.iter().map(|parent| parent.parse().unwrap()).collect();
        concept
    }

    #[test]
    fn ancestors_come_nearest_first_and_cycles_end() {
        let concepts =
            [concept("a", &["b", "elsewhere"]), concept("b", &["c"]), concept("c", &["a"]), concept("d", &["b", "d"])];
        let hierarchy = Hierarchy::new(&concepts, Relations::Parents);
        assert_eq!(hierarchy.ancestors(0), [1, 2]);
        assert_eq!(hierarchy.ancestors(3), [1, 2, 0]);
        assert_eq!(hierarchy.siblings(0).collect::<Vec<_>>(), [3]);
        assert!(hierarchy.is_above(2, 3) && !hierarchy.is_above(3, 2));
    }

    #[test]
    fn what_is_below_disjoint_concepts_is_disjoint() {
        let mut concepts =
            [concept("a", &[]), concept("b", &[]), concept("c", &["a"]), concept("d", &["b"]), concept("e", &[])];
        concepts[0].disjoint_from = ["b", "elsewhere", "a"].map(|id| id.parse().unwrap()).into();
        let hierarchy = Hierarchy::new(&concepts, Relations::Parents);
        for (one, other) in [(0, 1), (1, 0), (2, 1), (3, 0), (2, 3), (3, 2)] {
            assert!(hierarchy.are_disjoint(one, other), "{one} {other}");
        }
        assert!(!hierarchy.are_disjoint(0, 2) && !hierarchy.are_disjoint(4, 0) && !hierarchy.are_disjoint(0, 0));
    }
}
