//! `tokenizer.json`, read fast, with special tokens added and written back.

use std::path::{Path, PathBuf};

use tokenizers::models::wordpiece::WordPiece;
use tokenizers::{
    AddedToken, DecoderWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper, TokenizerImpl,
    TruncationParams,
};

use crate::{Error, SpecialToken, error};

/// `tokenizer.json`.
#[derive(Clone)]
pub(crate) struct TokenizerFile {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
    pub(super) inner: tokenizers::Tokenizer,
    /// Other files of the folder list tokens that this one does not have.
    pub is_pruned: bool,
}

/// The number of a token that was added, and of the token whose vector it begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewToken {
    pub id: u32,
    pub like: Option<u32>,
}

impl TokenizerFile {
    const NAME: &'static str = "tokenizer.json";

    pub fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(Self::NAME);
        let bytes = std::fs::read(&path).map_err(|source| error::io("read", &path, source))?;
        let inner = parse(&bytes).map_err(|source| error::tokenizer(&path, source))?;
        Ok(Self { path, bytes, inner, is_pruned: false })
    }

    /// The file as it was read or would be written.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The number of a token, if there is such a token.
    pub fn id(&self, token: &str) -> Option<u32> {
        self.inner.token_to_id(token)
    }

    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        let path = folder.join(Self::NAME);
        truename_files::write(&path, &self.bytes).map_err(|source| error::io("write", &path, source))
    }

    /// Adds special tokens. Returns the numbers of those given, and those that are new.
    pub fn add_special_tokens(&mut self, tokens: &[SpecialToken]) -> Result<(Vec<u32>, Vec<NewToken>), Error> {
        let failed = |source| error::tokenizer(&self.path, source);
        let names = || tokens.iter().map(|token| &*token.name);
        let is_new: Vec<bool> = names().map(|name| self.id(name).is_none()).collect();
        let like: Vec<Option<u32>> =
            tokens.iter().map(|token| token.like.as_ref().and_then(|word| self.id(word))).collect();
        let added = names().map(|name| AddedToken::from(name, true));
        self.inner.add_special_tokens(added).map_err(failed)?;
        self.bytes = self.inner.to_string(true).map_err(failed)?.into_bytes();
        let ids: Vec<u32> =
            names().map(|name| self.id(name).ok_or_else(|| error::no_token(name))).collect::<Result<_, _>>()?;
        let new = ids.iter().zip(like).zip(is_new).filter(|(_, is_new)| *is_new);
        let new = new.map(|((id, like), _)| NewToken { id: *id, like }).collect();
        Ok((ids, new))
    }

    /// Returns the tokenizer, set to make at most `window` tokens of a text, special ones included.
    pub fn for_single_texts(self, window: usize) -> Result<tokenizers::Tokenizer, Error> {
        let mut single = self.inner;
        let special = single
            .get_post_processor()
            .map_or(0, |processor| tokenizers::PostProcessor::added_tokens(processor, false));
        if window <= special {
            let known = format!("{} and more", special + 1);
            let path = self.path.with_file_name("sentence_bert_config.json");
            return Err(error::setting(&path, "max_seq_length", window, known));
        }
        let truncation = TruncationParams { max_length: window, ..TruncationParams::default() };
        single
            .with_padding(None)
            .with_truncation(Some(truncation))
            .map_err(|source| error::tokenizer(&self.path, source))?;
        Ok(single)
    }
}

/// A tokenizer with word pieces, read straight into its model.
///
/// For a model of any kind the library first makes a tree of all JSON values: four times the work for 30,000 pieces.
type WordPieces =
    TokenizerImpl<WordPiece, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

pub(super) fn parse(bytes: &[u8]) -> tokenizers::Result<tokenizers::Tokenizer> {
    match serde_json::from_slice::<WordPieces>(bytes) {
        Ok(tokenizer) => Ok(tokenizer.into()),
        Err(_) => tokenizers::Tokenizer::from_bytes(bytes),
    }
}
