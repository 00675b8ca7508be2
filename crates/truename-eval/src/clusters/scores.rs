//! Scores of clusters: macro, micro and pairwise precision, recall and F1.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use super::read::{Clusters, Element};
use crate::linked::{Counts, PrecisionRecall};

/// Scores of found clusters against gold ones, each from 0 to 1; higher is better.
///
/// Names that gold lacks are left out of the found clusters. Elements that were not found belong to no found cluster: their
/// gold cluster can still count as recalled by its other elements, while micro and pairwise recall lose them, as in CESI's code.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClusterScores {
    /// Share of the found clusters that one gold cluster contains; recall with the roles swapped.
    #[serde(rename = "macro")]
    pub macro_average: PrecisionRecall,
    /// Purity: share of the elements in the largest overlap of their found cluster with a gold cluster; recall with the
    /// roles swapped.
    #[serde(rename = "micro")]
    pub micro_average: PrecisionRecall,
    /// Share of the pairs within a found cluster that are within a gold cluster; recall with the roles swapped.
    pub pairwise: PrecisionRecall,
    /// Mean of the three F1 scores.
    pub mean_f1: f64,
    /// Number of distinct gold names.
    pub names: usize,
    /// Number of gold names that were not found.
    pub missing: usize,
    /// Number of elements scored: names, or mentions of names.
    pub elements: usize,
}

impl ClusterScores {
    /// Scores the found cluster of each name of [`Clusters::names`].
    ///
    /// # Panics
    /// If there is not one label a name.
    pub fn of(gold: &Clusters, labels: &[Option<usize>]) -> Self {
        assert_eq!(labels.len(), gold.names().len(), "one label a name");
        let mut found: BTreeMap<usize, Vec<&Element>> = BTreeMap::new();
        let mut sizes = vec![Vec::new(); gold.clusters().len()];
        for element in &gold.elements {
            let label = labels[element.name];
            label.iter().for_each(|label| found.entry(*label).or_default().push(element));
            element.clusters.iter().for_each(|cluster| sizes[*cluster].push(label));
        }
        let (macro_average, micro_average) = (macro_average(&found, &sizes), micro_average(&found, &sizes));
        let pairwise = pairwise(&found, &sizes);
        Self {
            macro_average,
            micro_average,
            pairwise,
            mean_f1: (macro_average.f1 + micro_average.f1 + pairwise.f1) / 3.0,
            names: labels.len(),
            missing: labels.iter().filter(|label| label.is_none()).count(),
            elements: gold.elements.len(),
        }
    }
}

type FoundClusters<'a> = BTreeMap<usize, Vec<&'a Element>>;
/// Labels of the elements of each gold cluster.
type GoldLabels = [Vec<Option<usize>>];

fn macro_average(found: &FoundClusters<'_>, gold: &GoldLabels) -> PrecisionRecall {
    let is_contained = |elements: &&Vec<&Element>| {
        let (first, rest) = elements.split_first().expect("a found cluster has an element");
        let has_all = |cluster: &&usize| rest.iter().all(|element| element.clusters.binary_search(cluster).is_ok());
        // As in CESI's code, a found cluster that two gold clusters contain is not right.
        first.clusters.iter().filter(has_all).count() == 1
    };
    let is_recalled = |labels: &&Vec<Option<usize>>| labels.iter().flatten().collect::<BTreeSet<_>>().len() == 1;
    PrecisionRecall::of(Counts {
        found: found.len(),
        gold: gold.len(),
        right: found.values().filter(is_contained).count(),
        recalled: gold.iter().filter(is_recalled).count(),
    })
}

fn micro_average(found: &FoundClusters<'_>, gold: &GoldLabels) -> PrecisionRecall {
    let right =
        found.values().map(|elements| most(elements.iter().flat_map(|element| element.clusters.iter().copied())));
    PrecisionRecall::of(Counts {
        found: found.values().map(Vec::len).sum(),
        gold: gold.iter().map(Vec::len).sum(),
        right: right.sum(),
        recalled: gold.iter().map(|labels| most(labels.iter().flatten().copied())).sum(),
    })
}

