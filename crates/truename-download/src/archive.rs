use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use zip::ZipArchive;

use crate::copy::{Contents, Copied};
use crate::error::shorten;
use crate::{Error, Progress};

/// Maximum unpacked size of an archive in bytes; the largest encoders are below 8 GB.
const MAX_TOTAL_BYTES: u64 = 64 << 30;
/// Maximum ratio of an archive's unpacked size to its own. Weights shrink to no less than half, text to a tenth; a zip
/// bomb of one layer reaches 1032.
const MAX_RATIO: u64 = 100;
/// Unpacked size in bytes that any archive may have, however small it is.
const ALWAYS_ALLOWED: u64 = 1 << 20;
/// Maximum number of files in an archive.
const MAX_ENTRIES: usize = 100_000;

/// A package's file: a zip (wheels are zips) or a gzipped tar.
///
/// Opening reads the list of files and refuses paths outside the folder, links, devices, and totals that only a bomb
/// states.
pub(crate) struct Archive {
    /// Name for messages.
    name: String,
    path: PathBuf,
    /// Maximum unpacked size in bytes.
    limit: u64,
    pub(crate) entries: Vec<Entry>,
}

/// One file in an archive.
pub(crate) struct Entry {
    pub(crate) path: String,
    /// Stated size in bytes; a file that unpacks to another size is refused.
    pub(crate) bytes: u64,
    is_special: bool,
}

/// Callback for an entry and its contents.
type Visit<'a> = &'a mut dyn FnMut(Entry, &mut dyn Read) -> Result<(), Error>;

impl Archive {
    pub(crate) fn open(path: &Path, name: &str) -> Result<Self, Error> {
        let bytes = std::fs::metadata(path).map_err(|source| Error::io("read", path, source))?.len();
        let limit = bytes.saturating_mul(MAX_RATIO).saturating_add(ALWAYS_ALLOWED).min(MAX_TOTAL_BYTES);
        let mut archive = Self { name: name.to_owned(), path: path.to_owned(), limit, entries: Vec::new() };
        let (mut entries, mut total) = (Vec::new(), 0u64);
        archive.visit(&|_| false, &mut |entry, _| {
            let shown = shorten(&entry.path);
            total = total.saturating_add(entry.bytes);
            let reason = if entry.is_special {
                format!("holds a link or device, {shown}")
            } else if !stays_inside(&entry.path) {
                format!("holds a path that leaves its folder, {shown}")
            } else if entries.len() == MAX_ENTRIES {
                format!("lists more than {MAX_ENTRIES} files")
            } else {
                entries.push(entry);
                return Ok(());
            };
            Err(archive.refuse(reason))
        })?;
        if total > limit {
            return Err(archive.refuse(format!("would unpack to {total} bytes; {limit} are the most for its size")));
        }
        archive.entries = entries;
        Ok(archive)
    }

    /// Unpacks each of `wanted`: a path in the archive, with the file to append it to.
    pub(crate) fn unpack(&self, wanted: &[(String, PathBuf)], progress: &dyn Progress) -> Result<Vec<Copied>, Error> {
        let mut copied: Vec<Option<Copied>> = wanted.iter().map(|_| None).collect();
        let place = |path: &str| wanted.iter().position(|(wanted, _)| wanted == path);
        self.visit(&|path| place(path).is_some(), &mut |entry, reader| {
            let Some(place) = place(&entry.path).filter(|place| copied[*place].is_none()) else { return Ok(()) };
            let target = &wanted[place].1;
            let file = OpenOptions::new().create(true).append(true).open(target);
            let mut file = file.map_err(|source| Error::io("write", target, source))?;
            progress.file(&entry.path, Some(entry.bytes));
            let contents = Contents { name: &entry.path, bytes: Some(entry.bytes), reader };
            copied[place] = Some(contents.write((target, &mut file), progress, |source| self.broken(source))?);
            Ok(())
        })?;
        let lost = |path: &str| self.refuse(format!("has lost {path}"));
        copied.into_iter().zip(wanted).map(|(copied, (path, _))| copied.ok_or_else(|| lost(path))).collect()
    }

    /// Passes all entries to `visit`, with their contents if `is_wanted`.
    fn visit(&self, is_wanted: &dyn Fn(&str) -> bool, visit: Visit<'_>) -> Result<(), Error> {
        if self.name.ends_with(".tar.gz") { self.visit_tar(visit) } else { self.visit_zip(is_wanted, visit) }
    }

    fn visit_zip(&self, is_wanted: &dyn Fn(&str) -> bool, visit: Visit<'_>) -> Result<(), Error> {
        let mut zip = ZipArchive::new(self.file()?).map_err(|source| self.broken(source))?;
        for index in 0..zip.len() {
            let name = zip.name_for_index(index).transpose().map_err(|source| self.broken(source))?;
            let path = name.unwrap_or_default().into_owned();
            let file = if is_wanted(&path) { zip.by_index(index) } else { zip.by_index_raw(index) };
            let mut file = file.map_err(|source| self.broken(source))?;
            let is_special = file.is_symlink() || file.unix_mode().is_some_and(is_special);
            if !file.is_dir() {
                visit(Entry { path, bytes: file.size(), is_special }, &mut file)?;
            }
        }
        Ok(())
    }

    fn visit_tar(&self, visit: Visit<'_>) -> Result<(), Error> {
        // A tar states no total: at most the allowed unpacked size is read, and as much again for padding.
        let mut tar = tar::Archive::new(GzDecoder::new(self.file()?).take(self.limit.saturating_mul(2)));
        for entry in tar.entries().map_err(|source| self.broken(source))? {
            let mut entry = entry.map_err(|source| self.broken(source))?;
            let kind = entry.header().entry_type();
            if !kind.is_dir() && !kind.is_pax_global_extensions() {
                let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
                visit(Entry { path, bytes: entry.size(), is_special: !kind.is_file() }, &mut entry)?;
            }
        }
        Ok(())
    }

    fn file(&self) -> Result<BufReader<File>, Error> {
        File::open(&self.path).map(BufReader::new).map_err(|source| Error::io("read", &self.path, source))
    }

    fn refuse(&self, reason: String) -> Error {
        Error::new(format!("the archive {} {reason}", self.name))
    }

    fn broken(&self, source: impl std::error::Error + Send + Sync + 'static) -> Error {
        self.refuse("cannot be unpacked".into()).with_source(source)
    }
}

/// Returns whether a path stays inside the folder on every system.
fn stays_inside(path: &str) -> bool {
    let path = path.strip_prefix("./").unwrap_or(path);
    !path.starts_with('/') && !path.contains(['\\', '\0', ':']) && path.split('/').all(|step| step != "..")
}

/// Returns whether a Unix mode is of a link, device, pipe or socket: neither file (0o100000) nor folder (0o040000).
fn is_special(mode: u32) -> bool {
    !matches!(mode & 0o170_000, 0 | 0o100_000 | 0o040_000)
}

/// Unpacks every file of an archive into numbered files of a folder; the entry point for fuzzing.
///
/// # Errors
/// If the archive is refused or broken.
#[doc(hidden)]
pub fn unpack_all(path: &Path, name: &str, folder: &Path) -> Result<usize, Error> {
    let archive = Archive::open(path, name)?;
    let numbered = archive.entries.iter().enumerate();
    let wanted: Vec<(String, PathBuf)> =
        numbered.map(|(number, entry)| (entry.path.clone(), folder.join(number.to_string()))).collect();
    Ok(archive.unpack(&wanted, &())?.len())
}
