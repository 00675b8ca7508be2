//! BERT of candle.

use std::path::Path;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};

use crate::{Engine, Padded};

/// A model in the layout of Hugging Face.
pub struct Bert(BertModel);

impl Bert {
    pub fn open(folder: &Path) -> anyhow::Result<Self> {
        let config: Config = serde_json::from_slice(&std::fs::read(folder.join("config.json"))?)?;
        // SAFETY: nobody changes the file meanwhile.
        let weights = unsafe {
            VarBuilder::from_mmaped_safetensors(&[folder.join("model.safetensors")], DType::F32, &Device::Cpu)?
        };
        Ok(Self(BertModel::load(weights, &config)?))
    }
}

impl Engine for Bert {
    fn vectors(&self, batch: &Padded) -> anyhow::Result<Vec<Vec<f32>>> {
        let tensor = |numbers: &[u32]| Tensor::from_slice(numbers, (batch.texts, batch.width), &Device::Cpu);
        let (ids, mask) = (tensor(&batch.ids)?, tensor(&batch.mask)?);
        let states = self.0.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        let weights = mask.to_dtype(DType::F32)?.unsqueeze(2)?;
        let sums = states.broadcast_mul(&weights)?.sum(1)?;
        Ok(sums.broadcast_div(&sums.sqr()?.sum_keepdim(1)?.sqrt()?)?.to_vec2()?)
    }
}
