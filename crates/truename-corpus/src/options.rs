use std::sync::Arc;

use truename_read::SourceOptions;
use truename_text::OffsetUnit;

use crate::format::Format;

/// Options for reading a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The format; told by extension and content where this is `None`.
    pub format: Option<Format>,
    /// The unit of the offsets in the file.
    pub offsets: OffsetUnit,
    /// First label column of CoNLL, counted from 1 at the token; all columns after it are labels too. If `None`, all
    /// columns after the token are labels where each has tags (nested mentions), and otherwise the last one is: of token,
    /// part of speech, chunk and entity the entity.
    pub conll_labels: Option<usize>,
    /// Names of the tags that JSON has as numbers, from 0: `O`, `B-Disease`, ….
    pub tag_names: Vec<String>,
    /// Read annotations. If false, they are not looked at, and a bad one is no problem.
    pub mentions: bool,
    /// Encoding and bounds of the file. A line of JSONL, and a document of the other formats with all markup, may have
    /// [`SourceOptions::max_line_bytes`] in UTF-8; a longer one is a problem.
    pub source: SourceOptions,
}

impl ReadOptions {
    /// Sets the format; `None` to tell it by extension and content.
    #[must_use]
    pub fn format(self, format: Option<Format>) -> Self {
        Self { format, ..self }
    }

    /// Sets the unit of the offsets in the file.
    #[must_use]
    pub fn offsets(self, offsets: OffsetUnit) -> Self {
        Self { offsets, ..self }
    }

    /// Sets the encoding of a file that is not UTF-8 and has no byte order mark, by its WHATWG label.
    #[must_use]
    pub fn encoding(self, encoding: Option<String>) -> Self {
        Self { source: SourceOptions { encoding, ..self.source }, ..self }
    }

    /// Sets the first label column of CoNLL, counted from 1 at the token; `None` to tell it by its tags.
    #[must_use]
    pub fn conll_labels(self, conll_labels: Option<usize>) -> Self {
        Self { conll_labels, ..self }
    }

    /// Sets the names of the tags that JSON has as numbers, from 0.
    #[must_use]
    pub fn tag_names(self, tag_names: Vec<String>) -> Self {
        Self { tag_names, ..self }
    }

    /// Sets whether annotations are read.
    #[must_use]
    pub fn mentions(self, mentions: bool) -> Self {
        Self { mentions, ..self }
    }

    /// Sets the longest line of JSONL, and the longest document of the other formats, in bytes.
    #[must_use]
    pub fn max_line_bytes(self, max_line_bytes: u64) -> Self {
        Self { source: SourceOptions { max_line_bytes, ..self.source }, ..self }
    }

    /// Sets a function that is called with the number of bytes each time that some of a file are read.
    #[must_use]
    pub fn on_read(self, on_read: impl Fn(u64) + Send + Sync + 'static) -> Self {
        Self { source: SourceOptions { on_read: Some(Arc::new(on_read)), ..self.source }, ..self }
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            offsets: OffsetUnit::Chars,
            conll_labels: None,
            tag_names: Vec::new(),
            mentions: true,
            source: SourceOptions::default(),
        }
    }
}
