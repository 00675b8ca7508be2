//! Compares two ways to find a million names in a text: an `fst` walked from the beginning of each word, and a
//! double-array Aho–Corasick automaton (`daachorse`) over the whole text. Both read the same normal forms and must find
//! the same names.

use std::path::Path;
use std::time::Instant;

use daachorse::DoubleArrayAhoCorasick;
use truename_text::{Span, Words, written_forms};

use crate::link::vocabulary;

/// A text as both automata read it: concatenated word forms, with the word boundaries.
struct Reading {
    words: Words,
    forms: String,
    /// Whether a word begins, or the text ends, at each byte of `forms`.
    is_bound: Vec<bool>,
}

pub fn run(data: &Path) -> anyhow::Result<()> {
    let (concepts, documents) = vocabulary(data)?;
    let mut forms: Vec<String> =
        concepts.iter().flat_map(|c| c.names().flat_map(written_forms).collect::<Vec<_>>()).collect();
    forms.sort_unstable();
    forms.dedup();
    let readings: Vec<Reading> = documents.iter().map(|document| reading(&document.text)).collect();
    let bytes: usize = documents.iter().map(|document| document.text.len()).sum();
    println!("{} forms, {} documents of {bytes} bytes", forms.len(), documents.len());

    let start = Instant::now();
    let set = fst::Set::from_iter(&forms)?;
    let built = start.elapsed().as_secs_f64();
    let size = set.as_fst().size();
    let start = Instant::now();
    let opened = fst::Set::new(set.as_fst().as_bytes())?;
    let opening = start.elapsed().as_secs_f64();
    let (found, seconds) = median(|| readings.iter().map(|reading| walk(&opened, reading)).sum());
    report("fst", built, size, opening, found, bytes, seconds);

    let start = Instant::now();
    let automaton = DoubleArrayAhoCorasick::<u32>::new(&forms).map_err(|error| anyhow::anyhow!("{error}"))?;
    let built = start.elapsed().as_secs_f64();
    let stored = automaton.serialize();
    let start = Instant::now();
    #[allow(unsafe_code)]
    // SAFETY: the bytes come from `serialize`.
    let opened = unsafe { DoubleArrayAhoCorasick::<u32>::deserialize_unchecked(&stored) }.0;
    let opening = start.elapsed().as_secs_f64();
    let (also, seconds) = median(|| readings.iter().map(|reading| scan(&opened, reading)).sum());
    report("daachorse", built, stored.len(), opening, also, bytes, seconds);
    anyhow::ensure!(found == also, "the automata differ: {found} and {also}");
    Ok(())
}

fn report(name: &str, built: f64, size: usize, opening: f64, found: usize, bytes: usize, seconds: f64) {
    println!(
        "{name:10} built in {built:.2} s, {:.1} MB, opened in {:.1} ms, {found} matches at {:.1} MB/s",
        size as f64 / 1e6,
        1e3 * opening,
        bytes as f64 / 1e6 / seconds
    );
}

fn median(mut run: impl FnMut() -> usize) -> (usize, f64) {
    let mut seconds = Vec::new();
    let mut found = 0;
    for _ in 0..5 {
        let start = Instant::now();
        found = run();
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    (found, seconds[2])
}

fn reading(text: &str) -> Reading {
    let words = Words::of(text, Span::new(0, text.len()));
    let (mut forms, mut is_bound) = (String::new(), Vec::new());
    for word in 0..words.len() {
        is_bound.resize(forms.len(), false);
        is_bound.push(true);
        forms.push_str(words.form(word));
    }
    is_bound.resize(forms.len(), false);
    is_bound.push(true);
    Reading { words, forms, is_bound }
}

fn walk(set: &fst::Set<&[u8]>, reading: &Reading) -> usize {
    let (automaton, mut found) = (set.as_fst(), 0);
    for start in 0..reading.words.len() {
        let mut node = automaton.root();
        'words: for word in start..reading.words.len() {
            for byte in reading.words.form(word).bytes() {
                let Some(transition) = node.find_input(byte) else { break 'words };
                node = automaton.node(node.transition_addr(transition));
            }
            found += usize::from(node.is_final());
        }
    }
    found
}

fn scan(automaton: &DoubleArrayAhoCorasick<u32>, reading: &Reading) -> usize {
    let matches = automaton.find_overlapping_iter(&reading.forms);
    matches.filter(|one| reading.is_bound[one.start()] && reading.is_bound[one.end()]).count()
}
