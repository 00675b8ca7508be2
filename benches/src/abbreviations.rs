//! Definitions of abbreviations in abstracts (MED1250, Sohn et al. 2008), and the speed of finding them.
//!
//! Source: GitHub ncbi-nlp/Ab3P, `MED1250_labeled` (public domain), gzipped. A pair counts if its short and long form
//! equal the gold ones up to white space, once a record however often it occurs. The costs in `truename-text` were
//! chosen on the records with even index; the odd ones show how they generalize. Ab3P reports precision 96.5 % and
//! recall 83.2 % on all of them.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use truename_text::{Span, abbreviations};

/// Passes over the texts for the speed.
const PASSES: u32 = 20;

type Pairs = BTreeSet<(String, String)>;

struct Record {
    text: String,
    gold: Pairs,
}

pub fn run(data: &Path) -> anyhow::Result<()> {
    let records = read(&data.join("abbreviations-med1250/MED1250_labeled.gz"))?;
    println!("| records | pairs | precision | recall | F1 |\n| --- | --- | --- | --- | --- |");
    for (part, of_part) in [("all", [0, 1].as_slice()), ("even (fitted)", &[0]), ("odd", &[1])] {
        let chosen = records.iter().enumerate().filter(|(at, _)| of_part.contains(&(at % 2)));
        print_scores(part, &chosen.map(|(_, record)| record).collect::<Vec<_>>());
    }
    print_speed(&records);
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<Vec<Record>> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).split("\n\n").filter_map(record).collect())
}

/// Parses a record: its id, title, abstract, then two blanks and `SF|LF` for each pair; other lines are remarks.
fn record(block: &str) -> Option<Record> {
    let mut lines = block.trim_matches('\n').split('\n').skip(1);
    let text = format!("{}\n{}", lines.next()?, lines.next()?);
    let pairs = lines.filter_map(|line| line.strip_prefix("  ")?.split_once('|'));
    Some(Record { text, gold: pairs.map(|(short, long)| (spaced(short), spaced(long))).collect() })
}

fn spaced(form: &str) -> String {
    form.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn found(text: &str) -> Pairs {
    let form = |span: Span| spaced(&text[span.range()]);
    abbreviations(text).into_iter().map(|pair| (form(pair.short), form(pair.long))).collect()
}

fn print_scores(part: &str, records: &[&Record]) {
    let (mut right, mut given, mut wanted) = (0, 0, 0);
    for record in records {
        let found = found(&record.text);
        right += found.intersection(&record.gold).count();
        given += found.len();
        wanted += record.gold.len();
    }
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
    let [precision, recall, f1] = [percent(right, given), percent(right, wanted), percent(2 * right, given + wanted)];
    println!("| {part} | {wanted} | {precision:.2} | {recall:.2} | {f1:.2} |");
}

fn print_speed(records: &[Record]) {
    let start = Instant::now();
    let found: usize = (0..PASSES).flat_map(|_| records).map(|record| abbreviations(&record.text).len()).sum();
    let seconds = start.elapsed().max(Duration::from_nanos(1)).as_secs_f64();
    let megabytes = records.iter().map(|record| record.text.len()).sum::<usize>() as f64 / 1e6;
    let passes = f64::from(PASSES);
    println!(
        "\n{:.0} documents/s, {:.1} MB/s on one thread ({found} definitions in {PASSES} passes)",
        records.len() as f64 * passes / seconds,
        megabytes * passes / seconds
    );
}
