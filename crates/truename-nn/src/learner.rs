//! Learners: networks, an objective and an optimizer, stepped together, saved and resumed.

use std::path::Path;

use burn_tensor::Device as BurnDevice;
use truename_infer::{
    AdapterChoice, AdapterConfig, Batch, CharacterCheckpoint, CharacterConfig, Checkpoint, Error, Pooling,
    network_folder,
};

use crate::allocator::keep_freed_memory;
use crate::characters;
use crate::dropout::Dropout;
use crate::network::Network;
use crate::objective::{Objective, Pass};
use crate::optimizer::{AdamW, GradientsByName, accumulate};
use crate::parameter::Parameter;
use crate::{AdamWOptions, Device, NamePattern, OptimizerState};

/// Options of a [`Learner`].
#[derive(Clone, Debug)]
pub struct LearnerOptions {
    /// The device that it computes on.
    pub device: Device,
    /// Pooling of token states into a text's vector; that of the checkpoint where it is `None`.
    pub pooling: Option<Pooling>,
    /// True where the states of a text's entity are pooled, if it has one, and not those of the whole text.
    pub pool_entities: bool,
    /// Parameters that keep their values, by name. Names of a second network begin with `network-2.`.
    pub freeze: Vec<NamePattern>,
    /// True where adapters keep their values; patterns of `freeze` are none of their names.
    pub freeze_adapters: bool,
    /// Factor of the learning rate for the parameters of the objective: heads, and adapters that it creates.
    pub head_rate: f64,
    /// True where the networks run the adapters of their folders.
    pub adapters: bool,
    /// Dropout probability, in attention and after each part of a layer.
    pub dropout: f64,
    /// The optimizer.
    pub optimizer: AdamWOptions,
    /// Seed of the dropout.
    pub seed: u64,
}

impl Default for LearnerOptions {
    fn default() -> Self {
        Self {
            device: Device::Cpu,
            pooling: None,
            pool_entities: false,
            freeze: Vec::new(),
            freeze_adapters: false,
            head_rate: 1.0,
            adapters: true,
            dropout: 0.1,
            optimizer: AdamWOptions::default(),
            seed: 0,
        }
    }
}

/// Networks that learn, with their objective and optimizer.
pub struct Learner<O> {
    checkpoints: Vec<Checkpoint>,
    networks: Vec<Network>,
    objective: O,
    optimizer: AdamW,
    options: LearnerOptions,
}

/// The outcome of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Mean loss of its batches.
    pub loss: f64,
    /// Gradient norm before clipping.
    pub gradient_norm: f64,
}

/// Creates a checkpoint of a character network with initial, untrained weights; the same for the same seed.
pub fn untrained_characters(config: CharacterConfig, seed: u64) -> Checkpoint {
    let values = characters::begin(&config, seed);
    Checkpoint::Characters(CharacterCheckpoint::new(config, &values))
}

impl<O: Objective> Learner<O> {
    /// Starts from one checkpoint a network, in the order in which the objective counts them. Parameters of the objective that
    /// the first folder has are taken from there. From then on the allocator of this process keeps freed memory for the next
    /// step (glibc).
    ///
    /// # Errors
    /// Where a checkpoint lacks a tensor or has one that does not fit.
    ///
    /// # Panics
    /// Where the device is not in this build: [`Device::from_str`](std::str::FromStr) gives none that is not.
    pub fn new(mut checkpoints: Vec<Checkpoint>, mut objective: O, options: LearnerOptions) -> Result<Self, Error> {
        keep_freed_memory();
        if !options.adapters {
            checkpoints.iter_mut().try_for_each(|checkpoint| checkpoint.use_adapters(&AdapterChoice::none()))?;
        }
        let device: BurnDevice = options.device.open();
        let load = |(number, checkpoint)| Network::load(checkpoint, number, options.pooling, &device);
        let mut networks = checkpoints.iter().enumerate().map(load).collect::<Result<Vec<_>, _>>()?;
        if options.pool_entities {
            networks.iter_mut().for_each(Network::pool_entities);
        }
        for parameter in objective.parameters() {
            parameter.restore(&checkpoints[0].tensors(), &device.clone().autodiff())?;
            parameter.set_rate(options.head_rate);
        }
        let is_frozen = |name: &str| match AdapterConfig::has_tensor(name) {
            true => options.freeze_adapters,
            false => options.freeze.iter().any(|pattern| pattern.matches(name)),
        };
        let parameters = parameters(&mut networks, &mut objective).into_iter();
        parameters.filter(|parameter| is_frozen(parameter.name())).for_each(Parameter::freeze);
        let optimizer = AdamW::new(options.optimizer.clone());
        Ok(Self { checkpoints, networks, objective, optimizer, options })
    }

    /// Steps made.
    pub fn steps(&self) -> u64 {
        self.optimizer.steps()
    }

