//! Pooling of states into unit vectors.

use crate::Pooling;
use crate::batch::Batch;

impl Pooling {
    /// Writes the unit vector of each text of a batch.
    ///
    /// # Shapes
    /// `states: [tokens, dimensions]`, `vectors: [texts, dimensions]`
    pub(crate) fn write_all(self, batch: &Batch, states: &[f32], vectors: &mut [f32]) {
        let width = states.len() / batch.tokens().len();
        for (rows, vector) in batch.rows().zip(vectors.chunks_exact_mut(width)) {
            self.write(&states[rows.start * width..rows.end * width], vector);
        }
    }

    /// Writes the unit vector of the entity of each text; of a text without one, that of the text.
    ///
    /// # Shapes
    /// `states: [tokens, dimensions]`, `vectors: [texts, dimensions]`
    pub(crate) fn write_entities(self, batch: &Batch, states: &[f32], vectors: &mut [f32]) {
        let width = states.len() / batch.tokens().len();
        for ((number, rows), vector) in batch.rows().enumerate().zip(vectors.chunks_exact_mut(width)) {
            let entity = batch.entity(number).unwrap_or(0..rows.len());
            let [first, end] = [entity.start, entity.end].map(|token| (rows.start + token) * width);
            self.write(&states[first..end], vector);
        }
    }

    /// Writes the unit vector of one text.
    ///
    /// # Shapes
    /// `states: [tokens, dimensions]`, `vector: [dimensions]`
    pub(crate) fn write(self, states: &[f32], vector: &mut [f32]) {
        let mut rows = states.chunks_exact(vector.len());
        let Some(first) = rows.next() else { return vector.fill(0.0) };
        vector.copy_from_slice(first);
        match self {
            Self::Cls => {}
            // The sum has the direction of the mean; only that is left of it.
            Self::Mean => rows.for_each(|row| merge(vector, row, |sum, value| sum + value)),
            Self::Max => rows.for_each(|row| merge(vector, row, f32::max)),
        }
        scale_to_unit(vector);
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

/// Returns the length of a vector.
pub(crate) fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_have_unit_length() {
        let states = [3.0, 0.0, 0.0, 4.0];
        for (pooling, expected) in [(Pooling::Mean, [0.6, 0.8]), (Pooling::Cls, [1.0, 0.0]), (Pooling::Max, [0.6, 0.8])]
        {
            let mut vector = [9.0; 2];
            pooling.write(&states, &mut vector);
            assert_eq!(vector, expected, "{pooling}");
            pooling.write(&[], &mut vector);
            assert_eq!(vector, [0.0; 2]);
        }
    }
}
