//! Encodes the lines of a file with candle's BERT: the same steps and the same line of JSON as `truename-bench encode`.
//! Padded batches of 32 texts sorted by length, as PyTorch gets them in `benches/encode_peers.py`.

#[path = "../../src/process.rs"]
mod process;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Error};
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use tokenizers::Tokenizer;

use process::{cpu_seconds, peak_memory_mb, timed};

const BATCH: usize = 32;
const SINGLE_TEXTS: usize = 500;

struct Encoder {
    model: BertModel,
    tokenizer: Tokenizer,
}

impl Encoder {
    fn open(folder: &Path) -> anyhow::Result<Self> {
        let config: Config = serde_json::from_slice(&std::fs::read(folder.join("config.json"))?)?;
        // SAFETY: nobody changes the file meanwhile.
        let weights = unsafe {
            VarBuilder::from_mmaped_safetensors(&[folder.join("model.safetensors")], DType::F32, &Device::Cpu)?
        };
        let mut tokenizer = Tokenizer::from_file(folder.join("tokenizer.json")).map_err(Error::msg)?;
        tokenizer.with_truncation(None).map_err(Error::msg)?.with_padding(None);
        Ok(Self { model: BertModel::load(weights, &config)?, tokenizer })
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
                Tensor::from_vec(batch.iter().flat_map(row).collect::<Vec<u32>>(), (batch.len(), width), &Device::Cpu)
            };
            let (ids, mask) = (padded(|one| one.get_ids())?, padded(|one| one.get_attention_mask())?);
            let states = self.model.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
            let weights = mask.to_dtype(DType::F32)?.unsqueeze(2)?;
            let sums = states.broadcast_mul(&weights)?.sum(1)?;
            let unit = sums.broadcast_div(&sums.sqr()?.sum_keepdim(1)?.sqrt()?)?;
            for (text, vector) in batch.iter().zip(unit.to_vec2::<f32>()?) {
                vectors[*text] = vector;
            }
        }
        Ok(vectors)
    }
}

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (model, texts) = arguments.next().zip(arguments.next()).context("usage: candle-encode MODEL TEXTS")?;
    let lines = std::fs::read_to_string(texts)?;
    let lines: Vec<&str> = lines.lines().collect();
    let (encoder, open) = timed(|| Encoder::open(Path::new(&model)));
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
        "engine": "candle", "texts": lines.len(), "open_ms": 1e3 * open.as_secs_f64(), "first_s": first.as_secs_f64(),
        "all_s": all.as_secs_f64(), "cpu_s": cpu, "one_p50_ms": quantile(0.5), "one_p99_ms": quantile(0.99),
        "memory_mb": peak_memory_mb()?, "first_vector": vectors?[0],
    });
    println!("{report}");
    Ok(())
}
