//! The network that reads descriptions of types.

use std::ops::Range;
use std::path::Path;

use truename_error::ErrorKind;

use super::config::{EntityType, TypeVectors};
use super::maps::{SpanTensors, map, unit_rows};
use crate::backbone::Backbone;
use crate::checkpoint::network_folder;
use crate::{Error, Input, Scope, States};

/// Computes the vectors of types from their descriptions.
pub(super) struct TypeReader {
    network: Backbone,
    dimensions: usize,
    /// Maps to the vectors of starts, ends and spans.
    maps: [crate::layer::Linear; 3],
}

impl TypeReader {
    /// Opens the second network of a model folder. `tensors` are those of the first.
    ///
    /// # Errors
    /// Where the folder has no second network, a file is missing or is not what it should be.
    pub fn open(folder: &Path, tensors: &Scope<'_>, dimensions: usize) -> Result<Self, Error> {
        let second = folder.join(network_folder(1));
        if !second.is_dir() {
            let message = format!("{} has no network of descriptions, and knows its own types alone", folder.display());
            let advice = "ask the model that it was made from, which has one";
            return Err(Error::new(ErrorKind::Choice, message).with_hint(advice));
        }
        let network = Backbone::open(&second)?;
        let hidden = network.info().hidden;
        let load = |name| map(tensors, [name, SpanTensors::TYPE_SPAN], hidden, dimensions);
        let maps = [load(SpanTensors::TYPE_START)?, load(SpanTensors::TYPE_END)?, load(SpanTensors::TYPE_SPAN)?];
        Ok(Self { network, dimensions, maps })
    }

    /// Hash of the network, in hexadecimal.
    pub fn hash(&self) -> &str {
        self.network.hash()
    }

    /// Returns the vectors of types by their descriptions.
    ///
    /// # Errors
    /// Where a type has no description, or one that is longer than the network reads.
    pub fn vectors(&self, types: &[EntityType]) -> Result<TypeVectors, Error> {
        let mut inputs = Vec::new();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for entity_type in types {
            let first = inputs.len();
            for description in &entity_type.descriptions {
                inputs.push(self.input(&entity_type.name, description)?);
            }
            if entity_type.descriptions.iter().all(|description| description.trim().is_empty()) {
                return Err(Error::new(ErrorKind::Choice, format!("the type {} has no description", entity_type.name))
                    .with_hint("describe in a sentence what mentions of the type stand for"));
            }
            ranges.push(first..inputs.len());
        }
        let states = self.network.states(&inputs, &[self.network.info().layers])?;
        let means: Vec<f32> = ranges.iter().flat_map(|range| mean(&states[range.clone()])).collect();
        let [starts, ends, spans] =
            self.maps.each_ref().map(|map| unit_rows(map, &means, types.len(), self.dimensions));
        Ok(TypeVectors { starts, ends, spans })
    }

    fn input(&self, name: &str, description: &str) -> Result<Input, Error> {
        let tokens = self.network.tokenizer().tokens(description)?;
        if tokens.is_truncated {
            let window = self.network.info().window;
            let message =
                format!("a description of the type {name} is longer than the {window} tokens that the model reads");
            return Err(
                Error::new(ErrorKind::TooLong, message).with_hint("shorten it, or split it into several descriptions")
            );
        }
        Ok(Input::new(tokens.ids))
    }
}

/// Returns the mean of the states of the first tokens.
fn mean(states: &[States]) -> Vec<f32> {
    let mut mean = vec![0.0; states.first().map_or(0, |states| states.width(0))];
    for states in states {
        mean.iter_mut().zip(states.row(0, 0)).for_each(|(sum, value)| *sum += value);
    }
    mean.iter_mut().for_each(|value| *value /= states.len() as f32);
    mean
}
