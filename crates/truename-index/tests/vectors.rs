//! The vector index as its users see it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proptest::prelude::*;
use truename_index::{Error, Hit, VectorIndex, VectorScratch, VectorSearch};
use truename_storage::{Environment, EnvironmentOptions, Table};

struct Fixture {
    environment: Environment,
    index: VectorIndex,
}

type Rows = Vec<(u32, Vec<f32>)>;

#[allow(unsafe_code)]
fn open(folder: &Path) -> Environment {
    // SAFETY: the folder is this test's own.
    unsafe { Environment::open(folder, EnvironmentOptions::default()).unwrap() }
}

impl Fixture {
    fn new(rows: &[(u32, Vec<f32>)]) -> Self {
        let environment = Environment::scratch(1 << 30).unwrap();
        let mut write = environment.write().unwrap();
        let index = VectorIndex::create(&environment, &mut write).unwrap();
        write.commit().unwrap();
        let fixture = Self { environment, index };
        fixture.put(rows).unwrap();
        fixture
    }

    fn put(&self, rows: &[(u32, Vec<f32>)]) -> Result<(), Error> {
        let mut write = self.environment.write().unwrap();
        let rows: Vec<(u32, &[f32])> = rows.iter().map(|(name, row)| (*name, row.as_slice())).collect();
        self.index.put(&mut write, &rows)?;
        write.commit().unwrap();
        Ok(())
    }

    fn remove(&self, numbers: &[u32]) {
        let mut write = self.environment.write().unwrap();
        self.index.remove(&mut write, numbers).unwrap();
        write.commit().unwrap();
    }

    fn len(&self) -> usize {
        self.index.len(&self.environment.read().unwrap()).unwrap()
    }

    fn search(&self, query: &[f32], search: &VectorSearch<'_>) -> Vec<Hit> {
        let read = self.environment.read().unwrap();
        self.index.reader(&read).unwrap().search(&[query], search, &mut VectorScratch::default()).unwrap().remove(0)
    }

    fn exactly(&self, query: &[f32], search: &VectorSearch<'_>) -> Vec<Hit> {
        let read = self.environment.read().unwrap();
        self.index.reader(&read).unwrap().search_exactly(&[query], search).unwrap().remove(0)
    }
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|number| *number /= length);
    vector
}

/// Seeded noise of about unit length (Lehmer's generator, Park and Miller 1988).
fn noise(seed: u64, dimensions: usize) -> Vec<f32> {
    let mut state = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) + 1;
    let mut number = || {
        state = state * 48_271 % 0x7fff_ffff;
        state as f32 / 0x7fff_ffff as f32 - 0.5
    };
    (0..dimensions).map(|_| (number() + number() + number()) * 2.0 / (dimensions as f32).sqrt()).collect()
}

fn random(seed: u64, dimensions: usize) -> Vec<f32> {
    unit(noise(seed, dimensions))
}

/// A vector near the centre of one of `rows / 20` clusters.
fn clustered(seed: u64, rows: u64, dimensions: usize) -> Vec<f32> {
    near(&noise((1 << 40) + seed % (rows / 20), dimensions), seed, 0.3 + (seed % 7) as f32 / 10.0)
}

fn near(centre: &[f32], seed: u64, distance: f32) -> Vec<f32> {
    let noise = noise(seed, centre.len());
    unit(centre.iter().zip(noise).map(|(number, noise)| number + distance * noise).collect())
}

/// The slow twin: every row in `f64`.
fn scan(rows: &[(u32, Vec<f32>)], query: &[f32], limit: usize) -> Vec<(u32, f64)> {
    let dot = |row: &[f32]| row.iter().zip(query).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum();
    let mut scored: Vec<(u32, f64)> = rows.iter().map(|(name, row)| (*name, dot(row))).collect();
    scored.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    scored.truncate(limit);
    scored
}

