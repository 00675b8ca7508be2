use std::path::Path;

use burn_tensor::Device as BurnDevice;
use truename_infer::{CharacterCheckpoint, CharacterConfig, Checkpoint, Error, Pooling};

use crate::allocator::keep_freed_memory;
use crate::characters;
use crate::dropout::Dropout;
use crate::encoder::Encoder;
use crate::optimizer::{AdamW, GradientsByName, accumulate};
use crate::parameter::Parameter;
use crate::{AdamWOptions, Batch, Device, Objective, OptimizerState};

/// How an encoder is made ready to learn.
#[derive(Clone, Debug)]
pub struct LearnerOptions {
    /// Where it computes.
    pub device: Device,
    /// How the vectors of a text's tokens become one; as the checkpoint says where nothing is given.
    pub pooling: Option<Pooling>,
    /// Whether the tables of tokens, positions and segments keep their values.
    pub freeze_embeddings: bool,
    /// How many of the first layers keep their values.
    pub freeze_layers: usize,
    /// The share of numbers that dropout sets to 0, in attention and after each part of a layer.
    pub dropout: f64,
    /// The optimizer.
    pub optimizer: AdamWOptions,
    /// What dropout is drawn from.
    pub seed: u64,
}

impl Default for LearnerOptions {
    fn default() -> Self {
        Self {
            device: Device::Cpu,
            pooling: None,
            freeze_embeddings: false,
            freeze_layers: 0,
            dropout: 0.1,
            optimizer: AdamWOptions::default(),
            seed: 0,
        }
    }
}

/// An encoder that learns, with its optimizer.
pub struct Learner {
    checkpoint: Checkpoint,
    encoder: Encoder,
    optimizer: AdamW,
    options: LearnerOptions,
}

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The mean loss of its batches.
    pub loss: f64,
    /// The length of the gradient, before it was shortened.
    pub gradient_norm: f64,
}

impl Learner {
    /// Starts from a checkpoint. From then on the allocator of this process keeps freed memory for the next step (glibc).
    ///
    /// # Errors
    /// Where the checkpoint lacks a tensor or has one that does not fit.
    ///
    /// # Panics
    /// Where the device is not in this build: [`Device::from_str`](std::str::FromStr) gives none that is not.
    pub fn new(checkpoint: Checkpoint, options: LearnerOptions) -> Result<Self, Error> {
        keep_freed_memory();
        let device: BurnDevice = options.device.open();
        let mut encoder = Encoder::load(&checkpoint, options.pooling, &device)?;
        encoder.freeze(options.freeze_embeddings, options.freeze_layers);
        let optimizer = AdamW::new(options.optimizer.clone());
        Ok(Self { checkpoint, encoder, optimizer, options })
    }

    /// A checkpoint of an encoder of characters that has learnt nothing; the same for the same seed.
    pub fn characters(config: CharacterConfig, seed: u64) -> Checkpoint {
        let values = characters::begin(&config, seed);
        Checkpoint::Characters(CharacterCheckpoint::new(config, &values))
    }

    /// Steps made.
    pub fn steps(&self) -> u64 {
        self.optimizer.steps()
    }

    /// One step of the optimizer on the mean gradient of `batches`.
    ///
    /// Where the loss or the gradient is not finite, nothing is learnt and [`Step`] says so.
    pub fn step(&mut self, batches: &[Batch], objective: Objective, learning_rate: f64) -> Step {
        let mut gradients = GradientsByName::new();
        let mut losses = 0.0;
        for (number, batch) in batches.iter().enumerate() {
            let dropout = Dropout::new(self.options.dropout, self.options.seed).at(self.steps()).at(number as u64);
            let loss = objective.loss(self.encoder.forward(batch, dropout), batch);
            losses += f64::from(loss.clone().into_scalar::<f32>());
            if loss.is_tracked() {
                accumulate(&mut gradients, &mut self.encoder.parameters(), loss.backward());
            }
        }
        let loss = losses / batches.len().max(1) as f64;
        if !loss.is_finite() {
            return Step { loss, gradient_norm: f64::NAN };
        }
        let mut parameters = self.encoder.parameters();
        let gradient_norm = self.optimizer.step(&mut parameters, gradients, batches.len(), learning_rate);
        Step { loss, gradient_norm }
    }

    /// The loss of a batch, without dropout and without learning.
    pub fn loss(&self, batch: &Batch, objective: Objective) -> f64 {
        let loss = objective.loss(self.still().forward(batch, Dropout::none()), batch);
        f64::from(loss.into_scalar::<f32>())
    }

    /// The vectors of a batch, without dropout and not of unit length.
    ///
    /// # Shapes
    /// output: `[texts, hidden]`, row after row
    pub fn encode(&self, batch: &Batch) -> Vec<f32> {
        let vectors = self.still().forward(batch, Dropout::none());
        vectors.to_data().try_into_vec().expect("vectors are in single precision")
    }

    /// The encoder as it is now, to compute without learning: what a backward pass would need is not kept, which the tensor
    /// library otherwise does until the next one.
    fn still(&self) -> Encoder {
        let mut encoder = self.encoder.clone();
        encoder.parameters().into_iter().for_each(Parameter::freeze);
        encoder
    }

    /// Writes a Hugging Face folder with the weights as they are now.
    ///
    /// # Errors
    /// Where a file cannot be read or written.
    pub fn save(&mut self, folder: &Path) -> Result<(), Error> {
        let values = self.encoder.values();
        self.checkpoint.save(folder, &values, self.options.pooling)
    }

    /// What the optimizer remembers: with the saved weights and the same options, all that the next step depends on.
    pub fn state(&self) -> OptimizerState {
        self.optimizer.state()
    }

    /// Goes on from a state.
    pub fn restore(&mut self, state: OptimizerState) {
        self.optimizer.restore(state, &mut self.encoder.parameters());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_keeps_nothing_for_a_backward_pass() {
        let config = CharacterConfig::new(truename_infer::Network::Lstm, 8, 1);
        let learner = Learner::new(Learner::characters(config, 1), LearnerOptions::default()).unwrap();
        let mut batch = Batch::default();
        batch.push(&[2, 65, 3], 0);
        assert!(learner.encoder.forward(&batch, Dropout::none()).is_tracked());
        assert!(!learner.still().forward(&batch, Dropout::none()).is_tracked());
    }
}
