//! Repair: mappings that make two concepts of a hierarchy the same by way of the other, or one below two disjoint ones.
//!
//! In the hierarchy that both sides and the mappings make together, a cycle says that all its concepts are equivalent. The weakest mapping
//! of each cycle is removed until none is left that a mapping closes. Judged mappings stay: a cycle of them alone is left.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use crate::Contradiction;
use crate::hierarchy::Hierarchy;

/// A mapping to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Removal {
    /// Place of the mapping.
    pub(crate) weak: usize,
    /// Place of the likelier one that it contradicts; the likeliest one of a cycle.
    pub(crate) strong: usize,
    pub(crate) reason: Contradiction,
}

/// A mapping between two concepts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) source: u32,
    pub(crate) target: u32,
    pub(crate) probability: f64,
    /// True if it must stay.
    pub(crate) is_judged: bool,
}

impl Link {
    /// Orders by what must stay, then by probability.
    fn strength(&self, other: &Self) -> Ordering {
        self.is_judged.cmp(&other.is_judged).then(self.probability.total_cmp(&other.probability))
    }
}

/// Returns the mappings to remove.
pub(crate) fn removals(sides: [&Hierarchy; 2], sizes: [usize; 2], mappings: &[Link]) -> Vec<Removal> {
    let disjoint = disjoint(sides, mappings).into_iter();
    let mut removals: Vec<Removal> =
        disjoint.map(|(weak, strong)| Removal { weak, strong, reason: Contradiction::Disjoint }).collect();
    let mut kept: Vec<bool> = vec![true; mappings.len()];
    removals.iter().for_each(|removal| kept[removal.weak] = false);
    let cycles = cycles(sides, sizes, mappings, kept).into_iter();
    removals.extend(cycles.map(|(weak, strong)| Removal { weak, strong, reason: Contradiction::Cycle }));
    removals
}

/// Returns the places of mappings to remove, so that no two are left of which one side has one concept above the other while those of the
/// other side are disjoint; with the place of the likeliest that each contradicts. First goes the one against which the others speak most, for
/// its probability: of two the weaker, and one general mapping before many below it (the greedy cover of the contradictions).
fn disjoint(sides: [&Hierarchy; 2], mappings: &[Link]) -> Vec<(usize, usize)> {
    let mut against: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); mappings.len()];
    for side in (0..2).filter(|side| sides[1 - side].has_disjoint()) {
        let ends = |link: &Link| if side == 0 { [link.source, link.target] } else { [link.target, link.source] };
        let mut of_concept: HashMap<u32, Vec<usize>> = HashMap::new();
        mappings.iter().enumerate().for_each(|(at, link)| of_concept.entry(ends(link)[0]).or_default().push(at));
        for (below, link) in mappings.iter().enumerate() {
            let [own, image] = ends(link);
            let upwards = std::iter::once(own).chain(sides[side].ancestors(own).iter().copied());
            for above in upwards.filter_map(|concept| of_concept.get(&concept)).flatten() {
                let is_free = !(link.is_judged && mappings[*above].is_judged);
                if is_free && *above != below && sides[1 - side].are_disjoint(image, ends(&mappings[*above])[1]) {
                    against[below].insert(*above);
                    against[*above].insert(below);
                }
            }
        }
    }
    let mut removed = Vec::new();
    loop {
        let of_others = |at: usize| against[at].iter().map(|other| mappings[*other].probability).sum::<f64>();
        let excess = |at: usize| of_others(at) / mappings[at].probability.max(f64::MIN_POSITIVE);
        let open = (0..mappings.len()).filter(|at| !against[*at].is_empty() && !mappings[*at].is_judged);
        let by_excess = |one: &usize, other: &usize| excess(*one).total_cmp(&excess(*other)).then(one.cmp(other));
        let Some(weak) = open.max_by(by_excess) else { return removed };
        let others = std::mem::take(&mut against[weak]);
        for other in &others {
            against[*other].remove(&weak);
        }
        let by_strength = |one: &usize, other: &usize| mappings[*one].strength(&mappings[*other]).then(other.cmp(one));
        removed.extend(others.into_iter().max_by(by_strength).map(|strong| (weak, strong)));
    }
}

