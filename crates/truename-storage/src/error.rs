use std::{fmt, io};

use heed::MdbError;

/// An error of the storage.
#[derive(Debug)]
pub struct Error(pub(crate) heed::Error);

impl Error {
    /// Returns true if the map has no room left.
    pub fn is_full(&self) -> bool {
        matches!(self.0, heed::Error::Mdb(MdbError::MapFull))
    }

    /// Returns true if another process made the file larger than the map of this one.
    pub fn is_resized(&self) -> bool {
        matches!(self.0, heed::Error::Mdb(MdbError::MapResized))
    }

    /// Returns true for errors that only a damaged file causes.
    pub fn is_damaged(&self) -> bool {
        use MdbError::{Corrupted, CursorFull, Incompatible, Invalid, PageNotFound, Panic};
        match &self.0 {
            heed::Error::Mdb(error) => {
                matches!(error, Corrupted | CursorFull | Incompatible | Invalid | PageNotFound | Panic)
            }
            heed::Error::Decoding(_) => true,
            _ => false,
        }
    }

    /// Returns true if this process has the environment open already.
    pub fn is_already_open(&self) -> bool {
        matches!(self.0, heed::Error::EnvAlreadyOpened)
    }

    /// Returns the error of the system, if the system failed.
    pub fn io(&self) -> Option<&io::Error> {
        match &self.0 {
            heed::Error::Io(source) => Some(source),
            _ => None,
        }
    }

    /// Returns the error of the system, if the system failed.
    ///
    /// # Errors
    /// This error, if another part failed.
    pub fn into_io(self) -> Result<io::Error, Self> {
        match self.0 {
            heed::Error::Io(source) => Ok(source),
            other => Err(Self(other)),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The message above is the source's own; the chain continues with its cause.
        self.0.source()
    }
}

impl From<io::Error> for Error {
    fn from(source: io::Error) -> Self {
        Self(heed::Error::Io(source))
    }
}
