//! States of a sequence after chosen layers, and their pooling.

use std::ops::Range;

use crate::{Pooling, scale_to_unit};

/// States of a sequence after chosen layers: a row of numbers for each token.
#[derive(Clone, Debug, PartialEq)]
pub struct States {
    tokens: usize,
    layers: Vec<Vec<f32>>,
}

impl States {
    pub(crate) fn new(tokens: usize, layers: usize) -> Self {
        Self { tokens, layers: vec![Vec::new(); layers] }
    }

    pub(crate) fn set(&mut self, place: usize, values: &[f32]) {
        self.layers[place] = values.to_vec();
    }

    /// Number of tokens.
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// Width of a row after the layer at a place of those chosen.
    pub fn width(&self, place: usize) -> usize {
        self.layers[place].len() / self.tokens.max(1)
    }

    /// All rows after the layer at a place of those chosen.
    ///
    /// # Shapes
    /// output: `[tokens, width]`
    pub fn layer(&self, place: usize) -> &[f32] {
        &self.layers[place]
    }

    /// The row of a token after the layer at a place of those chosen.
    pub fn row(&self, place: usize, token: usize) -> &[f32] {
        let width = self.width(place);
        &self.layers[place][token * width..][..width]
    }

    /// Returns the unit vector of the mean of some tokens' rows after the layer at a place of those chosen; zeros without tokens.
    ///
    /// # Shapes
    /// output: `[width]`
    pub fn mean_vector(&self, place: usize, tokens: Range<usize>) -> Vec<f32> {
        let mut vector = vec![0.0; self.width(place)];
        for token in tokens {
            vector.iter_mut().zip(self.row(place, token)).for_each(|(sum, value)| *sum += value);
        }
        scale_to_unit(&mut vector);
        vector
    }

    /// Returns the pooled rows after the layer at a place of those chosen, not of unit length; zeros without tokens.
    ///
    /// # Shapes
    /// output: `[width]`
    pub fn pooled(&self, place: usize, pooling: Pooling) -> Vec<f32> {
        let mut rows = self.layers[place].chunks_exact(self.width(place).max(1));
        let mut vector = rows.next().map_or_else(|| vec![0.0; self.width(place)], <[f32]>::to_vec);
        match pooling {
            Pooling::Cls => {}
            Pooling::Mean => {
                rows.for_each(|row| vector.iter_mut().zip(row).for_each(|(sum, value)| *sum += value));
                vector.iter_mut().for_each(|sum| *sum /= self.tokens.max(1) as f32);
            }
            Pooling::Max => {
                rows.for_each(|row| vector.iter_mut().zip(row).for_each(|(most, value)| *most = most.max(*value)));
            }
        }
        vector
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_pooled() {
        let mut states = States::new(2, 1);
        states.set(0, &[3.0, -1.0, 1.0, 4.0]);
        let pooled = [Pooling::Mean, Pooling::Cls, Pooling::Max].map(|pooling| states.pooled(0, pooling));
        assert_eq!(pooled, [[2.0, 1.5], [3.0, -1.0], [3.0, 4.0]]);
        assert!(States::new(0, 1).pooled(0, Pooling::Mean).is_empty());
        assert_eq!([states.mean_vector(0, 0..2), states.mean_vector(0, 0..0)], [vec![0.8, 0.6], vec![0.0, 0.0]]);
    }
}
