//! Vectors of names, each alone or in its sentence.

use std::borrow::Cow;
use std::sync::Arc;

use truename_infer::Embeddings;
use truename_text::{Span, repaired};

use super::session::{InText, RankQuery};
use crate::memo::Memo;
use crate::{Encoder, Error};

/// Remembered vectors of names, by one encoder; they outlive versions of the knowledge base, which answers to names do not.
pub(super) struct NameVectors(Memo<Arc<NameVector>>);

struct NameVector {
    values: Box<[f32]>,
    is_truncated: bool,
}

impl NameVectors {
    /// The vectors depend on no version of a knowledge base.
    const VERSION: u64 = 0;

    /// Bounds the number of vectors, and their bytes with those of the names.
    pub(super) fn with_bounds(names: usize, bytes: usize) -> Self {
        Self(Memo::with_bounds(names, bytes))
    }

    fn known(&self, name: &str) -> Option<Arc<NameVector>> {
        self.0.known(Self::VERSION, name)
    }

    fn insert(&self, name: &str, values: &[f32], is_truncated: bool) {
        let bytes = size_of::<NameVector>() + size_of_val(values);
        self.0.insert(Self::VERSION, name, Arc::new(NameVector { values: values.into(), is_truncated }), bytes);
    }
}

/// The vectors of names, in their order.
pub(super) struct Vectors {
    values: Vec<f32>,
    dimensions: usize,
    /// Whether a name is longer than the window of the encoder, which reads its beginning.
    is_truncated: Vec<bool>,
}

impl Vectors {
    pub(super) fn encode(encoder: &Encoder, asked: &[RankQuery<'_>], remembered: &NameVectors) -> Result<Self, Error> {
        let dimensions = encoder.dimensions();
        let mut vectors =
            Self { values: vec![0.0; asked.len() * dimensions], dimensions, is_truncated: vec![false; asked.len()] };
        let (mut unknown, mut in_sentence) = (Vec::new(), Vec::new());
        for (at, asked) in asked.iter().enumerate() {
            match asked.in_text {
                Some(InText::Sentence(text, place)) => in_sentence.push((at, (text, place))),
                Some(InText::Vector(vector)) => vectors.put(at, vector, false),
                None => match remembered.known(asked.name) {
                    Some(known) => vectors.put(at, &known.values, known.is_truncated),
                    None => unknown.push(at),
                },
            }
        }
        let names: Vec<Cow<'_, str>> = unknown
            .iter()
            .map(|at| repaired(asked[*at].name).map_or(Cow::Borrowed(asked[*at].name), Cow::Owned))
            .collect();
        vectors.put_all(&unknown, &encoder.encode(&names)?);
        for at in unknown {
            remembered.insert(asked[at].name, vectors.row(at), vectors.is_truncated(at));
        }
        let (places, sentences): (Vec<usize>, Vec<(&str, Span)>) = in_sentence.into_iter().unzip();
        // A network of characters reads names alone.
        if !sentences.is_empty() {
            vectors.put_all(&places, &encoder.encode_in_context(&sentences)?);
        }
        Ok(vectors)
    }

    pub(super) fn row(&self, at: usize) -> &[f32] {
        &self.values[at * self.dimensions..][..self.dimensions]
    }

    pub(super) fn is_truncated(&self, at: usize) -> bool {
        self.is_truncated[at]
    }

    fn put_all(&mut self, places: &[usize], encoded: &Embeddings) {
        for (place, row) in places.iter().zip(encoded.rows()) {
            self.put(*place, row, false);
        }
        encoded.truncated().iter().for_each(|at| self.is_truncated[places[*at]] = true);
    }

    fn put(&mut self, place: usize, vector: &[f32], is_truncated: bool) {
        self.values[place * self.dimensions..][..self.dimensions].copy_from_slice(vector);
        self.is_truncated[place] = is_truncated;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_name_is_encoded_once() {
        let encoder = Encoder::open(Path::new("../truename-infer/tests/models/bert")).unwrap();
        let long = "fever ".repeat(encoder.info().window);
        let asked: Vec<RankQuery<'_>> = ["fever", long.as_str(), "fever"].map(RankQuery::named).into();
        let remembered = NameVectors::with_bounds(100, 1 << 20);
        let first = Vectors::encode(&encoder, &asked, &remembered).unwrap();
        assert!(remembered.known("fever").is_some_and(|vector| *vector.values == *first.row(0)));
        let again = Vectors::encode(&encoder, &asked[..2], &remembered).unwrap();
        let forgetful = Vectors::encode(&encoder, &asked[..2], &NameVectors::with_bounds(0, 0)).unwrap();
        for vectors in [&again, &forgetful] {
            assert_eq!([vectors.row(0), vectors.row(1)], [first.row(2), first.row(1)]);
            assert_eq!([vectors.is_truncated(0), vectors.is_truncated(1)], [false, true]);
        }
        // The memory answers, not the encoder.
        remembered.insert("fever", &vec![7.0; encoder.dimensions()], true);
        let changed = Vectors::encode(&encoder, &asked[2..], &remembered).unwrap();
        assert_eq!((changed.row(0)[0], changed.is_truncated(0)), (7.0, true));
    }
}
