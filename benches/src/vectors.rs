//! Nearest vectors: speed, recall against the exact scan, size and cost of an update.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use rayon::prelude::*;
use truename_index::{Hit, VectorIndex, VectorScratch, VectorSearch};
use truename_storage::Environment;
use truename_text::SplitMix64;

/// Number of queries, timed one by one and in one batch.
const QUERIES: usize = 1000;
/// Number of queries that are also compared with the exact scan.
const CHECKED: usize = 400;
/// Number of nearest names.
const NEAREST: usize = 10;
/// Options of every search.
const SEARCH: VectorSearch<'_> = VectorSearch { limit: NEAREST, min_score: -1.0, allowed: None, rank: None };
/// Number of rows stored together: the output of an encoder in a second or two.
const AT_ONCE: usize = 4096;
/// Number of names that an update removes, and adds.
const UPDATED: usize = 500;
/// Repetitions of short measurements; the median is shown.
const TIMES: usize = 5;
/// Length of the noise added to a name's vector to make a query: a cosine of about 0.9.
const QUERY_NOISE: f32 = 0.5;

/// Vectors of unit length, concatenated.
struct Vectors {
    dimensions: usize,
    numbers: Vec<f32>,
}

impl Vectors {
    fn len(&self) -> usize {
        self.numbers.len() / self.dimensions
    }

    fn row(&self, at: usize) -> &[f32] {
        &self.numbers[at * self.dimensions..][..self.dimensions]
    }

    /// Returns rows from `first` on with their numbers in the index.
    fn numbered(&self, first: usize) -> Vec<(u32, &[f32])> {
        (0..self.len()).map(|at| ((first + at) as u32, self.row(at))).collect()
    }

    fn rows(&self) -> Vec<&[f32]> {
        self.numbers.chunks_exact(self.dimensions).collect()
    }
}

/// Runs the benchmark on vectors drawn from a seeded mixture of Gaussians on the sphere.
///
/// There are topics, subjects of a topic and names of a subject: about 1,000 names a topic and 20 names a subject, as
/// in a vocabulary. Names lie at different distances from their subject, so that some have near neighbours and some
/// none.
pub fn run(rows: usize, dimensions: usize) -> anyhow::Result<()> {
    println!("{rows} vectors of {dimensions} dimensions, drawn from clusters");
    let vectors = clustered(rows + UPDATED, dimensions);
    measure(&vectors, &perturbed(&vectors))
}

/// Runs the benchmark on a file of vectors: raw little-endian `f32`, each of unit length; `queries` likewise, or none.
pub fn run_on(file: &Path, dimensions: usize, queries: Option<&Path>) -> anyhow::Result<()> {
    let vectors = read(file, dimensions)?;
    println!("{} vectors of {dimensions} dimensions in {}", vectors.len(), file.display());
    let queries = queries.map_or_else(|| Ok(perturbed(&vectors)), |queries| read(queries, dimensions))?;
    measure(&vectors, &queries)
}

fn read(file: &Path, dimensions: usize) -> anyhow::Result<Vectors> {
    let bytes = std::fs::read(file).with_context(|| format!("reading {}", file.display()))?;
    let numbers: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    ensure!(dimensions > 0 && numbers.len().is_multiple_of(dimensions), "{} holds no whole rows", file.display());
    Ok(Vectors { dimensions, numbers })
}

/// Measures everything; keeps the last [`UPDATED`] vectors back for the update.
fn measure(vectors: &Vectors, queries: &Vectors) -> anyhow::Result<()> {
    ensure!(vectors.len() > 2 * UPDATED && queries.len() >= CHECKED, "too few vectors");
    let environment = Environment::scratch(64 << 30)?;
    let mut rows = vectors.numbered(0);
    let new = rows.split_off(vectors.len() - UPDATED);
    let index = build(&environment, &rows)?;
    println!("on disk               {:9.1} MB", environment.metadata()?.len() as f64 / 1e6);
    one_by_one(&environment, index, queries)?;
    recall(&environment, index, &rows, queries)?;
    for threads in [1, 2] {
        batch(&environment, index, queries, threads)?;
    }
    update(&environment, index, &new)
}

