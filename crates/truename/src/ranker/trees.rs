//! Regression trees that score a row of features.

use serde::{Deserialize, Serialize};

/// An ensemble of regression trees; a higher score is likelier right.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trees(pub(super) Vec<Tree>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tree(pub(super) Vec<Node>);

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Node {
    Leaf(f32),
    /// Rows with `row[feature] <= threshold` go left.
    Split {
        feature: u16,
        threshold: f32,
        left: u16,
        right: u16,
    },
}

impl Trees {
    /// Returns the score of one row of features.
    pub fn score(&self, row: &[f32]) -> f32 {
        self.0.iter().map(|tree| tree.score(row)).sum()
    }

    /// Returns whether every walk down a tree, over rows of `width` features, ends at a finite number.
    pub fn is_sound(&self, width: usize) -> bool {
        let is_sound = |(at, node): (usize, &Node), nodes: usize| match node {
            Node::Leaf(value) => value.is_finite(),
            Node::Split { feature, threshold, left, right } => {
                let follows = |child: u16| (at + 1..nodes).contains(&usize::from(child));
                usize::from(*feature) < width && !threshold.is_nan() && follows(*left) && follows(*right)
            }
        };
        self.0
            .iter()
            .all(|Tree(nodes)| !nodes.is_empty() && nodes.iter().enumerate().all(|node| is_sound(node, nodes.len())))
    }

    /// Returns one ensemble whose score is the sum of the parts' scores.
    pub fn sum<const N: usize>(parts: [Self; N]) -> Self {
        Self(parts.into_iter().flat_map(|part| part.0).collect())
    }

    /// Returns one ensemble whose score is the mean of the parts' scores.
    pub fn mean<const N: usize>(parts: [Self; N]) -> Self {
        Self::sum(parts.map(|part| part.scaled(1.0 / N as f64)))
    }

    /// Adds a constant to the score.
    pub fn plus(mut self, constant: f64) -> Self {
        self.0.push(Tree(vec![Node::Leaf(constant as f32)]));
        self
    }

    /// Renumbers the features: feature `i` becomes `places[i]`.
    pub fn moved(mut self, places: &[u16]) -> Self {
        for node in self.0.iter_mut().flat_map(|tree| &mut tree.0) {
            if let Node::Split { feature, .. } = node {
                *feature = places[usize::from(*feature)];
            }
        }
        self
    }

    /// Multiplies the score by `factor`.
    pub fn scaled(mut self, factor: f64) -> Self {
        for node in self.0.iter_mut().flat_map(|tree| &mut tree.0) {
            if let Node::Leaf(value) = node {
                *value *= factor as f32;
            }
        }
        self
    }
}

impl Tree {
    fn score(&self, row: &[f32]) -> f32 {
        let mut at = 0;
        loop {
            match self.0[at] {
                Node::Leaf(value) => return value,
                Node::Split { feature, threshold, left, right } => {
                    at = usize::from(if row[usize::from(feature)] <= threshold { left } else { right });
                }
            }
        }
    }
}
