use burn_tensor::{Device, Int, Tensor, TensorData};
use truename_infer::{Error, TransformerCheckpoint};

use super::Norm;
use crate::dropout::Dropout;
use crate::parameter::Parameter;
use crate::texts::{Layout, Texts};

/// What goes into the first layer: the sum of a token's, its position's and its segment's vector, normed.
#[derive(Clone, Debug)]
pub(crate) struct TokenEmbedding {
    words: Parameter,
    positions: Parameter,
    first_position: usize,
    segments: Option<Parameter>,
    norm: Norm,
}

impl TokenEmbedding {
    pub fn load(checkpoint: &TransformerCheckpoint, device: &Device) -> Result<Self, Error> {
        let (config, scope) = (checkpoint.config(), checkpoint.encoder().at("embeddings"));
        let hidden = config.hidden_size;
        let table = |name: &str, rows| Parameter::load(&scope.at(name), "weight", &[rows, hidden], device);
        let has_segments = scope.at("token_type_embeddings").has("weight");
        let segments = config.type_vocab_size.filter(|rows| *rows > 0 && has_segments);
        Ok(Self {
            words: table("word_embeddings", config.vocab_size)?,
            positions: table("position_embeddings", config.max_position_embeddings)?,
            first_position: checkpoint.first_position(),
            segments: segments.map(|rows| table("token_type_embeddings", rows)).transpose()?,
            norm: Norm::load(&scope.at("LayerNorm"), hidden, config.layer_norm_eps, device)?,
        })
    }

    /// # Shapes
    /// output: `[tokens, hidden]`
    pub fn forward(&self, texts: &Texts, layout: &Layout, dropout: Dropout, device: &Device) -> Tensor<2> {
        let words = rows(&self.words, texts.tokens().iter().map(|token| *token as i32).collect(), device);
        let positions = layout.texts().iter().flat_map(|text| self.first_position..self.first_position + text.len());
        let positions = rows(&self.positions, positions.map(|position| position as i32).collect(), device);
        let mut sum = words + positions;
        if let Some(segments) = &self.segments {
            sum = sum + segments.matrix().narrow(0, 0, 1);
        }
        dropped(self.norm.forward(sum), dropout)
    }

    pub fn parameters(&mut self) -> Vec<&mut Parameter> {
        let mut parameters = vec![&mut self.words, &mut self.positions];
        parameters.extend(self.segments.as_mut());
        parameters.extend(self.norm.parameters());
        parameters
    }
}

/// # Shapes
/// output: `[numbers, columns]`
pub(crate) fn rows(table: &Parameter, numbers: Vec<i32>, device: &Device) -> Tensor<2> {
    table.matrix().select(0, indices(numbers, device))
}

pub(crate) fn indices(numbers: Vec<i32>, device: &Device) -> Tensor<1, Int> {
    let len = numbers.len();
    Tensor::from_data(TensorData::new(numbers, [len]), &device.clone().without_autodiff())
}

/// The numbers with the mask of `dropout` over them.
pub(crate) fn dropped<const D: usize>(tensor: Tensor<D>, dropout: Dropout) -> Tensor<D> {
    if dropout.is_none() {
        return tensor;
    }
    let shape = tensor.dims();
    let mask = TensorData::new(dropout.mask(shape.iter().product()), shape);
    let mask = Tensor::from_data(mask, &tensor.device());
    tensor * mask
}
