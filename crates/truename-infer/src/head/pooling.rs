//! Pooling of states into vectors.

use crate::Pooling;
use crate::batch::Batch;

/// Length of the vectors that are written.
#[derive(Clone, Copy)]
pub(crate) enum VectorLength {
    Unit,
    /// Length of the pooled states.
    Pooled,
}

impl Pooling {
    /// Writes the vector of each text of a batch.
    ///
    /// # Shapes
    /// `states: [tokens, dimensions]`, `vectors: [texts, dimensions]`
    pub(crate) fn write_all(self, batch: &Batch, states: &[f32], length: VectorLength, vectors: &mut [f32]) {
        let width = states.len() / batch.tokens().len();
        for (rows, vector) in batch.rows().zip(vectors.chunks_exact_mut(width)) {
            self.write(&states[rows.start * width..rows.end * width], length, vector);
        }
    }

    /// Writes the vector of the entity of each text; of a text without one, that of the text.
    ///
    /// # Shapes
    /// `states: [tokens, dimensions]`, `vectors: [texts, dimensions]`
    pub(crate) fn write_entities(self, batch: &Batch, states: &[f32], length: VectorLength, vectors: &mut [f32]) {
        let width = states.len() / batch.tokens().len();
        for ((number, rows), vector) in batch.rows().enumerate().zip(vectors.chunks_exact_mut(width)) {
            let entity = batch.entity(number).unwrap_or(0..rows.len());
            let [first, end] = [entity.start, entity.end].map(|token| (rows.start + token) * width);
            self.write(&states[first..end], length, vector);
        }
    }

    /// Writes the vector of one text.
    ///
    /// # Shapes
    /// `states: [tokens, dimensions]`, `vector: [dimensions]`
    pub(crate) fn write(self, states: &[f32], length: VectorLength, vector: &mut [f32]) {
        let tokens = states.len() / vector.len();
        let mut rows = states.chunks_exact(vector.len());
        let Some(first) = rows.next() else { return vector.fill(0.0) };
        vector.copy_from_slice(first);
        match self {
            Self::Cls => {}
            Self::Mean => rows.for_each(|row| merge(vector, row, |sum, value| sum + value)),
            Self::Max => rows.for_each(|row| merge(vector, row, f32::max)),
        }
        match (length, self) {
            // The sum has the direction of the mean.
            (VectorLength::Unit, _) => scale_to_unit(vector),
            (VectorLength::Pooled, Self::Mean) => vector.iter_mut().for_each(|value| *value /= tokens as f32),
            (VectorLength::Pooled, Self::Cls | Self::Max) => {}
        }
    }
}

fn merge(vector: &mut [f32], row: &[f32], merge: impl Fn(f32, f32) -> f32) {
    for (value, other) in vector.iter_mut().zip(row) {
        *value = merge(*value, *other);
    }
}

/// Divides a vector by its length; a vector of zeros stays as it is.
pub fn scale_to_unit(vector: &mut [f32]) {
    let length = length(vector);
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}

pub(crate) fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_have_unit_length_or_that_of_the_pooled_states() {
        let states = [3.0, 0.0, 0.0, 4.0];
        for (pooling, unit, pooled) in [
            (Pooling::Mean, [0.6, 0.8], [1.5, 2.0]),
            (Pooling::Cls, [1.0, 0.0], [3.0, 0.0]),
            (Pooling::Max, [0.6, 0.8], [3.0, 4.0]),
        ] {
            let mut vector = [9.0; 2];
            for (length, expected) in [(VectorLength::Unit, unit), (VectorLength::Pooled, pooled)] {
                pooling.write(&states, length, &mut vector);
                assert_eq!(vector, expected, "{pooling}");
                pooling.write(&[], length, &mut vector);
                assert_eq!(vector, [0.0; 2]);
            }
        }
    }
}
