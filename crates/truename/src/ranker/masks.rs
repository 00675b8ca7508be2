//! Trees as tables of the leaves that each value of a feature leaves open.

use super::trees::{Node, Tree, Trees};

/// Maximum number of leaves of a tree that has masks.
const LEAVES: usize = u32::BITS as usize;

/// The masks of an ensemble of small trees, which score a row without walking down the trees (QuickScorer, Lucchese et al. 2015, with the masks
/// of a feature joined by bin).
///
/// The leaves of a tree are numbered from left to right. A split that a row exceeds closes those on its left; the row ends at the first leaf
/// that is open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeafMasks {
    features: Vec<FeatureMasks>,
    /// Values of the leaves, `[trees, LEAVES]`.
    values: Vec<f32>,
}

/// The leaves that the values of one feature leave open.
#[derive(Clone, Debug, PartialEq)]
struct FeatureMasks {
    feature: usize,
    /// Thresholds of its splits in all trees, ascending.
    edges: Vec<f32>,
    /// Open leaves of each tree by the number of edges below the value, `[edges + 1, trees]`.
    masks: Vec<u32>,
}

/// A split, with the leaves on its left.
struct Closing {
    tree: usize,
    feature: usize,
    threshold: f32,
    left: u32,
}

impl LeafMasks {
    /// Returns the masks of sound trees over `width` features; `None` if a tree has more than 32 leaves.
    pub fn of(trees: &Trees, width: usize) -> Option<Self> {
        let mut values = vec![0.0; trees.0.len() * LEAVES];
        let mut splits = Vec::new();
        for (number, tree) in trees.0.iter().enumerate() {
            collect(tree, 0, 0, number, &mut values[number * LEAVES..][..LEAVES], &mut splits)?;
        }
        let of_feature = |feature: usize| {
            let of_feature = || splits.iter().filter(|split| split.feature == feature);
            let mut edges: Vec<f32> = of_feature().map(|split| split.threshold).collect();
            edges.sort_unstable_by(f32::total_cmp);
            edges.dedup();
            let mut masks = vec![u32::MAX; (edges.len() + 1) * trees.0.len()];
            for split in of_feature() {
                let first = edges.partition_point(|edge| *edge < split.threshold) + 1;
                for bin in first..=edges.len() {
                    masks[bin * trees.0.len() + split.tree] &= !split.left;
                }
            }
            FeatureMasks { feature, edges, masks }
        };
        let features = (0..width).map(of_feature).filter(|masks| !masks.edges.is_empty()).collect();
        Some(Self { features, values })
    }

    /// Returns the score of one row of features, that of [`Trees::score`].
    pub fn score(&self, row: &[f32]) -> f32 {
        let trees = self.values.len() / LEAVES;
        let mut open = vec![u32::MAX; trees];
        for FeatureMasks { feature, edges, masks } in &self.features {
            let value = row[*feature];
            let bin = edges.partition_point(|edge| *edge < value || value.is_nan());
            for (open, mask) in open.iter_mut().zip(&masks[bin * trees..]) {
                *open &= mask;
            }
        }
        let leaves = self.values.chunks_exact(LEAVES).zip(open);
        leaves.map(|(values, open)| values[open.trailing_zeros() as usize % LEAVES]).sum()
    }
}

/// Collects the values of the leaves below a node, numbered from `first`, and its splits. Returns the number behind its last leaf.
fn collect(
    tree: &Tree,
    node: usize,
    first: usize,
    number: usize,
    values: &mut [f32],
    splits: &mut Vec<Closing>,
) -> Option<usize> {
    match tree.0[node] {
        Node::Leaf(value) => {
            *values.get_mut(first)? = value;
            Some(first + 1)
        }
        Node::Split { feature, threshold, left, right } => {
            let middle = collect(tree, left.into(), first, number, values, splits)?;
            let left = (first..middle).fold(0, |mask, leaf| mask | 1 << leaf);
            splits.push(Closing { tree: number, feature: feature.into(), threshold, left });
            collect(tree, right.into(), middle, number, values, splits)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree that splits at its right end, over two features.
    fn chain(leaves: u16) -> Trees {
        let split = |at: u16| Node::Split {
            feature: at % 2,
            threshold: f32::from(at) / 3.0,
            left: 2 * at + 1,
            right: 2 * at + 2,
        };
        let mut nodes = Vec::new();
        for at in 0..leaves - 1 {
            nodes.extend([split(at), Node::Leaf(f32::from(at) + 0.5)]);
        }
        nodes.push(Node::Leaf(-1.0));
        Trees(vec![Tree(nodes), Tree(vec![Node::Leaf(0.25)])])
    }

    #[test]
    fn masks_score_as_trees_do() {
        let trees = chain(32);
        assert!(trees.is_sound(2));
        let masks = LeafMasks::of(&trees, 2).unwrap();
        let values = [f32::NEG_INFINITY, 0.0, 1.0 / 3.0, 0.4, 4.0, 9.9, 10.0, 11.0, f32::INFINITY, f32::NAN];
        for one in values {
            for other in values {
                assert_eq!(masks.score(&[one, other]), trees.score(&[one, other]), "{one} {other}");
            }
        }
        assert_eq!(LeafMasks::of(&chain(33), 2), None);
        assert_eq!(LeafMasks::default().score(&[]), 0.0);
    }
}
