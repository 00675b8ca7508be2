//! Embeddings of tokens, positions and segments: the input of the first layer.

use std::borrow::Cow;

use super::Norm;
use crate::batch::Batch;
use crate::weights::Table;
use crate::{Error, error};

/// The input of the first layer: the sum of a token's, its position's and its segment's vector, normed.
pub(crate) struct TokenEmbedding {
    pub words: Table,
    pub positions: Table,
    /// Row of a sequence's first position in its table.
    pub first_position: usize,
    /// The segments, where the family has them.
    pub segments: Option<Table>,
    pub norm: Norm,
}

impl TokenEmbedding {
    /// # Errors
    /// Where the batch has tokens, segments or positions that the model does not have.
    ///
    /// # Shapes
    /// `hidden: [tokens, hidden]`
    pub fn write(&self, batch: &Batch, hidden: &mut [f32]) -> Result<(), Error> {
        let width = hidden.len() / batch.tokens().len().max(1);
        let places = batch.tokens().iter().zip(batch.positions()).enumerate();
        for ((place, (token, position)), row) in places.zip(hidden.chunks_exact_mut(width.max(1))) {
            let word =
                self.words.row(*token as usize).ok_or_else(|| error::unknown_token(*token, self.words.rows()))?;
            row.copy_from_slice(&word);
            add(row, &self.segment(batch, place)?);
            add(row, &self.position(position as usize)?);
        }
        self.norm.apply(hidden);
        Ok(())
    }

    fn position(&self, position: usize) -> Result<Cow<'_, [f32]>, Error> {
        let positions = self.positions.rows() - self.first_position;
        self.positions.row(self.first_position + position).ok_or_else(|| error::too_long(position + 1, positions))
    }

    /// The vector of a token's segment; nothing where the model has no segments.
    fn segment(&self, batch: &Batch, token: usize) -> Result<Cow<'_, [f32]>, Error> {
        let Some(table) = &self.segments else { return Ok(Cow::Borrowed(&[])) };
        let segment = batch.segments().map_or(0, |segments| segments[token]);
        table.row(segment as usize).ok_or_else(|| {
            error::input(format!("a token is in segment {segment}; the model has {} segments", table.rows()))
        })
    }
}

fn add(sum: &mut [f32], addend: &[f32]) {
    for (sum, addend) in sum.iter_mut().zip(addend) {
        *sum += addend;
    }
}
