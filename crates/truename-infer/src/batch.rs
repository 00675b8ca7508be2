//! Batches of sequences without padding, as both engines read them.

use std::ops::Range;

use crate::{Input, Visibility};

/// Sequences of tokens that are computed together: one after another, without padding.
///
/// Every sequence has its own rows in a matrix `[tokens, hidden]`; only attention looks at where a sequence ends.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    tokens: Vec<u32>,
    ends: Vec<usize>,
    /// Of each token; empty where all are 0.
    segments: Vec<u32>,
    /// Of each token; empty where each sequence has those from 0 on.
    positions: Vec<u32>,
    /// Of each sequence up to the last that has one.
    visibility: Vec<Option<Visibility>>,
    /// Likewise.
    entities: Vec<Vec<Range<usize>>>,
}

impl Batch {
    /// Removes all sequences.
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.ends.clear();
        self.segments.clear();
        self.positions.clear();
        self.visibility.clear();
        self.entities.clear();
    }

    /// Adds a sequence that every token of it sees whole.
    pub fn push(&mut self, ids: &[u32]) {
        self.tokens.extend_from_slice(ids);
        if !self.segments.is_empty() {
            self.segments.resize(self.tokens.len(), 0);
        }
        if !self.positions.is_empty() {
            self.positions.extend(0..ids.len() as u32);
        }
        self.ends.push(self.tokens.len());
    }

    /// Adds a sequence.
    pub fn push_input(&mut self, input: &Input) {
        let first = self.tokens.len();
        self.push(input.ids());
        if let Some(segments) = input.segments() {
            self.segments.resize(first, 0);
            self.segments.extend_from_slice(segments);
        }
        if let Some(positions) = input.positions() {
            self.positions = self.positions().take(first).chain(positions.iter().copied()).collect();
        }
        if let Some(visibility) = input.visibility() {
            self.set_visibility(self.len() - 1, visibility.clone());
        }
        if !input.entities().is_empty() {
            self.entities.resize(self.len() - 1, Vec::new());
            self.entities.push(input.entities().to_vec());
        }
    }

    /// Sets the tokens that each token of a sequence attends to.
    pub(crate) fn set_visibility(&mut self, sequence: usize, visibility: Visibility) {
        if self.visibility.len() <= sequence {
            self.visibility.resize(sequence + 1, None);
        }
        self.visibility[sequence] = Some(visibility);
    }

    /// Number of sequences.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there is no sequence.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The tokens of all sequences.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// The tokens of each sequence.
    pub fn texts(&self) -> impl Iterator<Item = &[u32]> {
        self.rows().map(|rows| &self.tokens[rows])
    }

    /// The rows of each sequence.
    pub fn rows(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| start..*end)
    }

    /// The segment of each token, where not all are 0.
    pub fn segments(&self) -> Option<&[u32]> {
        (!self.segments.is_empty()).then_some(&self.segments)
    }

    /// The position of each token.
    pub fn positions(&self) -> impl Iterator<Item = u32> {
        let given = self.positions.iter().copied();
        let counted = self.rows().flat_map(|rows| 0..rows.len() as u32);
        given.chain(counted.skip(self.positions.len()))
    }

    /// The tokens that each token of a sequence attends to, where they are not all.
    pub fn visibility(&self, sequence: usize) -> Option<&Visibility> {
        self.visibility.get(sequence)?.as_ref()
    }

    /// The tokens of the first entity in a sequence, counted in the sequence.
    pub fn entity(&self, sequence: usize) -> Option<Range<usize>> {
        self.entities(sequence).first().cloned()
    }

    /// The tokens of each entity in a sequence, counted in the sequence.
    pub fn entities(&self, sequence: usize) -> &[Range<usize>] {
        self.entities.get(sequence).map_or(&[], Vec::as_slice)
    }
}

/// Splits texts, given by their numbers of tokens, into runs of at most `most` tokens; a longer text is a run of its own.
///
/// ```text
/// plan([5, 4, 3, 3, 2], 7) = [0..1, 1..3, 3..5]
/// ```
pub(crate) fn plan(lengths: impl Iterator<Item = usize>, most: usize) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let (mut start, mut tokens, mut end) = (0, 0, 0);
    for length in lengths {
        if tokens + length > most && end > start {
            runs.push(start..end);
            (start, tokens) = (end, 0);
        }
        tokens += length;
        end += 1;
    }
    runs.extend((end > start).then_some(start..end));
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_hold_at_most_so_many_tokens() {
        assert_eq!(plan([5, 4, 3, 3, 2].into_iter(), 7), [0..1, 1..3, 3..5]);
        assert_eq!(plan([9, 1].into_iter(), 7), [0..1, 1..2]);
        assert_eq!(plan([0, 0, 9].into_iter(), 7), [0..2, 2..3]);
        assert!(plan(std::iter::empty(), 7).is_empty());
    }

    #[test]
    fn rows_follow_each_other() {
        let mut batch = Batch::default();
        batch.push(&[1, 2, 3]);
        batch.push(&[]);
        batch.push(&[4]);
        assert_eq!(batch.rows().collect::<Vec<_>>(), [0..3, 3..3, 3..4]);
        assert_eq!(batch.texts().collect::<Vec<_>>(), [&[1, 2, 3][..], &[], &[4]]);
    }

    #[test]
    fn what_a_sequence_leaves_out_is_filled_in() {
        let mut batch = Batch::default();
        batch.push(&[1, 2]);
        let visibility = Visibility::apart(&[1, 1]);
        let input = Input::new(vec![3, 4]).with_segments(vec![0, 1]).with_positions(vec![7, 0]);
        batch.push_input(&input.with_visibility(visibility.clone()));
        batch.push_input(&Input::new(vec![5, 6, 7]));
        assert_eq!(batch.segments(), Some(&[0, 0, 0, 1, 0, 0, 0][..]));
        assert_eq!(batch.positions().collect::<Vec<_>>(), [0, 1, 7, 0, 0, 1, 2]);
        assert_eq!([0, 1, 2].map(|text| batch.visibility(text)), [None, Some(&visibility), None]);
        batch.clear();
        batch.push(&[1, 2]);
        assert!(batch.segments().is_none() && batch.visibility(0).is_none() && batch.len() == 1);
    }
}
