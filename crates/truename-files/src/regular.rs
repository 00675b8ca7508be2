//! Files opened only where a regular file stands: no link, pipe, device or folder is followed or waited for.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Advice about an error that [`is_irregular`].
pub const IRREGULAR_HINT: &str = "nothing in the folder of a knowledge base may lead elsewhere: remove it, or put a copy of what it leads to in its place";

/// Error of a link, pipe, socket, device or folder in the place of a file.
#[derive(Debug)]
struct Irregular(&'static str);

impl std::fmt::Display for Irregular {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "it is {}", self.0)
    }
}

impl std::error::Error for Irregular {}

/// Opens a regular file. Never follows a link in its place, nor waits for the other end of a pipe.
///
/// # Errors
/// [`is_irregular`] if something else is there; otherwise as [`OpenOptions::open`].
pub fn open_regular(path: &Path, options: &OpenOptions) -> io::Result<File> {
    regular_metadata(path)?;
    let mut options = options.clone();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Between the look above and here something else may have taken the place.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    require_regular(&file.metadata()?)?;
    Ok(file)
}

/// Returns the metadata of a regular file; `None` where nothing is there.
///
/// # Errors
/// [`is_irregular`] if something else is there.
pub fn regular_metadata(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(found) => require_regular(&found).map(|()| Some(found)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns true for the error of a link, pipe, socket, device or folder in the place of a file.
pub fn is_irregular(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|cause| cause.is::<Irregular>())
}

/// Returns true if the file has another name (hard link): what is written to it appears there too.
pub fn has_other_names(file: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::nlink(file) > 1;
    #[cfg(not(unix))]
    return false;
}

/// Checks that a folder, on its way from `root` and with all that lies in it, consists of folders and regular files.
///
/// # Errors
/// The path of what is something else, with the error ([`is_irregular`]), or of what cannot be read.
pub fn check_regular(root: &Path, folder: &Path) -> Result<(), (PathBuf, io::Error)> {
    let way: Vec<&Path> = folder.ancestors().take_while(|part| *part != root).collect();
    for part in way.into_iter().rev() {
        let found = fs::symlink_metadata(part).and_then(|found| require_folder(&found));
        found.map_err(|error| (part.to_owned(), error))?;
    }
    check_entries(folder)
}

fn check_entries(folder: &Path) -> Result<(), (PathBuf, io::Error)> {
    for entry in fs::read_dir(folder).map_err(|error| (folder.to_owned(), error))? {
        let path = entry.map_err(|error| (folder.to_owned(), error))?.path();
        let found = fs::symlink_metadata(&path).map_err(|error| (path.clone(), error))?;
        if found.is_dir() {
            check_entries(&path)?;
        } else {
            require_regular(&found).map_err(|error| (path, error))?;
        }
    }
    Ok(())
}

fn require_regular(found: &Metadata) -> io::Result<()> {
    if found.is_file() { Ok(()) } else { Err(irregular(kind_of(found))) }
}

fn require_folder(found: &Metadata) -> io::Result<()> {
    if found.is_dir() { Ok(()) } else { Err(irregular(kind_of(found))) }
}

/// A link in the words of an error.
pub(crate) const LINK: &str = "a symbolic link";

fn kind_of(found: &Metadata) -> &'static str {
    match found.file_type() {
        kind if kind.is_symlink() => LINK,
        kind if kind.is_dir() => "a folder",
        kind if kind.is_file() => "a file",
        _ => "a pipe, socket or device",
    }
}

pub(crate) fn irregular(what: &'static str) -> io::Error {
    io::Error::other(Irregular(what))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_a_regular_file_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "kept").unwrap();
        fs::create_dir(at("folder")).unwrap();
        symlink("file", at("link")).unwrap();
        symlink("missing", at("dangling")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RUSR).unwrap();
        let options = [File::options().read(true).clone(), File::options().append(true).create(true).clone()];
        for options in &options {
            assert!(open_regular(&at("file"), options).is_ok());
            for name in ["folder", "link", "dangling", "pipe"] {
                assert!(is_irregular(&open_regular(&at(name), options).unwrap_err()), "{name}");
            }
            assert!(is_irregular(&open_regular(Path::new("/dev/null"), options).unwrap_err()));
        }
        assert!(!at("missing").exists() && regular_metadata(&at("missing")).unwrap().is_none());
        fs::hard_link(at("file"), at("other")).unwrap();
        assert!(has_other_names(&regular_metadata(&at("file")).unwrap().unwrap()));
    }

    #[test]
    fn the_first_link_below_a_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("models/a/b")).unwrap();
        fs::write(at("models/a/b/file"), "").unwrap();
        assert!(check_regular(folder.path(), &at("models/a")).is_ok());
        symlink("file", at("models/a/b/link")).unwrap();
        symlink("models", at("other")).unwrap();
        for (checked, named) in [("models/a", "models/a/b/link"), ("other/a", "other")] {
            let (path, error) = check_regular(folder.path(), &at(checked)).unwrap_err();
            assert!(path == at(named) && is_irregular(&error), "{}", path.display());
        }
    }
}
