//! A pair of names of two concepts.

/// A pair of names that proposed their concepts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamePair {
    pub(crate) source: u32,
    pub(crate) target: u32,
    /// Strength of the synonym rules that make one name the other; 0 without any.
    pub(crate) rewritten: f32,
}
