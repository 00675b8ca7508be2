//! Visibility: the tokens of a sequence that each of its tokens attends to.

use std::ops::Range;

/// The tokens of a sequence that each of its tokens attends to, by blocks of tokens.
///
/// A token always attends to its own block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visibility {
    /// The block of each token.
    blocks: Vec<usize>,
    /// True for a block and another that it attends to: `[blocks, blocks]`
    sees: Vec<bool>,
    count: usize,
}

impl Visibility {
    /// Creates a visibility from the block of each token; `sees(block, other)` says whether the tokens of a block attend to
    /// those of another.
    pub fn new(blocks: Vec<usize>, sees: impl Fn(usize, usize) -> bool) -> Self {
        let count = blocks.iter().max().map_or(0, |block| block + 1);
        let pairs = (0..count).flat_map(|block| (0..count).map(move |other| (block, other)));
        let sees = pairs.map(|(block, other)| block == other || sees(block, other)).collect();
        Self { blocks, sees, count }
    }

    /// Runs of tokens, given by their lengths, that do not see each other.
    pub fn apart(lengths: &[usize]) -> Self {
        let blocks = lengths.iter().enumerate().flat_map(|(block, length)| std::iter::repeat_n(block, *length));
        Self::new(blocks.collect(), |_, _| false)
    }

    /// A sequence in which the tokens of an entity attend to the entity alone, and all others to all (PICSO, equation 2).
    pub fn entities(tokens: usize, entities: &[Range<usize>]) -> Self {
        let block = |token: usize| entities.iter().position(|entity| entity.contains(&token)).map_or(0, |at| at + 1);
        Self::new((0..tokens).map(block).collect(), |block, _| block == 0)
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Returns whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Returns whether the token at `query` attends to the token at `key`.
    pub fn sees(&self, query: usize, key: usize) -> bool {
        self.sees[self.blocks[query] * self.count + self.blocks[key]]
    }

    /// Takes the scores of the keys that the token at `query` does not attend to out of reach: their weight is exactly 0.
    pub fn mask(&self, query: usize, scores: &mut [f32]) {
        let sees = &self.sees[self.blocks[query] * self.count..][..self.count];
        for (score, block) in scores.iter_mut().zip(&self.blocks) {
            if !sees[*block] {
                *score = f32::NEG_INFINITY;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entity_sees_itself_and_is_seen_by_all() {
        let visibility = Visibility::entities(5, std::slice::from_ref(&(1..3)));
        for query in 0..5 {
            let mut scores = [1.0; 5];
            visibility.mask(query, &mut scores);
            for (key, score) in scores.into_iter().enumerate() {
                let expected = !(1..3).contains(&query) || (1..3).contains(&key);
                assert_eq!(visibility.sees(query, key), expected, "{query} {key}");
                assert_eq!(score > 0.0, expected);
            }
        }
    }

    #[test]
    fn candidates_see_the_context_and_themselves() {
        // A context of two tokens, and two candidates of one token each.
        let visibility = Visibility::new(vec![0, 0, 1, 2], |block, other| block == 0 || other == 0);
        let seen = |query| (0..4).filter(|key| visibility.sees(query, *key)).collect::<Vec<_>>();
        assert_eq!([0, 1, 2, 3].map(seen), [vec![0, 1, 2, 3], vec![0, 1, 2, 3], vec![0, 1, 2], vec![0, 1, 3]]);
        assert_eq!(Visibility::apart(&[2, 1]), Visibility::new(vec![0, 0, 1], |_, _| false));
    }
}