fn pairwise(found: &FoundClusters<'_>, gold: &GoldLabels) -> PrecisionRecall {
    let hits = found.values().map(|elements| shared_pairs(elements)).sum();
    PrecisionRecall::new(
        hits,
        found.values().map(|elements| pairs(elements.len())).sum(),
        gold.iter().map(|labels| pairs(labels.len())).sum(),
    )
}

/// Returns the number of pairs that share a gold cluster. Elements of one cluster are counted, those of several compared.
fn shared_pairs(elements: &[&Element]) -> usize {
    let (single, several): (Vec<&Element>, Vec<&Element>) =
        elements.iter().partition(|element| element.clusters.len() == 1);
    let counts = counts(single.iter().flat_map(|element| element.clusters.iter().copied()));
    let shares =
        |left: &Element, right: &Element| left.clusters.iter().any(|one| right.clusters.binary_search(one).is_ok());
    let among_several =
        |(at, left): (usize, &&Element)| several[at + 1..].iter().filter(|right| shares(left, right)).count();
    let with_single = several.iter().flat_map(|element| &element.clusters).filter_map(|cluster| counts.get(cluster));
    counts.values().map(|count| pairs(*count)).sum::<usize>()
        + with_single.sum::<usize>()
        + several.iter().enumerate().map(among_several).sum::<usize>()
}

fn pairs(count: usize) -> usize {
    count * count.saturating_sub(1) / 2
}

fn counts(values: impl Iterator<Item = usize>) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    counts
}

/// Returns the number of the commonest value.
fn most(values: impl Iterator<Item = usize>) -> usize {
    counts(values).into_values().max().unwrap_or(0)
}

