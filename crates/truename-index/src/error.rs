use std::fmt;
use truename_error::ErrorKind;

/// An error of an index.
#[derive(Debug)]
pub struct Error(Kind);

#[derive(Debug)]
enum Kind {
    Storage(truename_storage::Error),
    Missing,
    Damaged(&'static str),
    Dimensions { whose: Whose, given: usize, held: usize },
    Width { whose: Whose, given: usize, most: usize },
    NotFinite { whose: Whose },
    Length { whose: Whose, length: f64 },
}

/// The owner of the vector that a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    Query,
    Name(u32),
}

impl Error {
    /// Returns true if the store holds no such index.
    pub fn is_missing(&self) -> bool {
        matches!(self.0, Kind::Missing)
    }

    /// Returns true if the storage has no room left.
    pub fn is_full(&self) -> bool {
        matches!(&self.0, Kind::Storage(source) if source.is_full())
    }

    /// Returns true if a vector has another number of dimensions than those in the index.
    pub fn is_wrong_dimensions(&self) -> bool {
        matches!(self.0, Kind::Dimensions { .. })
    }

    /// Returns true if a vector cannot be indexed or searched for: not of unit length, not finite, or too wide.
    pub fn is_unfit_vector(&self) -> bool {
        matches!(self.0, Kind::Width { .. } | Kind::NotFinite { .. } | Kind::Length { .. })
    }

    /// Returns true where the stored index contradicts itself: its file was changed from outside.
    pub fn is_damaged(&self) -> bool {
        matches!(self.0, Kind::Damaged(_))
    }

    /// Returns the error of the storage, if the storage failed.
    ///
    /// # Errors
    /// This error, if another part failed.
    pub fn into_storage(self) -> Result<truename_storage::Error, Self> {
        match self.0 {
            Kind::Storage(source) => Ok(source),
            _ => Err(self),
        }
    }

    pub(crate) fn missing() -> Self {
        Self(Kind::Missing)
    }

    pub(crate) fn damaged(part: &'static str) -> Self {
        Self(Kind::Damaged(part))
    }

    pub(crate) fn dimensions(whose: Whose, given: usize, held: usize) -> Self {
        Self(Kind::Dimensions { whose, given, held })
    }

    pub(crate) fn width(whose: Whose, given: usize, most: usize) -> Self {
        Self(Kind::Width { whose, given, most })
    }

    pub(crate) fn not_finite(whose: Whose) -> Self {
        Self(Kind::NotFinite { whose })
    }

    pub(crate) fn length(whose: Whose, length: f64) -> Self {
        Self(Kind::Length { whose, length })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Storage(_) => formatter.write_str("the index could not be read or written"),
            Kind::Missing => formatter.write_str("the store lacks one of its indexes"),
            Kind::Damaged(part) => write!(formatter, "the index is damaged: {part}"),
            Kind::Dimensions { whose, given, held } => {
                write!(formatter, "{whose} has {given} dimensions; the index holds {held}")
            }
            Kind::Width { whose, given, most } => {
                write!(formatter, "{whose} has {given} dimensions; 1 to {most} can be indexed")
            }
            Kind::NotFinite { whose } => write!(formatter, "{whose} has a number that is not finite"),
            Kind::Length { whose, length } => write!(formatter, "{whose} has length {length}; 1 is needed"),
        }
    }
}

impl fmt::Display for Whose {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Query => formatter.write_str("query"),
            Self::Name(number) => write!(formatter, "vector of name {number}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Kind::Storage(source) => Some(source),
            _ => None,
        }
    }
}

impl From<truename_storage::Error> for Error {
    fn from(source: truename_storage::Error) -> Self {
        Self(Kind::Storage(source))
    }
}

impl From<Error> for truename_error::Error {
    fn from(source: Error) -> Self {
        let kind = if source.is_damaged() { ErrorKind::Damaged } else { ErrorKind::Other };
        let hint = source.is_missing().then(|| "import the sources again".to_owned());
        let error = Self::other(source).of_kind(kind);
        hint.into_iter().fold(error, Self::with_hint)
    }
}
