//! Pooling of the states of the tokens of a text into one vector.

use burn_tensor::{Bool, Tensor, TensorData};
use truename_infer::Pooling;

use crate::layer::indices;
use crate::layout::Layout;

/// Pools the states of each text's tokens into one vector.
///
/// # Shapes
/// `states: [tokens, hidden]`, output: `[texts, hidden]`
pub(crate) fn pool(pooling: Pooling, states: Tensor<2>, layout: &Layout) -> Tensor<2> {
    let device = states.device();
    let ([tokens, hidden], texts) = (states.dims(), layout.texts().len());
    match pooling {
        Pooling::Mean => {
            let mut shares = vec![0.0f32; texts * tokens];
            for (number, text) in layout.texts().iter().enumerate() {
                shares[number * tokens..][text.clone()].fill(1.0 / text.len() as f32);
            }
            Tensor::<2>::from_data(TensorData::new(shares, [texts, tokens]), &device).matmul(states)
        }
        Pooling::Cls => {
            let first = layout.texts().iter().map(|text| text.start as i32).collect();
            states.select(0, indices(first, &device))
        }
        Pooling::Max => {
            let longest = layout.longest();
            let padded = states.select(0, indices(layout.padded_rows(), &device)).reshape([texts, longest, hidden]);
            let padding = TensorData::new(layout.is_padding(), [texts, longest, 1]);
            let padding = Tensor::<3, Bool>::from_data(padding, &device.without_autodiff());
            padded.mask_fill(padding.expand([texts, longest, hidden]), f32::MIN).max_dim(1).squeeze_dim(1)
        }
        other => unreachable!("no pooling by {other}"),
    }
}
