//! Contrastive groups (CoSiNES, section 3.3.3): names of one concept, several concepts a batch.

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use crate::augmentation::Augmenter;
use crate::{Error, Named};

/// Largest number of names, or of pairs of names, in a batch: memory grows with it, and for some losses with its square.
pub(crate) const MAX_BATCH: usize = 65_536;

/// The batches of an epoch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SamplerKeys {
    pub group: usize,
    pub groups: usize,
    pub hard: f64,
}

impl Default for SamplerKeys {
    fn default() -> Self {
        Self { group: 10, groups: 16, hard: 0.0 }
    }
}

impl SamplerKeys {
    pub fn check(&self) -> Result<(), Error> {
        let batch = self.group * self.groups;
        if batch > MAX_BATCH {
            return Err(Error::value("sampler.group times sampler.groups", batch, format!("at most {MAX_BATCH}")));
        }
        Ok(())
    }
}

/// A name to learn, with the number of its concept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The name, as the augmentation may have changed it.
    pub text: String,
    /// Place of its concept in the data.
    pub concept: u32,
}

/// Names of one concept that are learnt in one batch.
pub(crate) type Group = Vec<Item>;

/// Draws the groups of an epoch. Every name is in one; a concept with a single name has it twice, the second time as the
/// augmenter may change it.
pub(crate) fn groups(concepts: &[Named], size: usize, augmenter: &Augmenter, random: &mut Rng) -> Vec<Group> {
    let mut groups = Vec::new();
    for (number, concept) in concepts.iter().enumerate().filter(|(_, concept)| !concept.names.is_empty()) {
        let mut names: Vec<&String> = concept.names.iter().collect();
        random.shuffle(&mut names);
        let twice = [names[0]];
        // As even as can be, so that no name is left alone.
        let count = names.len().div_ceil(size);
        let (short, longer) = (names.len() / count, names.len() % count);
        let mut rest = names.as_slice();
        for at in 0..count {
            let (group, after) = rest.split_at(short + usize::from(at < longer));
            rest = after;
            let both = group.iter().chain(if names.len() == 1 { &twice[..] } else { &[] });
            let item = |text: String| Item { text, concept: number as u32 };
            groups.push(both.map(|name| item(augmenter.vary(name, number, random))).collect());
        }
    }
    random.shuffle(&mut groups);
    groups
}

/// Returns the number of groups that [`groups`] draws.
pub(crate) fn group_count(concepts: &[Named], size: usize) -> usize {
    concepts.iter().map(|concept| concept.names.len().div_ceil(size)).sum()
}

/// Returns the number of batches of so many groups.
pub(crate) fn batch_count(groups: usize, keys: &SamplerKeys) -> usize {
    // A group alone has nothing to be told from.
    let alone = groups > keys.groups && groups % keys.groups == 1;
    groups.div_ceil(keys.groups) - usize::from(alone)
}

/// Makes batches of groups. The share `keys.hard` of them are hard negatives: groups whose `centres` lie near each other.
///
/// # Panics
/// Where `keys.hard` is more than 0 and there are not as many centres as groups.
pub(crate) fn batches(
    groups: Vec<Group>,
    centres: &[Vec<f32>],
    keys: &SamplerKeys,
    random: &mut Rng,
) -> Vec<Vec<Item>> {
    let count = batch_count(groups.len(), keys);
    let hard = (keys.hard * count as f64).round() as usize;
    let mut left: Vec<usize> = (0..groups.len()).collect();
    let mut chosen: Vec<Vec<usize>> = Vec::with_capacity(count);
    for _ in 0..hard {
        chosen.push(take_near(&mut left, &groups, centres, keys.groups));
    }
    while chosen.len() < count {
        let size = if chosen.len() + 1 == count { left.len() } else { keys.groups.min(left.len()) };
        chosen.push(left.drain(..size).collect());
    }
    // What the last hard batch left over.
    if let Some(last) = chosen.last_mut() {
        last.append(&mut left);
    }
    random.shuffle(&mut chosen);
    let mut groups: Vec<Option<Group>> = groups.into_iter().map(Some).collect();
    let mut take = |number: usize| groups[number].take().unwrap_or_default();
    chosen.into_iter().map(|batch| batch.into_iter().flat_map(&mut take).collect()).collect()
}

