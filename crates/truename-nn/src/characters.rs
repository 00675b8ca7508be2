//! Encoders of characters that learn: convolutions, recurrences or graph layers over a table of characters.

use burn_tensor::activation::relu;
use burn_tensor::{Device, Tensor, TensorData};
use fastrand::Rng;
use truename_infer::lstm::DIRECTIONS;
use truename_infer::{Batch, CharacterCheckpoint, CharacterConfig, Error, Network, Pooling, Tensors};

use crate::dropout::Dropout;
use crate::fused;
use crate::layer::{Linear, Lstm, dropped, indices, rows};
use crate::layout::Layout;
use crate::parameter::Parameter;
use crate::pooling::pool;

/// An encoder of characters that learns: a table, layers, one vector a name.
#[derive(Clone, Debug)]
pub(crate) struct Characters {
    table: Parameter,
    layers: Layers,
    device: Device,
}

#[derive(Clone, Debug)]
enum Layers {
    /// Maps of each character with its neighbours; the mean of the last states.
    Chain { layers: Vec<Linear>, is_graph: bool },
    /// Recurrences in both directions; the last state of each, through a dense layer.
    Lstm { layers: Vec<[Lstm; 2]>, dense: Box<Linear> },
}

impl Characters {
    pub fn load(checkpoint: &CharacterCheckpoint, device: &Device) -> Result<Self, Error> {
        let (config, tensors) = (checkpoint.config(), checkpoint.tensors());
        let scope = |number: usize| tensors.at(&CharacterConfig::layer(number));
        let numbers = 0..config.layers;
        let layers = match config.network {
            Network::Lstm => {
                let direction = |number: usize, direction: usize| {
                    let (inputs, state) = (config.inputs(number), config.state());
                    Lstm::load(&scope(number).at(DIRECTIONS[direction]), inputs, state, direction == 1, device)
                };
                let layers = numbers.map(|number| Ok([direction(number, 0)?, direction(number, 1)?]));
                let dense = Linear::load(&tensors.at(CharacterConfig::DENSE), config.hidden, config.hidden, device)?;
                Layers::Lstm { layers: layers.collect::<Result<_, Error>>()?, dense: Box::new(dense) }
            }
            network => {
                let layer = |number| Linear::load(&scope(number), config.inputs(number), config.hidden, device);
                let layers = numbers.map(layer).collect::<Result<_, _>>()?;
                Layers::Chain { layers, is_graph: network == Network::Graph }
            }
        };
        let shape = [config.vocabulary(), config.embedding];
        let table = Parameter::load(&tensors.at(CharacterConfig::EMBEDDINGS), "weight", &shape, device)?;
        Ok(Self { table, layers, device: device.clone() })
    }

    /// Returns one vector a text, not of unit length.
    ///
    /// # Shapes
    /// output: `[texts, hidden]`
    pub fn vectors(&self, batch: &Batch, dropout: Dropout, is_fused: bool) -> Tensor<2> {
        let layout = Layout::of(batch);
        let Run { states, ends } = self.run(batch, &layout, dropout, is_fused);
        let (Layers::Lstm { dense, .. }, Some(ends)) = (&self.layers, ends) else {
            return pool(Pooling::Mean, states, &layout);
        };
        let last = layout.texts().iter().map(|text| text.end as i32 - 1).collect();
        let first = layout.texts().iter().map(|text| text.start as i32).collect();
        let at = |states: &Tensor<2>, rows| states.clone().select(0, indices(rows, &self.device));
        dense.forward(Tensor::cat(vec![at(&ends[0], last), at(&ends[1], first)], 1))
    }

    /// Returns the states of all characters after the last layer.
    ///
    /// # Shapes
    /// output: `[characters, hidden]`
    pub fn states(&self, batch: &Batch, dropout: Dropout, is_fused: bool) -> Tensor<2> {
        self.run(batch, &Layout::of(batch), dropout, is_fused).states
    }