fn build(environment: &Environment, rows: &[(u32, &[f32])]) -> anyhow::Result<VectorIndex> {
    let start = Instant::now();
    let mut write = environment.write()?;
    let index = VectorIndex::create(environment, &mut write)?;
    for rows in rows.chunks(AT_ONCE) {
        index.put(&mut write, rows)?;
    }
    let put = start.elapsed().as_secs_f64();
    write.commit()?;
    println!(
        "build                 {:9.2} s    of it {:.2} s to commit",
        start.elapsed().as_secs_f64(),
        start.elapsed().as_secs_f64() - put
    );
    Ok(index)
}

/// Measures one query at a time, on one thread and on two.
fn one_by_one(environment: &Environment, index: VectorIndex, queries: &Vectors) -> anyhow::Result<()> {
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let times = pool.install(|| times(environment, index, queries))?;
        let at = |share: f64| milliseconds(times[(share * times.len() as f64) as usize]);
        println!("one query, {threads} thread(s) {:7.3} ms   p99 {:.3} ms", at(0.5), at(0.99));
    }
    Ok(())
}

/// Returns the duration of each query in ascending order.
fn times(environment: &Environment, index: VectorIndex, queries: &Vectors) -> anyhow::Result<Vec<Duration>> {
    let (read, mut scratch) = (environment.read()?, VectorScratch::default());
    let mut times = Vec::with_capacity(QUERIES);
    for at in 0..QUERIES + QUERIES / 10 {
        let query = queries.row(at % queries.len());
        let start = Instant::now();
        index.reader(&read)?.search(&[query], &SEARCH, &mut scratch)?;
        times.push(start.elapsed());
    }
    // The first queries load the index into memory.
    times.drain(..QUERIES / 10);
    times.sort();
    Ok(times)
}

/// Measures the recall against the exact scan, over the stored vectors and over the given ones.
fn recall(
    environment: &Environment,
    index: VectorIndex,
    rows: &[(u32, &[f32])],
    queries: &Vectors,
) -> anyhow::Result<()> {
    let queries = &queries.rows()[..CHECKED];
    let read = environment.read()?;
    let found = index.reader(&read)?.search(queries, &SEARCH, &mut VectorScratch::default())?;
    let start = Instant::now();
    let exact = index.reader(&read)?.search_exactly(queries, &SEARCH)?;
    let scan = start.elapsed();
    let given: Vec<Vec<Hit>> = queries.par_iter().map(|query| scan_given(rows, query)).collect();
    println!("exact scan            {:9.3} ms   a query, {CHECKED} in a batch", milliseconds(scan) / CHECKED as f64);
    println!("recall@{NEAREST}             {:9.4}      of the exact scan", shared(&found, &exact));
    println!("                      {:9.4}      of the vectors given, before rounding", shared(&found, &given));
    Ok(())
}

/// Returns the nearest names by a naive scan over the vectors as given.
fn scan_given(rows: &[(u32, &[f32])], query: &[f32]) -> Vec<Hit> {
    let dot = |row: &[f32]| row.iter().zip(query).map(|(left, right)| f64::from(left * right)).sum::<f64>() as f32;
    let mut hits: Vec<Hit> = rows.iter().map(|(name, row)| Hit { name: *name, score: dot(row) }).collect();
    let order = |left: &Hit, right: &Hit| right.score.total_cmp(&left.score).then(left.name.cmp(&right.name));
    hits.select_nth_unstable_by(NEAREST, order);
    hits.truncate(NEAREST);
    hits
}

/// Returns the share of the expected names that were found.
pub fn shared(found: &[Vec<Hit>], expected: &[Vec<Hit>]) -> f64 {
    let among = |hit: &&Hit, found: &[Hit]| found.iter().any(|other| other.name == hit.name);
    let both: usize =
        found.iter().zip(expected).map(|(f, expected)| expected.iter().filter(|hit| among(hit, f)).count()).sum();
    both as f64 / expected.iter().map(Vec::len).sum::<usize>() as f64
}

fn batch(environment: &Environment, index: VectorIndex, queries: &Vectors, threads: usize) -> anyhow::Result<()> {
    let rows: Vec<&[f32]> = queries.rows().into_iter().cycle().take(QUERIES).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let time = pool.install(|| {
        let (read, mut scratch) = (environment.read()?, VectorScratch::default());
        median(|| {
            index.reader(&read)?.search(&rows, &SEARCH, &mut scratch)?;
            Ok(())
        })
    })?;
    println!("batch, {threads} thread(s)    {:9.0} queries/s", QUERIES as f64 / time.as_secs_f64());
    Ok(())
}

