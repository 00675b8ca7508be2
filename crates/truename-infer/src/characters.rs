//! Encoders that read characters, for names in any script and without a vocabulary.

use std::ops::Range;

use crate::batch::Batch;
use crate::character_config::{CharacterConfig, Network};
use crate::head::VectorLength;
use crate::kernels::{Matrix, PackedMatrix};
use crate::layer::Linear;
use crate::lstm::DIRECTIONS;
use crate::weights::{Table, Weights};
use crate::{Error, Pooling, error, lstm};

/// A network over the characters of names.
pub(crate) struct CharacterNetwork {
    table: Table,
    layers: Layers,
    embedding: usize,
}

enum Layers {
    Chain { layers: Vec<Linear>, mix: fn(&Batch, &[f32], usize) -> Vec<f32> },
    Lstm { layers: Vec<[Direction; 2]>, dense: Linear },
}

/// One direction of a recurrence.
struct Direction {
    input: Linear,
    recurrent: PackedMatrix,
}

impl CharacterNetwork {
    pub fn load(config: &CharacterConfig, weights: &Weights) -> Result<Self, Error> {
        let scope = weights.whole();
        let layer = |number| scope.at(&CharacterConfig::layer(number));
        let chain = |mix| -> Result<Layers, Error> {
            let layers =
                (0..config.layers).map(|number| Linear::load(&layer(number), config.inputs(number), config.hidden));
            Ok(Layers::Chain { layers: layers.collect::<Result<_, _>>()?, mix })
        };
        let direction = |number: usize, direction: usize| -> Result<Direction, Error> {
            let (scope, state) = (layer(number).at(DIRECTIONS[direction]), config.state());
            let recurrent = scope.at(CharacterConfig::RECURRENT).values("weight", &[4 * state, state])?;
            Ok(Direction {
                input: Linear::load(&scope.at(CharacterConfig::INPUT), config.inputs(number), 4 * state)?,
                recurrent: Matrix::new(&recurrent, state).transposed().packed(),
            })
        };
        let layers = match config.network {
            Network::Graph => chain(neighbour_means)?,
            Network::Convolution => chain(with_neighbours)?,
            Network::Lstm => {
                let layers = (0..config.layers).map(|number| Ok([direction(number, 0)?, direction(number, 1)?]));
                let dense = Linear::load(&scope.at(CharacterConfig::DENSE), config.hidden, config.hidden)?;
                Layers::Lstm { layers: layers.collect::<Result<_, Error>>()?, dense }
            }
        };
        let table = scope.at(CharacterConfig::EMBEDDINGS).table(config.vocabulary(), config.embedding)?;
        Ok(Self { table, layers, embedding: config.embedding })
    }

    /// Runs the layers on a batch and returns the states after the last. `visit` sees the states after each layer on the
    /// way, the characters' vectors as layer 0.
    ///
    /// # Shapes
    /// output: `[characters, hidden]`
    pub fn run(&self, batch: &Batch, mut visit: impl FnMut(usize, &[f32])) -> Result<Vec<f32>, Error> {
        let mut states = Vec::with_capacity(batch.tokens().len() * self.embedding);
        for character in batch.tokens() {
            let row = self.table.row(*character as usize);
            states.extend_from_slice(&row.ok_or_else(|| error::unknown_token(*character, self.table.rows()))?);
        }
        visit(0, &states);
        for number in 0..self.layers.len() {
            states = match &self.layers {
                Layers::Chain { layers, mix } => chained(&layers[number], *mix, batch, &states),
                Layers::Lstm { layers, .. } => recurrent(&layers[number], batch, &states),
            };
            visit(number + 1, &states);
        }
        Ok(states)
    }

    /// Writes the vector of each text.
    ///
    /// # Shapes
    /// `vectors: [texts, hidden]`
    pub fn write(&self, batch: &Batch, length: VectorLength, vectors: &mut [f32]) -> Result<(), Error> {
        let states = self.run(batch, |_, _| ())?;
        match &self.layers {
            Layers::Chain { .. } => Pooling::Mean.write_all(batch, &states, length, vectors),
            Layers::Lstm { dense, .. } => write_ends(batch, dense, &states, length, vectors),
        }
        Ok(())
    }
}

impl Layers {
    fn len(&self) -> usize {
        match self {
            Self::Chain { layers, .. } => layers.len(),
            Self::Lstm { layers, .. } => layers.len(),
        }
    }
}

