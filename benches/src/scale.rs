//! Speed, memory and recall at a million names.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use truename::{ConceptId, Encoder, ImportOptions, KnowledgeBase, Link, LinkOptions, Linker};
use truename_index::{VectorIndex, VectorScratch, VectorSearch};
use truename_infer::Embeddings;
use truename_kb::Store;

use crate::process::cpu_seconds;
use crate::vectors::shared;

/// Number of queries.
const QUERIES: usize = 10_000;
/// Number of queries whose vectors are searched.
const SEARCHED: usize = 2000;
/// Number of searched queries that are also compared with the exact scan.
const SCANNED: usize = 512;
/// Number of names that the update adds.
const UPDATED: usize = 1000;

/// A name of the vocabulary with its concepts; the sample is drawn by hash.
struct SampledName {
    seed: u64,
    name: String,
    ids: Vec<String>,
}

impl SampledName {
    fn is_among<'a>(&self, mut found: impl Iterator<Item = &'a str>) -> bool {
        found.any(|found| self.ids.iter().any(|id| id == found))
    }
}

pub fn run(file: &Path, encoder: Option<&Path>, kb: Option<&Path>, as_embedded: bool) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = kb.map_or_else(|| folder.path().join("kb"), Path::to_owned);
    let kb = if path.join("data.mdb").exists() { KnowledgeBase::open(&path)? } else { import(file, &path)? };
    let mut owners: BTreeMap<(u64, String), Vec<String>> = BTreeMap::new();
    kb.for_each_concept(|concept| -> anyhow::Result<()> {
        for name in concept.names() {
            // Independent of the order in which `calibrate` draws names: the standard ranker learnt from few of these.
            let key = (truename_text::stable_hash(&format!("scale {name}")), name.to_owned());
            owners.entry(key).or_default().push(concept.id.to_string());
        }
        Ok(())
    })?;
    let sample: Vec<SampledName> =
        owners.into_iter().take(QUERIES).map(|((seed, name), ids)| SampledName { seed, name, ids }).collect();
    drop(kb);
    if let Some(encoder) = encoder {
        return vectors(&path, encoder, &sample, as_embedded);
    }
    let start = Instant::now();
    let kb = KnowledgeBase::open(&path)?;
    println!("open                {:8.2} ms", 1e3 * start.elapsed().as_secs_f64());

    for edits in 0..3 {
        let queries: Vec<String> = sample.iter().map(|one| edited(&one.name, one.seed, edits)).collect();
        search(&kb, &sample, &queries, edits)?;
    }
    let linker = Linker::new(kb.clone())?.with_options(LinkOptions { top: 10, ..LinkOptions::default() })?;
    for edits in 0..3 {
        ranked(&linker, &sample, edits)?;
    }
    let linker = Linker::new(kb)?.with_options(LinkOptions { top: 1, ..LinkOptions::default() })?;
    // Names of a single concept, as most names of an inventory are.
    let exact: Vec<&str> = sample.iter().map(|one| one.name.as_str()).collect();
    let once: HashSet<String> = linker
        .link_names(&exact)?
        .into_iter()
        .filter(|link| link.candidates.first().is_some_and(|best| best.scores.ranker.is_none()))
        .map(|link| link.name)
        .collect();
    let exact: Vec<&str> = exact.into_iter().filter(|name| once.contains(*name)).collect();
    let edited: Vec<String> = sample.iter().map(|one| edited(&one.name, one.seed, 1)).collect();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let rate = |names: &[&str], times: usize| -> anyhow::Result<f64> {
            let start = Instant::now();
            for _ in 0..times {
                pool.install(|| linker.link_names(names))?;
            }
            Ok((times * names.len()) as f64 / start.elapsed().as_secs_f64())
        };
        println!("match, {threads} thread(s)  {:8.0} exact names/s", rate(&exact, 10)?);
        let edited: Vec<&str> = edited.iter().map(String::as_str).collect();
        println!("match, {threads} thread(s)  {:8.0} names with an edit/s", rate(&edited, 1)?);
    }
    Ok(())
}

