//! Vectors of names, each alone or in its sentence.

use std::borrow::Cow;

use truename_infer::Embeddings;
use truename_text::{Span, repaired};

use super::session::RankQuery;
use crate::{Encoder, Error};

/// The vectors of names, in their order.
pub(super) struct Vectors {
    values: Vec<f32>,
    dimensions: usize,
    /// Whether a name is longer than the window of the encoder, which reads its beginning.
    is_truncated: Vec<bool>,
}

impl Vectors {
    pub(super) fn encode(encoder: &Encoder, asked: &[RankQuery<'_>]) -> Result<Self, Error> {
        let dimensions = encoder.dimensions();
        let mut vectors =
            Self { values: vec![0.0; asked.len() * dimensions], dimensions, is_truncated: vec![false; asked.len()] };
        let (in_sentence, alone): (Vec<usize>, Vec<usize>) =
            (0..asked.len()).partition(|at| asked[*at].in_sentence.is_some());
        let names: Vec<Cow<'_, str>> = alone
            .iter()
            .map(|at| repaired(asked[*at].name).map_or(Cow::Borrowed(asked[*at].name), Cow::Owned))
            .collect();
        vectors.put(&alone, &encoder.encode(&names)?);
        let sentences: Vec<(&str, Span)> = in_sentence.iter().filter_map(|at| asked[*at].in_sentence).collect();
        // A network of characters reads names alone.
        if !sentences.is_empty() {
            vectors.put(&in_sentence, &encoder.encode_in_context(&sentences)?);
        }
        Ok(vectors)
    }

    pub(super) fn row(&self, at: usize) -> &[f32] {
        &self.values[at * self.dimensions..][..self.dimensions]
    }

    pub(super) fn is_truncated(&self, at: usize) -> bool {
        self.is_truncated[at]
    }

    fn put(&mut self, places: &[usize], encoded: &Embeddings) {
        for (place, row) in places.iter().zip(encoded.rows()) {
            self.values[place * self.dimensions..][..self.dimensions].copy_from_slice(row);
        }
        encoded.truncated().iter().for_each(|at| self.is_truncated[places[*at]] = true);
    }
}
