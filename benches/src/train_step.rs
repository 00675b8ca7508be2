//! Seconds of a training step; `benches/train_peers.py` runs it beside PyTorch on the same batches and weights.

use std::path::Path;

use truename_infer::Checkpoint;
use truename_nn::{LabelledTexts, Learner, LearnerOptions, Metric, MetricLoss};

use crate::process::{peak_memory_mb, timed};

/// Number of texts a class.
const GROUP: usize = 10;

pub fn run(model: &Path, texts: &Path, size: usize, steps: usize) -> anyhow::Result<()> {
    let mut checkpoint = Checkpoint::open(model)?;
    let tokenizer = checkpoint.tokenizer()?;
    let texts = std::fs::read_to_string(texts)?;
    let texts: Vec<&str> = texts.lines().collect();
    let mut batches = Vec::new();
    for texts in texts.chunks_exact(size).take(steps) {
        let mut batch = LabelledTexts::default();
        for (number, text) in texts.iter().enumerate() {
            batch.push(&tokenizer.tokens(text)?.ids, (number / GROUP) as u32);
        }
        batches.push(batch);
    }
    anyhow::ensure!(batches.len() == steps, "{steps} batches of {size} texts need more texts");
    let options = LearnerOptions { dropout: 0.0, ..LearnerOptions::default() };
    let objective = Metric { loss: MetricLoss::SupervisedContrastive { temperature: 0.05 } };
    let mut learner = Learner::new(vec![checkpoint], objective, options)?;
    let mut seconds = Vec::new();
    let mut losses = Vec::new();
    for batch in &batches {
        let (step, time) = timed(|| learner.step(std::slice::from_ref(batch), 1e-4));
        seconds.push(time.as_secs_f64());
        losses.push(step.loss);
    }
    seconds.remove(0);
    seconds.sort_by(f64::total_cmp);
    let (median, memory) = (seconds[seconds.len() / 2], peak_memory_mb()?);
    println!("{}", serde_json::json!({"step_s": median, "losses": losses, "memory_mb": memory}));
    Ok(())
}
