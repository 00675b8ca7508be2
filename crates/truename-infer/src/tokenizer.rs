use std::borrow::Cow;
use std::path::Path;

use tokenizers::models::wordpiece::WordPiece;
use tokenizers::{
    DecoderWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper, TokenizerImpl, TruncationParams,
};

use crate::Error;
use crate::characters::CharacterConfig;
use crate::hash::Fingerprint;

/// Turns a text into the numbers of its tokens.
pub struct Tokenizer(Kind);

enum Kind {
    /// By `tokenizer.json`.
    Pieces {
        inner: Box<tokenizers::Tokenizer>,
        is_lowercase: bool,
    },
    Characters {
        window: usize,
    },
}

/// A text as a model reads it.
pub struct Tokens {
    /// The numbers of its tokens, those that mark its start and end included.
    pub ids: Vec<u32>,
    /// Whether the text went on past the window.
    pub is_truncated: bool,
}

impl Tokenizer {
    /// A tokenizer that makes at most `window` tokens of a text, the special ones included.
    pub(crate) fn read(
        folder: &Path,
        window: usize,
        is_lowercase: bool,
        fingerprint: &mut Fingerprint,
    ) -> Result<Self, Error> {
        let path = folder.join("tokenizer.json");
        let bytes = std::fs::read(&path).map_err(|source| Error::io("read", &path, source))?;
        fingerprint.add(&bytes);
        let mut inner = parse(&bytes).map_err(|source| Error::tokenizer(&path, source))?;
        let special =
            inner.get_post_processor().map_or(0, |processor| tokenizers::PostProcessor::added_tokens(processor, false));
        if window <= special {
            let known = format!("{} and more", special + 1);
            return Err(Error::setting(&folder.join("sentence_bert_config.json"), "max_seq_length", window, known));
        }
        let truncation = TruncationParams { max_length: window, ..TruncationParams::default() };
        inner.with_padding(None).with_truncation(Some(truncation)).map_err(|source| Error::tokenizer(&path, source))?;
        Ok(Self(Kind::Pieces { inner: Box::new(inner), is_lowercase }))
    }

    /// Each character is a token, `window` at most with those that mark the ends.
    pub(crate) fn of_characters(window: usize) -> Self {
        Self(Kind::Characters { window })
    }

    /// The tokens of `text` without the space around it, which sentence-transformers cuts off as well.
    ///
    /// # Errors
    /// Where the tokenizer fails.
    pub fn tokens(&self, text: &str) -> Result<Tokens, Error> {
        let (inner, is_lowercase) = match &self.0 {
            Kind::Pieces { inner, is_lowercase } => (inner, *is_lowercase),
            Kind::Characters { window } => return Ok(CharacterConfig::tokens(*window, text)),
        };
        let text = text.trim();
        let text = if is_lowercase { Cow::Owned(text.to_lowercase()) } else { Cow::Borrowed(text) };
        let encoding = inner.encode_fast(text, true).map_err(Error::tokenize)?;
        Ok(Tokens { ids: encoding.get_ids().to_vec(), is_truncated: !encoding.get_overflowing().is_empty() })
    }
}

/// A tokenizer with word pieces, read straight into its model.
///
/// For a model of any kind the library first makes a tree of all JSON values: four times the work for 30,000 pieces.
type WordPieces =
    TokenizerImpl<WordPiece, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

fn parse(bytes: &[u8]) -> tokenizers::Result<tokenizers::Tokenizer> {
    match serde_json::from_slice::<WordPieces>(bytes) {
        Ok(tokenizer) => Ok(tokenizer.into()),
        Err(_) => tokenizers::Tokenizer::from_bytes(bytes),
    }
}