/// Takes the first group of `left` with those nearest to it.
fn take_near(left: &mut Vec<usize>, groups: &[Group], centres: &[Vec<f32>], size: usize) -> Vec<usize> {
    /// Groups compared with the first; more would make the time of an epoch grow with the square of the knowledge base.
    const LOOKED_AT: usize = 4096;
    if left.is_empty() {
        return Vec::new();
    }
    let first = left.remove(0);
    let near = |other: usize| -> f32 {
        // Another group of the same concept is no negative.
        if groups[other][0].concept == groups[first][0].concept {
            return f32::MIN;
        }
        centres[first].iter().zip(&centres[other]).map(|(left, right)| left * right).sum()
    };
    let mut order: Vec<(f32, usize)> = left.iter().take(LOOKED_AT).map(|other| (near(*other), *other)).collect();
    order.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    let mut batch = vec![first];
    batch.extend(order.into_iter().take(size - 1).map(|(_, other)| other));
    let taken: std::collections::HashSet<usize> = batch.iter().copied().collect();
    left.retain(|other| !taken.contains(other));
    batch
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::augmentation::Augmentation;

    fn concepts() -> Vec<Named> {
        let names = |number: usize| (0..=number % 23).map(|name| format!("{number} {name}")).collect();
        (0..60).map(|number| Named { id: number.to_string(), names: names(number), ..Named::default() }).collect()
    }

    fn epoch(hard: f64, seed: u64) -> Vec<Vec<Item>> {
        let (concepts, keys) = (concepts(), SamplerKeys { group: 5, groups: 4, hard });
        let augmenter = Augmenter::new(&Augmentation::default(), &concepts);
        let mut random = Rng::with_seed(seed);
        let groups = groups(&concepts, keys.group, &augmenter, &mut random);
        assert_eq!(groups.len(), group_count(&concepts, keys.group));
        let centres: Vec<Vec<f32>> = groups
            .iter()
            .map(|group| {
                let angle = group[0].concept as f32;
                vec![angle.cos(), angle.sin()]
            })
            .collect();
        batches(groups, &centres, &keys, &mut random)
    }

    #[test]
    fn every_name_is_seen_once_and_a_single_name_twice() {
        for hard in [0.0, 0.4, 1.0] {
            let batches = epoch(hard, 3);
            let mut seen: Vec<&str> = batches.iter().flatten().map(|item| item.text.as_str()).collect();
            seen.sort_unstable();
            let all = concepts();
            let mut expected: Vec<&str> = all
                .iter()
                .flat_map(|concept| {
                    let twice = if concept.names.len() == 1 { 2 } else { 1 };
                    concept.names.iter().flat_map(move |name| std::iter::repeat_n(name.as_str(), twice))
                })
                .collect();
            expected.sort_unstable();
            assert_eq!(seen, expected, "{hard}");
        }
    }

    #[test]
    fn groups_have_companions_and_batches_have_negatives() {
        for batch in epoch(0.5, 1) {
            let count = |concept| batch.iter().filter(|item| item.concept == concept).count();
            assert!(batch.iter().all(|item| count(item.concept) >= 2));
            assert!(batch.iter().any(|item| item.concept != batch[0].concept));
        }
    }

    #[test]
    fn a_seed_gives_one_epoch() {
        assert_eq!(epoch(0.5, 7), epoch(0.5, 7));
        assert_ne!(epoch(0.5, 7), epoch(0.5, 8));
        assert_eq!(epoch(0.0, 7).len(), epoch(1.0, 8).len());
    }

    #[test]
    fn hard_batches_hold_concepts_that_are_near() {
        let spread = |batches: Vec<Vec<Item>>| -> f32 {
            let near = |left: &Item, right: &Item| (left.concept as f32 - right.concept as f32).cos();
            let of =
                |batch: &Vec<Item>| batch.iter().map(|item| near(item, &batch[0])).sum::<f32>() / batch.len() as f32;
            batches.iter().map(of).sum::<f32>() / batches.len() as f32
        };
        assert!(spread(epoch(1.0, 2)) > spread(epoch(0.0, 2)) + 0.2);
    }
}
