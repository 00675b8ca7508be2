//! Speed of an encoder; `benches/encode_peers.py` runs it in turn with other engines.

use std::path::Path;

use anyhow::{Context, ensure};
use truename_infer::{Embeddings, Encoder};

use crate::process::{cpu_seconds, peak_memory_mb, timed};

/// Number of texts encoded alone, for the quantiles of the time of a single text.
const SINGLE_TEXTS: usize = 500;

/// Encodes the lines of `texts` once to warm up and once timed, then some of them one at a time.
///
/// Prints one line of JSON, with the medians and quantiles of this run only.
pub fn run(model: &Path, texts: &Path) -> anyhow::Result<()> {
    let lines = std::fs::read_to_string(texts).with_context(|| format!("cannot read {}", texts.display()))?;
    let lines: Vec<&str> = lines.lines().collect();
    ensure!(!lines.is_empty(), "{} has no line", texts.display());
    let (encoder, open) = timed(|| Encoder::open(model));
    let encoder = encoder.with_context(|| format!("cannot open {}", model.display()))?;
    let (_, hash) = timed(|| encoder.hash().to_owned());
    let (warm, first) = timed(|| encoder.encode(&lines));
    let before = cpu_seconds()?;
    let (vectors, all) = timed(|| encoder.encode(&lines));
    let cpu = cpu_seconds()? - before;
    let vectors = vectors?;
    check(&warm?, &vectors)?;
    let mut single =
        lines.iter().take(SINGLE_TEXTS).map(|line| timed(|| encoder.encode(&[line])).1).collect::<Vec<_>>();
    single.sort_unstable();
    let quantile = |share: f64| 1e3 * single[((single.len() - 1) as f64 * share) as usize].as_secs_f64();
    let report = serde_json::json!({
        "engine": "truename",
        "texts": lines.len(),
        "open_ms": 1e3 * open.as_secs_f64(),
        "hash_ms": 1e3 * hash.as_secs_f64(),
        "first_s": first.as_secs_f64(),
        "all_s": all.as_secs_f64(),
        "cpu_s": cpu,
        "one_p50_ms": quantile(0.5),
        "one_p99_ms": quantile(0.99),
        "memory_mb": peak_memory_mb()?,
        "first_vector": vectors.row(0),
    });
    println!("{report}");
    Ok(())
}

/// Checks the vectors: unit length, equal in both runs, of texts that were not truncated.
fn check(first: &Embeddings, again: &Embeddings) -> anyhow::Result<()> {
    ensure!(first == again, "the vectors differ from one run to the next");
    ensure!(first.truncated().is_empty(), "{} texts are longer than the window", first.truncated().len());
    let is_unit = |row: &[f32]| (row.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-4;
    ensure!(first.rows().all(is_unit), "a vector is not of unit length");
    Ok(())
}
