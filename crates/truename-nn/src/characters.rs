use std::collections::HashMap;

use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor, TensorData};
use fastrand::Rng;
use truename_infer::{CharacterCheckpoint, CharacterConfig, Error, Network, Pooling};

use crate::batch::{Batch, Layout};
use crate::dropout::Dropout;
use crate::layer::{Linear, dropped, indices, rows};
use crate::parameter::Parameter;
use crate::pooling::pool;

/// An encoder of characters whose parameters are learnt: a table, layers, the mean.
#[derive(Clone, Debug)]
pub(crate) struct Characters {
    table: Parameter,
    layers: Vec<Linear>,
    network: Network,
    device: Device,
}

impl Characters {
    pub fn load(checkpoint: &CharacterCheckpoint, device: &Device) -> Result<Self, Error> {
        let (config, tensors) = (checkpoint.config(), checkpoint.tensors());
        let layer = |number: usize| {
            Linear::load(&tensors.at(&format!("layers.{number}")), config.inputs(number), config.hidden, device)
        };
        let shape = [config.vocabulary(), config.embedding];
        Ok(Self {
            table: Parameter::load(&tensors.at("embeddings"), "weight", &shape, device)?,
            layers: (0..config.layers).map(layer).collect::<Result<_, _>>()?,
            network: config.network,
            device: device.clone(),
        })
    }

    pub fn freeze(&mut self, embeddings: bool, layers: usize) {
        if embeddings {
            self.table.freeze();
        }
        self.layers.iter_mut().take(layers).flat_map(Linear::parameters).for_each(Parameter::freeze);
    }

    /// # Shapes
    /// output: `[texts, hidden]`
    pub fn forward(&self, batch: &Batch, dropout: Dropout) -> Tensor<2> {
        let layout = batch.layout();
        let numbers = batch.tokens().iter().map(|token| *token as i32).collect();
        let mut states = dropped(rows(&self.table, numbers, &self.device), dropout.at(0));
        let chain = Chain::new(&layout, &self.device);
        for (number, layer) in self.layers.iter().enumerate() {
            let mixed = match self.network {
                Network::Graph => chain.neighbour_means(states),
                _ => unreachable!("a network that does not learn"),
            };
            states = dropped(relu(layer.forward(mixed)), dropout.at(1 + number as u64));
        }
        pool(Pooling::Mean, states, &layout)
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        let layers = self.layers.iter_mut().flat_map(Linear::parameters);
        std::iter::once(&mut self.table).chain(layers).collect()
    }
}

/// Which characters are neighbours: those side by side in one text.
struct Chain {
    before: Vec<i32>,
    after: Vec<i32>,
    /// For each character what its own state, that before and that after count in the mean; 0 where there is none.
    shares: [Tensor<2>; 3],
    device: Device,
}

impl Chain {
    fn new(layout: &Layout, device: &Device) -> Self {
        let rows = layout.tokens();
        let (mut before, mut after) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        let mut shares: [Vec<f32>; 3] = Default::default();
        for text in layout.texts() {
            for row in text.clone() {
                let (is_first, is_last) = (row == text.start, row + 1 == text.end);
                let share = 1.0 / (3 - usize::from(is_first) - usize::from(is_last)) as f32;
                before.push(if is_first { row } else { row - 1 } as i32);
                after.push(if is_last { row } else { row + 1 } as i32);
                shares[0].push(share);
                shares[1].push(if is_first { 0.0 } else { share });
                shares[2].push(if is_last { 0.0 } else { share });
            }
        }
        let shares = shares.map(|shares| Tensor::from_data(TensorData::new(shares, [rows, 1]), device));
        Self { before, after, shares, device: device.clone() }
    }

    /// # Shapes
    /// `states: [characters, width]`, output: the same
    fn neighbour_means(&self, states: Tensor<2>) -> Tensor<2> {
        let moved = |rows: &[i32]| states.clone().select(0, indices(rows.to_vec(), &self.device));
        let [own, before, after] = self.shares.clone();
        states.clone() * own + moved(&self.before) * before + moved(&self.after) * after
    }
}

/// Numbers to begin with: those of a map evenly drawn within ±√(6 / (inputs + outputs)) (Glorot and Bengio 2010), of the
/// table within ±√3, which has variance 1, and 0 for each bias.
pub(crate) fn begin(config: &CharacterConfig, seed: u64) -> HashMap<String, Vec<f32>> {
    let mut random = Rng::with_seed(seed);
    let mut draw = |name: &str, shape: &[usize]| -> Vec<f32> {
        let bound = match shape {
            [_] => 0.0,
            _ if name.starts_with("embeddings") => 3.0f32.sqrt(),
            shape => (6.0 / shape.iter().sum::<usize>() as f32).sqrt(),
        };
        (0..shape.iter().product()).map(|_| bound * (2.0 * random.f32() - 1.0)).collect()
    };
    config.tensors().into_iter().map(|(name, shape)| (name.clone(), draw(&name, &shape))).collect()
}
