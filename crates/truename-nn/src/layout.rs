//! The rows of each text in a matrix of tokens, and in a batch filled up to the longest text.

use std::ops::Range;

use truename_infer::{Batch, Visibility};

/// The rows of each text in a matrix of tokens, and the tokens that each token attends to.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    texts: Vec<Range<usize>>,
    visibility: Vec<Option<Visibility>>,
}

impl Layout {
    /// # Panics
    /// Where a text has no tokens: a tokenizer marks the start of every text.
    pub fn of(batch: &Batch) -> Self {
        let texts: Vec<Range<usize>> = batch.rows().collect();
        assert!(texts.iter().all(|text| !text.is_empty()), "a text has at least the tokens that mark its ends");
        let visibility = (0..texts.len()).map(|text| batch.visibility(text).cloned()).collect();
        Self { texts, visibility }
    }

    /// The layout of a part of each text, counted in the text.
    pub fn of_parts(batch: &Batch, parts: &[Range<usize>]) -> Self {
        let part = |(text, part): (Range<usize>, &Range<usize>)| text.start + part.start..text.start + part.end;
        Self::of_rows(batch.rows().zip(parts).map(part).collect())
    }

    /// The layout of the entity of each text; of a text without one, the whole.
    pub fn of_pooled_entities(batch: &Batch) -> Self {
        let part = |(number, text): (usize, Range<usize>)| batch.entity(number).unwrap_or(0..text.len());
        Self::of_parts(batch, &batch.rows().enumerate().map(part).collect::<Vec<_>>())
    }

    /// The layout of ranges of rows.
    pub fn of_rows(rows: Vec<Range<usize>>) -> Self {
        Self { visibility: vec![None; rows.len()], texts: rows }
    }

    /// The layout in which each entity of a text attends to itself alone (PICSO, equation 2).
    pub fn of_entities(batch: &Batch) -> Self {
        let mut layout = Self::of(batch);
        for (number, text) in layout.texts.iter().enumerate() {
            if let entities @ [_, ..] = batch.entities(number) {
                layout.visibility[number] = Some(Visibility::entities(text.len(), entities));
            }
        }
        layout
    }

    /// The tokens that each token of a text attends to, where they are not all.
    pub fn visibility(&self, text: usize) -> Option<&Visibility> {
        self.visibility[text].as_ref()
    }

    pub fn texts(&self) -> &[Range<usize>] {
        &self.texts
    }

    /// Tokens of all texts.
    pub fn tokens(&self) -> usize {
        self.texts.last().map_or(0, |text| text.end)
    }

    /// Tokens of the longest text.
    pub fn longest(&self) -> usize {
        self.texts.iter().map(Range::len).max().unwrap_or(0)
    }

    /// Starts of the attention weights of each text, of `heads` square matrices each, and the end of all.
    pub fn weights(&self, heads: usize) -> (Vec<usize>, usize) {
        let mut starts = Vec::with_capacity(self.texts.len());
        let mut end = 0;
        for text in &self.texts {
            starts.push(end);
            end += heads * text.len().pow(2);
        }
        (starts, end)
    }

    /// The row of each place of a batch filled up to the longest text; row 0 where there is no token.
    pub fn padded_rows(&self) -> Vec<i32> {
        let longest = self.longest();
        let place = |text: &Range<usize>, at| if at < text.len() { (text.start + at) as i32 } else { 0 };
        self.texts.iter().flat_map(|text| (0..longest).map(move |at| place(text, at))).collect()
    }

    /// The place of each row in a batch filled up to the longest text.
    pub fn places(&self) -> Vec<i32> {
        let longest = self.longest();
        let of_text = |(number, text): (usize, &Range<usize>)| {
            let first = number * longest;
            (first..first + text.len()).map(|place| place as i32).collect::<Vec<_>>()
        };
        self.texts.iter().enumerate().flat_map(of_text).collect()
    }

    /// For each place of a filled-up batch whether no token is there.
    pub fn is_padding(&self) -> Vec<bool> {
        let longest = self.longest();
        self.texts.iter().flat_map(|text| (0..longest).map(move |at| at >= text.len())).collect()
    }

    /// For each two places of a filled-up batch whether the first does not attend to the second; nothing where every token
    /// attends to all of its text.
    ///
    /// # Shapes
    /// output: `[texts, longest, longest]`
    pub fn is_hidden(&self) -> Option<Vec<bool>> {
        self.visibility.iter().any(Option::is_some).then(|| {
            let longest = self.longest();
            let places = (0..longest).flat_map(|query| (0..longest).map(move |key| (query, key)));
            let is_hidden = |visibility: &Option<Visibility>, (query, key): (usize, usize)| {
                let within = |visibility: &&Visibility| query.max(key) < visibility.len();
                visibility.as_ref().filter(within).is_some_and(|visibility| !visibility.sees(query, key))
            };
            let of_text = |visibility| places.clone().map(move |place| is_hidden(visibility, place));
            self.visibility.iter().flat_map(of_text).collect()
        })
    }
}
