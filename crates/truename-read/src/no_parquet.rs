//! Stand-in for Parquet if the feature is off.

use std::fs::File;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;
use truename_error::ErrorKind;

use crate::error::Error;
use crate::options::SourceOptions;
use crate::reader::Reader;

const NOT_ENABLED: &str = "Parquet is not enabled in this build";

pub(crate) fn open(path: &Path, _: File, _: &SourceOptions) -> Result<(Reader, Vec<bool>), Error> {
    Err(not_enabled(path))
}

fn not_enabled(path: &Path) -> Error {
    let error = Error::at(ErrorKind::NotText, path, None, format!("this is a Parquet table; {NOT_ENABLED}"));
    error.with_hint("build with the feature parquet, or save the table as CSV")
}

/// Refuses to read.
///
/// # Errors
/// Always.
pub fn row_groups(path: &Path) -> Result<Vec<u64>, Error> {
    Err(not_enabled(path))
}

/// A column that a Parquet table gains.
pub struct ParquetColumn {
    /// Name of the column.
    pub name: String,
    /// True if its values are numbers; else they are text.
    pub is_number: bool,
}

/// A Parquet table that is being written.
pub struct ParquetWriter<W>(PhantomData<W>);

impl<W: Write + Send> ParquetWriter<W> {
    /// Refuses to write.
    ///
    /// # Errors
    /// Always.
    pub fn open(_: W, _: &[PathBuf], _: Option<&Range<u64>>, _: &[ParquetColumn]) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, NOT_ENABLED))
    }

    /// Does nothing.
    ///
    /// # Errors
    /// Never.
    pub fn write(&mut self, _: Vec<Value>) -> io::Result<()> {
        Ok(())
    }

    /// Refuses to write.
    ///
    /// # Errors
    /// Always.
    pub fn finish(self) -> io::Result<W> {
        Err(io::Error::new(io::ErrorKind::Unsupported, NOT_ENABLED))
    }
}