/// Measures how often the right concept is among the first ten of `match`, and names a second.
fn ranked(linker: &Linker, sample: &[SampledName], edits: usize) -> anyhow::Result<()> {
    let queries: Vec<String> = sample.iter().map(|one| edited(&one.name, one.seed, edits)).collect();
    let start = Instant::now();
    let links = linker.link_names(&queries)?;
    let rate = links.len() as f64 / start.elapsed().as_secs_f64();
    let is_found = |(link, one): &(&Link, &SampledName)| one.is_among(link.candidates.iter().map(|c| c.id.as_str()));
    let found = links.iter().zip(sample).filter(is_found).count();
    println!("ranked, {edits} edit(s)   recall@10 {:.4}, {rate:.0} names/s", found as f64 / links.len() as f64);
    Ok(())
}

fn import(file: &Path, path: &Path) -> anyhow::Result<KnowledgeBase> {
    let start = Instant::now();
    let (kb, report) = KnowledgeBase::import(&[PathBuf::from(file)], path, &ImportOptions::default(), false)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{} concepts, {} names", report.concepts, report.names);
    println!("import              {seconds:8.1} s   {:9.0} names/s", f64::from(report.names) / seconds);
    println!("store               {:8.0} MB", megabytes(path)?);
    Ok(kb)
}

fn megabytes(path: &Path) -> anyhow::Result<f64> {
    Ok(std::fs::metadata(path.join("data.mdb"))?.len() as f64 / 1e6)
}

/// Measures cost and recall of vectors.
fn vectors(path: &Path, encoder: &Path, sample: &[SampledName], as_embedded: bool) -> anyhow::Result<()> {
    let encoder = Arc::new(Encoder::open(encoder)?);
    let kb = KnowledgeBase::open(path)?;
    if !as_embedded {
        let (start, before, used) = (Instant::now(), megabytes(path)?, cpu_seconds()?);
        let report = kb.embed(&encoder, |_, _| ControlFlow::Continue(()))?;
        let (seconds, used) = (start.elapsed().as_secs_f64(), cpu_seconds()? - used);
        let rate = report.names as f64 / seconds;
        println!("embed               {seconds:8.1} s   {rate:9.0} names/s, {used:.0} s of processor time");
        println!("vectors             {:8.0} MB", megabytes(path)? - before);
    }
    println!("names without one   {:8}", kb.names_without_vector()?);
    let names: Vec<String> = sample.iter().take(SEARCHED).map(|one| edited(&one.name, one.seed, 1)).collect();
    let encoded = encoder.encode(&names)?;
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        pool.install(|| search_vectors(path, &encoded, threads))?;
    }
    let linker = Linker::new(kb.clone().with_encoder(Arc::clone(&encoder))?)?;
    let linker = linker.with_options(LinkOptions { top: 10, ..LinkOptions::default() })?;
    for edits in 0..3 {
        ranked(&linker, sample, edits)?;
    }
    update(&kb, &encoder, sample)
}

/// Times searches for one vector at a time, and compares the results with the exact scan.
fn search_vectors(path: &Path, queries: &Embeddings, threads: usize) -> anyhow::Result<()> {
    let store = Store::open(path)?;
    let read = store.env().read()?;
    let index = VectorIndex::open(store.env(), &read)?;
    let search = VectorSearch { limit: 10, ..VectorSearch::default() };
    let (mut times, mut scratch, mut found) = (Vec::new(), VectorScratch::default(), Vec::new());
    let rows: Vec<&[f32]> = queries.rows().collect();
    // The first pass loads the vectors into memory.
    for _ in 0..2 {
        times.clear();
        found.clear();
        for row in &rows {
            let start = Instant::now();
            found.extend(index.reader(&read)?.search(&[row], &search, &mut scratch)?);
            times.push(start.elapsed());
        }
    }
    times.sort();
    let at = |share: f64| 1e3 * times[(share * times.len() as f64) as usize].as_secs_f64();
    println!("vectors, {threads} thread(s) p50 {:6.2} ms   p99 {:6.2} ms", at(0.5), at(0.99));
    if threads == 1 {
        let reader = index.reader(&read)?;
        let start = Instant::now();
        let exact: Vec<_> = rows[..SCANNED.min(rows.len())]
            .chunks(64)
            .map(|rows| reader.search_exactly(rows, &search))
            .collect::<Result<Vec<_>, _>>()?
            .concat();
        let scan = start.elapsed().as_secs_f64();
        println!(
            "recall@10           {:8.4} of the exact scan, {:.0} ms a query",
            shared(&found, &exact),
            1e3 * scan / exact.len() as f64
        );
    }
    Ok(())
}

