//! Contrastive groups (CoSiNES, section 3.3.3): names of one concept, several concepts a batch.

use std::collections::{HashMap, HashSet, VecDeque};

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use truename_infer::kernels::dot;

use crate::augmentation::{Augmenter, Variant};
use crate::{Error, NamedConcept, error};

/// Largest number of names, or of pairs of names, in a batch: memory grows with it, and for some losses with its square.
pub(crate) const MAX_BATCH: usize = 65_536;

/// The batches of an epoch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SamplerKeys {
    pub group: usize,
    pub groups: usize,
    pub hard: f64,
    pub anchor: bool,
}

impl Default for SamplerKeys {
    fn default() -> Self {
        Self { group: 10, groups: 16, hard: 0.0, anchor: false }
    }
}

impl SamplerKeys {
    pub fn check(&self) -> Result<(), Error> {
        let batch = self.group * self.groups;
        if batch > MAX_BATCH {
            return Err(error::value("sampler.group times sampler.groups", batch, format!("at most {MAX_BATCH}")));
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
    /// The name before the change, and misspellings to choose from.
    #[serde(skip)]
    choice: Option<(String, Vec<String>)>,
}

/// Names of one concept that are learnt in one batch.
pub(crate) type Group = Vec<Item>;

/// Draws the groups of an epoch. Every name is in one; with anchors, the preferred name is in all groups of its concept. A concept
/// with a single name has it twice, the second time as the augmenter may change it.
pub(crate) fn groups(
    concepts: &[NamedConcept],
    keys: &SamplerKeys,
    augmenter: &Augmenter,
    random: &mut Rng,
) -> Vec<Group> {
    let mut groups = Vec::new();
    for (number, concept) in concepts.iter().enumerate().filter(|(_, concept)| !concept.names.is_empty()) {
        let item = |name: &String, random: &mut Rng| {
            let Variant { text, misspellings } = augmenter.vary(name, number, random);
            let choice = (!misspellings.is_empty()).then(|| (name.clone(), misspellings));
            Item { text, concept: number as u32, choice }
        };
        if let [name] = concept.names.as_slice() {
            groups.push(vec![item(name, random), item(name, random)]);
            continue;
        }
        let anchor = &concept.names[..usize::from(keys.anchor)];
        let mut names: Vec<&String> = concept.names[anchor.len()..].iter().collect();
        random.shuffle(&mut names);
        // As even as can be, so that no name is left alone.
        let count = group_count_of(concept, keys);
        let (short, longer) = (names.len() / count, names.len() % count);
        let mut rest = names.as_slice();
        for at in 0..count {
            let (group, after) = rest.split_at(short + usize::from(at < longer));
            rest = after;
            let unchanged = |name: &String| Item { text: name.clone(), concept: number as u32, choice: None };
            let mut items: Group = anchor.iter().map(unchanged).collect();
            items.extend(group.iter().map(|name| item(name, random)));
            groups.push(items);
        }
    }
    random.shuffle(&mut groups);
    groups
}

/// Chooses among the misspellings drawn for a name the one whose vector lies farthest from the name's. `vectors` returns unit
/// vectors of texts one after the other, and their width.
pub(crate) fn choose_misspellings(
    groups: &mut [Group],
    vectors: impl Fn(&[&str]) -> Result<(Vec<f32>, usize), Error>,
) -> Result<(), Error> {
    /// Names whose misspellings are encoded at a time.
    const TOGETHER: usize = 1024;
    let mut items: Vec<&mut Item> = groups.iter_mut().flatten().filter(|item| item.choice.is_some()).collect();
    for items in items.chunks_mut(TOGETHER) {
        let choices: Vec<(String, Vec<String>)> = items.iter_mut().filter_map(|item| item.choice.take()).collect();
        let texts = choices.iter().flat_map(|(name, drawn)| std::iter::once(name).chain(drawn)).map(String::as_str);
        let (vectors, width) = vectors(&texts.collect::<Vec<_>>())?;
        let mut vectors = vectors.chunks_exact(width);
        for (item, (_, drawn)) in items.iter_mut().zip(choices) {
            let name = vectors.next().unwrap_or_default();
            let cosines: Vec<f32> = vectors.by_ref().take(drawn.len()).map(|other| dot::<1>(name, other)).collect();
            let farthest = cosines.into_iter().zip(drawn).min_by(|left, right| left.0.total_cmp(&right.0));
            item.text = farthest.map_or_else(String::new, |(_, drawn)| drawn);
        }
    }
    Ok(())
}

/// Returns the number of groups that [`groups`] draws.
pub(crate) fn group_count(concepts: &[NamedConcept], keys: &SamplerKeys) -> usize {
    concepts.iter().filter(|concept| !concept.names.is_empty()).map(|concept| group_count_of(concept, keys)).sum()
}

fn group_count_of(concept: &NamedConcept, keys: &SamplerKeys) -> usize {
    let anchors = usize::from(keys.anchor);
    (concept.names.len() - anchors).div_ceil(keys.group - anchors).max(1)
}

/// Returns the number of batches of so many groups, where no concept has more groups than that.
pub(crate) fn batch_count(groups: usize, keys: &SamplerKeys) -> usize {
    // A group alone has nothing to be told from.
    let alone = groups > keys.groups && groups % keys.groups == 1;
    groups.div_ceil(keys.groups) - usize::from(alone)
}

/// Makes batches of groups of distinct concepts (CoSiNES, section 3.3.3). The share `keys.hard` of them are hard negatives:
/// groups whose `centres` lie near each other.
///
/// A concept with more groups than there are batches makes more batches, of fewer groups. Groups of a concept that has more than all
/// others together are left out of this epoch where no group of another concept is left to be beside them.
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
    let mut left: VecDeque<usize> = (0..groups.len()).collect();
    let mut chosen: Vec<Vec<usize>> = Vec::with_capacity(count);
    for _ in 0..hard {
        chosen.push(take_near(&mut left, &groups, centres, keys.groups));
    }
    chosen.extend(dealt(left.into(), &groups, count - hard));
    join_lone_groups(&mut chosen, &groups);
    random.shuffle(&mut chosen);
    let mut groups: Vec<Option<Group>> = groups.into_iter().map(Some).collect();
    let mut take = |number: usize| groups[number].take().unwrap_or_default();
    chosen.into_iter().map(|batch| batch.into_iter().flat_map(&mut take).collect()).collect()
}

/// Deals groups into so many batches, or more where a concept has more groups. No batch has two groups of one concept; a group for
/// which there is no other is alone in its batch.
fn dealt(left: Vec<usize>, groups: &[Group], batches: usize) -> Vec<Vec<usize>> {
    let mut of_concept: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut order = Vec::new();
    for group in left {
        let concept = groups[group][0].concept;
        let known = of_concept.entry(concept).or_insert_with(|| {
            order.push(concept);
            Vec::new()
        });
        known.push(group);
    }
    let most = of_concept.values().map(Vec::len).max().unwrap_or(0);
    let others = of_concept.values().map(Vec::len).sum::<usize>() - most;
    let batches = batches.max(most.min(others)).max(1);
    let mut dealt = vec![Vec::new(); batches];
    // Round-robin with the groups of a concept one after the other: no more than one of them comes to a batch.
    let placed = order.iter().flat_map(|concept| of_concept[concept].iter().take(batches));
    placed.enumerate().for_each(|(place, group)| dealt[place % batches].push(*group));
    let left_over = order.iter().flat_map(|concept| of_concept[concept].iter().skip(batches));
    dealt.extend(left_over.map(|group| vec![*group]));
    dealt
}

/// Moves each group that is alone in its batch, with nothing to be told from, to the smallest batch without its concept. Leaves it
/// out where there is none.
fn join_lone_groups(batches: &mut Vec<Vec<usize>>, groups: &[Group]) {
    let (joined, alone): (Vec<_>, Vec<_>) = std::mem::take(batches).into_iter().partition(|batch| batch.len() > 1);
    *batches = joined;
    let concept = |group: usize| groups[group][0].concept;
    for group in alone.into_iter().flatten() {
        let others = batches.iter_mut().filter(|batch| batch.iter().all(|other| concept(*other) != concept(group)));
        if let Some(batch) = others.min_by_key(|batch| batch.len()) {
            batch.push(group);
        }
    }
}

/// Takes the first group of `left` with those nearest to it.
fn take_near(left: &mut VecDeque<usize>, groups: &[Group], centres: &[Vec<f32>], size: usize) -> Vec<usize> {
    /// Groups compared with the first; more would make the time of an epoch grow with the square of the knowledge base.
    const LOOKED_AT: usize = 4096;
    let Some(first) = left.pop_front() else { return Vec::new() };
    let looked_at: Vec<usize> = left.drain(..left.len().min(LOOKED_AT)).collect();
    let near = |other: usize| dot::<1>(&centres[first], &centres[other]);
    let mut order: Vec<(f32, usize)> = looked_at.iter().map(|other| (near(*other), *other)).collect();
    order.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    let (mut batch, mut concepts) = (vec![first], HashSet::from([groups[first][0].concept]));
    for (_, other) in order {
        if batch.len() < size && concepts.insert(groups[other][0].concept) {
            batch.push(other);
        }
    }
    let taken: HashSet<usize> = batch.iter().copied().collect();
    looked_at.into_iter().rev().filter(|other| !taken.contains(other)).for_each(|other| left.push_front(other));
    batch
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::augmentation::Augmentation;

    fn concepts() -> Vec<NamedConcept> {
        let names = |number: usize| (0..=number % 23).map(|name| format!("{number} {name}")).collect();
        (0..60)
            .map(|number| NamedConcept { id: number.to_string(), names: names(number), ..NamedConcept::default() })
            .collect()
    }

    fn epoch(hard: f64, seed: u64) -> Vec<Vec<Item>> {
        let (concepts, keys) = (concepts(), SamplerKeys { group: 5, groups: 4, hard, anchor: false });
        let augmenter = Augmenter::new(&Augmentation::default(), &concepts);
        let mut random = Rng::with_seed(seed);
        let groups = groups(&concepts, &keys, &augmenter, &mut random);
        assert_eq!(groups.len(), group_count(&concepts, &keys));
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
    fn the_misspelling_farthest_from_the_name_is_chosen() {
        let concepts = concepts();
        let keys = Augmentation { misspelling: 1.0, adversarial: 8, ..Augmentation::default() };
        let concepts: Vec<NamedConcept> =
            concepts.iter().map(|one| NamedConcept::new(&*one.id, [format!("the concept {}", one.id)])).collect();
        let augmenter = Augmenter::new(&keys, &concepts);
        let mut groups = groups(&concepts, &SamplerKeys::default(), &augmenter, &mut Rng::with_seed(2));
        let drawn: Vec<Vec<String>> =
            groups.iter().flatten().map(|item| item.choice.clone().map_or_else(Vec::new, |choice| choice.1)).collect();
        // The angle of a text's vector grows with its length; all texts are about as long.
        let angle = |text: &str| text.len() as f32 / 20.0;
        let vectors =
            |texts: &[&str]| Ok((texts.iter().flat_map(|text| [angle(text).cos(), angle(text).sin()]).collect(), 2));
        choose_misspellings(&mut groups, vectors).unwrap();
        let mut moved = 0;
        for (item, drawn) in groups.iter().flatten().zip(&drawn) {
            let length = format!("the concept {}", item.concept).len();
            let farthest = drawn.iter().map(|text| text.len().abs_diff(length)).max().unwrap_or(0);
            assert!(drawn.is_empty() || item.text.len().abs_diff(length) == farthest, "{item:?} {drawn:?}");
            moved += usize::from(farthest > 0);
        }
        assert!(moved > 50, "{moved}");
    }

    #[test]
    fn every_anchored_group_has_the_preferred_name() {
        let (concepts, keys) = (concepts(), SamplerKeys { group: 5, anchor: true, ..SamplerKeys::default() });
        let augmenter = Augmenter::new(&Augmentation::default(), &concepts);
        let groups = groups(&concepts, &keys, &augmenter, &mut Rng::with_seed(2));
        assert_eq!(groups.len(), group_count(&concepts, &keys));
        let mut seen = vec![HashSet::new(); concepts.len()];
        for group in &groups {
            let concept = group[0].concept as usize;
            assert_eq!(group[0].text, concepts[concept].names[0]);
            assert!((2..=5).contains(&group.len()) && group.iter().all(|item| item.concept as usize == concept));
            for item in &group[1..] {
                assert!(seen[concept].insert(&item.text), "{group:?}");
            }
        }
        for (concept, seen) in concepts.iter().zip(seen) {
            assert_eq!(seen.len(), (concept.names.len() - 1).max(1), "{concept:?}");
        }
    }

    #[test]
    fn the_groups_of_a_batch_are_of_distinct_concepts() {
        // Twelve groups of the first concept, two of the second, one of each other.
        let names =
            |number: usize| (0..[60, 8].get(number).copied().unwrap_or(4)).map(move |name| format!("{number} {name}"));
        for others in [3, 10, 40] {
            let concepts: Vec<NamedConcept> =
                (0..2 + others).map(|number| NamedConcept::new(number.to_string(), names(number))).collect();
            let augmenter = Augmenter::new(&Augmentation::default(), &concepts);
            for hard in [0.0, 0.5, 1.0] {
                let (keys, mut random) = (SamplerKeys { group: 5, groups: 4, hard, anchor: false }, Rng::with_seed(4));
                let groups = groups(&concepts, &keys, &augmenter, &mut random);
                let all: usize = groups.iter().map(Vec::len).sum();
                let centres: Vec<Vec<f32>> = groups.iter().map(|group| vec![group[0].concept as f32, 1.0]).collect();
                let batches = batches(groups, &centres, &keys, &mut random);
                let seen: usize = batches.iter().map(Vec::len).sum();
                // With three others there are five groups to put beside the twelve; with ten, twelve, unless near ones go together.
                let is_whole = others == 40 || others == 10 && hard == 0.0;
                assert!(seen == all || !is_whole, "{others} {hard}: {seen} of {all}");
                assert!(seen < all || others > 3, "{others} {hard}: {seen} of {all}");
                for batch in &batches {
                    let of_concept = |concept| batch.iter().filter(|item| item.concept == concept).count();
                    assert!(batch.iter().all(|item| of_concept(item.concept) <= keys.group), "{hard} {batch:?}");
                    assert!(batch.iter().any(|item| item.concept != batch[0].concept), "{hard} {batch:?}");
                }
            }
        }
    }

    #[test]
    fn a_seed_gives_one_epoch() {
        assert_eq!(epoch(0.5, 7), epoch(0.5, 7));
        assert_ne!(epoch(0.5, 7), epoch(0.5, 8));
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