/// `relu(W mix(states) + b)`
///
/// # Shapes
/// `states: [characters, width]`, output: `[characters, hidden]`
fn chained(layer: &Linear, mix: fn(&Batch, &[f32], usize) -> Vec<f32>, batch: &Batch, states: &[f32]) -> Vec<f32> {
    let characters = batch.tokens().len();
    let mixed = mix(batch, states, states.len() / characters);
    let mut output = vec![0.0; characters * layer.outputs()];
    layer.apply(&mixed, &mut output);
    output.iter_mut().for_each(|state| *state = state.max(0.0));
    output
}

/// The states of both directions, side by side.
///
/// # Shapes
/// `states: [characters, width]`, output: `[characters, hidden]`
fn recurrent(directions: &[Direction; 2], batch: &Batch, states: &[f32]) -> Vec<f32> {
    let texts: Vec<Range<usize>> = batch.rows().collect();
    let [ahead, back] = [0, 1].map(|number| {
        let Direction { input, recurrent } = &directions[number];
        let mut gates = vec![0.0; batch.tokens().len() * input.outputs()];
        input.apply(states, &mut gates);
        lstm::forward(&texts, number == 1, gates, recurrent).hidden
    });
    let width = ahead.len() / batch.tokens().len();
    ahead.chunks_exact(width).zip(back.chunks_exact(width)).flat_map(|(a, b)| [a, b]).flatten().copied().collect()
}

/// The last state of each direction, through the dense layer.
fn write_ends(batch: &Batch, dense: &Linear, states: &[f32], length: VectorLength, vectors: &mut [f32]) {
    let width = states.len() / batch.tokens().len();
    let mut ends = Vec::with_capacity(batch.len() * width);
    for text in batch.rows() {
        let (first, last) = (text.start * width, (text.end - 1) * width);
        ends.extend_from_slice(&states[last..last + width / 2]);
        ends.extend_from_slice(&states[first + width / 2..first + width]);
    }
    let mut pooled = vec![0.0; batch.len() * dense.outputs()];
    dense.apply(&ends, &mut pooled);
    for (pooled, vector) in pooled.chunks_exact(dense.outputs()).zip(vectors.chunks_exact_mut(dense.outputs())) {
        Pooling::Cls.write(pooled, length, vector);
    }
}

/// Concatenates each character's state with its left and right neighbours' (zeros at the ends).
///
/// # Shapes
/// `states: [characters, width]`, output: `[characters, 3 width]`
fn with_neighbours(batch: &Batch, states: &[f32], width: usize) -> Vec<f32> {
    let mut all = vec![0.0; 3 * states.len()];
    for rows in batch.rows() {
        for (row, all) in rows.clone().zip(all[3 * rows.start * width..].chunks_exact_mut(3 * width)) {
            let from = row.max(rows.start + 1) - 1;
            let to = (row + 2).min(rows.end);
            let at = if row == rows.start { width } else { 0 };
            all[at..at + (to - from) * width].copy_from_slice(&states[from * width..to * width]);
        }
    }
    all
}

/// The mean of each character's state and its neighbours' in the name.
///
/// # Shapes
/// `states: [characters, width]`, output: the same
fn neighbour_means(batch: &Batch, states: &[f32], width: usize) -> Vec<f32> {
    let mut means = Vec::with_capacity(states.len());
    for rows in batch.rows() {
        for row in rows.clone() {
            let (from, to) = (row.saturating_sub(1).max(rows.start), (row + 2).min(rows.end));
            let share = 1.0 / (to - from) as f32;
            let state = |place: usize| (from..to).map(|row| states[row * width + place]).sum::<f32>() * share;
            means.extend((0..width).map(state));
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_end_with_the_name() {
        let mut batch = Batch::default();
        batch.push(&[1, 2, 3]);
        batch.push(&[4]);
        let states = [1.0, 3.0, 8.0, 7.0];
        assert_eq!(neighbour_means(&batch, &states, 1), [2.0, 4.0, 5.5, 7.0]);
        let expected = [[0.0, 1.0, 3.0], [1.0, 3.0, 8.0], [3.0, 8.0, 0.0], [0.0, 7.0, 0.0]];
        assert_eq!(with_neighbours(&batch, &states, 1), expected.concat());
    }
}
