//! Removal of files below an open folder, never through a link.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path};

use crate::regular::{LINK, irregular};

/// An open folder. What is removed in it is looked up from there, and never through a link.
pub struct Folder(imp::Handle);

impl Folder {
    /// Opens a folder; the path to it may be a link.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        imp::open(path).map(Self)
    }

    /// Removes a file below the folder, and then every folder on the way to it that is empty.
    ///
    /// # Errors
    /// [`is_irregular`](crate::is_irregular) if a folder on the way is a link; or if the path leads upwards, or the file
    /// cannot be removed.
    pub fn remove(&self, file: &Path) -> io::Result<()> {
        let mut parts = file.components();
        let Some(Component::Normal(name)) = parts.next() else { return Err(io::ErrorKind::InvalidInput.into()) };
        if parts.as_path().as_os_str().is_empty() {
            return imp::remove_file(&self.0, name);
        }
        Self(imp::open_in(&self.0, name)?).remove(parts.as_path())?;
        // Fails where something else lies in it.
        let _ = imp::remove_folder(&self.0, name);
        Ok(())
    }
}

#[cfg(unix)]
mod imp {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, unlinkat};
    use rustix::io::Errno;

    use super::*;

    pub(super) type Handle = rustix::fd::OwnedFd;
    const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

    pub(super) fn open(path: &Path) -> io::Result<Handle> {
        Ok(openat(CWD, path, FOLDER, Mode::empty())?)
    }

    pub(super) fn open_in(folder: &Handle, name: &OsStr) -> io::Result<Handle> {
        openat(folder, name, FOLDER | OFlags::NOFOLLOW, Mode::empty()).map_err(|error| match error {
            Errno::LOOP | Errno::NOTDIR => irregular(LINK),
            error => error.into(),
        })
    }

    pub(super) fn remove_file(folder: &Handle, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(folder, name, AtFlags::empty())?)
    }

    pub(super) fn remove_folder(folder: &Handle, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(folder, name, AtFlags::REMOVEDIR)?)
    }
}

#[cfg(not(unix))]
mod imp {
    use super::*;

    pub(super) type Handle = std::path::PathBuf;

    pub(super) fn open(path: &Path) -> io::Result<Handle> {
        Ok(path.to_owned())
    }

    pub(super) fn open_in(folder: &Handle, name: &OsStr) -> io::Result<Handle> {
        let path = folder.join(name);
        let is_folder = std::fs::symlink_metadata(&path)?.is_dir();
        if is_folder { Ok(path) } else { Err(irregular(LINK)) }
    }

    pub(super) fn remove_file(folder: &Handle, name: &OsStr) -> io::Result<()> {
        std::fs::remove_file(folder.join(name))
    }

    pub(super) fn remove_folder(folder: &Handle, name: &OsStr) -> io::Result<()> {
        std::fs::remove_dir(folder.join(name))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_goes_with_its_empty_folders_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for file in ["models/a/folds/0/weights", "models/b/weights", "victim/weights"] {
            fs::create_dir_all(at(file).parent().unwrap()).unwrap();
            fs::write(at(file), "").unwrap();
        }
        std::os::unix::fs::symlink("../victim", at("models/link")).unwrap();
        let folder = Folder::open(root.path()).unwrap();
        folder.remove(Path::new("models/a/folds/0/weights")).unwrap();
        assert!(!at("models/a").exists() && at("models/b/weights").exists());
        assert!(crate::is_irregular(&folder.remove(Path::new("models/link/weights")).unwrap_err()));
        assert!(folder.remove(Path::new("models/../victim/weights")).is_err());
        assert!(folder.remove(&at("victim/weights")).is_err());
        assert!(at("victim/weights").exists());
        fs::remove_file(at("models/link")).unwrap();
        folder.remove(Path::new("models/b/weights")).unwrap();
        assert!(!at("models").exists());
    }
}
