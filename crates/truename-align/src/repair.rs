//! Repair: mappings that make two concepts of one hierarchy the same by way of the other.
//!
//! In the hierarchy that both sides and the mappings make together, a cycle says that all its concepts are equivalent. The weakest mapping
//! of each cycle is removed until none is left that a mapping closes. Judged mappings stay: a cycle of them alone is left.

use crate::hierarchy::Hierarchy;

/// A mapping between two concepts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) source: u32,
    pub(crate) target: u32,
    pub(crate) probability: f64,
    /// True if it must stay.
    pub(crate) is_judged: bool,
}

/// Returns the places of the mappings to remove, with the place of the likeliest mapping in the same cycle.
pub(crate) fn cycles(sides: [&Hierarchy; 2], sizes: [usize; 2], mappings: &[Link]) -> Vec<(usize, usize)> {
    let mut kept: Vec<bool> = vec![true; mappings.len()];
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
            let by_probability = |one: &&usize, other: &&usize| {
                let (left, right) = (&mappings[**one], &mappings[**other]);
                let by_judgement = left.is_judged.cmp(&right.is_judged);
                by_judgement.then(left.probability.total_cmp(&right.probability)).then(other.cmp(one))
            };
            let weakest = *of_component.iter().min_by(by_probability).expect("two or more");
            let strongest = *of_component.iter().max_by(by_probability).expect("two or more");
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

    fn links<const N: usize>(mappings: [(u32, u32, f64); N]) -> [Link; N] {
        mappings.map(|(source, target, probability)| Link { source, target, probability, is_judged: false })
    }

    #[test]
    fn the_weakest_mapping_of_a_cycle_is_removed() {
        // Source: 0 is below 1, 2 below 1. Target: 1 is below 0.
        let (source, target) = (hierarchy(&[&[1], &[], &[1]]), hierarchy(&[&[], &[0], &[1]]));
        let mappings = links([(0, 0, 0.9), (1, 1, 0.8), (2, 2, 0.7)]);
        assert_eq!(cycles([&source, &target], [3, 3], &mappings), [(1, 0)]);
        let others = links([(0, 1, 0.9), (1, 0, 0.8), (2, 2, 0.5)]);
        assert!(cycles([&source, &target], [3, 3], &others).is_empty());
        let judged = |at: &[usize]| {
            let mut mappings = mappings;
            at.iter().for_each(|at| mappings[*at].is_judged = true);
            cycles([&source, &target], [3, 3], &mappings)
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
        assert_eq!(cycles([&source, &target], [4, 4], &mappings), [(2, 0)]);
        assert!(cycles([&source, &target], [4, 4], &mappings[..3]).is_empty());
    }
}
