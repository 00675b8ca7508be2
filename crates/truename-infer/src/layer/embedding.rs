//! Embeddings of tokens, positions and segments: the input of the first layer.

use std::borrow::Cow;

use super::{Linear, Norm, sized};
use crate::batch::Batch;
use crate::weights::Table;
use crate::{Error, error};

/// The input of the first layer: the sum of a token's, its position's and its segment's vector, normed.
pub(crate) struct TokenEmbedding {
    pub words: Table,
    /// The positions, where the family has vectors of them.
    pub positions: Option<Table>,
    /// Row of a sequence's first position in its table.
    pub first_position: usize,
    /// Number of positions.
    pub window: usize,
    /// The segments, where the family has them.
    pub segments: Option<Table>,
    pub norm: Norm,
    /// To the width of the states, where the vectors have another.
    pub map: Option<Linear>,
}

impl TokenEmbedding {
    /// # Errors
    /// Where the batch has tokens, segments or positions that the model does not have.
    ///
    /// # Shapes
    /// `hidden: [tokens, hidden]`
    pub fn write(&self, batch: &Batch, hidden: &mut [f32], scratch: &mut Vec<f32>) -> Result<(), Error> {
        let Some(map) = &self.map else { return self.write_normed(batch, hidden) };
        let embeddings = sized(scratch, batch.tokens().len() * self.words.columns());
        self.write_normed(batch, embeddings)?;
        map.apply(embeddings, hidden);
        Ok(())
    }

    /// # Shapes
    /// `embeddings: [tokens, width]`
    fn write_normed(&self, batch: &Batch, embeddings: &mut [f32]) -> Result<(), Error> {
        let places = batch.tokens().iter().zip(batch.positions()).enumerate();
        for ((place, (token, position)), row) in places.zip(embeddings.chunks_exact_mut(self.words.columns())) {
            let word =
                self.words.row(*token as usize).ok_or_else(|| error::unknown_token(*token, self.words.rows()))?;
            row.copy_from_slice(&word);
            add(row, &self.segment(batch, place)?);
            add(row, &self.position(position as usize)?);
        }
        self.norm.apply(embeddings);
        Ok(())
    }

    /// The vector of a position; nothing where the model has none.
    fn position(&self, position: usize) -> Result<Cow<'_, [f32]>, Error> {
        let too_long = || error::too_long(position + 1, self.window);
        match &self.positions {
            _ if position >= self.window => Err(too_long()),
            Some(table) => table.row(self.first_position + position).ok_or_else(too_long),
            None => Ok(Cow::Borrowed(&[])),
        }
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
