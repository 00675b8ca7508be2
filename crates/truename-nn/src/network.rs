//! Networks that learn, of tokens or of characters, as objectives see them.

use burn_tensor::{Device, Tensor};
use truename_infer::{Batch, Checkpoint, Error, Pooling, Tensors, network_folder};

use crate::characters::Characters;
use crate::dropout::Dropout;
use crate::parameter::Parameter;
use crate::transformer::Transformer;

/// A network that learns.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub(crate) family: Family,
    is_fused: bool,
    /// Prefix of its parameters' names, by which those of several networks differ.
    prefix: String,
}

#[derive(Clone, Debug)]
pub(crate) enum Family {
    Transformer(Box<Transformer>),
    Characters(Box<Characters>),
}

impl Network {
    /// Loads the weights of a checkpoint, the network `number` of a learner. A character network ignores `pooling`.
    pub fn load(
        checkpoint: &Checkpoint,
        number: usize,
        pooling: Option<Pooling>,
        device: &Device,
    ) -> Result<Self, Error> {
        let device = device.clone().autodiff();
        let family = match checkpoint {
            Checkpoint::Transformer(checkpoint) => {
                checkpoint.check_trainable()?;
                let pooling = pooling.unwrap_or(checkpoint.pooling());
                Family::Transformer(Box::new(Transformer::load(checkpoint, pooling, &device)?))
            }
            Checkpoint::Characters(checkpoint) => Family::Characters(Box::new(Characters::load(checkpoint, &device)?)),
            _ => unreachable!("a kind of encoder that does not learn"),
        };
        let prefix = if number == 0 { String::new() } else { network_folder(number) + "." };
        let mut network = Self { family, is_fused: true, prefix: prefix.clone() };
        network.parameters().into_iter().for_each(|parameter| parameter.prefix(&prefix));
        Ok(network)
    }

    /// Pools the states of a text's entity from here on, if it has one. A character network has no entities.
    pub fn pool_entities(&mut self) {
        if let Family::Transformer(encoder) = &mut self.family {
            encoder.pool_entities();
        }
    }

    /// Runs its layers as operations of the tensor library: slower on a CPU, and the oracle of the fused ones.
    #[cfg(test)]
    pub fn composed(mut self) -> Self {
        self.is_fused = false;
        self
    }

    pub fn is_fused(&self) -> bool {
        self.is_fused
    }

    /// Returns the states of all tokens after the last layer, those of adapters in them.
    ///
    /// # Shapes
    /// output: `[tokens, width]`
    pub fn states(&self, batch: &Batch, dropout: Dropout) -> Tensor<2> {
        match &self.family {
            Family::Transformer(encoder) => encoder.states(batch, dropout, self.is_fused),
            Family::Characters(encoder) => encoder.states(batch, dropout, self.is_fused),
        }
    }

    /// Returns one vector a text, not of unit length.
    ///
    /// # Shapes
    /// output: `[texts, hidden]`
    pub fn vectors(&self, batch: &Batch, dropout: Dropout) -> Tensor<2> {
        match &self.family {
            Family::Transformer(encoder) => encoder.vectors(batch, dropout, self.is_fused),
            Family::Characters(encoder) => encoder.vectors(batch, dropout, self.is_fused),
        }
    }

    /// Returns the table of token vectors of a transformer.
    ///
    /// # Shapes
    /// output: `[vocabulary, hidden]`
    pub fn words(&self) -> Tensor<2> {
        match &self.family {
            Family::Transformer(encoder) => encoder.words(),
            Family::Characters(_) => unreachable!("a network that reads characters has no table of tokens"),
        }
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        match &mut self.family {
            Family::Transformer(encoder) => encoder.parameters(),
            Family::Characters(encoder) => encoder.parameters(),
        }
    }

    /// All parameters as tensors of the network's folder.
    pub fn tensors(&mut self) -> Tensors {
        let prefix = self.prefix.len();
        let tensor = |parameter: &mut Parameter| (parameter.name()[prefix..].to_owned(), parameter.tensor());
        self.parameters().into_iter().map(tensor).collect()
    }
}
