use tokenizers::{Encoding, PostProcessor, PostProcessorWrapper, Token};
use truename_text::Span;

use super::Sequence;
use super::source::Source;
use super::template::{Content, Keep, Part, Piece, Slot, Template};
use crate::Error;

/// Makes tokens of texts and puts them into templates; reads special tokens written in a text as text.
pub(super) struct TextTokenizer {
    inner: tokenizers::Tokenizer,
    is_lowercase: bool,
    /// One text between the special tokens that mark its ends.
    single: Template,
    /// Two texts, marked as `tokenizer.json` says.
    pair: Template,
}

/// The tokens of a text.
struct TextTokens {
    ids: Vec<u32>,
    spans: Vec<Option<Span>>,
}

/// Some tokens of a text.
#[derive(Clone, Copy)]
pub(super) struct Pieces<'a> {
    pub ids: &'a [u32],
    pub spans: &'a [Option<Span>],
}

impl TextTokens {
    fn pieces(&self, from: usize, to: usize) -> Pieces<'_> {
        Pieces { ids: &self.ids[from..to], spans: &self.spans[from..to] }
    }
}

impl TextTokenizer {
    pub fn new(tokenizer: &tokenizers::Tokenizer, is_lowercase: bool) -> Result<Self, Error> {
        let mut inner = tokenizer.clone();
        inner.with_truncation(None).map_err(Error::tokenize)?;
        inner.with_post_processor(None::<PostProcessorWrapper>);
        inner.set_encode_special_tokens(true);
        let [single, pair] = [1, 2].map(|texts| frame(tokenizer.get_post_processor(), texts));
        Ok(Self { inner, is_lowercase, single: single?, pair: pair? })
    }

    pub fn windows(&self, text: &str, overlap: usize, window: usize) -> Result<Vec<Sequence>, Error> {
        let room = window.saturating_sub(self.single.fixed_tokens());
        if overlap >= room {
            let message = format!("windows with room for {room} tokens cannot overlap by {overlap}");
            return Err(Error::input(message));
        }
        let tokens = self.tokens(text, false)?;
        let beyond_first = tokens.ids.len().saturating_sub(room);
        let windows = 0..=beyond_first.div_ceil(room - overlap);
        let bounds = windows.map(|number| number * (room - overlap));
        let window = |from: usize| tokens.pieces(from, (from + room).min(tokens.ids.len()));
        Ok(bounds.map(|from| self.single.fill(&[window(from)], Vec::new())).collect())
    }

    pub fn pair(&self, left: &str, right: &str, window: usize) -> Result<Sequence, Error> {
        let room = window.saturating_sub(self.pair.fixed_tokens());
        if room < 2 {
            return Err(Error::input(format!("a window of {window} tokens has no room for two texts")));
        }
        let texts = [self.tokens(left, false)?, self.tokens(right, false)?];
        let lengths = texts.each_ref().map(|text| text.ids.len());
        let kept = longest_first(lengths, room);
        let truncated = (0..2).filter(|text| kept[*text] < lengths[*text]).collect();
        let pieces = [0, 1].map(|text| texts[text].pieces(0, kept[text]));
        Ok(self.pair.fill(&pieces, truncated))
    }

    pub fn template(&self, parts: &[Part<'_>]) -> Result<Template, Error> {
        let (mut pieces, mut segment, mut has_text_before) = (Vec::new(), 0, false);
        for part in parts {
            let content = match part {
                Part::Segment(number) => {
                    segment = *number;
                    continue;
                }
                Part::Special(token) => {
                    Content::Fixed(vec![self.inner.token_to_id(token).ok_or_else(|| Error::no_token(token))?])
                }
                Part::Text(text) => Content::Fixed(self.tokens(text, has_text_before)?.ids),
                Part::Slot => Content::Slot { has_space_before: has_text_before },
            };
            has_text_before |= matches!(part, Part::Text(_) | Part::Slot);
            pieces.push(Piece { content, segment });
        }
        Ok(Template { pieces })
    }

    pub fn fill(&self, template: &Template, slots: &[Slot<'_>], window: usize) -> Result<Sequence, Error> {
        let texts = slots.iter().zip(template.spaces());
        let tokens = texts.map(|(slot, has_space_before)| self.tokens(slot.text, has_space_before));
        let tokens: Vec<TextTokens> = tokens.collect::<Result<_, _>>()?;
        let pieces = tokens.iter().zip(slots).map(|(tokens, slot)| {
            let (all, kept) = (tokens.ids.len(), tokens.ids.len().min(slot.max_tokens));
            match slot.keep {
                Keep::Start => tokens.pieces(0, kept),
                Keep::End => tokens.pieces(all - kept, all),
            }
        });
        let is_cut = |slot: &usize| tokens[*slot].ids.len() > slots[*slot].max_tokens;
        let truncated = (0..slots.len()).filter(is_cut).collect();
        let sequence = template.fill(&pieces.collect::<Vec<_>>(), truncated);
        if sequence.input.len() > window {
            return Err(Error::too_long(sequence.input.len(), window));
        }
        Ok(sequence)
    }

    fn tokens(&self, text: &str, has_space_before: bool) -> Result<TextTokens, Error> {
        let source = Source::new(text, self.is_lowercase, has_space_before);
        let encoding = self.inner.encode(source.read.as_ref(), false).map_err(Error::tokenize)?;
        Ok(TextTokens { ids: encoding.get_ids().to_vec(), spans: source.spans(encoding.get_offsets()) })
    }
}

/// The special tokens that a tokenizer puts around one text or two, as a template.
fn frame(processor: Option<&PostProcessorWrapper>, texts: usize) -> Result<Template, Error> {
    let text = || Encoding::from_tokens(vec![Token::new(0, "a".into(), (0, 1))], 0);
    let slot = |segment| Piece { content: Content::Slot { has_space_before: false }, segment };
    let Some(processor) = processor else { return Ok(Template { pieces: (0..texts as u32).map(slot).collect() }) };
    let pair = (texts == 2).then(text);
    let encoding = processor.process(text(), pair, true).map_err(Error::tokenize)?;
    let tokens = encoding.get_ids().iter().zip(encoding.get_type_ids()).zip(encoding.get_special_tokens_mask());
    let piece = |((id, segment), is_special): ((&u32, &u32), &u32)| match is_special {
        0 => slot(*segment),
        _ => Piece { content: Content::Fixed(vec![*id]), segment: *segment },
    };
    Ok(Template { pieces: tokens.map(piece).collect() })
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