impl fmt::Display for ClusterScores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "          precision  recall     F1   found    gold, in %")?;
        for (name, scores) in
            [("macro", self.macro_average), ("micro", self.micro_average), ("pairwise", self.pairwise)]
        {
            let PrecisionRecall { precision, recall, f1, found, gold } = scores;
            let [precision, recall, f1] = [precision, recall, f1].map(|share| 100.0 * share);
            writeln!(f, "{name:<9} {precision:9.2} {recall:7.2} {f1:6.2} {found:7} {gold:7}")?;
        }
        write!(f, "mean of the F1 scores {:.2}; {} names", 100.0 * self.mean_f1, self.names)?;
        if self.elements != self.names {
            write!(f, " with {} mentions", self.elements)?;
        }
        if self.missing > 0 {
            write!(f, ", {} of them in no found cluster", self.missing)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clusters(text: &[(&str, &str)]) -> Clusters {
        let entry = |cluster: &str, element: &str| (element.to_owned(), cluster.to_owned());
        Clusters::new(
            text.iter().flat_map(|(cluster, names)| names.split(' ').map(|name| entry(cluster, name))).collect(),
        )
    }

    fn scores(gold: &[(&str, &str)], found: &[(&str, &str)]) -> ClusterScores {
        let gold = clusters(gold);
        ClusterScores::of(&gold, &clusters(found).labels(&gold).unwrap())
    }

    fn shares(scores: &PrecisionRecall) -> (f64, f64) {
        (scores.precision, scores.recall)
    }

    /// Three gold clusters of 3, 2 and 1; found {a b}, {c d e}, {f}. Macro: {a b} and {f} of three are contained; {d e} and
    /// {f} of three are recalled. Micro: 2 + 2 + 1 of 6; 2 + 2 + 1 of 6. Pairs: {ab}, {de} of ab, cd, ce, de; of abc's 3 and de.
    #[test]
    fn the_scores_are_those_computed_by_hand() {
        let scores = scores(&[("1", "a b c"), ("2", "d e"), ("3", "f")], &[("x", "a b"), ("y", "c d e"), ("z", "f")]);
        assert_eq!(shares(&scores.macro_average), (2.0 / 3.0, 2.0 / 3.0));
        assert_eq!(shares(&scores.micro_average), (5.0 / 6.0, 5.0 / 6.0));
        assert_eq!(shares(&scores.pairwise), (0.5, 0.5));
        assert_eq!(scores.mean_f1, (2.0 / 3.0 + 5.0 / 6.0 + 0.5) / 3.0);
        let shown = scores.to_string();
        assert!(shown.contains("macro         66.67   66.67  66.67       3       3\n"), "{shown}");
        assert!(shown.ends_with("mean of the F1 scores 66.67; 6 names"), "{shown}");
    }

    #[test]
    fn precision_and_recall_swap_with_gold_and_found() {
        let (one, other) = ([("1", "a b c"), ("2", "d e")], [("x", "a b"), ("y", "c"), ("z", "d e")]);
        let (forth, back) = (scores(&one, &other), scores(&other, &one));
        assert_eq!(shares(&forth.macro_average), (1.0, 0.5));
        assert_eq!(shares(&back.macro_average), (0.5, 1.0));
        assert_eq!(shares(&forth.micro_average), (1.0, 0.8));
        assert_eq!(shares(&forth.pairwise), (1.0, 0.5));
        assert_eq!(shares(&back.pairwise), (0.5, 1.0));
    }

    #[test]
    fn mentions_weigh_their_name() {
        let gold = [("1", "a|1 a|2 a|3 b|4"), ("2", "c|5")];
        let scores = scores(&gold, &[("x", "a"), ("y", "b c")]);
        assert_eq!(shares(&scores.macro_average), (0.5, 0.5));
        assert_eq!(shares(&scores.micro_average), (4.0 / 5.0, 4.0 / 5.0));
        assert_eq!(shares(&scores.pairwise), (3.0 / 4.0, 3.0 / 6.0));
        assert_eq!((scores.names, scores.elements), (3, 5));
    }

    #[test]
    fn names_that_gold_lacks_are_left_out() {
        let gold = [("1", "a b"), ("2", "c")];
        let found = [("x", "a b z"), ("y", "c"), ("w", "u v")];
        let scores = scores(&gold, &found);
        assert_eq!((scores.mean_f1, scores.macro_average.found, scores.missing), (1.0, 2, 0));
    }

    /// {a} and {b c} are found, d is not. Macro recall counts {c d} by its found element.
    #[test]
    fn names_that_were_not_found_lose_recall() {
        let scores = scores(&[("1", "a b"), ("2", "c d")], &[("x", "a"), ("y", "b c")]);
        assert_eq!(shares(&scores.macro_average), (0.5, 0.5));
        assert_eq!(shares(&scores.micro_average), (2.0 / 3.0, 2.0 / 4.0));
        assert_eq!((shares(&scores.pairwise), scores.missing), ((0.0, 0.0), 1));
    }

    /// a is in both gold clusters: {a} alone is contained in two, {a b} in one; the pairs are ab, ac of found abc's three.
    #[test]
    fn an_element_of_two_gold_clusters_belongs_to_either() {
        let gold = [("1", "a b"), ("2", "a c")];
        assert_eq!(scores(&gold, &[("x", "a"), ("y", "b"), ("z", "c")]).macro_average.precision, 2.0 / 3.0);
        let one = scores(&gold, &[("x", "a b"), ("y", "c")]);
        assert_eq!(shares(&one.macro_average), (1.0, 0.5));
        assert_eq!(shares(&scores(&gold, &[("x", "a b c")]).pairwise), (2.0 / 3.0, 1.0));
        let both = [("1", "a b"), ("2", "a b")];
        assert_eq!(shares(&scores(&both, &[("x", "a b")]).pairwise), (1.0, 0.5));
    }

    #[test]
    fn without_pairs_there_is_no_pairwise_score() {
        let scores = scores(&[("1", "a"), ("2", "b")], &[("x", "a"), ("y", "b")]);
        assert_eq!((scores.macro_average.f1, scores.micro_average.f1, scores.pairwise.f1), (1.0, 1.0, 0.0));
    }
}
