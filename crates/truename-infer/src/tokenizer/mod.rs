//! From texts to tokens: one text, windows of a long one, pairs, and templates.

pub(crate) mod characters;
mod file;
mod pruned;
mod sequence;
mod source;
mod template;
mod text;
mod tokens;

use std::borrow::Cow;
use std::cell::LazyCell;
use std::path::Path;
use std::sync::OnceLock;

use truename_text::Sentences;

use crate::hash::Fingerprint;
use crate::{Error, error};

pub(crate) use file::{NewToken, TokenizerFile};
pub use sequence::{Place, Sequence};
pub use template::{Keep, Part, Slot, Template};
pub use tokens::Tokens;

use text::TextTokenizer;

/// Turns texts into the numbers of their tokens.
pub struct Tokenizer(Kind);

enum Kind {
    /// By `tokenizer.json`.
    Pieces(Box<Pieces>),
    Characters {
        window: usize,
    },
}

struct Pieces {
    /// Cuts at the window and adds the special tokens of a single text.
    single: tokenizers::Tokenizer,
    /// For all that is more than a single text; made when first asked for.
    text: OnceLock<TextTokenizer>,
    is_lowercase: bool,
    window: usize,
}

impl Tokenizer {
    /// Reads `tokenizer.json` of a folder, for texts of at most `window` tokens, special ones included.
    pub(crate) fn read(
        folder: &Path,
        window: usize,
        is_lowercase: bool,
        fingerprint: &mut Fingerprint,
    ) -> Result<Self, Error> {
        let file = TokenizerFile::read(folder)?;
        fingerprint.add(file.bytes());
        Self::of_file(file, window, is_lowercase)
    }

    pub(crate) fn of_file(file: TokenizerFile, window: usize, is_lowercase: bool) -> Result<Self, Error> {
        let single = file.for_single_texts(window)?;
        Ok(Self(Kind::Pieces(Box::new(Pieces { single, text: OnceLock::new(), is_lowercase, window }))))
    }

    /// Each character is a token, `window` at most with those that mark the ends.
    pub(crate) fn of_characters(window: usize) -> Self {
        Self(Kind::Characters { window })
    }

