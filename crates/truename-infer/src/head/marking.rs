//! Entities of texts and pairs of texts to classify, marked for adapters (PICSO, section 3.1).

use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use truename_text::Span;

use crate::{Input, Sequence};

/// Fewest letters of a word that is marked as the one which both texts have.
const FEWEST_LETTERS: usize = 4;

/// The words of a text or pair that are marked as entities, for a network with adapters: entity-aware adapters read these apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Marking {
    /// None.
    #[default]
    None,
    /// The first value of each record of the form `COL name VAL value …` (Ditto, Li et al. 2020).
    Key,
    /// The longest word that both texts of a pair have, without regard to case.
    Shared,
}

impl Marking {
    /// Returns the entity of a text and of the second text of a pair, as far as they have one.
    pub fn entities(self, first: &str, second: Option<&str>) -> [Option<Span>; 2] {
        match self {
            Self::None => [None, None],
            Self::Key => [key(first), second.and_then(key)],
            Self::Shared => second.and_then(|second| shared(first, second)).map_or([None, None], |both| both.map(Some)),
        }
    }
}

/// Returns the first value of a record.
fn key(record: &str) -> Option<Span> {
    const VALUE: &str = " VAL ";
    let start = record.starts_with("COL ").then(|| record.find(VALUE))?? + VALUE.len();
    let value = &record[start..];
    let value = &value[..value.find(" COL ").unwrap_or(value.len())];
    let trimmed = value.trim();
    let start = start + (value.len() - value.trim_start().len());
    (!trimmed.is_empty() && !trimmed.starts_with("COL ")).then(|| Span::new(start, start + trimmed.len()))
}

/// Returns the place of the longest word that both texts have, in each of them; the first of equally long ones.
fn shared(first: &str, second: &str) -> Option<[Span; 2]> {
    let of_second: Vec<(String, Span)> = words(second).collect();
    let known: HashSet<&str> = of_second.iter().map(|(word, _)| word.as_str()).collect();
    let longest = words(first)
        .filter(|(word, _)| known.contains(word.as_str()))
        .reduce(|best, other| if other.0.chars().count() > best.0.chars().count() { other } else { best });
    let (word, span) = longest?;
    let other = of_second.iter().find(|(other, _)| *other == word)?;
    Some([span, other.1])
}

/// Returns the words of a text that may be marked, in lower case.
fn words(text: &str) -> impl Iterator<Item = (String, Span)> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= FEWEST_LETTERS).map(|word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        (word.to_lowercase(), Span::new(start, start + word.len()))
    })
}

/// Puts the markers around the tokens of the entity of each text.
pub(super) fn mark(mut sequence: Sequence, entities: [Option<Span>; 2], [start, end]: [u32; 2]) -> Sequence {
    let mut marked: Vec<Range<usize>> = Vec::new();
    for (text, entity) in entities.into_iter().enumerate() {
        let Some(entity) = entity else { continue };
        let is_of = |token: &usize| {
            sequence.places[*token].is_some_and(|place| place.text == text && place.span.overlaps(entity))
        };
        let mut tokens = (0..sequence.places.len()).filter(is_of);
        let Some(first) = tokens.next() else { continue };
        let last = tokens.next_back().unwrap_or(first);
        sequence.insert(last + 1, end);
        sequence.insert(first, start);
        marked.push(first..last + 3);
    }
    sequence.input = std::mem::replace(&mut sequence.input, Input::new(Vec::new())).with_entities(marked);
    sequence
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(marking: Marking, first: &str, second: &str) -> [Option<String>; 2] {
        let [left, right] = marking.entities(first, Some(second));
        [left.map(|span| first[span.range()].to_owned()), right.map(|span| second[span.range()].to_owned())]
    }

    #[test]
    fn the_key_is_the_first_value_of_a_record() {
        let found =
            marked(Marking::Key, "COL title VAL  Mining rules COL year VAL 1993", "COL title VAL COL year VAL 1993");
        assert_eq!(found, [Some("Mining rules".to_owned()), None]);
        assert_eq!(marked(Marking::Key, "mining rules", "COL title VAL Ünal"), [None, Some("Ünal".to_owned())]);
    }

    #[test]
    fn the_longest_word_of_both_texts_is_shared() {
        let found = marked(Marking::Shared, "A big Elephant drinks water.", "The elephant is in the WATER");
        assert_eq!(found, [Some("Elephant".to_owned()), Some("elephant".to_owned())]);
        assert_eq!(marked(Marking::Shared, "the cat", "the dog"), [None, None]);
        assert_eq!(marked(Marking::None, "water", "water"), [None, None]);
    }
}
