use std::ops::Range;

/// Texts that are encoded together: their tokens one after another, without padding.
///
/// Every text has its own rows in a matrix `[tokens, hidden]`; only attention looks at where a text ends.
#[derive(Default)]
pub(crate) struct Batch {
    tokens: Vec<u32>,
    ends: Vec<usize>,
}

impl Batch {
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.ends.clear();
    }

    pub fn push(&mut self, text: &[u32]) {
        self.tokens.extend_from_slice(text);
        self.ends.push(self.tokens.len());
    }

    /// How many tokens all texts have together.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The tokens of one text after another.
    pub fn texts(&self) -> impl Iterator<Item = &[u32]> {
        self.rows().map(|rows| &self.tokens[rows])
    }

    /// The rows of one text after another.
    pub fn rows(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| start..*end)
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
}
