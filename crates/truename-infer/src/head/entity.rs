//! Prompts of sentences with a marked entity (PICSO, section 3.1).

use std::ops::RangeInclusive;

use truename_text::Span;

use crate::{AdaptersConfig, Error, Input, Part, Sequence, Slot, Template, Tokenizer};

/// Makes the tokens of sentences with an entity, marked where the tokenizer has markers (PICSO, section 3.1).
pub struct EntityPrompt {
    window: usize,
    template: Template,
    /// Parts of the template from the start marker to the end marker.
    entity: RangeInclusive<usize>,
}

impl EntityPrompt {
    /// Creates the prompt of sentences with at most `window` tokens.
    ///
    /// # Errors
    /// If the tokenizer reads characters.
    pub fn new(window: usize, tokenizer: &Tokenizer) -> Result<Self, Error> {
        let named =
            |names: [&'static str; 2]| names.into_iter().find(|name| tokenizer.id(name).is_some()).unwrap_or(names[0]);
        let [first, last] = [["[CLS]", "<s>"], ["[SEP]", "</s>"]].map(|names| Part::Special(named(names)));
        let markers = [AdaptersConfig::START, AdaptersConfig::END];
        let (parts, entity) = match AdaptersConfig::markers(tokenizer).is_some() {
            true => {
                let [start, end] = markers.map(Part::Special);
                (vec![first, Part::Slot, start, Part::Slot, end, Part::Slot, last], 2..=4)
            }
            false => (vec![first, Part::Slot, Part::Slot, Part::Slot, last], 2..=2),
        };
        Ok(Self { window, template: tokenizer.template(&parts)?, entity })
    }

    /// Returns the tokens of an entity in its sentence, `[CLS] left <e> entity </e> right [SEP]`: the entity, of which at most half the
    /// window is read, and as much of the sentence on both sides.
    ///
    /// # Errors
    /// If the tokenizer fails.
    ///
    /// # Panics
    /// If the span is not of the text.
    pub fn tokens(&self, text: &str, span: Span, tokenizer: &Tokenizer) -> Result<Sequence, Error> {
        let slots = [
            Slot::rest_ending(&text[..span.start]),
            Slot::new(&text[span.range()], self.window / 2),
            Slot::rest(&text[span.end..]),
        ];
        let mut sequence = tokenizer.fill_within(&self.template, &slots, self.window)?;
        let [first, last] = [self.entity.start(), self.entity.end()].map(|part| sequence.parts[*part].clone());
        sequence.input = sequence.input.with_entity(first.start..last.end);
        Ok(sequence)
    }
}

/// Puts the markers around a name that stands alone between the tokens of its ends; the last tokens of a name that fills the window go.
/// Returns whether they do.
pub(super) fn mark_name(ids: &[u32], markers: [u32; 2], window: usize) -> (Input, bool) {
    let ([first, name @ .., last], [start, end]) = (ids, markers) else { return (Input::new(ids.to_vec()), false) };
    let room = window.saturating_sub(2 * markers.len());
    let mut marked = vec![*first, start];
    marked.extend(name.iter().take(room));
    marked.extend([end, *last]);
    let entity = 1..marked.len() - 1;
    (Input::new(marked).with_entity(entity), name.len() > room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_marked_within_the_window() {
        let (input, is_cut) = mark_name(&[101, 7, 8, 102], [1, 2], 16);
        assert_eq!((input.ids(), input.entity(), is_cut), (&[101, 1, 7, 8, 2, 102][..], Some(1..5), false));
        let (input, is_cut) = mark_name(&[101, 7, 8, 102], [1, 2], 5);
        assert_eq!((input.ids(), input.entity(), is_cut), (&[101, 1, 7, 2, 102][..], Some(1..4), true));
    }
}
