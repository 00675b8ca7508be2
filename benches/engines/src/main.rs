//! Encodes the lines of a file with candle's BERT or with rten: the same steps and the same line of JSON as `truename-bench encode`.
//! Padded batches of 32 texts sorted by length, as PyTorch gets them in `benches/encode_peers.py`.

mod candle;
#[path = "../../src/process.rs"]
mod process;
mod rten;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Error, bail};
use tokenizers::Tokenizer;

use process::{cpu_seconds, peak_memory_mb, timed};

const BATCH: usize = 32;
const SINGLE_TEXTS: usize = 500;

/// Padded token ids of a batch.
struct Padded {
    /// `[texts, width]`
    ids: Vec<u32>,
    /// `[texts, width]`: 1 for a token, 0 past the end of a text.
    mask: Vec<u32>,
    texts: usize,
    width: usize,
}

/// Computes the hidden states of a batch and pools them: the mean over the tokens, of unit length.
trait Engine {
    /// Returns a vector for each text.
    fn vectors(&self, batch: &Padded) -> anyhow::Result<Vec<Vec<f32>>>;
}

struct Encoder {
    engine: Box<dyn Engine>,
    tokenizer: Tokenizer,
}

impl Encoder {
    fn open(engine: &str, folder: &Path) -> anyhow::Result<Self> {
        let mut tokenizer = Tokenizer::from_file(folder.join("tokenizer.json")).map_err(Error::msg)?;
        tokenizer.with_truncation(None).map_err(Error::msg)?.with_padding(None);
        let engine: Box<dyn Engine> = match engine {
            "candle" => Box::new(candle::Bert::open(folder)?),
            "rten" => Box::new(rten::Onnx::open(&folder.join("exported.onnx"))?),
            "rten-int8" => Box::new(rten::Onnx::open(&folder.join("int8.onnx"))?),
            _ => bail!("no engine `{engine}`: candle, rten or rten-int8"),
        };
        Ok(Self { engine, tokenizer })
    }

    /// Unit vectors, in the order of the texts.
    fn encode(&self, texts: &[&str]) -> anyhow::Result<Vec<Vec<f32>>> {
        let tokens = self.tokenizer.encode_batch(texts.to_vec(), true).map_err(Error::msg)?;
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|text| std::cmp::Reverse(tokens[*text].get_ids().len()));
        let mut vectors = vec![Vec::new(); texts.len()];
        for batch in order.chunks(BATCH) {
            let width = tokens[batch[0]].get_ids().len();
            let padded = |of: fn(&tokenizers::Encoding) -> &[u32]| {
                let row = |text: &usize| {
                    let mut row = of(&tokens[*text]).to_vec();
                    row.resize(width, 0);
                    row
                };
                batch.iter().flat_map(row).collect()
            };
            let (ids, mask) = (padded(|one| one.get_ids()), padded(|one| one.get_attention_mask()));
            let of_batch = self.engine.vectors(&Padded { ids, mask, texts: batch.len(), width })?;
            batch.iter().zip(of_batch).for_each(|(text, vector)| vectors[*text] = vector);
        }
        Ok(vectors)
    }
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [engine, model, texts] = arguments.as_slice() else { bail!("usage: other-engines ENGINE MODEL TEXTS") };
    let lines = std::fs::read_to_string(texts).with_context(|| texts.clone())?;
    let lines: Vec<&str> = lines.lines().collect();
    let (encoder, open) = timed(|| Encoder::open(engine, Path::new(model)));
    let encoder = encoder?;
    let (warm, first) = timed(|| encoder.encode(&lines));
    warm?;
    let before = cpu_seconds()?;
    let (vectors, all) = timed(|| encoder.encode(&lines));
    let cpu = cpu_seconds()? - before;
    let mut single: Vec<Duration> =
        lines.iter().take(SINGLE_TEXTS).map(|line| timed(|| encoder.encode(&[line])).1).collect();
    single.sort_unstable();
    let quantile = |share: f64| 1e3 * single[((single.len() - 1) as f64 * share) as usize].as_secs_f64();
    let report = serde_json::json!({
        "engine": engine, "texts": lines.len(), "open_ms": 1e3 * open.as_secs_f64(), "first_s": first.as_secs_f64(),
        "all_s": all.as_secs_f64(), "cpu_s": cpu, "one_p50_ms": quantile(0.5), "one_p99_ms": quantile(0.99),
        "memory_mb": peak_memory_mb()?, "first_vector": vectors?[0],
    });
    println!("{report}");
    Ok(())
}