/// Times an update that adds a thousand names, the encoding of their vectors, and the removal of the same concepts.
fn update(kb: &KnowledgeBase, encoder: &Encoder, sample: &[SampledName]) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("new.jsonl");
    let line = |(at, one): (usize, &SampledName)| serde_json::json!({"id": format!("NEW:{at}"), "name": format!("{} of {at}", one.name)});
    let lines: String = sample.iter().take(UPDATED).enumerate().map(|one| line(one).to_string() + "\n").collect();
    std::fs::write(&file, lines)?;
    let start = Instant::now();
    kb.update(std::slice::from_ref(&file), &[], &ImportOptions::default())?;
    let updated = start.elapsed().as_secs_f64();
    println!("update              {updated:8.2} s for {UPDATED} new names");
    if kb.names_without_vector()? == UPDATED as u64 {
        let start = Instant::now();
        kb.embed(encoder, |_, _| ControlFlow::Continue(()))?;
        println!("their vectors       {:8.2} s", start.elapsed().as_secs_f64());
    }
    let ids: Vec<ConceptId> = (0..UPDATED).map(|at| format!("NEW:{at}").parse()).collect::<Result<_, _>>()?;
    let start = Instant::now();
    kb.update(&[], &ids, &ImportOptions::default())?;
    println!("removal             {:8.2} s, with their vectors", start.elapsed().as_secs_f64());
    Ok(())
}

/// Times the n-gram search on one thread, and counts how often the right concept is among the first ten.
fn search(kb: &KnowledgeBase, sample: &[SampledName], queries: &[String], edits: usize) -> anyhow::Result<()> {
    let mut times: Vec<Duration> = Vec::with_capacity(queries.len());
    let mut found = 0;
    for (query, one) in queries.iter().zip(sample) {
        let start = Instant::now();
        let nearest = kb.nearest_by_ngrams(query, 64)?;
        times.push(start.elapsed());
        let mut concepts: Vec<&str> = Vec::new();
        for hit in &nearest {
            if !concepts.contains(&hit.id.as_str()) {
                concepts.push(hit.id.as_str());
            }
        }
        found += usize::from(one.is_among(concepts.into_iter().take(10)));
    }
    times.sort();
    let at = |share: f64| 1e3 * times[(share * times.len() as f64) as usize].as_secs_f64();
    println!(
        "n-gram, {edits} edit(s)   p50 {:6.2} ms   p99 {:6.2} ms   recall@10 {:.4}",
        at(0.5),
        at(0.99),
        found as f64 / queries.len() as f64
    );
    Ok(())
}

/// Returns the name with `edits` random letters dropped, added, changed, or transposed.
pub fn edited(name: &str, seed: u64, edits: usize) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let mut state = seed | 1;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit.max(1)
    };
    for _ in 0..edits {
        let (at, kind, letter) = (below(letters.len()), below(4), char::from(b'a' + below(26) as u8));
        match kind {
            0 if letters.len() > 1 => drop(letters.remove(at)),
            1 => letters.insert(at, letter),
            2 if at + 1 < letters.len() => letters.swap(at, at + 1),
            _ => letters[at] = letter,
        }
    }
    letters.into_iter().collect()
}
