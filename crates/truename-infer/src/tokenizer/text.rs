//! Tokens of texts by the tokenizer of a folder; special tokens that a text contains are text.

use tokenizers::{Encoding, PostProcessor, PostProcessorWrapper, Token};
use truename_text::Span;

use super::sequence::{Place, Sequence};
use super::source::Source;
use super::template::{Content, Keep, Opening, Part, Piece, Pieces, Slot, Template};
use crate::{Error, error};

/// Makes tokens of texts and puts them into templates; reads special tokens written in a text as text.
pub(super) struct TextTokenizer {
    inner: tokenizers::Tokenizer,
    is_lowercase: bool,
    /// One text between the special tokens that mark its ends.
    single: Template,
    /// Two texts, marked as `tokenizer.json` says.
    pair: Template,
}

/// The tokens of a text, or of the texts of a list.
#[derive(Default)]
struct TextTokens {
    ids: Vec<u32>,
    places: Vec<Option<Place>>,
}

impl TextTokens {
    fn pieces(&self, from: usize, to: usize) -> Pieces<'_> {
        Pieces { ids: &self.ids[from..to], places: &self.places[from..to] }
    }

    fn kept(&self, keep: Keep, max_tokens: usize) -> Pieces<'_> {
        let (all, kept) = (self.ids.len(), self.ids.len().min(max_tokens));
        match keep {
            Keep::Start => self.pieces(0, kept),
            Keep::End => self.pieces(all - kept, all),
        }
    }
}

impl TextTokenizer {
    pub fn new(tokenizer: &tokenizers::Tokenizer, is_lowercase: bool) -> Result<Self, Error> {
        let mut inner = tokenizer.clone();
        inner.with_truncation(None).map_err(error::tokenize)?;
        inner.with_post_processor(None::<PostProcessorWrapper>);
        inner.set_encode_special_tokens(true);
        let [single, pair] = [1, 2].map(|texts| frame(tokenizer.get_post_processor(), texts));
        Ok(Self { inner, is_lowercase, single: single?, pair: pair? })
    }

    /// `is_end` tells the tokens before which a window may end without overlap, by the bytes where they begin.
    pub fn windows(
        &self,
        text: &str,
        overlap: usize,
        window: usize,
        is_end: impl Fn(usize) -> bool,
    ) -> Result<Vec<Sequence>, Error> {
        let room = window.saturating_sub(self.single.fixed_tokens());
        if overlap >= room {
            let message = format!("windows with room for {room} tokens cannot overlap by {overlap}");
            return Err(error::input(message));
        }
        let tokens = self.tokens(text, 0, false)?;
        let is_end = |at: &usize| tokens.places[*at].is_some_and(|place| is_end(place.span.start));
        let (mut windows, mut from) = (Vec::new(), 0);
        loop {
            let to = tokens.ids.len().min(from + room);
            let is_last = to == tokens.ids.len();
            let end = (from + room.div_ceil(2)..=to).rev().find(|at| !is_last && is_end(at));
            windows.push(self.single.fill(&[tokens.pieces(from, end.unwrap_or(to))], Vec::new()));
            if is_last {
                return Ok(windows);
            }
            from = end.unwrap_or(to - overlap);
        }
    }

    pub fn beginning(&self, text: &str, window: usize) -> Result<Sequence, Error> {
        let room = window.saturating_sub(self.single.fixed_tokens());
        if room == 0 {
            return Err(error::input(format!("a window of {window} tokens has no room for a text")));
        }
        let tokens = self.tokens(text, 0, false)?;
        let truncated = if tokens.ids.len() > room { vec![0] } else { Vec::new() };
        Ok(self.single.fill(&[tokens.kept(Keep::Start, room)], truncated))
    }

    pub fn pair(&self, left: &str, right: &str, window: usize) -> Result<Sequence, Error> {
        let room = window.saturating_sub(self.pair.fixed_tokens());
        if room < 2 {
            return Err(error::input(format!("a window of {window} tokens has no room for two texts")));
        }
        let texts = [self.tokens(left, 0, false)?, self.tokens(right, 1, false)?];
        let lengths = texts.each_ref().map(|text| text.ids.len());
        let kept = longest_first(lengths, room);
        let truncated = (0..2).filter(|text| kept[*text] < lengths[*text]).collect();
        let pieces = [0, 1].map(|text| texts[text].pieces(0, kept[text]));
        Ok(self.pair.fill(&pieces, truncated))
    }

