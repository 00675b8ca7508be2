//! TF-IDF cosine over character n-grams, by a search that skips names and terms without a chance.
//!
//! An n-gram counts once a name, so with the weight `w(g) = idf(g)²` the cosine of a query `q` and a name
//! `d` is `Σ_{g ∈ q ∩ d} w(g) / (|q| |d|)`, where `|x|² = Σ_{g ∈ x} w(g)` and
//! `idf(g) = ln((1 + names) / (1 + names with g)) + 1`, as in scikit-learn.
//!
//! Names are searched in blocks of 65,536, so that the sums of one block stay in the processor's cache.
//! Importers number names by length; a block therefore spans few norms, and two bounds prune hard:
//! the cosine is at most `min(|q|, |d|) / max(|q|, |d|)`, and a name that has none of the rarer n-grams
//! has at most the weight of the common ones. Terms are taken from the rarest on; once what remains
//! cannot lift a new name past the worst hit kept, only names already found are completed (MaxScore,
//! Turtle and Flood 1995). The result is that of the full scan.
//!
//! An update changes postings in place and computes counts and norms anew from them. An index of some of the names may
//! be given the frequencies of all ([`NgramIndex::weigh`]); its cosines are then those of an index of all.

mod keys;
mod postings;
mod scan;
mod search;
mod weight;

use std::collections::BTreeMap;

use rayon::prelude::*;
use truename_storage::{Environment, Table, Transaction, WriteTransaction};
use truename_text::Gram;

use self::keys::{BLOCKS, DIRECTORY, OTHERS, block_of, norms_key, parse_key, posting_key, slot_of};
use self::postings::{BLOCK, Postings, encode};
pub use self::search::{Search, SearchScratch};
use self::weight::weight;
use crate::{Error, Frequencies, error};

/// The n-gram index of a store.
#[derive(Clone, Copy)]
pub struct NgramIndex {
    /// n-gram (8 bytes) and block (2 bytes), big endian, to postings.
    postings: Table<[u8], [u8]>,
    /// `NORMS` and block to one `f32` a name, 0 where there is none; `DIRECTORY` and `BLOCKS` to tables; `OTHERS` to the frequencies in
    /// the names of other indexes.
    tables: Table<[u8], [u8]>,
}

const POSTINGS: &str = "ngram-postings";
const TABLES: &str = "ngram-tables";

struct PostingCounts {
    frequencies: Frequencies,
    /// Numbers for names, used and unused, in whole blocks.
    numbers: usize,
}

