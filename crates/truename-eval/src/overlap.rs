//! Pairs of gold and found spans that share text.

use truename_text::Span;

/// Returns each gold and found span that share text, by their places in the lists.
pub(crate) fn overlapping(gold: &[Span], found: &[Span]) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|at| found[*at]);
    // The furthest end of all up to each tells where to begin to look.
    let mut furthest = 0;
    let ends: Vec<usize> = order
        .iter()
        .map(|at| {
            furthest = furthest.max(found[*at].end);
            furthest
        })
        .collect();
    let mut pairs = Vec::new();
    for (at, gold) in gold.iter().enumerate() {
        let first = ends.partition_point(|end| *end <= gold.start);
        let near = order[first..].iter().take_while(|other| found[**other].start < gold.end);
        let shares = |other: &&usize| found[**other].overlaps(*gold);
        pairs.extend(near.filter(shares).map(|other| (at, *other)));
    }
    pairs
}
