//! Gradient-boosted regression trees over groups of candidates.
//!
//! A group is one name with its candidates; one or none of them is right. The score `s` of a candidate is the sum of
//! one leaf a tree. Its probability is a softmax over the group with "none of them" as an outside option of score 0:
//! `p_i = exp(s_i) / (1 + Σ_j exp(s_j))` (conditional logit, McFadden 1974). The loss is the negative log-likelihood of
//! the right option. If a group has only a sample of its candidates, a candidate with sampling weight `m` counts `m`
//! times in the sum, which keeps the sum's expectation (importance sampling, Jean et al. 2015, section 3). Trees grow
//! leaf by leaf on histograms with second-order gains (Chen and Guestrin 2016, equation 7; Ke et al. 2017).
//!
//! The result does not depend on the number of threads.
//!
//! The trees are our own: `perpetual` offers no outside option, and its node limit, and with it its result, depends
//! on free memory.

use rayon::prelude::*;

use super::groups::Groups;
use super::trees::{Node, Tree, Trees};
use crate::Progress;

/// Options of gradient boosting.
#[derive(Clone, Copy, Debug)]
pub struct FitOptions {
    /// Number of trees.
    pub rounds: usize,
    /// Maximum number of leaves a tree.
    pub leaves: usize,
    /// Shrinkage factor of each leaf's step.
    pub learning_rate: f64,
    /// L2 penalty on leaf values.
    pub penalty: f64,
    /// Minimum sum of second derivatives in a leaf.
    pub min_hessian: f64,
    /// Share of the trees in the score beside a prior, if there are too few labels to choose it by; `None` for 0.2, and 0.1 with
    /// vectors.
    pub share: Option<f64>,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { rounds: 160, leaves: 16, learning_rate: 0.1, penalty: 2.0, min_hessian: 4.0, share: None }
    }
}

/// Number of bins a feature.
const BINS: usize = 64;
/// Number of rows sampled to choose a feature's bins.
const SAMPLED_ROWS: usize = 40_000;

/// Grows trees on the features marked in `is_used`; fewer than `options.rounds` if the work is stopped.
pub(crate) fn boost(groups: &Groups, is_used: &[bool], options: &FitOptions, progress: &Progress) -> Trees {
    let binned = BinnedFeatures::new(groups, is_used);
    let rows = groups.ends.last().copied().unwrap_or_default();
    let mut scores = vec![0f32; rows];
    let mut trees = Vec::with_capacity(options.rounds);
    for _ in 0..options.rounds {
        if progress.is_stopped() {
            break;
        }
        let gradients = gradients(groups, &scores);
        let (tree, leaf_of) = grow(&binned, &gradients, options);
        scores.par_iter_mut().zip(&leaf_of).for_each(|(score, leaf)| {
            if let Node::Leaf(value) = tree.0[usize::from(*leaf)] {
                *score += value;
            }
        });
        trees.push(tree);
        progress.advance(1);
    }
    Trees(trees)
}

/// Returns the first and second derivative of the loss with respect to each row's score.
fn gradients(groups: &Groups, scores: &[f32]) -> Vec<[f32; 2]> {
    let of_group = |group: usize| {
        let range = groups.range(group);
        let scores: Vec<f64> = scores[range.clone()].iter().map(|score| f64::from(*score)).collect();
        let (probabilities, _) = groups.probabilities(group, &scores);
        let (answer, weight) = (groups.answers[group], f64::from(groups.weights[group]));
        probabilities.into_iter().zip(&groups.sampling_weights[range]).enumerate().map(move |(row, (p, times))| {
            let p = p * f64::from(*times);
            let target = if answer == Some(row) { 1.0 } else { 0.0 };
            [(weight * (p - target)) as f32, (weight * (p * (1.0 - p)).max(1e-6)) as f32]
        })
    };
    (0..groups.len()).into_par_iter().flat_map_iter(of_group).collect()
}

/// Binned features, column by column.
struct BinnedFeatures {
    columns: Vec<Vec<u8>>,
    /// Upper edges of each column's bins, the last bin excepted.
    edges: Vec<Vec<f32>>,
    rows: usize,
}

impl BinnedFeatures {
    /// Bins all features; an unused feature gets a single bin.
    fn new(groups: &Groups, is_used: &[bool]) -> Self {
        let rows = groups.ends.last().copied().unwrap_or_default();
        let step = (rows / SAMPLED_ROWS).max(1);
        let (columns, edges) = (0..groups.width)
            .into_par_iter()
            .map(|feature| {
                let looked_at = if is_used[feature] { rows } else { 0 };
                let sample = (0..looked_at).step_by(step).map(|row| groups.row(row)[feature]).collect();
                let edges = cut(sample);
                let bin = |row: usize| edges.partition_point(|edge| *edge < groups.row(row)[feature]) as u8;
                ((0..rows).map(bin).collect(), edges)
            })
            .unzip();
        Self { columns, edges, rows }
    }
}