fn recall(rows: &[(u32, Vec<f32>)], fixture: &Fixture, queries: &[Vec<f32>]) -> f64 {
    let found_of = |query: &Vec<f32>| {
        let found: BTreeSet<u32> = fixture
            .search(query, &VectorSearch { limit: 10, ..VectorSearch::default() })
            .iter()
            .map(|h| h.name)
            .collect();
        scan(rows, query, 10).iter().filter(|(name, _)| found.contains(name)).count()
    };
    queries.iter().map(found_of).sum::<usize>() as f64 / (10 * queries.len()) as f64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn few_rows_are_searched_exactly(dimensions in 1usize..200, rows in 1u64..80, limit in 1usize..12, seed: u32) {
        let rows: Rows = (0..rows).map(|at| ((at * 97) as u32, random(at + u64::from(seed), dimensions))).collect();
        let (fixture, query) = (Fixture::new(&rows), random(7 + u64::from(seed), dimensions));
        let search = VectorSearch { limit, ..VectorSearch::default() };
        let found = fixture.search(&query, &search);
        prop_assert_eq!(&found, &fixture.exactly(&query, &search));
        let expected = scan(&rows, &query, limit);
        prop_assert_eq!(found.len(), expected.len());
        for (hit, (_, score)) in found.iter().zip(&expected) {
            prop_assert!((f64::from(hit.score) - score).abs() < 1e-3);
        }
    }

    #[test]
    fn an_updated_index_answers_as_a_built_one(changes in prop::collection::vec((0u32..9000, any::<bool>()), 1..60), cuts in 1usize..5) {
        let fixture = Fixture::new(&[]);
        let mut expected: BTreeMap<u32, Vec<f32>> = BTreeMap::new();
        for (round, changes) in changes.chunks(changes.len().div_ceil(cuts)).enumerate() {
            let put: Rows = changes.iter().filter(|(_, put)| *put)
                .map(|(name, _)| (*name, random(u64::from(*name) + 10_000 * round as u64, 33))).collect();
            let removed: Vec<u32> = changes.iter().filter(|(_, put)| !put).map(|(name, _)| *name).collect();
            fixture.remove(&removed);
            fixture.put(&put).unwrap();
            expected.retain(|name, _| !removed.contains(name));
            expected.extend(put);
        }
        let built = Fixture::new(&expected.clone().into_iter().collect::<Rows>());
        prop_assert_eq!(fixture.len(), expected.len());
        let query = random(1, 33);
        prop_assert_eq!(fixture.search(&query, &VectorSearch::default()), built.search(&query, &VectorSearch::default()));
        let read = fixture.environment.read().unwrap();
        let missing: Vec<u32> = (0..9000).filter(|name| !expected.contains_key(name)).collect();
        prop_assert_eq!(fixture.index.missing(&read, 0..9000).unwrap(), missing);
    }
}

