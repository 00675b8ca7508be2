//! Canonical names: the name of each cluster that stands for it.

use std::cmp::Reverse;

/// Returns the canonical name of each cluster, as the number of the name: the one with the highest count, of those the longest,
/// of those the first.
///
/// # Shapes
/// `names: [names]`, `counts: [names]`, `labels: [names]` from 0 on without gaps; output: `[clusters]`
///
/// # Panics
/// If there is not one count and one label a name.
pub fn canonical_names<S: AsRef<str>>(names: &[S], counts: &[u64], labels: &[usize]) -> Vec<usize> {
    assert!(names.len() == counts.len() && names.len() == labels.len(), "one count and one label a name");
    let clusters = labels.iter().max().map_or(0, |last| last + 1);
    let mut canonical: Vec<Option<usize>> = vec![None; clusters];
    let rank = |name: usize| (counts[name], names[name].as_ref().chars().count(), Reverse(name));
    for (name, label) in labels.iter().enumerate() {
        let best = &mut canonical[*label];
        if best.is_none_or(|best| rank(name) > rank(best)) {
            *best = Some(name);
        }
    }
    canonical.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_then_longest_then_first_name_is_canonical() {
        let names = ["mit", "m.i.t.", "massachusetts institute", "flu", "grippe", "gripes"];
        assert_eq!(canonical_names(&names, &[5, 1, 2, 1, 1, 1], &[0, 0, 0, 1, 1, 1]), [0, 4]);
        assert_eq!(canonical_names(&names, &[2, 1, 2, 1, 1, 1], &[0, 0, 0, 1, 1, 1]), [2, 4]);
        assert!(canonical_names::<&str>(&[], &[], &[]).is_empty());
    }
}