/// Returns the places of the kept mappings to remove, with the place of the likeliest mapping in the same cycle.
fn cycles(sides: [&Hierarchy; 2], sizes: [usize; 2], mappings: &[Link], mut kept: Vec<bool>) -> Vec<(usize, usize)> {
    let mut removed = Vec::new();
    loop {
        let graph = MergedHierarchy::new(sides, sizes, mappings, &kept);
        let components = graph.components();
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); components.nodes.len()];
        for at in (0..mappings.len()).filter(|at| kept[*at]) {
            members[components.of[graph.node(0, mappings[at].source)]].push(at);
        }
        let mut found = false;
        let is_cycle =
            |(component, members): &(usize, &Vec<usize>)| members.len() > 1 && components.nodes[*component] > 1;
        for (_, of_component) in members.iter().enumerate().filter(is_cycle) {
            let by_strength =
                |one: &&usize, other: &&usize| mappings[**one].strength(&mappings[**other]).then(other.cmp(one));
            let weakest = *of_component.iter().min_by(by_strength).expect("two or more");
            let strongest = *of_component.iter().max_by(by_strength).expect("two or more");
            if mappings[weakest].is_judged {
                continue;
            }
            kept[weakest] = false;
            removed.push((weakest, strongest));
            found = true;
        }
        if !found {
            return removed;
        }
    }
}

/// The concepts of both sides, mapped ones merged, with an arrow to each parent.
struct MergedHierarchy {
    arrows: Vec<Vec<usize>>,
    /// Node of each concept: of the source, then of the target.
    nodes: Vec<usize>,
    sources: usize,
}

struct Components {
    /// Component of each node.
    of: Vec<usize>,
    /// Number of nodes of each component.
    nodes: Vec<usize>,
}

impl MergedHierarchy {
    fn new(sides: [&Hierarchy; 2], sizes: [usize; 2], mappings: &[Link], kept: &[bool]) -> Self {
        let mut nodes: Vec<usize> = (0..sizes[0] + sizes[1]).collect();
        for (link, _) in mappings.iter().zip(kept).filter(|(_, kept)| **kept) {
            let (source, target) = (link.source as usize, sizes[0] + link.target as usize);
            let (one, other) = (root(&mut nodes, source), root(&mut nodes, target));
            nodes[one.max(other)] = one.min(other);
        }
        let nodes: Vec<usize> = (0..nodes.len()).map(|node| root(&mut nodes, node)).collect();
        let mut arrows = vec![Vec::new(); nodes.len()];
        for (side, size) in sizes.into_iter().enumerate() {
            for concept in 0..size as u32 {
                let from = nodes[side * sizes[0] + concept as usize];
                let parents = sides[side].parents(concept).iter();
                arrows[from].extend(parents.map(|parent| nodes[side * sizes[0] + *parent as usize]));
            }
        }
        Self { arrows, nodes, sources: sizes[0] }
    }

    fn node(&self, side: usize, concept: u32) -> usize {
        self.nodes[side * self.sources + concept as usize]
    }

    /// Returns the strongly connected components (Tarjan 1972), without recursion.
    fn components(&self) -> Components {
        const UNSEEN: usize = usize::MAX;
        let count = self.arrows.len();
        let (mut order, mut low, mut of) = (vec![UNSEEN; count], vec![0; count], vec![UNSEEN; count]);
        let (mut next, mut nodes, mut stack) = (0, Vec::new(), Vec::new());
        for start in 0..count {
            if order[start] != UNSEEN {
                continue;
            }
            let mut path = vec![(start, 0)];
            while let Some((node, arrow)) = path.last_mut() {
                let node = *node;
                if *arrow == 0 {
                    (order[node], low[node]) = (next, next);
                    next += 1;
                    stack.push(node);
                }
                if let Some(&to) = self.arrows[node].get(*arrow) {
                    *arrow += 1;
                    if order[to] == UNSEEN {
                        path.push((to, 0));
                    } else if of[to] == UNSEEN {
                        low[node] = low[node].min(order[to]);
                    }
                    continue;
                }
                if low[node] == order[node] {
                    let first = stack.iter().rposition(|member| *member == node).expect("it was put there");
                    stack[first..].iter().for_each(|member| of[*member] = nodes.len());
                    nodes.push(stack.len() - first);
                    stack.truncate(first);
                }
                path.pop();
                if let Some((above, _)) = path.last() {
                    low[*above] = low[*above].min(low[node]);
                }
            }
        }
        Components { of, nodes }
    }
}

