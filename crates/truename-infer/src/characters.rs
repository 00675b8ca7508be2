//! Encoders that read characters, for names in any script and without a vocabulary.

use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::batch::Batch;
use crate::hash::Fingerprint;
use crate::kernels::{Matrix, Packed};
use crate::layer::Linear;
use crate::lstm::DIRECTIONS;
use crate::weights::{Table, Weights};
use crate::{Error, Pooling, Tokens, lstm};

/// `model_type` in the `config.json` of such an encoder.
pub(crate) const MODEL_TYPE: &str = "truename-characters";

/// Code points below this have a vector of their own: Latin, Greek, Cyrillic, Armenian and Hebrew.
const OWN: u32 = 0x600;
/// Vectors that all others share by a hash.
const SHARED: u32 = 512;
/// Mark the start and the end of a name; Unicode's own control characters for that.
const ENDS: [u32; 2] = [0x02, 0x03];

/// `config.json` of an encoder that reads characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CharacterConfig {
    model_type: String,
    /// Kind of the layers.
    pub network: Network,
    /// Width of a character's vector.
    pub embedding: usize,
    /// Width of the states after each layer, and of a name's vector; half of it in each direction of a recurrence.
    pub hidden: usize,
    /// Layers.
    pub layers: usize,
    /// Characters read of a name, its ends included.
    pub window: usize,
}

/// Kind of the layers of an encoder of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Network {
    /// Graph convolutions (Kipf and Welling 2017, equation 2, by the mean of the neighbours) over the chain of characters:
    /// the baseline of CoSiNES, section 4.2.
    Graph,
    /// Maps of each character with its two neighbours, each neighbour with weights of its own.
    Convolution,
    /// Long short-term memory in both directions; the last state of each goes through a dense layer (NSEEN, section 3.1).
    Lstm,
}

impl CharacterConfig {
    /// Table of character vectors. By this name and the next ones both engines find their tensors.
    pub const EMBEDDINGS: &'static str = "embeddings";
    /// Map of the inputs of one direction of a recurrence.
    pub const INPUT: &'static str = "input";
    /// Map of the states of one direction of a recurrence.
    pub const RECURRENT: &'static str = "recurrent";
    /// Map of the last states of a recurrence.
    pub const DENSE: &'static str = "dense";

    /// Name of a layer, from 0.
    pub fn layer(number: usize) -> String {
        format!("layers.{number}")
    }

    /// Creates the configuration of so many layers of one width.
    pub fn new(network: Network, hidden: usize, layers: usize) -> Self {
        Self { model_type: MODEL_TYPE.into(), network, embedding: hidden, hidden, layers, window: 256 }
    }

    /// Number of characters that have a vector.
    pub fn vocabulary(&self) -> usize {
        (OWN + SHARED) as usize
    }

    /// The tensors with their shapes.
    pub fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        let mut tensors = vec![(format!("{}.weight", Self::EMBEDDINGS), vec![self.vocabulary(), self.embedding])];
        let mut map = |name: String, inputs, outputs| {
            tensors.push((format!("{name}.weight"), vec![outputs, inputs]));
            tensors.push((format!("{name}.bias"), vec![outputs]));
        };
        for layer in 0..self.layers {
            match self.network {
                Network::Graph | Network::Convolution => {
                    map(Self::layer(layer), self.inputs(layer), self.hidden);
                }
                Network::Lstm => {
                    for direction in DIRECTIONS {
                        let name = format!("{}.{direction}.{}", Self::layer(layer), Self::INPUT);
                        map(name, self.inputs(layer), 4 * self.state());
                    }
                }
            }
        }
        if self.network == Network::Lstm {
            map(Self::DENSE.into(), self.hidden, self.hidden);
            for (layer, direction) in (0..self.layers).flat_map(|layer| DIRECTIONS.map(|direction| (layer, direction)))
            {
                let name = format!("{}.{direction}.{}.weight", Self::layer(layer), Self::RECURRENT);
                tensors.push((name, vec![4 * self.state(), self.state()]));
            }
        }
        tensors
    }

    /// The width of what goes into a layer.
    pub fn inputs(&self, layer: usize) -> usize {
        let width = if layer == 0 { self.embedding } else { self.hidden };
        if self.network == Network::Convolution { 3 * width } else { width }
    }

    /// The width of the states of one direction of a recurrence.
    pub fn state(&self) -> usize {
        self.hidden / 2
    }

    /// Takes it from the bytes of the file at `path`, where they are of an encoder that reads characters.
    pub(crate) fn parse(path: &Path, bytes: &[u8], fingerprint: &mut Fingerprint) -> Result<Option<Self>, Error> {
        #[derive(Deserialize)]
        struct Kind {
            model_type: String,
        }
        // What is no configuration of any kind is said where transformers are read.
        let kind: Option<Kind> = serde_json::from_slice(bytes).ok();
        if kind.is_none_or(|kind| kind.model_type != MODEL_TYPE) {
            return Ok(None);
        }
        fingerprint.add(bytes);
        let config: Self = serde_json::from_slice(bytes).map_err(|source| Error::json(path, source))?;
        for (key, value) in [("embedding", config.embedding), ("hidden", config.hidden), ("layers", config.layers)] {
            if value == 0 {
                return Err(Error::setting(path, key, value, "1 and more"));
            }
        }
        if config.network == Network::Lstm && !config.hidden.is_multiple_of(2) {
            return Err(Error::setting(path, "hidden", config.hidden, "even numbers, half for each direction"));
        }
        if config.window <= ENDS.len() {
            return Err(Error::setting(path, "window", config.window, "3 and more"));
        }
        Ok(Some(config))
    }

    /// Writes it into a folder.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), Error> {
        let path = folder.join("config.json");
        let json = serde_json::to_string_pretty(self).map_err(|source| Error::json(&path, source))?;
        std::fs::write(&path, json + "\n").map_err(|source| Error::io("write", &path, source))
    }

    /// The numbers of the characters of a name, spelt out, between those that mark its ends.
    pub(crate) fn tokens(window: usize, name: &str) -> Tokens {
        let name = truename_text::spelt_out(name.trim());
        let mut characters = name.chars();
        let read = characters.by_ref().take(window - ENDS.len()).map(number);
        let ids = std::iter::once(ENDS[0]).chain(read).chain([ENDS[1]]).collect();
        Tokens { ids, is_truncated: characters.next().is_some() }
    }
}

