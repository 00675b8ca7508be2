//! Archives of packages, unpacked into numbered files: no path of an archive is opened, and bombs are refused.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use truename_error::ErrorKind;
use zip::ZipArchive;

use crate::Error;
use crate::copy::{Contents, FileDigest, MAX_FILE_BYTES};
use crate::model_files::is_kept;
use crate::part::part_number;
use crate::store::Partial;

/// Maximum ratio of an archive's unpacked size to its own. Weights shrink to no less than half, text to a tenth; a zip
/// bomb of one layer reaches 1032.
const MAX_RATIO: u64 = 100;
/// Unpacked size in bytes that any archive may have, however small it is.
const ALWAYS_ALLOWED: u64 = 1 << 20;

/// A zip (wheels are zips), or a gzipped tar if its name ends in `.tar.gz`.
pub(crate) struct Archive<'a> {
    pub(crate) path: &'a Path,
    pub(crate) name: &'a str,
}

/// An unpacked file.
pub(crate) struct UnpackedFile {
    /// Path in the archive.
    pub(crate) path: String,
    pub(crate) file: PathBuf,
    pub(crate) copied: FileDigest,
}

/// Takes a regular file of an archive: its path, its stated size in bytes and its contents.
type Take<'a> = &'a mut dyn FnMut(&str, u64, &mut dyn Read) -> Result<(), Error>;

impl Archive<'_> {
    /// Unpacks files of a model and parts into numbered temporary files, so that no path of the archive is opened. Leaves
    /// out links and devices. Refuses sizes that only a bomb states, and files of another size than stated.
    pub(crate) fn unpack(&self, partial: &Partial<'_>) -> Result<Vec<UnpackedFile>, Error> {
        let file = File::open(self.path).map_err(|source| Error::io("read", self.path, source))?;
        let bytes = file.metadata().map_err(|source| Error::io("read", self.path, source))?.len();
        let limit = bytes.saturating_mul(MAX_RATIO).saturating_add(ALWAYS_ALLOWED).min(MAX_FILE_BYTES);
        let (mut files, mut total) = (Vec::new(), 0u64);
        let mut take = |path: &str, bytes: u64, reader: &mut dyn Read| {
            if !is_kept(path.rsplit('/').next().unwrap_or(path)) && part_number(path).is_none() {
                return Ok(());
            }
            total = total.saturating_add(bytes);
            if total > limit {
                let reason = format!("would unpack to {total} bytes; {limit} are the most for its size");
                return Err(self.refusal(&reason));
            }
            let file = partial.scratch(&files.len().to_string());
            let contents = Contents { name: path, bytes: Some(bytes), reader };
            let copied = contents.write(Some(&file), partial.progress, |source| self.broken(source))?;
            files.push(UnpackedFile { path: path.to_owned(), file, copied });
            Ok(())
        };
        let file = BufReader::new(file);
        if self.name.ends_with(".tar.gz") {
            self.visit_tar(file, limit, &mut take)
        } else {
            self.visit_zip(file, &mut take)
        }?;
        Ok(files)
    }

    fn visit_zip(&self, file: BufReader<File>, take: Take<'_>) -> Result<(), Error> {
        let mut zip = ZipArchive::new(file).map_err(|source| self.broken(source))?;
        for index in 0..zip.len() {
            let mut entry = zip.by_index(index).map_err(|source| self.broken(source))?;
            if entry.is_file() {
                let path = entry.name().map_err(|source| self.broken(source))?.into_owned();
                take(&path, entry.size(), &mut entry)?;
            }
        }
        Ok(())
    }

    fn visit_tar(&self, file: BufReader<File>, limit: u64, take: Take<'_>) -> Result<(), Error> {
        // A tar states no total: at most the allowed unpacked size is read, and as much again for padding.
        let mut tar = tar::Archive::new(GzDecoder::new(file).take(limit.saturating_mul(2)));
        for entry in tar.entries().map_err(|source| self.broken(source))? {
            let mut entry = entry.map_err(|source| self.broken(source))?;
            if entry.header().entry_type().is_file() {
                let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
                take(&path, entry.size(), &mut entry)?;
            }
        }
        Ok(())
    }

    fn refusal(&self, reason: &str) -> Error {
        Error::new(ErrorKind::Damaged, format_args!("the archive {} {reason}", self.name))
    }

    fn broken(&self, source: impl std::error::Error + Send + Sync + 'static) -> Error {
        self.refusal("cannot be unpacked").with_source(source)
    }
}