/// Returns the upper edges of bins with about equally many values.
fn cut(mut values: Vec<f32>) -> Vec<f32> {
    values.sort_unstable_by(f32::total_cmp);
    let mut edges: Vec<f32> = Vec::with_capacity(BINS - 1);
    for bin in 1..BINS {
        let Some(&edge) = values.get(bin * values.len() / BINS) else { continue };
        if edges.last().is_none_or(|last| *last < edge) {
            edges.push(edge);
        }
    }
    // The last bin needs no edge.
    edges.pop_if(|edge| values.last() == Some(edge));
    edges
}

type Histogram = Vec<[[f64; 2]; BINS]>;

struct Leaf {
    node: usize,
    rows: Vec<u32>,
    histogram: Histogram,
    sum: [f64; 2],
    best: Option<Split>,
}

#[derive(Clone, Copy)]
struct Split {
    gain: f64,
    feature: usize,
    /// Rows in bins up to this one go left.
    bin: usize,
}

/// Grows one tree. Returns it and the leaf node of each row.
fn grow(binned: &BinnedFeatures, gradients: &[[f32; 2]], options: &FitOptions) -> (Tree, Vec<u16>) {
    let mut nodes = vec![Node::Leaf(0.0)];
    let all: Vec<u32> = (0..binned.rows as u32).collect();
    let (histogram, sum) = count(binned, &all, gradients);
    let mut leaves = vec![Leaf::new(0, all, histogram, sum, options)];
    while leaves.len() < options.leaves {
        let candidates = leaves.iter().enumerate().filter_map(|(at, leaf)| Some((at, leaf.best?.gain)));
        let Some((at, _)) = candidates.max_by(|left, right| left.1.total_cmp(&right.1).then(right.0.cmp(&left.0)))
        else {
            break;
        };
        let leaf = leaves.swap_remove(at);
        let Some(Split { feature, bin, .. }) = leaf.best else { break };
        let (left, right) = (nodes.len(), nodes.len() + 1);
        let threshold = binned.edges[feature][bin];
        nodes[leaf.node] = Node::Split { feature: feature as u16, threshold, left: left as u16, right: right as u16 };
        nodes.extend([Node::Leaf(0.0); 2]);
        leaves.extend(leaf.split(feature, bin, [left, right], binned, gradients, options));
    }
    let mut leaf_of = vec![0; binned.rows];
    for leaf in &leaves {
        let value = -leaf.sum[0] / (leaf.sum[1] + options.penalty) * options.learning_rate;
        nodes[leaf.node] = Node::Leaf(value as f32);
        leaf.rows.iter().for_each(|row| leaf_of[*row as usize] = leaf.node as u16);
    }
    (Tree(nodes), leaf_of)
}

impl Leaf {
    fn new(node: usize, rows: Vec<u32>, histogram: Histogram, sum: [f64; 2], options: &FitOptions) -> Self {
        let best = best_split(&histogram, sum, options);
        Self { node, rows, histogram, sum, best }
    }

    /// Splits the leaf in two. Counts the smaller half and gets the other by subtraction.
    fn split(
        mut self,
        feature: usize,
        bin: usize,
        nodes: [usize; 2],
        binned: &BinnedFeatures,
        gradients: &[[f32; 2]],
        options: &FitOptions,
    ) -> [Leaf; 2] {
        let column = &binned.columns[feature];
        let (left, right): (Vec<u32>, Vec<u32>) =
            self.rows.iter().partition(|row| usize::from(column[**row as usize]) <= bin);
        let left_is_smaller = left.len() <= right.len();
        let (counted, sum) = count(binned, if left_is_smaller { &left } else { &right }, gradients);
        for (bins, small) in self.histogram.iter_mut().zip(&counted) {
            for (bin, small) in bins.iter_mut().zip(small) {
                *bin = subtract(*bin, *small);
            }
        }
        let (counted, rest) = ((counted, sum), (self.histogram, subtract(self.sum, sum)));
        let (of_left, of_right) = if left_is_smaller { (counted, rest) } else { (rest, counted) };
        [
            Leaf::new(nodes[0], left, of_left.0, of_left.1, options),
            Leaf::new(nodes[1], right, of_right.0, of_right.1, options),
        ]
    }
}

