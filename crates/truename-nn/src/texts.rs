use std::ops::Range;

/// Texts as numbers of tokens, one text after another without padding.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    tokens: Vec<u32>,
    ends: Vec<usize>,
}

impl Texts {
    /// Adds a text.
    ///
    /// # Panics
    /// Where there are no tokens: a tokenizer marks the start of every text.
    pub fn push(&mut self, text: &[u32]) {
        assert!(!text.is_empty(), "a text has at least the tokens that mark its ends");
        self.tokens.extend_from_slice(text);
        self.ends.push(self.tokens.len());
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The tokens of all texts.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Where the tokens of each text lie.
    pub(crate) fn layout(&self) -> Layout {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        Layout { texts: starts.zip(&self.ends).map(|(start, end)| start..*end).collect() }
    }
}

/// Which rows of a matrix of tokens each text has.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    texts: Vec<Range<usize>>,
}

impl Layout {
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

    /// Where the attention weights of each text start, of `heads` square matrices each, and where all end.
    pub fn weights(&self, heads: usize) -> (Vec<usize>, usize) {
        let mut starts = Vec::with_capacity(self.texts.len());
        let mut end = 0;
        for text in &self.texts {
            starts.push(end);
            end += heads * text.len().pow(2);
        }
        (starts, end)
    }

    /// For each place of a batch filled up to the longest text the row it has; row 0 where there is none.
    pub fn padded_rows(&self) -> Vec<i32> {
        let longest = self.longest();
        let place = |text: &Range<usize>, at| if at < text.len() { (text.start + at) as i32 } else { 0 };
        self.texts.iter().flat_map(|text| (0..longest).map(move |at| place(text, at))).collect()
    }

    /// For each row its place in a batch filled up to the longest text.
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
}
