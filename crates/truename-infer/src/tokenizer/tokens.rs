//! Tokens of a single text, and whether it was cut.

/// A text as a model reads it.
pub struct Tokens {
    /// The numbers of its tokens, those that mark its start and end included.
    pub ids: Vec<u32>,
    /// True where the text went on past the window.
    pub is_truncated: bool,
}