    fn run(&self, batch: &Batch, layout: &Layout, dropout: Dropout, is_fused: bool) -> Run {
        let numbers = batch.tokens().iter().map(|token| *token as i32).collect();
        let mut states = dropped(rows(&self.table, numbers, &self.device), dropout.at(0));
        let mut ends = None;
        match &self.layers {
            Layers::Chain { layers, is_graph } => {
                let is_fused = is_fused && !is_graph && fused::runs_on(&self.device);
                let chain = (!is_fused).then(|| Chain::new(layout, &self.device));
                for (number, layer) in layers.iter().enumerate() {
                    let mapped = match &chain {
                        None => fused::convolution(layer.weight.vector(), layer.bias.vector(), states, layout),
                        Some(chain) if *is_graph => relu(layer.forward(chain.neighbour_means(states))),
                        Some(chain) => relu(layer.forward(chain.with_neighbours(states))),
                    };
                    states = dropped(mapped, dropout.at(1 + number as u64));
                }
            }
            Layers::Lstm { layers, .. } => {
                for (number, directions) in layers.iter().enumerate() {
                    let run = |direction: &Lstm| direction.forward(states.clone(), layout, is_fused);
                    let both = directions.each_ref().map(run);
                    states = dropped(Tensor::cat(both.to_vec(), 1), dropout.at(1 + number as u64));
                    ends = Some(both);
                }
            }
        }
        Run { states, ends }
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        let mut parameters = vec![&mut self.table];
        match &mut self.layers {
            Layers::Chain { layers, .. } => parameters.extend(layers.iter_mut().flat_map(Linear::parameters)),
            Layers::Lstm { layers, dense } => {
                parameters.extend(layers.iter_mut().flatten().flat_map(Lstm::parameters));
                parameters.extend(dense.parameters());
            }
        }
        parameters
    }
}

/// The outcome of the layers.
struct Run {
    /// States after the last layer.
    states: Tensor<2>,
    /// States of the last recurrence in each direction, before dropout.
    ends: Option<[Tensor<2>; 2]>,
}

/// The neighbours of each character: those beside it in its text.
struct Chain {
    before: Vec<i32>,
    after: Vec<i32>,
    /// Weights of each character's own state, the one before and the one after in the mean; 0 where there is none.
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

    /// # Shapes
    /// `states: [characters, width]`, output: `[characters, 3 width]`
    fn with_neighbours(&self, states: Tensor<2>) -> Tensor<2> {
        let moved = |rows: &[i32]| states.clone().select(0, indices(rows.to_vec(), &self.device));
        let there = |share: &Tensor<2>| share.clone().sign();
        let [_, before, after] = &self.shares;
        Tensor::cat(vec![moved(&self.before) * there(before), states.clone(), moved(&self.after) * there(after)], 1)
    }
}

/// Returns initial weights: those of a map drawn evenly within ±√(6 / (inputs + outputs)) (Glorot and Bengio 2010), those of
/// the table within ±√3, which has variance 1; biases of 0, but of 1 for a forget gate (Jozefowicz et al. 2015).
pub(crate) fn begin(config: &CharacterConfig, seed: u64) -> Tensors {
    let mut random = Rng::with_seed(seed);
    let mut draw = |name: &str, shape: &[usize]| -> Vec<f32> {
        if let [count] = shape {
            let is_forget_gate = |at: usize| name.ends_with("input.bias") && at / config.state() == 1;
            return (0..*count).map(|at| f32::from(u8::from(is_forget_gate(at)))).collect();
        }
        let is_table = name.starts_with(CharacterConfig::EMBEDDINGS);
        let bound = if is_table { 3.0 } else { 6.0 / shape.iter().sum::<usize>() as f32 }.sqrt();
        (0..shape.iter().product()).map(|_| bound * (2.0 * random.f32() - 1.0)).collect()
    };
    let tensor = |(name, shape): (String, Vec<usize>)| {
        let values = draw(&name, &shape);
        (name, truename_infer::Tensor::new(shape, values))
    };
    config.tensors().into_iter().map(tensor).collect()
}