#[test]
fn rows_that_tie_go_by_their_rank() {
    // More than a search keeps by signs, by codes and by cosine; the last of them are in a block of their own.
    let rows: Rows = (0..5000).map(|at| (at, random(1, 40))).collect();
    let fixture = Fixture::new(&rows);
    let rank = |name: u32| (name + 2500) % 5000;
    for (rank, first) in [(None, 0), (Some(&rank as truename_index::Rank<'_>), 2500)] {
        let search = VectorSearch { limit: 7, rank, ..VectorSearch::default() };
        for found in [fixture.search(&random(2, 40), &search), fixture.exactly(&random(2, 40), &search)] {
            assert_eq!(found.iter().map(|hit| hit.name).collect::<Vec<_>>(), (first..first + 7).collect::<Vec<_>>());
        }
    }
}

#[test]
fn sets_of_vectors_in_one_store_are_apart() {
    let fixture = Fixture::new(&[(3, random(1, 20)), (5000, random(2, 20))]);
    let other = fixture.index.set(1);
    let row = random(3, 33);
    let mut write = fixture.environment.write().unwrap();
    other.put(&mut write, &[(3, &row), (4, &row)]).unwrap();
    write.commit().unwrap();
    let read = fixture.environment.read().unwrap();
    assert_eq!((fixture.len(), other.len(&read).unwrap()), (2, 2));
    assert_eq!((fixture.index.dimensions(&read).unwrap(), other.dimensions(&read).unwrap()), (Some(20), Some(33)));
    assert_eq!(fixture.index.missing(&read, [3, 4]).unwrap(), [4]);
    drop(read);
    let mut write = fixture.environment.write().unwrap();
    fixture.index.clear(&mut write).unwrap();
    write.commit().unwrap();
    let read = fixture.environment.read().unwrap();
    assert_eq!((fixture.len(), fixture.index.dimensions(&read).unwrap()), (0, None));
    let hits = other.reader(&read).unwrap().search(&[&row], &VectorSearch::default(), &mut VectorScratch::default());
    assert_eq!(hits.unwrap()[0].iter().map(|hit| hit.name).collect::<Vec<_>>(), [3, 4]);
}

#[test]
fn most_of_the_nearest_are_found() {
    let rows: Rows = (0..12_000).map(|at| (at as u32, clustered(at, 12_000, 128))).collect();
    let queries: Vec<Vec<f32>> = (0..100).map(|at| near(&rows[at * 117].1, 1 << 50 | at as u64, 0.5)).collect();
    let found = recall(&rows, &Fixture::new(&rows), &queries);
    assert!(found >= 0.99, "clusters: {found}");
    // Of random vectors all are about equally far: nothing can be told by fewer bits.
    let rows: Rows = (0..12_000).map(|at| (at as u32, random(at, 128))).collect();
    let queries: Vec<Vec<f32>> = (0..50).map(|at| random(1 << 51 | at, 128)).collect();
    let found = recall(&rows, &Fixture::new(&rows), &queries);
    assert!(found >= 0.8, "random: {found}");
}

#[test]
fn threads_and_batches_do_not_change_the_answer() {
    let rows: Rows = (0..70_000).map(|at| (at as u32, clustered(at, 70_000, 64))).collect();
    let fixture = Fixture::new(&rows);
    let queries: Vec<Vec<f32>> = (0..300).map(|at| clustered(1 << 50 | at, 70_000, 64)).collect();
    let queries: Vec<&[f32]> = queries.iter().map(Vec::as_slice).collect();
    let answers = |threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let (read, mut scratch) = (fixture.environment.read().unwrap(), VectorScratch::default());
            let mut search = |queries: &[&[f32]]| {
                fixture.index.reader(&read).unwrap().search(queries, &VectorSearch::default(), &mut scratch).unwrap()
            };
            let alone: Vec<Vec<Hit>> = queries.iter().flat_map(|query| search(&[query])).collect();
            (alone, search(&queries))
        })
    };
    let (alone, together) = answers(1);
    assert_eq!(alone, together);
    assert_eq!(answers(2), (alone.clone(), together));
    assert_eq!(answers(7).0, alone);
}

#[test]
fn filters_skip_rows() {
    let rows: Rows = (0..9000).map(|at| (at as u32, clustered(at, 9000, 64))).collect();
    let (fixture, query) = (Fixture::new(&rows), clustered(1 << 50, 9000, 64));
    for step in [2, 11, 8999, 20_000] {
        let allowed = move |name: u32| name % step == step - 1;
        let search = VectorSearch { limit: 5, allowed: Some(&allowed), ..VectorSearch::default() };
        let kept: Rows = rows.iter().filter(|(name, _)| allowed(*name)).cloned().collect();
        let found: Vec<u32> = fixture.search(&query, &search).iter().map(|hit| hit.name).collect();
        let expected: Vec<u32> = scan(&kept, &query, 5).iter().map(|(name, _)| *name).collect();
        // Of the first, thousands are left, of which signs find most; of the others, too few to miss one.
        assert!(found == expected || (step == 2 && found.len() == 5 && found.iter().all(|name| allowed(*name))));
    }
    let none = fixture.search(&query, &VectorSearch { min_score: 1.1, ..VectorSearch::default() });
    assert!(none.is_empty());
    assert!(fixture.search(&query, &VectorSearch { limit: 0, ..VectorSearch::default() }).is_empty());
}

