//! Options for reading documents: format, offsets, encoding, limits.

use truename_read::SourceOptions;
use truename_text::OffsetUnit;

use crate::format::Format;

/// Options for reading a file.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The format; told by extension and content where this is `None`.
    pub input_format: Option<Format>,
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

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            input_format: None,
            offsets: OffsetUnit::Chars,
            conll_labels: None,
            tag_names: Vec::new(),
            mentions: true,
            source: SourceOptions::default(),
        }
    }
}
