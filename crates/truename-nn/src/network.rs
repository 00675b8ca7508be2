use std::collections::HashMap;

use burn_tensor::{Device, Tensor};
use truename_infer::{Checkpoint, Error, Pooling};

use crate::characters::Characters;
use crate::dropout::Dropout;
use crate::name_pattern::NamePattern;
use crate::parameter::Parameter;
use crate::texts::Texts;
use crate::transformer::Transformer;

/// A network that learns.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    family: Family,
    is_fused: bool,
}

#[derive(Clone, Debug)]
enum Family {
    Transformer(Box<Transformer>),
    Characters(Box<Characters>),
}

impl Network {
    /// Loads the weights of a checkpoint. A character network ignores `pooling`.
    pub fn load(checkpoint: &Checkpoint, pooling: Option<Pooling>, device: &Device) -> Result<Self, Error> {
        let device = device.clone().autodiff();
        let family = match checkpoint {
            Checkpoint::Transformer(checkpoint) => {
                let pooling = pooling.unwrap_or(checkpoint.pooling());
                Family::Transformer(Box::new(Transformer::load(checkpoint, pooling, &device)?))
            }
            Checkpoint::Characters(checkpoint) => Family::Characters(Box::new(Characters::load(checkpoint, &device)?)),
            _ => unreachable!("a kind of encoder that does not learn"),
        };
        Ok(Self { family, is_fused: true })
    }

    /// Runs its layers as operations of the tensor library: slower on a CPU, and the oracle of the fused ones.
    #[cfg(test)]
    pub fn composed(mut self) -> Self {
        self.is_fused = false;
        self
    }

    /// Keeps the values of the parameters whose names match one of the patterns.
    pub fn freeze(&mut self, patterns: &[NamePattern]) {
        let is_frozen = |parameter: &&mut Parameter| patterns.iter().any(|pattern| pattern.matches(parameter.name()));
        self.parameters().into_iter().filter(is_frozen).for_each(Parameter::freeze);
    }

    /// Returns one vector a text, not of unit length.
    ///
    /// # Shapes
    /// output: `[texts, hidden]`
    pub fn vectors(&self, texts: &Texts, dropout: Dropout) -> Tensor<2> {
        match &self.family {
            Family::Transformer(encoder) => encoder.forward(texts, dropout, self.is_fused),
            Family::Characters(encoder) => encoder.forward(texts, dropout, self.is_fused),
        }
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        match &mut self.family {
            Family::Transformer(encoder) => encoder.parameters(),
            Family::Characters(encoder) => encoder.parameters(),
        }
    }

    /// The values of all parameters, by name.
    pub fn values(&mut self) -> HashMap<String, Vec<f32>> {
        self.parameters().into_iter().map(|parameter| (parameter.name().to_owned(), parameter.values())).collect()
    }
}