fn root(nodes: &mut [usize], mut node: usize) -> usize {
    while nodes[node] != node {
        nodes[node] = nodes[nodes[node]];
        node = nodes[node];
    }
    node
}

#[cfg(test)]
mod tests {
    use truename_kb::Concept;

    use super::*;

    fn hierarchy(parents: &[&[usize]]) -> Hierarchy {
        let id = |number: usize| format!("c{number}").parse().unwrap();
        let concepts: Vec<Concept> = (0..parents.len())
            .map(|number| {
                let mut concept = Concept::new(id(number), "name");
                concept.parents = parents[number].iter().map(|parent| id(*parent)).collect();
                concept
            })
            .collect();
        Hierarchy::new(&concepts, crate::hierarchy::Relations::Parents)
    }

    fn found(sides: [&Hierarchy; 2], sizes: [usize; 2], mappings: &[Link]) -> Vec<(usize, usize)> {
        removals(sides, sizes, mappings).into_iter().map(|removal| (removal.weak, removal.strong)).collect()
    }

    fn links<const N: usize>(mappings: [(u32, u32, f64); N]) -> [Link; N] {
        mappings.map(|(source, target, probability)| Link { source, target, probability, is_judged: false })
    }

    #[test]
    fn the_weakest_mapping_of_a_cycle_is_removed() {
        // Source: 0 is below 1, 2 below 1. Target: 1 is below 0.
        let (source, target) = (hierarchy(&[&[1], &[], &[1]]), hierarchy(&[&[], &[0], &[1]]));
        let mappings = links([(0, 0, 0.9), (1, 1, 0.8), (2, 2, 0.7)]);
        assert_eq!(found([&source, &target], [3, 3], &mappings), [(1, 0)]);
        let others = links([(0, 1, 0.9), (1, 0, 0.8), (2, 2, 0.5)]);
        assert!(found([&source, &target], [3, 3], &others).is_empty());
        let judged = |at: &[usize]| {
            let mut mappings = mappings;
            at.iter().for_each(|at| mappings[*at].is_judged = true);
            found([&source, &target], [3, 3], &mappings)
        };
        assert_eq!(judged(&[1]), [(0, 1)]);
        assert!(judged(&[0, 1]).is_empty());
    }

    #[test]
    fn a_long_cycle_through_several_mappings_is_found() {
        // 0 < 1 in the source, 1 = 1, 1 < 2 in the target, 2 = 2, 2 < 3 in the source, 3 = 0, and 0 = 3 below 0.
        let source = hierarchy(&[&[1], &[], &[3], &[]]);
        let target = hierarchy(&[&[3], &[2], &[], &[]]);
        let mappings = links([(1, 1, 0.9), (2, 2, 0.8), (3, 0, 0.6), (0, 3, 0.7)]);
        assert_eq!(found([&source, &target], [4, 4], &mappings), [(2, 0)]);
        assert!(found([&source, &target], [4, 4], &mappings[..3]).is_empty());
    }

    #[test]
    fn the_weaker_of_mappings_onto_disjoint_concepts_is_removed() {
        // Source: 1 and 2 are below 0. Target: 0 and 1 are disjoint, 2 is below 1.
        let source = hierarchy(&[&[], &[0], &[0]]);
        let target = {
            let mut concepts: Vec<Concept> =
                (0..3).map(|number| Concept::new(format!("c{number}").parse().unwrap(), "name")).collect();
            concepts[0].disjoint_from = vec!["c1".parse().unwrap()];
            concepts[2].parents = vec!["c1".parse().unwrap()];
            Hierarchy::new(&concepts, crate::hierarchy::Relations::Parents)
        };
        let mappings = links([(0, 0, 0.9), (1, 2, 0.8), (2, 1, 0.95)]);
        assert_eq!(found([&source, &target], [3, 3], &mappings[..2]), [(1, 0)]);
        assert_eq!(found([&target, &source], [3, 3], &mappings.map(turned)[..2]), [(1, 0)]);
        // Two speak against the first.
        assert_eq!(found([&source, &target], [3, 3], &mappings), [(0, 2)]);
        let mut judged = mappings;
        judged.iter_mut().for_each(|link| link.is_judged = true);
        assert!(found([&source, &target], [3, 3], &judged).is_empty());
    }

    fn turned(link: Link) -> Link {
        Link { source: link.target, target: link.source, ..link }
    }
}
