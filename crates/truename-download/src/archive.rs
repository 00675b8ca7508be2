use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use zip::ZipArchive;

use crate::copy::{Copied, Failure, copy};
use crate::{Error, Progress};

/// The most that one archive may unpack to, in bytes; the largest encoders are below 8 GB.
const LARGEST_TOTAL: u64 = 64 << 30;
/// How many times its own size an archive may unpack to. Weights shrink to no less than a half,
/// text to a tenth; a zip bomb of one layer reaches 1032.
const LARGEST_RATIO: u64 = 100;
/// What any archive may unpack to, however small it is.
const ALWAYS_ALLOWED: u64 = 1 << 20;
/// The most files an archive may list.
const MOST_ENTRIES: usize = 100_000;

/// A package's file: a zip (wheels are zips) or a tar compressed by gzip.
///
/// Opening it reads the list of its files and refuses what no package needs: paths that leave the
/// folder, links, devices, and totals that only a bomb states.
pub(crate) struct Archive {
    /// For messages.
    name: String,
    path: PathBuf,
    form: Form,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Zip,
    TarGz,
}

/// One file in an archive.
pub(crate) struct Entry {
    pub(crate) path: String,
    /// As the archive states it; unpacking holds it to this.
    pub(crate) bytes: u64,
}

impl Archive {
    pub(crate) fn open(path: &Path, name: &str) -> Result<Self, Error> {
        let form = if name.ends_with(".tar.gz") { Form::TarGz } else { Form::Zip };
        let mut archive = Self { name: name.to_owned(), path: path.to_owned(), form, entries: Vec::new() };
        match form {
            Form::Zip => archive.list_zip()?,
            Form::TarGz => archive.list_tar()?,
        }
        archive.check_total()?;
        Ok(archive)
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn list_zip(&mut self) -> Result<(), Error> {
        let mut zip = self.zip()?;
        if zip.len() > MOST_ENTRIES {
            return Err(self.refuse(format!("lists {} files; {MOST_ENTRIES} are the most", zip.len())));
        }
        for index in 0..zip.len() {
            let file = zip.by_index_raw(index).map_err(|source| self.broken(source))?;
            let path = file.name().map_err(|source| self.broken(source))?.into_owned();
            let is_special = file.is_symlink() || file.unix_mode().is_some_and(is_special);
            let (bytes, is_folder) = (file.size(), file.is_dir());
            self.add(path, bytes, is_folder, is_special)?;
        }
        Ok(())
    }

    fn list_tar(&mut self) -> Result<(), Error> {
        let mut tar = self.tar()?;
        for entry in tar.entries().map_err(|source| self.broken(source))? {
            let entry = entry.map_err(|source| self.broken(source))?;
            let kind = entry.header().entry_type();
            if kind.is_pax_global_extensions() {
                continue;
            }
            let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let is_special = !kind.is_file() && !kind.is_dir();
            self.add(path, entry.size(), kind.is_dir(), is_special)?;
            if self.entries.len() > MOST_ENTRIES {
                return Err(self.refuse(format!("lists more than {MOST_ENTRIES} files")));
            }
        }
        Ok(())
    }

    fn add(&mut self, path: String, bytes: u64, is_folder: bool, is_special: bool) -> Result<(), Error> {
        if is_special {
            return Err(self.refuse(format!("holds a link or device, {}", crate::error::shorten(&path))));
        }
        if !stays_inside(&path) {
            return Err(self.refuse(format!("holds a path that leaves its folder, {}", crate::error::shorten(&path))));
        }
        if !is_folder {
            self.entries.push(Entry { path, bytes });
        }
        Ok(())
    }

    fn check_total(&self) -> Result<(), Error> {
        let total = self.entries.iter().fold(0u64, |total, entry| total.saturating_add(entry.bytes));
        let limit = self.limit()?;
        if total > limit {
            return Err(self.refuse(format!("would unpack to {total} bytes; {limit} are the most for its size")));
        }
        Ok(())
    }

    fn limit(&self) -> Result<u64, Error> {
        let size = std::fs::metadata(&self.path).map_err(|source| Error::io("read", &self.path, source))?.len();
        Ok(size.saturating_mul(LARGEST_RATIO).saturating_add(ALWAYS_ALLOWED).min(LARGEST_TOTAL))
    }

    /// Hands each of `wanted` (paths in the archive) to `unpack`, with its place in the list.
    pub(crate) fn unpack(
        &self,
        wanted: &[String],
        mut unpack: impl FnMut(usize, &Entry, &mut dyn Read) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut found = vec![false; wanted.len()];
        let mut visit = |path: &str, bytes: u64, reader: &mut dyn Read| {
            let place = wanted.iter().position(|wanted| wanted == path);
            match place.filter(|place| !std::mem::replace(&mut found[*place], true)) {
                Some(place) => unpack(place, &Entry { path: path.to_owned(), bytes }, reader),
                None => Ok(()),
            }
        };
        match self.form {
            Form::Zip => self.unpack_zip(wanted, &mut visit)?,
            Form::TarGz => self.unpack_tar(&mut visit)?,
        }
        match found.iter().position(|found| !found) {
            Some(place) => Err(self.refuse(format!("has lost {}", wanted[place]))),
            None => Ok(()),
        }
    }

    fn unpack_zip(&self, wanted: &[String], visit: Visit<'_>) -> Result<(), Error> {
        let mut zip = self.zip()?;
        for path in wanted {
            let mut file = zip.by_name(path).map_err(|source| self.broken(source))?;
            let bytes = file.size();
            visit(path, bytes, &mut file)?;
        }
        Ok(())
    }

    fn unpack_tar(&self, visit: Visit<'_>) -> Result<(), Error> {
        let mut tar = self.tar()?;
        for entry in tar.entries().map_err(|source| self.broken(source))? {
            let mut entry = entry.map_err(|source| self.broken(source))?;
            let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let bytes = entry.size();
            visit(&path, bytes, &mut entry)?;
        }
        Ok(())
    }

    /// Writes an entry, which must have the bytes it states.
    pub(crate) fn write(
        &self,
        entry: &Entry,
        reader: &mut dyn Read,
        (target, file): (&Path, &mut File),
        progress: &dyn Progress,
    ) -> Result<Copied, Error> {
        progress.file(&entry.path, Some(entry.bytes));
        let copied = copy(reader, file, entry.bytes, progress).map_err(|failure| match failure {
            Failure::Read(source) => self.broken(source),
            Failure::Write(source) => Error::io("write", target, source),
            Failure::TooLong => Error::differs(&entry.path, "size", format!("{} bytes", entry.bytes), "more"),
            Failure::Stopped => Error::interrupted(),
        })?;
        if copied.bytes != entry.bytes {
            return Err(Error::differs(&entry.path, "size", format!("{} bytes", entry.bytes), copied.bytes));
        }
        Ok(copied)
    }

    fn zip(&self) -> Result<ZipArchive<BufReader<File>>, Error> {
        ZipArchive::new(BufReader::new(self.file()?)).map_err(|source| self.broken(source))
    }

    /// Reads no more than an archive of this size may unpack to: a tar states no total.
    fn tar(&self) -> Result<tar::Archive<impl Read + use<>>, Error> {
        // A tar pads its files; what it adds is covered by what is always allowed.
        let limit = self.limit()?.saturating_mul(2);
        Ok(tar::Archive::new(GzDecoder::new(BufReader::new(self.file()?)).take(limit)))
    }

    fn file(&self) -> Result<File, Error> {
        File::open(&self.path).map_err(|source| Error::io("read", &self.path, source))
    }

    fn refuse(&self, reason: String) -> Error {
        Error::archive(&self.name, reason)
    }

    fn broken(&self, source: impl std::error::Error + Send + Sync + 'static) -> Error {
        Error::broken_archive(&self.name, source)
    }
}

/// Takes an entry's path, its stated bytes and what reads it.
type Visit<'a> = &'a mut dyn FnMut(&str, u64, &mut dyn Read) -> Result<(), Error>;

/// Whether a path leads down only, on every system.
fn stays_inside(path: &str) -> bool {
    let path = path.strip_prefix("./").unwrap_or(path);
    !path.starts_with('/') && !path.contains(['\\', '\0', ':']) && path.split('/').all(|step| step != "..")
}

/// Whether a Unix mode says link, device, pipe or socket: neither file (0o100000) nor folder (0o040000).
fn is_special(mode: u32) -> bool {
    !matches!(mode & 0o170_000, 0 | 0o100_000 | 0o040_000)
}
