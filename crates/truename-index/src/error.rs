use std::fmt;

/// What went wrong in an index.
#[derive(Debug)]
pub struct Error(Kind);

#[derive(Debug)]
enum Kind {
    Storage(heed::Error),
    Missing,
    Damaged(&'static str),
}

impl Error {
    /// Whether the store holds no such index.
    pub fn is_missing(&self) -> bool {
        matches!(self.0, Kind::Missing)
    }

    /// Whether the storage has no room left.
    pub fn is_full(&self) -> bool {
        matches!(&self.0, Kind::Storage(heed::Error::Mdb(heed::MdbError::MapFull)))
    }

    pub(crate) fn missing() -> Self {
        Self(Kind::Missing)
    }

    pub(crate) fn damaged(part: &'static str) -> Self {
        Self(Kind::Damaged(part))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Storage(_) => formatter.write_str("the n-gram index could not be read or written"),
            Kind::Missing => formatter.write_str("the store holds no n-gram index"),
            Kind::Damaged(part) => write!(formatter, "the n-gram index is damaged: {part}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Kind::Storage(source) => Some(source),
            Kind::Missing | Kind::Damaged(_) => None,
        }
    }
}

impl From<heed::Error> for Error {
    fn from(source: heed::Error) -> Self {
        Self(Kind::Storage(source))
    }
}
