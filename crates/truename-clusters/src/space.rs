//! Names as points whose dot product is their similarity: by vectors, words and n-grams.

use std::ops::Range;

use rayon::prelude::*;
use truename_infer::Encoder;
use truename_infer::kernels::{Matrix, Onto, dot, multiply};
use truename_kb::Progress;
use truename_text::{Designators, Gram, LegalName, NormalizedName, grams};

use super::options::ClusterOptions;
use super::sparse::{self, Terms};
use crate::Error;

/// Names that are encoded between two looks at the progress.
const ENCODED_TOGETHER: usize = 4096;
/// Sums of a dot product that are kept apart.
pub(super) const LANES: usize = 16;

/// Distance of names that designators or words tell apart, so far that the mean distance of the largest clusters with one such pair is
/// above [`FARTHEST`] too.
pub(super) const APART: f32 = 1e12;
/// Largest distance of clusters that are merged: that of opposite vectors.
pub(super) const FARTHEST: f32 = 2.0;
/// Largest distance of clusters that are merged over the edges of a graph, and of names that designators and words tell apart: beyond it
/// hardly a word or meaning is shared, and clusters of most names would have edges to all others.
pub(super) const NEAR: f32 = 0.8;

/// Distinct names as points: the similarity of two, up to 1, is a dot product, and their distance 1 minus it.
///
/// Names that differ in a designator ([`Designators::contradict`]) are never of one cluster, nor are names of which each has a word that is
/// no spelling of one of the other ([`LegalName::differs_in_words`]): without an encoder any names, with one those of companies.
///
/// With an encoder the similarity is (1 − w) · cosine of the vectors + w · cosine of the weighted words; without one the
/// vectors are TF-IDF vectors of character n-grams.
pub struct NameSpace {
    normalized: Vec<NormalizedName>,
    designators: Vec<Designators>,
    legal: Vec<LegalName>,
    /// Vectors of the encoder, of unit length: `[names, width]`; empty without an encoder.
    dense: Vec<f32>,
    width: usize,
    dense_weight: f32,
    terms: Vec<Terms>,
    /// Names of each term with their weights.
    postings: Vec<Terms>,
    truncated: usize,
}

impl NameSpace {
    /// Encodes distinct names.
    ///
    /// # Errors
    /// If the encoder fails or returns a number that is not finite, or the work is stopped.
    pub fn new<S: AsRef<str> + Sync>(
        names: &[S],
        encoder: Option<&Encoder>,
        options: &ClusterOptions,
        progress: &Progress,
    ) -> Result<Self, Error> {
        let usual = match encoder {
            Some(_) => ClusterOptions::WORD_WEIGHT_WITH_VECTORS,
            None => ClusterOptions::WORD_WEIGHT_WITH_NGRAMS,
        };
        let word_weight = options.word_weight.unwrap_or(usual);
        let normalized: Vec<NormalizedName> = names.par_iter().map(|name| NormalizedName::new(name.as_ref())).collect();
        let mut space = Self {
            terms: vec![Terms::new(); names.len()],
            normalized,
            designators: names.par_iter().map(|name| Designators::of(name.as_ref())).collect(),
            legal: names.par_iter().map(|name| LegalName::new(name.as_ref())).collect(),
            dense: Vec::new(),
            width: 0,
            dense_weight: 1.0 - word_weight,
            postings: Vec::new(),
            truncated: 0,
        };
        let mut count = 0;
        if word_weight > 0.0 {
            space.add_terms(&sparse::words(&space.normalized, word_weight, &mut count));
        }
        match encoder {
            Some(encoder) => space.encode(names, encoder, progress)?,
            None if word_weight < 1.0 => {
                space.add_terms(&sparse::ngrams(&space.normalized, 1.0 - word_weight, &mut count));
            }
            None => {}
        }
        space.postings = postings(&space.terms, count as usize);
        Ok(space)
    }

    fn add_terms(&mut self, terms: &[Terms]) {
        self.terms.par_iter_mut().zip(terms).for_each(|(known, terms)| *known = sparse::sum(known, terms));
    }

