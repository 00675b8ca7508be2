use super::Norm;
use crate::Error;
use crate::batch::Batch;
use crate::weights::Table;

/// What goes into the first layer: the sum of a token's, its position's and its segment's vector, normed.
pub(crate) struct TokenEmbedding {
    pub words: Table,
    pub positions: Table,
    /// Where a text's positions start in their table.
    pub first_position: usize,
    /// The segments, of which a text alone has the first; not every family has them.
    pub segments: Option<Table>,
    pub norm: Norm,
}

impl TokenEmbedding {
    /// # Errors
    /// Where the tokenizer knows tokens that the model does not.
    ///
    /// # Shapes
    /// `hidden: [tokens, hidden]`
    pub fn write(&self, batch: &Batch, hidden: &mut [f32]) -> Result<(), Error> {
        let width = hidden.len() / batch.len().max(1);
        let segment = self.segments.as_ref().and_then(|segments| segments.row(0));
        let places = batch.texts().flat_map(|text| text.iter().zip(self.first_position..));
        for ((token, position), row) in places.zip(hidden.chunks_exact_mut(width.max(1))) {
            let word =
                self.words.row(*token as usize).ok_or_else(|| Error::unknown_token(*token, self.words.rows()))?;
            let position =
                self.positions.row(position).expect("the window holds no more tokens than there are positions");
            row.copy_from_slice(word);
            add(row, segment.unwrap_or_default());
            add(row, position);
        }
        self.norm.apply(hidden);
        Ok(())
    }
}

fn add(sum: &mut [f32], addend: &[f32]) {
    for (sum, addend) in sum.iter_mut().zip(addend) {
        *sum += addend;
    }
}
