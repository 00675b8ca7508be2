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
    /// The encoding of a file that is not UTF-8 and has no byte order mark, by its WHATWG label.
    pub encoding: Option<String>,
    /// First label column of CoNLL, counted from 1 at the token; all columns after it are labels too. If `None`, all
    /// columns after the token are labels where each has tags (nested mentions), and otherwise the last one is: of token,
    /// part of speech, chunk and entity the entity.
    pub conll_labels: Option<usize>,
    /// Names of the tags that JSON has as numbers, from 0: `O`, `B-Disease`, ….
    pub tag_names: Vec<String>,
    /// Read annotations. If false, they are not looked at, and a bad one is no problem.
    pub mentions: bool,
    /// Longest line of JSONL, and longest document of the other formats, in bytes of UTF-8 with all markup. A longer
    /// one is a problem; it bounds the memory that a compressed file can take.
    pub max_line_bytes: usize,
}

impl ReadOptions {
    /// The default of [`max_line_bytes`](Self::max_line_bytes): 64 MiB.
    pub const MAX_LINE_BYTES: usize = 64 << 20;

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
        Self { encoding, ..self }
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
    pub fn max_line_bytes(self, max_line_bytes: usize) -> Self {
        Self { max_line_bytes, ..self }
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            offsets: OffsetUnit::Chars,
            encoding: None,
            conll_labels: None,
            tag_names: Vec::new(),
            mentions: true,
            max_line_bytes: Self::MAX_LINE_BYTES,
        }
    }
}