/// Times a transaction that removes names spread over the index and adds as many under new numbers, and one that
/// replaces names.
fn update(environment: &Environment, index: VectorIndex, new: &[(u32, &[f32])]) -> anyhow::Result<()> {
    let first = new[0].0;
    let mut round = 0;
    let time = median(|| {
        let mut write = environment.write()?;
        let step = first / UPDATED as u32;
        index.remove(&mut write, &(0..UPDATED as u32).map(|at| at * step + round).collect::<Vec<_>>())?;
        let added: Vec<_> = new.iter().map(|(name, row)| (name + round * UPDATED as u32, *row)).collect();
        index.put(&mut write, &added)?;
        round += 1;
        write.commit()?;
        Ok(())
    })?;
    println!("update                {:9.1} ms   {UPDATED} removed, {UPDATED} added", milliseconds(time));
    let time = median(|| {
        let mut write = environment.write()?;
        let replaced: Vec<_> =
            new.iter().map(|(name, row)| ((name - first) * (first / UPDATED as u32), *row)).collect();
        index.put(&mut write, &replaced)?;
        write.commit()?;
        Ok(())
    })?;
    println!("                      {:9.1} ms   {UPDATED} replaced, all over the index", milliseconds(time));
    Ok(())
}

fn median(mut timed: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<Duration> {
    let mut times = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let start = Instant::now();
        timed()?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times[TIMES / 2])
}

fn milliseconds(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}

fn clustered(rows: usize, dimensions: usize) -> Vectors {
    const NAMES_A_TOPIC: u64 = 1000;
    const NAMES_A_SUBJECT: u64 = 20;
    let mut numbers = vec![0f32; rows * dimensions];
    numbers.par_chunks_mut(dimensions).enumerate().for_each(|(at, row)| {
        let mut random = Random::new(at as u64);
        let subject = random.below(rows as u64 / NAMES_A_SUBJECT + 1);
        let topic = subject * NAMES_A_SUBJECT / NAMES_A_TOPIC;
        add_noise(row, 1.0, &mut Random::new(1 << 40 | topic));
        add_noise(row, 0.8, &mut Random::new(1 << 41 | subject));
        let scale = 0.1 + 0.9 * random.unit();
        add_noise(row, scale, &mut random);
        normalise(row);
    });
    Vectors { dimensions, numbers }
}

/// Draws rows spread over all of them, and adds noise.
fn perturbed(vectors: &Vectors) -> Vectors {
    let mut random = Random::new(1 << 42);
    let mut numbers = Vec::with_capacity(QUERIES * vectors.dimensions);
    for _ in 0..QUERIES {
        let mut row = vectors.row(random.below((vectors.len() - UPDATED) as u64) as usize).to_vec();
        add_noise(&mut row, QUERY_NOISE, &mut random);
        normalise(&mut row);
        numbers.extend(row);
    }
    Vectors { dimensions: vectors.dimensions, numbers }
}

/// Adds Gaussian noise of about this length.
fn add_noise(row: &mut [f32], length: f32, random: &mut Random) {
    let scale = length / (row.len() as f32).sqrt();
    row.iter_mut().for_each(|number| *number += scale * random.normal());
}

fn normalise(row: &mut [f32]) {
    let length = row.iter().map(|number| number * number).sum::<f32>().sqrt();
    row.iter_mut().for_each(|number| *number /= length);
}

/// Random numbers of synthetic vectors.
struct Random(SplitMix64);

impl Random {
    /// Creates a generator; consecutive seeds share all numbers but the first.
    fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0.below(limit)
    }

    fn unit(&mut self) -> f32 {
        (self.0.draw() >> 40) as f32 / (1 << 24) as f32
    }

    /// Returns a nearly normal number: the sum of four uniform ones (16 bits each), scaled to variance 1.
    fn normal(&mut self) -> f32 {
        let bits = self.0.draw();
        let sum: u32 = (0..4).map(|part| (bits >> (16 * part)) as u32 & 0xffff).sum();
        (sum as f32 / 65_536.0 - 2.0) * 1.732_050_8
    }
}