    /// Returns the tokens of a text's beginning, without the space around the text, which sentence-transformers cuts off as
    /// well. A special token that is written in the text is that token.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    pub fn tokens(&self, text: &str) -> Result<Tokens, Error> {
        let pieces = match &self.0 {
            Kind::Pieces(pieces) => pieces,
            Kind::Characters { window } => return Ok(characters::tokens(*window, text)),
        };
        let text = text.trim();
        let text = if pieces.is_lowercase { Cow::Owned(text.to_lowercase()) } else { Cow::Borrowed(text) };
        let encoding = pieces.single.encode_fast(text, true).map_err(error::tokenize)?;
        Ok(Tokens { ids: encoding.get_ids().to_vec(), is_truncated: !encoding.get_overflowing().is_empty() })
    }

    /// Returns whether a text has at most `room` tokens, without those that mark its ends.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    pub fn holds(&self, text: &str, room: usize) -> Result<bool, Error> {
        /// The tokens that mark the ends of a text.
        const ENDS: usize = 2;
        // No token has less than a byte.
        if text.len() <= room {
            return Ok(true);
        }
        let tokens = self.tokens(text)?;
        Ok(!tokens.is_truncated && tokens.ids.len() <= room + ENDS)
    }

    /// Returns whether any of several names has at most `room` tokens.
    pub(crate) fn holds_any<'a>(&self, names: impl IntoIterator<Item = &'a str>, room: usize) -> Result<bool, Error> {
        for name in names {
            if self.holds(name, room)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Largest number of tokens of a window, with those that mark its ends.
    pub fn window(&self) -> usize {
        match &self.0 {
            Kind::Pieces(pieces) => pieces.window,
            Kind::Characters { window } => *window,
        }
    }

    /// Returns all tokens of a text in windows, of which each but the first begins with the last `overlap` tokens of the one
    /// before it. The spans of all windows are into the whole text.
    ///
    /// Here and in [`Tokenizer::pair`] and [`Tokenizer::fill`], special tokens written in a text are read as text.
    ///
    /// # Errors
    /// Where the tokenizer fails or reads characters, or the windows have no room for more than the overlap.
    pub fn windows(&self, text: &str, overlap: usize) -> Result<Vec<Sequence>, Error> {
        self.windows_of(text, usize::MAX, overlap)
    }

    /// As [`Tokenizer::windows`], with windows of at most `tokens` tokens, and no more than the model reads.
    ///
    /// # Errors
    /// As [`Tokenizer::windows`].
    pub fn windows_of(&self, text: &str, tokens: usize, overlap: usize) -> Result<Vec<Sequence>, Error> {
        let (pieces, tokenizer) = self.text_tokenizer()?;
        tokenizer.windows(text, overlap, pieces.window.min(tokens), |_| false)
    }

    /// As [`Tokenizer::windows_of`], but a window ends with a sentence, where one ends in its second half, and the next begins with the
    /// next sentence, without overlap.
    ///
    /// # Errors
    /// As [`Tokenizer::windows`].
    pub fn sentence_windows(&self, text: &str, tokens: usize, overlap: usize) -> Result<Vec<Sequence>, Error> {
        let (pieces, tokenizer) = self.text_tokenizer()?;
        let sentences = LazyCell::new(|| Sentences::of(text));
        tokenizer.windows(text, overlap, pieces.window.min(tokens), |byte| sentences.begins_at(byte))
    }

    /// Returns two texts as one sequence. Where both do not fit into the window, the longer one is cut first.
    ///
    /// # Errors
    /// Where the tokenizer fails or reads characters, or the window has no room for a pair.
    pub fn pair(&self, left: &str, right: &str) -> Result<Sequence, Error> {
        let (pieces, tokenizer) = self.text_tokenizer()?;
        tokenizer.pair(left, right, pieces.window)
    }

    /// As [`Tokenizer::pair`], in at most `tokens` tokens, and no more than the model reads.
    ///
    /// # Errors
    /// As [`Tokenizer::pair`].
    pub fn pair_within(&self, left: &str, right: &str, tokens: usize) -> Result<Sequence, Error> {
        let (pieces, tokenizer) = self.text_tokenizer()?;
        tokenizer.pair(left, right, pieces.window.min(tokens))
    }

    /// Returns the beginning of a text as one sequence of at most `tokens` tokens, and no more than the model reads.
    ///
    /// # Errors
    /// Where the tokenizer fails or reads characters, or there is no room for a token of the text.
    pub fn beginning(&self, text: &str, tokens: usize) -> Result<Sequence, Error> {
        let (pieces, tokenizer) = self.text_tokenizer()?;
        tokenizer.beginning(text, pieces.window.min(tokens))
    }

    /// Creates a template of parts in their order.
    ///
    /// # Errors
    /// Where the tokenizer reads characters, or does not know a special token.
    pub fn template(&self, parts: &[Part<'_>]) -> Result<Template, Error> {
        self.text_tokenizer()?.1.template(parts)
    }

    /// Fills the slots of a template with texts in their order.
    ///
    /// # Errors
    /// Where the tokenizer fails, or the sequence is longer than the window.
    ///
    /// # Panics
    /// Where there are not as many texts as slots.
    pub fn fill(&self, template: &Template, slots: &[Slot<'_>]) -> Result<Sequence, Error> {
        let (pieces, tokenizer) = self.text_tokenizer()?;
        tokenizer.fill(template, slots, pieces.window)
    }

    /// As [`Tokenizer::fill`], for sequences of at most `tokens` tokens, and no more than the model reads.
    ///
    /// # Errors
    /// As [`Tokenizer::fill`].
    ///
    /// # Panics
    /// As [`Tokenizer::fill`].
    pub fn fill_within(&self, template: &Template, slots: &[Slot<'_>], tokens: usize) -> Result<Sequence, Error> {
        let (pieces, tokenizer) = self.text_tokenizer()?;
        tokenizer.fill(template, slots, pieces.window.min(tokens))
    }

    /// Returns the number of a token, if there is such a token.
    pub fn id(&self, token: &str) -> Option<u32> {
        match &self.0 {
            Kind::Pieces(pieces) => pieces.single.token_to_id(token),
            Kind::Characters { .. } => None,
        }
    }

    /// Returns the name of a token, as the vocabulary writes it, if there is such a token.
    pub fn token(&self, id: u32) -> Option<String> {
        match &self.0 {
            Kind::Pieces(pieces) => pieces.single.id_to_token(id),
            Kind::Characters { .. } => None,
        }
    }

    fn text_tokenizer(&self) -> Result<(&Pieces, &TextTokenizer), Error> {
        let Kind::Pieces(pieces) = &self.0 else { return Err(error::characters_alone()) };
        if let Some(text) = pieces.text.get() {
            return Ok((pieces, text));
        }
        let text = TextTokenizer::new(&pieces.single, pieces.is_lowercase)?;
        Ok((pieces, pieces.text.get_or_init(|| text)))
    }
}
