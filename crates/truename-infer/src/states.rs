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
}