    pub fn template(&self, parts: &[Part<'_>]) -> Result<Template, Error> {
        let (mut pieces, mut segment, mut has_space_before) = (Vec::new(), 0, false);
        let id = |token: &str| self.inner.token_to_id(token).ok_or_else(|| error::no_token(token));
        for part in parts {
            let content = match part {
                Part::Segment(number) => {
                    segment = *number;
                    continue;
                }
                Part::Special(token) => Content::Fixed(vec![id(token)?]),
                Part::Text(text) => Content::Fixed(self.tokens(text, 0, has_space_before)?.ids),
                Part::Slot => Content::Slot(Opening { has_space_before, separator: None }),
                Part::List(token) => Content::Slot(Opening { has_space_before, separator: Some(id(token)?) }),
            };
            has_space_before |= !matches!(part, Part::Special(_));
            pieces.push(Piece { content, segment });
        }
        Ok(Template { pieces })
    }

    pub fn fill(&self, template: &Template, slots: &[Slot<'_>], window: usize) -> Result<Sequence, Error> {
        assert_eq!(slots.len(), template.slots(), "as many texts as the template has slots");
        let mut texts = 0;
        let tokens = slots.iter().zip(template.openings()).map(|(slot, opening)| {
            let first = texts;
            texts += slot.texts.len();
            self.tokens_of_slot(slot, first, opening, window)
        });
        let tokens: Vec<TextTokens> = tokens.collect::<Result<_, _>>()?;
        let lengths = tokens.iter().map(|tokens| tokens.ids.len());
        let wanted: Vec<(usize, usize)> = lengths.zip(slots).map(|(length, slot)| (length, slot.max_tokens)).collect();
        let rooms = rooms(&wanted, window.saturating_sub(template.fixed_tokens()));
        let truncated = (0..slots.len()).filter(|slot| tokens[*slot].ids.len() > rooms[*slot]).collect();
        let kept = tokens.iter().zip(slots).zip(&rooms);
        let kept: Vec<Pieces> = kept.map(|((tokens, slot), room)| tokens.kept(slot.keep, *room)).collect();
        let sequence = template.fill(&kept, truncated);
        if sequence.input.len() > window {
            return Err(error::too_long(sequence.input.len(), window));
        }
        Ok(sequence)
    }

    /// The tokens of a slot's texts, which are numbered from `first` on; of more than the slot takes or the window holds, the end that is
    /// kept, and one more at least.
    fn tokens_of_slot(
        &self,
        slot: &Slot<'_>,
        first: usize,
        opening: Opening,
        window: usize,
    ) -> Result<TextTokens, Error> {
        let enough = slot.max_tokens.min(window) + 1;
        let mut all = TextTokens::default();
        for (number, text) in slot.texts.iter().enumerate() {
            if slot.keep == Keep::Start && all.ids.len() >= enough {
                break;
            }
            all.ids.extend(opening.separator.filter(|_| number > 0));
            all.places.resize(all.ids.len(), None);
            let has_space_before = opening.has_space_before || number > 0;
            let tokens = self.tokens_of_end(text, first + number, has_space_before, (slot.keep, enough))?;
            all.ids.extend(tokens.ids);
            all.places.extend(tokens.places);
        }
        Ok(all)
    }

    /// The tokens of text `number`, of a longer one those of an end with `enough` tokens at least.
    fn tokens_of_end(
        &self,
        text: &str,
        number: usize,
        has_space_before: bool,
        (keep, enough): (Keep, usize),
    ) -> Result<TextTokens, Error> {
        /// More bytes than most tokens have.
        const TOKEN_BYTES: usize = 8;
        let mut bytes = enough.saturating_mul(TOKEN_BYTES);
        loop {
            let (start, part) = end_of(text, keep, bytes);
            let mut tokens = self.tokens(part, number, has_space_before || start > 0)?;
            if tokens.ids.len() >= enough || part.len() == text.len() {
                let places = tokens.places.iter_mut().flatten();
                places.for_each(|place| place.span = Span::new(start + place.span.start, start + place.span.end));
                return Ok(tokens);
            }
            bytes *= 4;
        }
    }

    /// The tokens of text `number`.
    fn tokens(&self, text: &str, number: usize, has_space_before: bool) -> Result<TextTokens, Error> {
        let source = Source::new(text, self.is_lowercase, has_space_before);
        let encoding = self.inner.encode(source.read.as_ref(), false).map_err(error::tokenize)?;
        let spans = source.spans(encoding.get_offsets()).into_iter();
        let places = spans.map(|span| span.map(|span| Place { text: number, span })).collect();
        Ok(TextTokens { ids: encoding.get_ids().to_vec(), places })
    }
}

/// Returns at least so many bytes of an end of a text and where they start, cut at a space between two words, where no token and no letter
/// depends on what lies beyond; the whole text where there is no such space.
fn end_of(text: &str, keep: Keep, bytes: usize) -> (usize, &str) {
    let is_cut = |at: &usize| {
        let is_letter =
            |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).is_some_and(u8::is_ascii_alphanumeric);
        text.as_bytes()[*at] == b' ' && is_letter(at.checked_sub(1)) && is_letter(Some(at + 1))
    };
    match keep {
        Keep::Start => {
            let end = (bytes..text.len()).find(is_cut).unwrap_or(text.len());
            (0, &text[..end])
        }
        Keep::End => {
            let start = (0..text.len().saturating_sub(bytes)).rev().find(is_cut).unwrap_or(0);
            (start, &text[start..])
        }
    }
}

/// The special tokens that a tokenizer puts around one text or two, as a template.
fn frame(processor: Option<&PostProcessorWrapper>, texts: usize) -> Result<Template, Error> {
    let text = || Encoding::from_tokens(vec![Token::new(0, "a".into(), (0, 1))], 0);
    let slot = |segment| Piece { content: Content::Slot(Opening::default()), segment };
    let Some(processor) = processor else { return Ok(Template { pieces: (0..texts as u32).map(slot).collect() }) };
    let pair = (texts == 2).then(text);
    let encoding = processor.process(text(), pair, true).map_err(error::tokenize)?;
    let tokens = encoding.get_ids().iter().zip(encoding.get_type_ids()).zip(encoding.get_special_tokens_mask());
    let piece = |((id, segment), is_special): ((&u32, &u32), &u32)| match is_special {
        0 => slot(*segment),
        _ => Piece { content: Content::Fixed(vec![*id]), segment: *segment },
    };
    Ok(Template { pieces: tokens.map(piece).collect() })
}

/// Returns the most tokens of each slot, given the number of its tokens and the most it takes: slots that take the rest share
/// what the others leave of `window` evenly, the shortest served first.
fn rooms(slots: &[(usize, usize)], window: usize) -> Vec<usize> {
    let mut rooms: Vec<usize> = slots.iter().map(|(_, most)| *most).collect();
    let fixed: usize = slots.iter().filter(|(_, most)| *most != Slot::REST).map(|(all, most)| *all.min(most)).sum();
    let mut open: Vec<usize> = (0..slots.len()).filter(|slot| slots[*slot].1 == Slot::REST).collect();
    open.sort_by_key(|slot| slots[*slot].0);
    let mut left = window.saturating_sub(fixed);
    for (served, slot) in open.iter().enumerate() {
        rooms[*slot] = slots[*slot].0.min(left / (open.len() - served));
        left -= rooms[*slot];
    }
    rooms
}

/// Returns the numbers of tokens that two texts keep, as the library `tokenizers` cuts them: the longer text first.
fn longest_first([left, right]: [usize; 2], room: usize) -> [usize; 2] {
    let (shorter, longer) = (left.min(right), left.max(right));
    let kept = if left + right <= room {
        [shorter, longer]
    } else if shorter <= room - shorter.min(room) {
        [shorter, room - shorter]
    } else {
        [room / 2, room - room / 2]
    };
    if left > right { [kept[1], kept[0]] } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_share_what_the_others_leave() {
        let rest = |tokens| (tokens, Slot::REST);
        assert_eq!(rooms(&[rest(30), (9, 4), rest(30)], 24), [10, 4, 10]);
        assert_eq!(rooms(&[rest(3), (2, 4), rest(30)], 24), [3, 4, 19], "what one does not need the other takes");
        assert_eq!(rooms(&[rest(30), (9, 40), rest(3)], 20), [8, 40, 3]);
        assert_eq!(rooms(&[rest(5), (9, 40)], 4), [0, 40]);
    }
}