impl NgramIndex {
    /// Makes the tables in a store.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn create(environment: &Environment, write: &mut WriteTransaction<'_>) -> Result<Self, Error> {
        Ok(Self {
            postings: environment.create_table(write, POSTINGS)?,
            tables: environment.create_table(write, TABLES)?,
        })
    }

    /// Opens the tables of a store.
    ///
    /// # Errors
    /// If the store has none.
    pub fn open(environment: &Environment, read: &impl Transaction) -> Result<Self, Error> {
        Ok(Self {
            postings: environment.open_table(read, POSTINGS)?.ok_or_else(error::missing)?,
            tables: environment.open_table(read, TABLES)?.ok_or_else(error::missing)?,
        })
    }

    /// Fills the index with the names `0..names`; `grams` gives the distinct n-grams of one.
    ///
    /// Earlier contents are removed. Searches are fastest where names are numbered by length.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn build(
        &self,
        write: &mut WriteTransaction<'_>,
        names: u32,
        grams: impl Fn(u32) -> Vec<Gram> + Sync,
    ) -> Result<(), Error> {
        self.postings.clear(write)?;
        self.tables.clear(write)?;
        let blocks = names.div_ceil(BLOCK as u32);
        let mut lists: Vec<([u8; 10], Vec<u8>)> =
            (0..blocks).into_par_iter().flat_map_iter(|block| block_lists(block as u16, names, &grams)).collect();
        lists.par_sort_unstable_by_key(|(key, _)| *key);
        for (key, list) in &lists {
            self.postings.append(write, key, list)?;
        }
        drop(lists);
        self.refresh(write, names)
    }

    /// Adds and removes names, each with its distinct n-grams. A number is not used again, and all are below `next_name`.
    ///
    /// # Errors
    /// If the storage fails or is damaged; nothing is committed here, so the transaction can be dropped.
    pub fn update(
        &self,
        write: &mut WriteTransaction<'_>,
        next_name: u32,
        removed: &[(u32, Vec<Gram>)],
        added: &[(u32, Vec<Gram>)],
    ) -> Result<(), Error> {
        let mut changes: BTreeMap<[u8; 10], (Vec<u16>, Vec<u16>)> = BTreeMap::new();
        for (name, gram) in each_gram(removed) {
            changes.entry(posting_key(gram, block_of(name))).or_default().0.push(slot_of(name));
        }
        for (name, gram) in each_gram(added) {
            changes.entry(posting_key(gram, block_of(name))).or_default().1.push(slot_of(name));
        }
        for (key, (gone, new)) in changes {
            let mut slots =
                self.postings.get(write, &key)?.map(|bytes| Postings::new(bytes).to_vec()).unwrap_or_default();
            slots.retain(|slot| !gone.contains(slot));
            slots.extend(new);
            slots.sort_unstable();
            slots.dedup();
            if slots.is_empty() {
                self.postings.delete(write, &key)?;
            } else {
                self.postings.put(write, &key, &encode(&slots))?;
            }
        }
        self.refresh(write, next_name)
    }

    /// Weighs n-grams by their frequencies in the names of several indexes, of which this is one; it then finds its names with the scores
    /// that an index of all has for them. All numbers of its names are below `next_name`.
    ///
    /// # Errors
    /// If `whole` lacks names of this index, or the storage fails or is damaged.
    pub fn weigh(&self, write: &mut WriteTransaction<'_>, next_name: u32, whole: &Frequencies) -> Result<(), Error> {
        let others = whole.without(&self.count(write, next_name)?.frequencies)?;
        self.tables.put(write, OTHERS, &[&others.names.to_le_bytes()[..], &others.to_rows()].concat())?;
        self.refresh(write, next_name)
    }

    /// Returns the frequencies of n-grams in the names of this index.
    ///
    /// # Errors
    /// If the storage fails or is damaged.
    pub fn frequencies(&self, read: &impl Transaction) -> Result<Frequencies, Error> {
        Ok(self.count(read, u32::MAX)?.frequencies)
    }

    /// Returns the frequencies by which n-grams are weighed: those in the names of this index, or those given to [`NgramIndex::weigh`].
    ///
    /// # Errors
    /// If the storage fails or is damaged.
    pub fn weighed_by(&self, read: &impl Transaction) -> Result<Frequencies, Error> {
        let names = self.tables.get(read, BLOCKS)?.and_then(|table| table.first_chunk());
        let names = names.ok_or_else(|| error::damaged("no block table"))?;
        let directory = self.tables.get(read, DIRECTORY)?.ok_or_else(|| error::damaged("no directory"))?;
        Frequencies::of_rows(u32::from_le_bytes(*names), directory)
    }

    /// Adds the frequencies in the names of other indexes, if this one has them.
    fn with_others(&self, read: &impl Transaction, own: Frequencies) -> Result<Frequencies, Error> {
        let Some(others) = self.tables.get(read, OTHERS)? else { return Ok(own) };
        let (names, rows) = others.split_first_chunk().ok_or_else(|| error::damaged("no number of other names"))?;
        own.with(&Frequencies::of_rows(u32::from_le_bytes(*names), rows)?)
    }

    /// Computes the counts and norms anew from the postings, so that an updated index answers as a built one.
    fn refresh(&self, write: &mut WriteTransaction<'_>, next_name: u32) -> Result<(), Error> {
        let PostingCounts { frequencies, numbers } = self.count(write, next_name)?;
        let frequencies = self.with_others(write, frequencies)?;
        let mut norms = vec![0f64; numbers];
        let mut rows = frequencies.counts.iter();
        let mut current: Option<(Gram, f64)> = None;
        for entry in self.postings.iter(write)? {
            let (key, list) = entry?;
            let (gram, block) = parse_key(key)?;
            if current.is_none_or(|(known, _)| known != gram) {
                let row = rows.find(|(other, _)| *other == gram.0);
                let (_, count) = row.ok_or_else(|| error::damaged("postings without a count"))?;
                current = Some((gram, f64::from(weight(frequencies.names, *count))));
            }
            let weight = current.map_or(0.0, |(_, weight)| weight);
            let norms = &mut norms[usize::from(block) * BLOCK..];
            Postings::new(list).for_each(|slot| norms[usize::from(slot)] += weight);
        }
        self.write_tables(write, &frequencies, &norms)
    }

    fn count(&self, read: &impl Transaction, next_name: u32) -> Result<PostingCounts, Error> {
        let mut counts: Vec<(u64, u32)> = Vec::new();
        let mut seen: Vec<u64> = Vec::new();
        let mut last: Option<&[u8]> = None;
        for entry in self.postings.iter(read)? {
            let (key, list) = entry?;
            let (gram, block) = parse_key(key)?;
            if last.replace(key).is_some_and(|last| last >= key) {
                return Err(error::damaged("the postings are out of order"));
            }
            let list = Postings::new(list);
            match counts.last_mut() {
                Some((last, count)) if *last == gram.0 => *count += list.len() as u32,
                _ => counts.push((gram.0, list.len() as u32)),
            }
            let base = usize::from(block) * BLOCK;
            if base >= next_name as usize {
                return Err(error::damaged("a posting is of a name that never was there"));
            }
            seen.resize(seen.len().max((base + BLOCK) / 64), 0);
            list.for_each(|slot| seen[(base + usize::from(slot)) / 64] |= 1 << (slot % 64));
        }
        let names = seen.iter().map(|word| word.count_ones()).sum();
        Ok(PostingCounts { frequencies: Frequencies { names, counts }, numbers: seen.len() * 64 })
    }

    fn write_tables(
        &self,
        write: &mut WriteTransaction<'_>,
        frequencies: &Frequencies,
        squared_norms: &[f64],
    ) -> Result<(), Error> {
        self.tables.put(write, DIRECTORY, &frequencies.to_rows())?;
        let mut blocks = frequencies.names.to_le_bytes().to_vec();
        for (block, squared) in squared_norms.chunks(BLOCK).enumerate() {
            let norms: Vec<f32> = squared.iter().map(|sum| sum.sqrt() as f32).collect();
            let present = || norms.iter().copied().filter(|norm| *norm > 0.0);
            blocks.extend(present().fold(f32::INFINITY, f32::min).to_le_bytes());
            blocks.extend(present().fold(0.0, f32::max).to_le_bytes());
            let bytes: Vec<u8> = norms.iter().flat_map(|norm| norm.to_le_bytes()).collect();
            self.tables.put(write, &norms_key(block as u16), &bytes)?;
        }
        self.tables.put(write, BLOCKS, &blocks)
    }

    /// Reads every posting and compares their counts with the directory; all numbers of names are below `next_name`.
    ///
    /// # Errors
    /// [`Error::is_damaged`] if they differ or cannot be read.
    pub fn check(&self, read: &impl Transaction, next_name: u32) -> Result<(), Error> {
        let Some(table) = self.tables.get(read, BLOCKS)? else { return Ok(()) };
        let directory = self.tables.get(read, DIRECTORY)?.ok_or_else(|| error::damaged("no directory"))?;
        let PostingCounts { frequencies, numbers } = self.count(read, next_name)?;
        let counted = self.with_others(read, frequencies)?;
        if directory != counted.to_rows() || table.get(..4) != Some(&counted.names.to_le_bytes()) {
            return Err(error::damaged("the counts of n-grams are not those of the postings"));
        }
        (0..numbers / BLOCK).try_for_each(|block| self.norms(read, block as u16).map(drop))
    }
}