    fn encode<S: AsRef<str> + Sync>(
        &mut self,
        names: &[S],
        encoder: &Encoder,
        progress: &Progress,
    ) -> Result<(), Error> {
        progress.begin("encoding", names.len() as u64);
        self.width = encoder.dimensions();
        self.dense.reserve_exact(names.len() * self.width);
        for names in names.chunks(ENCODED_TOGETHER) {
            progress.check()?;
            let vectors = encoder.encode(names)?;
            self.truncated += vectors.truncated().len();
            self.dense.extend(vectors.into_vec());
            progress.advance(names.len() as u64);
        }
        Ok(())
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Returns whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Number of names longer than the encoder's window, of which the beginning is encoded.
    pub fn truncated(&self) -> usize {
        self.truncated
    }

    /// Returns the distance of two names, from 0; 10¹² if designators or words tell them apart.
    pub fn distance(&self, left: usize, right: usize) -> f32 {
        let similarity = self.dense_weight * dot::<LANES>(self.dense(left), self.dense(right))
            + sparse::dot(&self.terms[left], &self.terms[right]);
        self.told_apart(left, right, distance(similarity))
    }

    /// Returns whether the names have vectors of an encoder.
    pub(super) fn has_vectors(&self) -> bool {
        self.width > 0
    }

    /// Returns the distance of two names, given the one by their similarity.
    fn told_apart(&self, left: usize, right: usize, distance: f32) -> f32 {
        match () {
            () if distance > NEAR => distance,
            () if self.differ_in_designators(left, right) || self.differ_in_words(left, right) => APART,
            () => distance,
        }
    }

    fn differ_in_designators(&self, left: usize, right: usize) -> bool {
        self.designators[left].contradict(&self.designators[right])
    }

    fn differ_in_words(&self, left: usize, right: usize) -> bool {
        let (one, other) = (&self.legal[left], &self.legal[right]);
        (!self.has_vectors() || one.form.is_some() || other.form.is_some()) && one.differs_in_words(other)
    }

    /// Returns the encoder's vector of a name, of unit length or zeros; empty without an encoder.
    pub(super) fn dense(&self, name: usize) -> &[f32] {
        &self.dense[name * self.width..(name + 1) * self.width]
    }

    /// Weight of the cosine of the vectors in the similarity.
    pub(super) fn dense_weight(&self) -> f32 {
        self.dense_weight
    }

    pub(super) fn terms(&self, name: usize) -> &Terms {
        &self.terms[name]
    }

    /// Returns the n-grams of a name.
    pub(super) fn ngrams(&self, name: usize) -> Vec<Gram> {
        grams(&self.normalized[name])
    }

    /// Writes the distances of some names to all names from `first` on.
    ///
    /// # Shapes
    /// `out: [from.len(), names − first]`
    pub(super) fn distances(&self, from: &[usize], first: usize, out: &mut [f32]) {
        let columns = self.len() - first;
        if self.has_vectors() {
            let left: Vec<f32> = from.iter().flat_map(|name| self.dense(*name)).copied().collect();
            let right = Matrix::new(&self.dense[first * self.width..], self.width).transposed();
            multiply(Matrix::new(&left, self.width), right, out, Onto::Nothing);
        } else {
            out.fill(0.0);
        }
        out.par_chunks_mut(columns.max(1)).zip(from).for_each(|(row, name)| {
            row.iter_mut().for_each(|similarity| *similarity *= self.dense_weight);
            for (term, weight) in &self.terms[*name] {
                let names = &self.postings[*term as usize];
                let after = names.partition_point(|(other, _)| (*other as usize) < first);
                names[after..].iter().for_each(|(other, value)| row[*other as usize - first] += weight * value);
            }
            row.iter_mut().enumerate().for_each(|(at, similarity)| {
                *similarity = self.told_apart(*name, first + at, distance(*similarity));
            });
        });
    }

    /// Returns ranges of rows that are computed together.
    pub(super) fn blocks(&self, rows: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let names = self.len();
        (0..names).step_by(rows).map(move |first| first..(first + rows).min(names))
    }
}

/// Returns the distance of a similarity; rounding does not make it negative.
pub(super) fn distance(similarity: f32) -> f32 {
    (1.0 - similarity).max(0.0)
}

/// Returns the names of each term, ascending.
fn postings(terms: &[Terms], count: usize) -> Vec<Terms> {
    let mut postings = vec![Terms::new(); count];
    for (name, terms) in (0..).zip(terms) {
        terms.iter().for_each(|(term, weight)| postings[*term as usize].push((name, *weight)));
    }
    postings
}
