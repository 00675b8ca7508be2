//! Vectors of names by a network that is learning, to search for hard negatives.

use truename_infer::{Batch, Tokenizer, scale_to_unit};
use truename_kb::Progress;
use truename_nn::{Learner, Objective};

use crate::Error;

/// Names encoded together.
const TOGETHER: usize = 256;

/// Returns the vectors of names by the first network as it is now, and their width.
///
/// # Shapes
/// output: `[names, width]`, each of unit length
pub(crate) fn unit_vectors<O: Objective>(
    learner: &Learner<O>,
    tokenizer: &Tokenizer,
    names: &[&str],
    progress: &Progress,
) -> Result<(Vec<f32>, usize), Error> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|name| names[*name].len());
    let (mut vectors, mut width) = (Vec::new(), 1);
    for places in order.chunks(TOGETHER) {
        progress.check()?;
        let mut texts = Batch::default();
        for place in places {
            texts.push(&tokenizer.tokens(names[*place])?.ids);
        }
        let encoded = learner.encode(&texts);
        width = encoded.len() / places.len();
        vectors.resize(names.len() * width, 0.0);
        for (place, vector) in places.iter().zip(encoded.chunks_exact(width)) {
            let unit = &mut vectors[place * width..][..width];
            unit.copy_from_slice(vector);
            scale_to_unit(unit);
        }
    }
    Ok((vectors, width))
}
