//! Encoders that read characters, for names in any script and without a vocabulary.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::batch::Batch;
use crate::hash::Fingerprint;
use crate::layer::Linear;
use crate::weights::{Table, Weights};
use crate::{Error, Tokens};

/// What `model_type` is in the `config.json` of such an encoder.
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
    /// What the layers are.
    pub network: Network,
    /// Width of a character's vector.
    pub embedding: usize,
    /// Width of the states after each layer.
    pub hidden: usize,
    /// Layers.
    pub layers: usize,
    /// Characters read of a name, its ends included.
    pub window: usize,
}

/// What the layers of an encoder of characters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Network {
    /// Graph convolutions (Kipf and Welling 2017, equation 2, by the mean of the neighbours) over the chain of characters:
    /// the baseline of CoSiNES, section 4.2.
    Graph,
}

impl CharacterConfig {
    /// An encoder of so many layers of one width.
    pub fn new(network: Network, hidden: usize, layers: usize) -> Self {
        Self { model_type: MODEL_TYPE.into(), network, embedding: hidden, hidden, layers, window: 256 }
    }

    /// How many characters have a vector.
    pub fn vocabulary(&self) -> usize {
        (OWN + SHARED) as usize
    }

    /// The tensors with their shapes.
    pub fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        let mut tensors = vec![("embeddings.weight".to_owned(), vec![self.vocabulary(), self.embedding])];
        for layer in 0..self.layers {
            tensors.push((format!("layers.{layer}.weight"), vec![self.hidden, self.inputs(layer)]));
            tensors.push((format!("layers.{layer}.bias"), vec![self.hidden]));
        }
        tensors
    }

    /// The width of what goes into a layer.
    pub fn inputs(&self, layer: usize) -> usize {
        if layer == 0 { self.embedding } else { self.hidden }
    }

    /// The configuration of a folder, where its encoder reads characters.
    pub(crate) fn read(folder: &Path, fingerprint: &mut Fingerprint) -> Result<Option<Self>, Error> {
        #[derive(Deserialize)]
        struct Kind {
            model_type: String,
        }
        let path = path(folder);
        let bytes = std::fs::read(&path).map_err(|source| Error::io("read", &path, source))?;
        // What is no configuration of any kind is said where transformers are read.
        let kind: Option<Kind> = serde_json::from_slice(&bytes).ok();
        if kind.is_none_or(|kind| kind.model_type != MODEL_TYPE) {
            return Ok(None);
        }
        fingerprint.add(&bytes);
        let config: Self = serde_json::from_slice(&bytes).map_err(|source| Error::json(&path, source))?;
        for (key, value) in [("embedding", config.embedding), ("hidden", config.hidden), ("layers", config.layers)] {
            if value == 0 {
                return Err(Error::setting(&path, key, value, "1 and more"));
            }
        }
        if config.window <= ENDS.len() {
            return Err(Error::setting(&path, "window", config.window, "3 and more"));
        }
        Ok(Some(config))
    }

    /// Writes it into a folder.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), Error> {
        let path = path(folder);
        let json = serde_json::to_string_pretty(self).map_err(|source| Error::json(&path, source))?;
        std::fs::write(&path, json + "\n").map_err(|source| Error::io("write", &path, source))
    }

    /// The numbers of a name's characters between those that mark its ends.
    pub(crate) fn tokens(window: usize, name: &str) -> Tokens {
        let mut characters = name.trim().chars();
        let read = characters.by_ref().take(window - ENDS.len()).map(number);
        let ids = std::iter::once(ENDS[0]).chain(read).chain([ENDS[1]]).collect();
        Tokens { ids, is_truncated: characters.next().is_some() }
    }
}

fn path(folder: &Path) -> PathBuf {
    folder.join("config.json")
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
    layers: Vec<Linear>,
    embedding: usize,
}

impl CharacterNetwork {
    pub fn load(config: &CharacterConfig, weights: &Weights) -> Result<Self, Error> {
        let scope = weights.under(&[""], "embeddings.weight");
        let layer = |number| scope.at(&format!("layers.{number}")).linear(config.inputs(number), config.hidden);
        Ok(Self {
            table: scope.at("embeddings").table(config.vocabulary(), config.embedding)?,
            layers: (0..config.layers).map(layer).collect::<Result<_, _>>()?,
            embedding: config.embedding,
        })
    }

    /// The states after the last layer, one row a character.
    ///
    /// # Shapes
    /// output: `[characters, hidden]`
    pub fn states(&self, batch: &Batch) -> Result<Vec<f32>, Error> {
        let mut states = Vec::with_capacity(batch.len() * self.embedding);
        for character in batch.texts().flatten() {
            let row = self.table.row(*character as usize);
            states.extend_from_slice(row.ok_or_else(|| Error::unknown_token(*character, self.table.rows()))?);
        }
        for layer in &self.layers {
            let mixed = neighbour_means(batch, &states, states.len() / batch.len());
            states = vec![0.0; batch.len() * layer.outputs()];
            layer.apply(&mixed, &mut states);
            states.iter_mut().for_each(|state| *state = state.max(0.0));
        }
        Ok(states)
    }
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
        let tokens = CharacterConfig::tokens(8, " PLCγ2漢字 etc ");
        assert_eq!(tokens.ids[..7], [2, 80, 76, 67, 0x3b3, 50, number('漢')]);
        assert!(tokens.is_truncated && tokens.ids.len() == 8);
        assert!(!CharacterConfig::tokens(256, "漢字").is_truncated);
        let all = (0..=0x10_FFFF).filter_map(char::from_u32);
        assert!(all.map(number).all(|number| (number as usize) < config.vocabulary()));
    }

    #[test]
    fn means_end_with_the_name() {
        let mut batch = Batch::default();
        batch.push(&[1, 2, 3]);
        batch.push(&[4]);
        assert_eq!(neighbour_means(&batch, &[1.0, 3.0, 8.0, 7.0], 1), [2.0, 4.0, 5.5, 7.0]);
    }
}
