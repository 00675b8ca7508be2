//! A model as ONNX in rten.

use std::path::Path;

use anyhow::Context;
use rten::{Model, NodeId};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};

use crate::{Engine, Padded};

/// The model that `benches/encode_peers.py export` writes, and its nodes.
pub struct Onnx {
    model: Model,
    inputs: [NodeId; 2],
    output: NodeId,
}

impl Onnx {
    pub fn open(file: &Path) -> anyhow::Result<Self> {
        let model = Model::load_file(file).with_context(|| file.display().to_string())?;
        let inputs = [model.node_id("input_ids")?, model.node_id("attention_mask")?];
        let output = *model.output_ids().first().context("the model has an output")?;
        Ok(Self { model, inputs, output })
    }
}

impl Engine for Onnx {
    fn vectors(&self, batch: &Padded) -> anyhow::Result<Vec<Vec<f32>>> {
        let shape = [batch.texts, batch.width];
        let tensor = |numbers: &[u32]| {
            Tensor::<i32>::from_data(&shape, numbers.iter().map(|number| *number as i32).collect::<Vec<_>>())
        };
        let (ids, mask) = (tensor(&batch.ids), tensor(&batch.mask));
        let inputs = vec![(self.inputs[0], ids.into()), (self.inputs[1], mask.into())];
        let [states] = self.model.run_n(inputs, [self.output], None)?;
        let states: NdTensor<f32, 3> = states.try_into()?;
        let vector = |text: usize| {
            let mut sum = vec![0.0; states.size(2)];
            for at in (0..batch.width).filter(|at| batch.mask[text * batch.width + at] == 1) {
                sum.iter_mut().zip(states.slice((text, at)).iter()).for_each(|(sum, state)| *sum += state);
            }
            let length = sum.iter().map(|value: &f32| value * value).sum::<f32>().sqrt();
            sum.iter_mut().for_each(|value| *value /= length);
            sum
        };
        Ok((0..batch.texts).map(vector).collect())
    }
}