#[test]
fn equal_vectors_come_by_number() {
    let row = random(3, 40);
    let rows: Rows = (0..5000).rev().map(|name| (name, row.clone())).collect();
    let found = Fixture::new(&rows).search(&row, &VectorSearch { limit: 7, ..VectorSearch::default() });
    assert_eq!(found.iter().map(|hit| hit.name).collect::<Vec<_>>(), (0..7).collect::<Vec<_>>());
    assert!(found.iter().all(|hit| (hit.score - 1.0).abs() < 1e-3 && hit.score <= 1.0));
}

#[test]
fn an_empty_index_and_one_row() {
    let fixture = Fixture::new(&[]);
    let read = fixture.environment.read().unwrap();
    assert_eq!((fixture.len(), fixture.index.dimensions(&read).unwrap()), (0, None));
    assert_eq!(fixture.index.missing(&read, [3, 1]).unwrap(), [3, 1]);
    assert!(fixture.search(&[1.0], &VectorSearch::default()).is_empty());
    assert!(fixture.index.get(&read, 0).unwrap().is_none());
    drop(read);
    fixture.put(&[(u32::MAX, vec![0.6, -0.8])]).unwrap();
    assert_eq!(fixture.search(&[-0.6, 0.8], &VectorSearch::default()).len(), 1);
    let read = fixture.environment.read().unwrap();
    assert_eq!(fixture.index.dimensions(&read).unwrap(), Some(2));
    let row = fixture.index.get(&read, u32::MAX).unwrap().unwrap();
    assert!((row[0] - 0.6).abs() < 1e-3 && (row[1] + 0.8).abs() < 1e-3);
    let cosines = fixture.index.reader(&read).unwrap().cosines(&[0.6, -0.8], &[5, u32::MAX]).unwrap();
    assert!(cosines[0].is_none() && (cosines[1].unwrap() - 1.0).abs() < 1e-3);
}

#[test]
fn rows_that_are_gone_are_not_found_and_their_blocks_are_freed() {
    let rows: Rows = (0..6000).map(|at| (at as u32, random(at, 16))).collect();
    let fixture = Fixture::new(&rows);
    fixture.remove(&(0..5999).chain([7_000_000]).collect::<Vec<_>>());
    assert_eq!(fixture.len(), 1);
    assert_eq!(fixture.search(&rows[0].1, &VectorSearch::default())[0].name, 5999);
    fixture.remove(&[5999]);
    assert!(fixture.search(&rows[0].1, &VectorSearch::default()).is_empty());
    fixture.put(&[(17, rows[0].1.clone())]).unwrap();
    assert_eq!(fixture.search(&rows[0].1, &VectorSearch::default())[0].name, 17);
}

#[test]
fn unfit_vectors_are_refused_and_nothing_is_written() {
    let fixture = Fixture::new(&[(0, vec![1.0, 0.0, 0.0])]);
    let cases = [
        (vec![0.0, 0.0, 0.0], "vector of name 4 has length 0; 1 is needed"),
        (vec![2.0, 0.0, 0.0], "vector of name 4 has length 2; 1 is needed"),
        (vec![f32::NAN, 1.0, 0.0], "vector of name 4 has a number that is not finite"),
        (vec![f32::INFINITY, 1.0, 0.0], "vector of name 4 has a number that is not finite"),
        (vec![0.6, 0.8], "vector of name 4 has 2 dimensions; the index holds 3"),
    ];
    for (vector, message) in cases {
        let error = fixture.put(&[(3, vec![0.0, 1.0, 0.0]), (4, vector.clone())]).unwrap_err();
        assert_eq!(error.to_string(), message);
        let read = fixture.environment.read().unwrap();
        let search = VectorSearch::default();
        let error = fixture
            .index
            .reader(&read)
            .unwrap()
            .search(&[&vector], &search, &mut VectorScratch::default())
            .unwrap_err();
        assert_eq!(error.to_string(), message.replace("vector of name 4", "query"));
        assert_eq!(fixture.len(), 1);
    }
    let empty = Fixture::new(&[]);
    assert_eq!(
        empty.put(&[(4, vec![])]).unwrap_err().to_string(),
        "vector of name 4 has 0 dimensions; 1 to 32767 can be indexed"
    );
    assert_eq!(
        empty.put(&[(4, vec![1.0]), (5, vec![0.6, 0.8])]).unwrap_err().to_string(),
        "vector of name 5 has 2 dimensions; the index holds 1"
    );
}