/// The row of a character in the table.
fn number(character: char) -> u32 {
    let point = u32::from(character);
    // Fibonacci hashing: neighbours in a script fall far apart.
    if point < OWN { point } else { OWN + (point.wrapping_mul(0x9E37_79B9) >> 16) % SHARED }
}

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
    recurrent: Packed,
}

impl CharacterNetwork {
    pub fn load(config: &CharacterConfig, weights: &Weights) -> Result<Self, Error> {
        let scope = weights.whole();
        let layer = |number| scope.at(&CharacterConfig::layer(number));
        let chain = |mix| -> Result<Layers, Error> {
            let layers = (0..config.layers).map(|number| layer(number).linear(config.inputs(number), config.hidden));
            Ok(Layers::Chain { layers: layers.collect::<Result<_, _>>()?, mix })
        };
        let direction = |number: usize, direction: usize| -> Result<Direction, Error> {
            let (scope, state) = (layer(number).at(DIRECTIONS[direction]), config.state());
            let recurrent = scope.at(CharacterConfig::RECURRENT).values("weight", &[4 * state, state])?;
            Ok(Direction {
                input: scope.at(CharacterConfig::INPUT).linear(config.inputs(number), 4 * state)?,
                recurrent: Matrix::new(&recurrent, state).transposed().packed(),
            })
        };
        let layers = match config.network {
            Network::Graph => chain(neighbour_means)?,
            Network::Convolution => chain(with_neighbours)?,
            Network::Lstm => {
                let layers = (0..config.layers).map(|number| Ok([direction(number, 0)?, direction(number, 1)?]));
                let dense = scope.at(CharacterConfig::DENSE).linear(config.hidden, config.hidden)?;
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
            states.extend_from_slice(row.ok_or_else(|| Error::unknown_token(*character, self.table.rows()))?);
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

    /// Writes the unit vector of each text.
    ///
    /// # Shapes
    /// `vectors: [texts, hidden]`
    pub fn write(&self, batch: &Batch, vectors: &mut [f32]) -> Result<(), Error> {
        let states = self.run(batch, |_, _| ())?;
        match &self.layers {
            Layers::Chain { .. } => Pooling::Mean.write_all(batch, &states, vectors),
            Layers::Lstm { dense, .. } => write_ends(batch, dense, &states, vectors),
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
fn write_ends(batch: &Batch, dense: &Linear, states: &[f32], vectors: &mut [f32]) {
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
        Pooling::Cls.write(pooled, vector);
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
    fn every_character_has_a_row() {
        let config = CharacterConfig::new(Network::Graph, 8, 2);
        let tokens = CharacterConfig::tokens(8, " Cγ漢字 etc ");
        assert_eq!(tokens.ids, [2, 67, 103, 97, 109, 109, 97, 3]);
        let tokens = CharacterConfig::tokens(8, " PLCж2漢字 etc ");
        assert_eq!(tokens.ids[..7], [2, 80, 76, 67, 0x436, 50, number('漢')]);
        assert!(tokens.is_truncated && tokens.ids.len() == 8);
        assert!(!CharacterConfig::tokens(256, "漢字").is_truncated);
        let all = (0..=0x10_FFFF).filter_map(char::from_u32);
        assert!(all.map(number).all(|number| (number as usize) < config.vocabulary()));
    }

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
