//! Rotary positions: queries and keys turned by angles that grow with the place of their token.

/// The angles of rotary positions, for all positions of a model.
pub(crate) struct Rotary {
    /// Of each position, `d/2` cosines.
    cosines: Vec<f32>,
    sines: Vec<f32>,
    depth: usize,
}

impl Rotary {
    /// Takes the angles of each position, of heads with `depth` dimensions.
    pub fn new(angles: impl Iterator<Item = f32>, depth: usize) -> Self {
        let (sines, cosines) = angles.map(f32::sin_cos).unzip();
        Self { cosines, sines, depth }
    }

    /// Turns the queries and keys of tokens at these positions, in place.
    ///
    /// # Shapes
    /// `query_key_value: [tokens, 3, heads, depth]`
    pub fn turn(&self, positions: impl Iterator<Item = u32>, query_key_value: &mut [f32], width: usize) {
        let half = self.depth / 2;
        for (position, token) in positions.zip(query_key_value.chunks_exact_mut(3 * width)) {
            let angles = position as usize * half..(position as usize + 1) * half;
            let (cosines, sines) = (&self.cosines[angles.clone()], &self.sines[angles]);
            for head in token[..2 * width].chunks_exact_mut(self.depth) {
                let (first, second) = head.split_at_mut(half);
                for ((x, y), (cosine, sine)) in first.iter_mut().zip(second).zip(cosines.iter().zip(sines)) {
                    (*x, *y) = (*x * cosine - *y * sine, *y * cosine + *x * sine);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_depends_on_the_distance_alone() {
        let rotary = Rotary::new((0..64).flat_map(|position| [position as f32, position as f32 * 0.01]), 4);
        let state = [0.3, -1.0, 0.7, 0.2, 0.9, 0.1, -0.4, 0.5, 9.0, 9.0, 9.0, 9.0];
        let score = |query: u32, key: u32| -> f32 {
            let mut states = [state, state].concat();
            rotary.turn([query, key].into_iter(), &mut states, 4);
            assert_eq!(states[8..12], state[8..], "values stay");
            states[..4].iter().zip(&states[16..20]).map(|(query, key)| query * key).sum()
        };
        assert!((score(3, 8) - score(40, 45)).abs() < 1e-5);
        assert!((score(3, 8) - score(8, 3)).abs() > 1e-2);
    }
}