/// Returns the sums of the rows' derivatives, by bin and in total. Features with a single bin are not counted.
fn count(binned: &BinnedFeatures, rows: &[u32], gradients: &[[f32; 2]]) -> (Histogram, [f64; 2]) {
    let gathered: Vec<[f64; 2]> = rows.iter().map(|row| gradients[*row as usize].map(f64::from)).collect();
    let columns = binned.columns.par_iter().zip(&binned.edges).map(|(column, edges)| {
        let mut bins = [[0.0; 2]; BINS];
        if !edges.is_empty() {
            for (row, gradient) in rows.iter().zip(&gathered) {
                let bin = &mut bins[usize::from(column[*row as usize])];
                *bin = add(*bin, *gradient);
            }
        }
        bins
    });
    (columns.collect(), gathered.iter().fold([0.0; 2], |sum, gradient| add(sum, *gradient)))
}

fn best_split(histogram: &Histogram, sum: [f64; 2], options: &FitOptions) -> Option<Split> {
    let value = |part: [f64; 2]| part[0] * part[0] / (part[1] + options.penalty);
    let mut best: Option<Split> = None;
    for (feature, bins) in histogram.iter().enumerate() {
        let mut left = [0.0; 2];
        for (bin, counts) in bins[..BINS - 1].iter().enumerate() {
            if *counts == [0.0; 2] {
                continue;
            }
            left = add(left, *counts);
            let right = [sum[0] - left[0], sum[1] - left[1]];
            if left[1] < options.min_hessian || right[1] < options.min_hessian {
                continue;
            }
            let gain = value(left) + value(right) - value(sum);
            if gain > best.map_or(1e-6, |best| best.gain) {
                best = Some(Split { gain, feature, bin });
            }
        }
    }
    best
}

fn add(left: [f64; 2], right: [f64; 2]) -> [f64; 2] {
    [left[0] + right[0], left[1] + right[1]]
}

fn subtract(left: [f64; 2], right: [f64; 2]) -> [f64; 2] {
    [left[0] - right[0], left[1] - right[1]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes groups of three candidates. The candidate with the largest product of its features is right, unless all
    /// products are small.
    fn toy(groups: usize) -> Groups {
        let mut made = Groups::new(2);
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        for _ in 0..groups {
            let rows: Vec<f32> = (0..6).map(|_| next()).collect();
            let product = |row: usize| rows[2 * row] * rows[2 * row + 1];
            let best = (0..3).max_by(|a, b| product(*a).total_cmp(&product(*b))).unwrap();
            made.push(&rows, &[1.0; 3], (product(best) > 0.2).then_some(best), 1.0);
        }
        made
    }

    fn accuracy(trees: &Trees, groups: &Groups) -> f64 {
        let right = (0..groups.len()).filter(|group| {
            let scores: Vec<f64> = groups.range(*group).map(|row| f64::from(trees.score(groups.row(row)))).collect();
            let best =
                (0..scores.len()).filter(|row| scores[*row] > 0.0).max_by(|a, b| scores[*a].total_cmp(&scores[*b]));
            best == groups.answers[*group]
        });
        right.count() as f64 / groups.len() as f64
    }

    #[test]
    fn trees_learn_which_candidate_is_right_and_when_none_is() {
        let trees = boost(&toy(3000), &[true; 2], &FitOptions::default(), &Progress::default());
        let found = accuracy(&trees, &toy(3500).filtered(|group| group >= 3000));
        assert!(found > 0.88, "{found}");
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let grown = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                boost(&toy(300), &[true; 2], &FitOptions { rounds: 20, ..FitOptions::default() }, &Progress::default())
            })
        };
        assert_eq!(grown(1), grown(3));
    }

    #[test]
    fn gradients_are_the_derivatives_of_the_loss() {
        let mut groups = Groups::new(1);
        groups.push(&[0.0; 3], &[1.0, 1.0, 4.0], Some(1), 2.0);
        groups.push(&[0.0; 2], &[1.0, 2.0], None, 1.0);
        let loss = |s: &[f64]| {
            let first = 1.0 + s[0].exp() + s[1].exp() + 4.0 * s[2].exp();
            let second = 1.0 + s[3].exp() + 2.0 * s[4].exp();
            2.0 * (first.ln() - s[1]) + second.ln()
        };
        let scores = [0.3, -1.2, 0.8, 0.1, 2.0];
        let found = gradients(&groups, &scores.map(|score| score as f32));
        for row in 0..5 {
            let moved = |step: f64| {
                let mut scores = scores;
                scores[row] += step;
                loss(&scores)
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((f64::from(found[row][0]) - slope).abs() < 1e-4, "row {row}: {} is not {slope}", found[row][0]);
        }
    }

    #[test]
    fn no_groups_make_trees_that_say_nothing() {
        assert_eq!(
            boost(&Groups::new(2), &[true; 2], &FitOptions::default(), &Progress::default()).score(&[1.0, 2.0]),
            0.0
        );
    }
}
