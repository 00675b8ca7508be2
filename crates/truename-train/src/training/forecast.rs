//! Estimates of the size, memory and time of a run.

use truename_infer::{Checkpoint, Network};

use super::EpochSize;

/// Sizes of the networks of a run, by which the memory of a step is estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NetworkSize {
    parameters: u64,
    /// Bytes that the backward pass keeps for each token.
    bytes_per_token: u64,
    /// Bytes that it keeps for each pair of tokens of a text.
    bytes_per_token_pair: u64,
}

impl NetworkSize {
    pub fn of(checkpoints: &[Checkpoint]) -> Self {
        let sizes = checkpoints.iter().map(Self::of_one);
        sizes.fold(Self::default(), |sum, size| Self {
            parameters: sum.parameters + size.parameters,
            bytes_per_token: sum.bytes_per_token + size.bytes_per_token,
            bytes_per_token_pair: sum.bytes_per_token_pair + size.bytes_per_token_pair,
        })
    }

    /// Activations of a transformer layer are those of Korthikanti et al. 2022 (equation 1, `s b h (34 + 5 a s / h)` bytes), with
    /// 4 bytes a number in place of 2; masks have one byte. A character layer keeps its input, gates and states: 8 numbers a
    /// unit.
    fn of_one(checkpoint: &Checkpoint) -> Self {
        match checkpoint {
            Checkpoint::Transformer(checkpoint) => {
                let config = checkpoint.config();
                let sizes = [config.hidden_size, config.intermediate_size, config.num_hidden_layers];
                let [hidden, intermediate, layers] = sizes.map(|size| size as u64);
                let embeddings = (config.vocab_size + config.max_position_embeddings) as u64 * hidden;
                Self {
                    parameters: embeddings + layers * (4 * hidden * hidden + 2 * hidden * intermediate),
                    bytes_per_token: 66 * layers * hidden,
                    bytes_per_token_pair: 9 * layers * config.num_attention_heads as u64,
                }
            }
            Checkpoint::Characters(checkpoint) => {
                let config = checkpoint.config();
                let parameters = config.tensors().into_iter().map(|(_, shape)| shape.iter().product::<usize>() as u64);
                let numbers = if config.network == Network::Lstm { 8 } else { 6 };
                Self {
                    parameters: parameters.sum(),
                    bytes_per_token: 4 * numbers * (config.layers * config.hidden) as u64,
                    bytes_per_token_pair: 0,
                }
            }
            _ => Self::default(),
        }
    }

    /// Returns the bytes of a step on the `texts` longest texts: 16 a parameter (weight, gradient and two moments of the
    /// optimizer) and the activations.
    pub fn bytes(&self, lengths: &[u32], texts: usize) -> u64 {
        let mut longest: Vec<u64> = lengths.iter().map(|length| u64::from(*length)).collect();
        longest.sort_unstable_by(|left, right| right.cmp(left));
        let of_text = |length: &u64| length * self.bytes_per_token + length * length * self.bytes_per_token_pair;
        16 * self.parameters + longest.iter().take(texts).map(of_text).sum::<u64>()
    }
}

/// Describes the size of an epoch whose texts have these lengths, and of the run.
pub(crate) fn describe_size(epoch: EpochSize, lengths: &[u32], steps_per_epoch: u64, steps: u64) -> String {
    let tokens: u64 = lengths.iter().map(|length| u64::from(*length)).sum();
    let tokens = tokens as f64 / lengths.len().max(1) as f64 * epoch.texts as f64;
    format!(
        "about {steps_per_epoch} steps, {} texts and {tokens:.0} tokens an epoch; {steps} steps in all",
        epoch.texts
    )
}

/// Describes the memory of a step of `texts` texts, and the free memory where it is known.
pub(crate) fn describe_memory(bytes: u64, texts: usize, free: Option<u64>) -> String {
    let shown = |bytes: u64| match bytes as f64 / f64::from(1 << 20) {
        megabytes if megabytes < 1024.0 => format!("{megabytes:.0} MiB"),
        megabytes => format!("{:.1} GiB", megabytes / 1024.0),
    };
    let free = match free {
        Some(free) if free < bytes => format!("; only {} are free", shown(free)),
        Some(free) => format!("; {} are free", shown(free)),
        None => String::new(),
    };
    format!("an estimated {} of memory for a step of {texts} texts{free}", shown(bytes))
}

/// Returns the bytes of free memory of this machine (Linux).
pub(crate) fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

/// The speed of the steps that a process made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    steps: u64,
    seconds: f64,
}

impl Pace {
    /// Steps before an estimate; the first of all, which also sets up memory, does not count.
    const MIN_STEPS: u64 = 10;

    pub fn add(&mut self, seconds: f64) {
        if self.steps > 0 {
            self.seconds += seconds;
        }
        self.steps += 1;
    }

    /// Returns the estimated seconds of some more steps; `None` after too few steps.
    pub fn seconds(&self, steps: u64) -> Option<f64> {
        (self.steps >= Self::MIN_STEPS).then(|| self.seconds / (self.steps - 1) as f64 * steps as f64)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use truename_infer::CharacterConfig;
    use truename_nn::untrained_characters;

    use super::*;

    #[test]
    fn the_memory_grows_with_parameters_and_the_longest_texts() {
        let lstm = untrained_characters(CharacterConfig::new(Network::Lstm, 8, 2), 0);
        let size = NetworkSize::of(&[lstm]);
        assert_eq!(size.bytes(&[], 4), 16 * size.parameters);
        assert_eq!(size.bytes(&[3, 9, 5], 2), 16 * size.parameters + (9 + 5) * 4 * 8 * 2 * 8);
        let folder = Path::new("../truename-infer/tests/models/bert");
        let bert = || Checkpoint::open(folder).unwrap();
        let bytes = std::fs::metadata(folder.join("model.safetensors")).unwrap().len() as f64;
        let of_file = NetworkSize::of(&[bert()]).parameters as f64 * 4.0 / bytes;
        assert!((0.8..=1.0).contains(&of_file), "{of_file}");
        let one = NetworkSize::of(&[bert()]).bytes(&[7], 1);
        assert_eq!(NetworkSize::of(&[bert(), bert()]).bytes(&[7], 1), 2 * one);
    }

    #[test]
    fn the_size_is_described() {
        let epoch = EpochSize { batches: 3, texts: 30 };
        let line = "about 2 steps, 30 texts and 90 tokens an epoch; 8 steps in all";
        assert_eq!(describe_size(epoch, &[2, 4], 2, 8), line);
        assert_eq!(describe_memory(3 << 29, 5, None), "an estimated 1.5 GiB of memory for a step of 5 texts");
        let little = describe_memory(3 << 29, 5, Some(1 << 20));
        assert!(little.ends_with("for a step of 5 texts; only 1 MiB are free"), "{little}");
    }

    #[test]
    fn the_pace_is_that_of_the_later_steps() {
        let mut pace = Pace::default();
        pace.add(100.0);
        (0..8).for_each(|_| pace.add(2.0));
        assert_eq!(pace.seconds(5), None);
        pace.add(2.0);
        assert_eq!(pace.seconds(5), Some(10.0));
    }
}
