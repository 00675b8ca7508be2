//! Biases of attention by the distance of two tokens, as in MPNet.

use burn_tensor::{Device, Tensor};
use truename_infer::{Error, TransformerCheckpoint};

use super::embedding::indices;
use crate::parameter::Parameter;

/// Bias of MPNet's attention by the distance of two tokens (Raffel et al. 2020, section 2.1).
#[derive(Clone, Debug)]
pub(crate) struct PositionBias {
    /// `[buckets, heads]`
    table: Parameter,
    buckets: usize,
}

impl PositionBias {
    pub fn load(checkpoint: &TransformerCheckpoint, device: &Device) -> Result<Option<Self>, Error> {
        let Some(name) = checkpoint.names().position_bias else { return Ok(None) };
        let (scope, config) = (checkpoint.encoder().at(name), checkpoint.config());
        let buckets = config.position_buckets();
        let table = Parameter::load(&scope, "weight", &[buckets, config.num_attention_heads], device)?;
        Ok(Some(Self { table, buckets }))
    }

    /// The bias of each head at the distances of a key from a query, from `1 - longest` to `longest - 1`.
    ///
    /// # Shapes
    /// output: `[2 longest - 1, heads]`
    pub fn by_distance(&self, longest: usize, device: &Device) -> Tensor<2> {
        let distances = (1 - longest as isize)..longest as isize;
        let buckets = distances.map(|distance| truename_infer::position_bucket(distance, self.buckets) as i32);
        self.table.matrix().select(0, indices(buckets.collect(), device))
    }

    pub fn parameters(&mut self) -> [&mut Parameter; 1] {
        [&mut self.table]
    }
}