    /// The objective.
    pub fn objective(&self) -> &O {
        &self.objective
    }

    /// The objective, to change its options between steps.
    pub fn objective_mut(&mut self) -> &mut O {
        &mut self.objective
    }

    /// Makes one step of the optimizer on the mean gradient of `batches`.
    ///
    /// Where the loss or the gradient is not finite, nothing is learnt and [`Step`] says so.
    pub fn step(&mut self, batches: &[O::Batch], learning_rate: f64) -> Step {
        let mut gradients = GradientsByName::new();
        let mut losses = 0.0;
        for (number, batch) in batches.iter().enumerate() {
            let dropout = Dropout::new(self.options.dropout, self.options.seed).at(self.steps()).at(number as u64);
            let loss = self.objective.loss(&Pass::new(&self.networks, dropout), batch).0;
            losses += f64::from(loss.clone().into_scalar::<f32>());
            if loss.is_tracked() {
                accumulate(&mut gradients, &mut parameters(&mut self.networks, &mut self.objective), loss.backward());
            }
        }
        let loss = losses / batches.len().max(1) as f64;
        if !loss.is_finite() {
            return Step { loss, gradient_norm: f64::NAN };
        }
        let mut parameters = parameters(&mut self.networks, &mut self.objective);
        let gradient_norm = self.optimizer.step(&mut parameters, gradients, batches.len(), learning_rate);
        Step { loss, gradient_norm }
    }

    /// Returns the loss of a batch, without dropout and without learning.
    pub fn loss(&self, batch: &O::Batch) -> f64 {
        let networks: Vec<Network> = self.networks.iter().map(detached).collect();
        let loss = self.objective.loss(&Pass::new(&networks, Dropout::none()), batch).0;
        f64::from(loss.into_scalar::<f32>())
    }

    /// Returns the vectors of texts by the first network, without dropout and not of unit length.
    ///
    /// # Shapes
    /// output: `[texts, hidden]`, row after row
    pub fn encode(&self, texts: &Batch) -> Vec<f32> {
        let vectors = detached(&self.networks[0]).vectors(texts, Dropout::none());
        vectors.to_data().try_into_vec().expect("vectors are in single precision")
    }

    /// Writes a model folder with the weights of the first network alone, as they are now.
    ///
    /// # Errors
    /// Where a file cannot be read or written.
    pub fn save_encoder(&self, folder: &Path) -> Result<(), Error> {
        self.checkpoints[0].save(folder, &self.networks[0].clone().tensors(), self.options.pooling)
    }

    /// Writes a model folder with the weights as they are now: those of the first network and of the objective there, those of
    /// further networks in folders below it, which [`Checkpoint::open_all`] opens with the first.
    ///
    /// # Errors
    /// Where a file cannot be read or written.
    pub fn save(&mut self, folder: &Path) -> Result<(), Error> {
        let of_objective = self.objective.parameters();
        let of_objective = of_objective.into_iter().map(|parameter| (parameter.name().to_owned(), parameter.tensor()));
        let mut tensors = self.networks[0].tensors();
        tensors.extend(of_objective);
        self.checkpoints[0].save(folder, &tensors, self.options.pooling)?;
        let others = self.networks.iter_mut().zip(&self.checkpoints).enumerate().skip(1);
        for (number, (network, checkpoint)) in others {
            checkpoint.save(&folder.join(network_folder(number)), &network.tensors(), self.options.pooling)?;
        }
        Ok(())
    }

    /// Returns the state of the optimizer: with the saved weights and the same options, all that the next step depends on.
    pub fn state(&self) -> OptimizerState {
        self.optimizer.state()
    }

    /// Goes on from a state.
    pub fn restore(&mut self, state: OptimizerState) {
        self.optimizer.restore(state, &mut parameters(&mut self.networks, &mut self.objective));
    }
}

fn parameters<'a, O: Objective>(networks: &'a mut [Network], objective: &'a mut O) -> Vec<&'a mut Parameter> {
    networks.iter_mut().flat_map(Network::parameters).chain(objective.parameters()).collect()
}

/// Returns a copy that computes without keeping what a backward pass would need.
fn detached(network: &Network) -> Network {
    let mut network = network.clone();
    network.parameters().into_iter().for_each(Parameter::freeze);
    network
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_keeps_nothing_for_a_backward_pass() {
        let checkpoint = untrained_characters(CharacterConfig::new(truename_infer::Network::Lstm, 8, 1), 1);
        let network = Network::load(&checkpoint, 0, None, &Device::Cpu.open()).unwrap();
        let mut texts = Batch::default();
        texts.push(&[2, 65, 3]);
        assert!(network.vectors(&texts, Dropout::none()).is_tracked());
        assert!(!detached(&network).vectors(&texts, Dropout::none()).is_tracked());
    }
}