#[test]
fn a_damaged_block_is_an_error() {
    let rows: Rows = (0..5000).map(|at| (at as u32, random(at, 40))).collect();
    let fixture = Fixture::new(&rows);
    let stored: Vec<(Vec<u8>, Vec<u8>)> = {
        let read = fixture.environment.read().unwrap();
        let table: Table<[u8], [u8]> = fixture.environment.open_table(&read, "vectors").unwrap().unwrap();
        let entries = table.iter(&read).unwrap();
        let stored = entries.map(|entry| entry.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap()).collect();
        read.commit().unwrap();
        stored
    };
    // The layout, and four parts of two blocks.
    assert_eq!(stored.len(), 9);
    for (key, value) in &stored {
        let cuts = [None, Some(0), Some(1), Some(value.len() / 2), Some(value.len() - 1)];
        for kept in cuts {
            let mut write = fixture.environment.write().unwrap();
            let table: Table<[u8], [u8]> = fixture.environment.open_table(&write, "vectors").unwrap().unwrap();
            match kept {
                Some(kept) => table.put(&mut write, key, &value[..kept]).unwrap(),
                None => assert!(table.delete(&mut write, key).unwrap()),
            }
            let search = VectorSearch::default();
            let found = fixture
                .index
                .reader(&write)
                .and_then(|reader| reader.search(&[&rows[0].1], &search, &mut VectorScratch::default()));
            match found {
                // Without its layout or its bitmap a block is one that is not there.
                Ok(_) => assert!(kept.is_none(), "{key:?} cut to {kept:?} is no block"),
                Err(error) => assert!(error.to_string().contains("the index is damaged"), "{error}"),
            }
            drop(write);
        }
    }
}

#[test]
fn what_was_committed_is_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Rows = (0..300).map(|at| (at as u32 * 50, random(at, 48))).collect();
    {
        let environment = open(folder.path());
        assert!(VectorIndex::open(&environment, &environment.read().unwrap()).is_err());
        let mut write = environment.write().unwrap();
        let index = VectorIndex::create(&environment, &mut write).unwrap();
        write.commit().unwrap();
        // Two transactions that are kept, and one that is not.
        for (rows, kept) in [(&rows[..100], true), (&rows[100..200], true), (&rows[200..], false)] {
            let mut write = environment.write().unwrap();
            let rows: Vec<(u32, &[f32])> = rows.iter().map(|(name, row)| (*name, row.as_slice())).collect();
            index.put(&mut write, &rows).unwrap();
            if kept { write.commit().unwrap() } else { drop(write) }
        }
        environment.close();
    }
    let environment = open(folder.path());
    let read = environment.read().unwrap();
    let index = VectorIndex::open(&environment, &read).unwrap();
    let left: Vec<u32> = rows[200..].iter().map(|(name, _)| *name).collect();
    assert_eq!(index.missing(&read, rows.iter().map(|(name, _)| *name)).unwrap(), left);
    let found = index
        .reader(&read)
        .unwrap()
        .search(&[&rows[150].1], &VectorSearch::default(), &mut VectorScratch::default())
        .unwrap();
    assert_eq!(found[0][0].name, rows[150].0);
    read.commit().unwrap();
    let mut write = environment.write().unwrap();
    index.clear(&mut write).unwrap();
    assert!(index.is_empty(&write).unwrap() && index.dimensions(&write).unwrap().is_none());
}