fn block_lists(block: u16, names: u32, grams: &(impl Fn(u32) -> Vec<Gram> + Sync)) -> Vec<([u8; 10], Vec<u8>)> {
    let first = u32::from(block) * BLOCK as u32;
    let mut pairs: Vec<(Gram, u16)> = (first..names.min(first.saturating_add(BLOCK as u32)))
        .flat_map(|name| grams(name).into_iter().map(move |gram| (gram, slot_of(name))))
        .collect();
    pairs.sort_unstable();
    pairs
        .chunk_by(|left, right| left.0 == right.0)
        .map(|run| {
            let slots: Vec<u16> = run.iter().map(|(_, slot)| *slot).collect();
            (posting_key(run[0].0, block), encode(&slots))
        })
        .collect()
}

fn each_gram(names: &[(u32, Vec<Gram>)]) -> impl Iterator<Item = (u32, Gram)> {
    names.iter().flat_map(|(name, grams)| grams.iter().map(|gram| (*name, *gram)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use truename_text::{NormalizedName, grams};

    use super::*;
    use crate::hit::{Hit, Rank};

    struct Fixture {
        environment: Environment,
        index: NgramIndex,
    }

    fn grams_of(name: &str) -> Vec<Gram> {
        grams(&NormalizedName::new(name))
    }

    fn built(names: &[String]) -> Fixture {
        let environment = Environment::scratch(1 << 28).unwrap();
        let mut write = environment.write().unwrap();
        let index = NgramIndex::create(&environment, &mut write).unwrap();
        index.build(&mut write, names.len() as u32, |name| grams_of(&names[name as usize])).unwrap();
        write.commit().unwrap();
        Fixture { environment, index }
    }

    impl Fixture {
        fn search(&self, query: &str, search: &Search<'_>) -> Vec<Hit> {
            let read = self.environment.read().unwrap();
            self.index.search(&read, &grams_of(query), search, &mut SearchScratch::default()).unwrap()
        }
    }

    /// Returns the slow twin: every name scored in `f64`.
    fn scan(names: &[String], query: &str, limit: usize) -> Vec<(u32, f64)> {
        let all: Vec<Vec<Gram>> = names.iter().map(|name| grams_of(name)).collect();
        let count = |gram: &Gram| all.iter().filter(|grams| grams.contains(gram)).count() as u32;
        let present = all.iter().filter(|grams| !grams.is_empty()).count() as u32;
        let weigh = |grams: &[Gram]| grams.iter().map(|gram| f64::from(weight(present, count(gram)))).sum::<f64>();
        let query = grams_of(query);
        let mut scored: Vec<(u32, f64)> = all
            .iter()
            .enumerate()
            .map(|(at, grams)| {
                let shared: Vec<Gram> = query.iter().filter(|gram| grams.contains(gram)).copied().collect();
                (at as u32, weigh(&shared) / (weigh(&query) * weigh(grams)).sqrt())
            })
            .filter(|(_, score)| *score >= 0.1)
            .collect();
        scored.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        scored.truncate(limit);
        scored
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn search_is_the_full_scan(names in prop::collection::vec("[a-d]{1,5}( [a-d]{1,4})?", 1..60), query in "[a-e]{1,6}( [a-d]{1,3})?", limit in 1usize..12) {
            let found = built(&names).search(&query, &Search { limit, ..Search::default() });
            let expected = scan(&names, &query, limit);
            prop_assert_eq!(found.len(), expected.len());
            for (hit, (_, score)) in found.iter().zip(&expected) {
                prop_assert!((f64::from(hit.score) - score).abs() < 1e-4);
            }
        }

        #[test]
        fn an_updated_index_answers_as_a_built_one(names in prop::collection::vec("[a-d]{1,6}", 4..40), query in "[a-d]{1,6}") {
            let (kept, gone) = names.split_at(names.len() / 2);
            let fixture = built(&[gone, &kept[..1]].concat());
            let mut write = fixture.environment.write().unwrap();
            let numbered = |names: &[String], first: usize| -> Vec<(u32, Vec<Gram>)> {
                names.iter().enumerate().map(|(at, name)| ((first + at) as u32, grams_of(name))).collect()
            };
            let next_name = names.len() as u32;
            fixture.index.update(&mut write, next_name, &numbered(gone, 0), &numbered(&kept[1..], gone.len() + 1)).unwrap();
            write.commit().unwrap();
            let updated = fixture.search(&query, &Search::default());
            let rebuilt = built(kept).search(&query, &Search::default());
            let shift = |hit: &Hit| Hit { name: hit.name + gone.len() as u32, ..*hit };
            prop_assert_eq!(updated, rebuilt.iter().map(shift).collect::<Vec<_>>());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn a_weighed_part_scores_as_the_whole(names in prop::collection::vec("[a-d]{1,6}", 4..40), query in "[a-e]{1,6}", more in "[a-d]{2,6}") {
            let whole = built(&[names.clone(), vec![more.clone()]].concat());
            let first = built(&names[..names.len() / 2]);
            let frequencies = |fixture: &Fixture| fixture.index.frequencies(&fixture.environment.read().unwrap()).unwrap();
            let others = frequencies(&built(&names[names.len() / 2..]));
            let sum = frequencies(&first).with(&others).unwrap();
            let mut write = first.environment.write().unwrap();
            first.index.weigh(&mut write, (names.len() / 2) as u32, &sum).unwrap();
            // A later name counts beside those of the others.
            let number = (names.len() / 2) as u32;
            first.index.update(&mut write, number + 1, &[], &[(number, grams_of(&more))]).unwrap();
            write.commit().unwrap();
            let read = first.environment.read().unwrap();
            prop_assert_eq!(first.index.weighed_by(&read).unwrap(), frequencies(&whole));
            first.index.check(&read, number + 1).unwrap();
            drop(read);
            let all = whole.search(&query, &Search::default());
            for hit in first.search(&query, &Search::default()) {
                let name = if hit.name == number { names.len() as u32 } else { hit.name };
                let is_found = all.contains(&Hit { name, ..hit });
                prop_assert!(is_found);
            }
        }
    }

    #[test]
    fn blocks_are_searched_together_and_filters_hold() {
        let names: Vec<String> = (0..70_000).map(|number| format!("name {number:05}")).collect();
        let fixture = built(&names);
        let best = fixture.search("name 69321", &Search { limit: 1, ..Search::default() });
        assert_eq!((best[0].name, best[0].score > 0.999), (69_321, true));
        let even = |name: u32| name.is_multiple_of(2);
        let found = fixture.search("name 69321", &Search { limit: 20, allowed: Some(&even), ..Search::default() });
        assert!(found.len() == 20 && found.iter().all(|hit| even(hit.name)));
    }

    #[test]
    fn names_that_share_most_ngrams_are_the_full_scan() {
        let names: Vec<String> =
            (0..9000).map(|number| format!("acme tools, {number} main street, springfield")).collect();
        let fixture = built(&names);
        let even = |name: u32| name.is_multiple_of(2);
        for query in [17, 4711] {
            let found = fixture.search(&names[query], &Search { limit: 9000, ..Search::default() });
            assert_eq!((found.len(), found[0].name as usize), (9000, query));
            // A search for few reads few lists, one for all reads all.
            let few = fixture.search(&names[query], &Search { limit: 7, ..Search::default() });
            assert_eq!(few, found[..7]);
            let found: Vec<Hit> = found.into_iter().filter(|hit| even(hit.name)).collect();
            let few = fixture.search(&names[query], &Search { limit: 7, allowed: Some(&even), ..Search::default() });
            assert_eq!(few, found[..7]);
        }
    }

    #[test]
    fn names_that_tie_go_by_their_rank() {
        let fixture = built(&vec!["alpha".to_owned(); 100]);
        let rank = |name: u32| 100 - name;
        for (rank, expected) in [(None, [0, 1, 2]), (Some(&rank as Rank<'_>), [99, 98, 97])] {
            let found = fixture.search("alpha", &Search { limit: 3, rank, ..Search::default() });
            assert_eq!(found.iter().map(|hit| hit.name).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_posting_of_a_name_that_never_was_allocates_nothing() {
        let Fixture { environment, index } = built(&["alpha".into()]);
        let mut write = environment.write().unwrap();
        index.postings.put(&mut write, &posting_key(Gram(1), u16::MAX), &encode(&[0])).unwrap();
        assert!(index.check(&write, 1).unwrap_err().is_damaged());
        assert!(index.update(&mut write, 1, &[], &[]).unwrap_err().is_damaged());
    }

    #[test]
    fn nothing_is_found_where_nothing_is_shared() {
        assert!(built(&["alpha".into()]).search("zzz", &Search::default()).is_empty());
        assert!(built(&[]).search("alpha", &Search::default()).is_empty());
        assert!(built(&["alpha".into()]).search("", &Search::default()).is_empty());
    }
}
