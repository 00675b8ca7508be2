//! Unfinished files and folders: they replace their target in one step, or are removed.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Paths of all unfinished files and folders of this process.
static PARTIALS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// Number of paths made by [`Partial::beside`].
static BESIDE: AtomicU64 = AtomicU64::new(0);

/// An unfinished file or folder, removed on drop unless it replaced its target.
#[derive(Debug)]
pub struct Partial(PathBuf);

/// Ends the names that [`Partial::beside`] gives.
const SUFFIX: &str = ".partial";

impl Partial {
    /// Takes charge of a path, which need not exist yet. No other process may write to the same path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        locked().insert(path.clone());
        Self(path)
    }

    /// Creates an empty file and takes charge of it. A file in its place is removed, and so is a link, which is not followed.
    ///
    /// # Errors
    /// If a folder is in its place, or it cannot be created.
    pub fn create(path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        File::create_new(&path)?;
        Ok(Self::new(path))
    }

    /// Takes charge of a hidden path beside `target` that no other process uses. Removes the remains of a killed
    /// process there.
    ///
    /// # Errors
    /// If the remains cannot be removed.
    pub fn beside(target: &Path) -> io::Result<Self> {
        let number = BESIDE.fetch_add(1, Ordering::Relaxed);
        // A folder without a name, such as `..`, gets the path inside.
        let name = target.file_name().unwrap_or_default();
        let own = format!(".{}.{}-{number}{SUFFIX}", name.to_string_lossy(), std::process::id());
        let path = target.with_file_name(own);
        remove(&path)?;
        Ok(Self::new(path))
    }

    /// Returns the path to write to.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Replaces `target` in one step. A file is first synchronised to disk; a folder is renamed as it is, and only if
    /// there is none or an empty one.
    ///
    /// # Errors
    /// If the disk is full or fails, or the target cannot be replaced; the target then stays as it was.
    pub fn replace(self, target: &Path) -> io::Result<()> {
        if self.0.is_file() {
            File::options().write(true).open(&self.0)?.sync_all()?;
        }
        fs::rename(&self.0, target)?;
        // Best effort: some file systems cannot synchronise a folder.
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let _ = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Fails after a rename, when nothing is left to remove.
        let _ = remove(&self.0);
        locked().remove(&self.0);
    }
}

/// Copies the contents of a file to a new one, which has the permissions of a new file and not those of the first.
///
/// # Errors
/// If a file cannot be read or written.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut copy = File::create(to)?;
    io::copy(&mut File::open(from)?, &mut copy)?;
    copy.sync_all()
}

/// Replaces the content of a file in one step, by way of a file beside it with the suffix `.new`. No other process may write to the
/// same path.
///
/// # Errors
/// If the disk is full or fails; the file then stays as it was.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let partial = Partial::create(beside)?;
    fs::write(partial.path(), bytes)?;
    partial.replace(path)
}

/// Removes what killed processes left in a folder beside targets that [`Partial::beside`] was given; `is_dead` is told the name of a
/// target. The caller keeps all others from writing to these.
///
/// # Errors
/// If the folder cannot be read, or something cannot be removed.
pub fn remove_remains(folder: &Path, is_dead: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let hidden = name.to_str().and_then(|name| name.strip_prefix('.')?.strip_suffix(SUFFIX)?.rsplit_once('.'));
        if hidden.is_some_and(|(target, _)| is_dead(target)) {
            remove(&folder.join(name))?;
        }
    }
    Ok(())
}

/// Removes all unfinished files and folders of this process before it ends, while other threads may still write to them.
pub fn remove_partials() {
    for path in &*locked() {
        let _ = remove_while_written(path);
    }
}

/// Removes a file or folder to which other threads still write: a folder goes first to a name that they do not know, so that they
/// cannot add to it.
fn remove_while_written(path: &Path) -> io::Result<()> {
    let mut unknown = path.as_os_str().to_owned();
    unknown.push(SUFFIX);
    let unknown = Path::new(&unknown);
    match fs::rename(path, unknown) {
        // A file whose creation had begun may arrive during the first removal.
        Ok(()) => remove(unknown).or_else(|_| remove(unknown)),
        Err(_) => remove(path),
    }
}

fn remove(path: &Path) -> io::Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

fn locked() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PARTIALS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        fs::read_dir(folder).unwrap().map(name).collect()
    }

    #[test]
    fn a_file_is_replaced_whole_or_stays() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("answers.csv");
        fs::write(&target, "before").unwrap();
        let dropped = Partial::beside(&target).unwrap();
        fs::write(dropped.path(), "half").unwrap();
        drop(dropped);
        assert_eq!((fs::read_to_string(&target).unwrap(), names(folder.path()).len()), ("before".into(), 1));
        let finished = Partial::beside(&target).unwrap();
        fs::write(finished.path(), "after").unwrap();
        finished.replace(&target).unwrap();
        assert_eq!((fs::read_to_string(&target).unwrap(), names(folder.path()).len()), ("after".into(), 1));
    }

    #[test]
    fn a_file_stays_as_it_was_where_the_new_one_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("config.json");
        write(&target, "before").unwrap();
        // A folder in the way of the new file, which is somebody else's.
        let in_the_way = folder.path().join("config.json.new");
        fs::create_dir(&in_the_way).unwrap();
        assert!(write(&target, "after").is_err());
        assert_eq!(fs::read_to_string(&target).unwrap(), "before");
        fs::remove_dir(&in_the_way).unwrap();
        write(&target, "after").unwrap();
        assert_eq!((fs::read_to_string(&target).unwrap(), names(folder.path()).len()), ("after".into(), 1));
    }

    #[test]
    fn a_folder_takes_the_place_of_none_and_of_no_full_one() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("model");
        for is_first in [true, false] {
            let partial = Partial::beside(&target).unwrap();
            fs::create_dir(partial.path()).unwrap();
            fs::write(partial.path().join("weights"), [u8::from(is_first)]).unwrap();
            assert_eq!(partial.replace(&target).is_ok(), is_first);
        }
        assert_eq!(fs::read(target.join("weights")).unwrap(), [1]);
        assert_eq!(names(folder.path()), ["model"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_partial_is_not_followed_and_a_folder_stays() {
        let folder = tempfile::tempdir().unwrap();
        let [diary, path, mine] = ["diary", "sums.partial", "mine"].map(|name| folder.path().join(name));
        fs::write(&diary, "dear").unwrap();
        std::os::unix::fs::symlink(&diary, &path).unwrap();
        let partial = Partial::create(&path).unwrap();
        assert!(fs::read_to_string(&diary).unwrap() == "dear" && partial.path().symlink_metadata().unwrap().is_file());
        fs::create_dir(&mine).unwrap();
        assert!(Partial::create(&mine).is_err() && mine.is_dir());
    }

    #[test]
    fn what_killed_processes_left_beside_a_target_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".kb.1-0.partial")).unwrap();
        for name in [".kb.2-0.partial", ".kb", ".kb.tar.2-0.partial", ".kbs.2-0.partial", "kb.partial"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        remove_remains(folder.path(), |target| target == "kb").unwrap();
        let mut left = names(folder.path());
        left.sort();
        assert_eq!(left, [".kb", ".kb.tar.2-0.partial", ".kbs.2-0.partial", "kb.partial"]);
    }

    #[test]
    fn a_folder_is_removed_while_a_thread_writes_to_it() {
        let outer = tempfile::tempdir().unwrap();
        for round in 0..20 {
            let folder = outer.path().join(format!("{round}.partial"));
            fs::create_dir(&folder).unwrap();
            let writer = std::thread::spawn({
                let folder = folder.clone();
                move || (0_u32..).take_while(|number| fs::write(folder.join(number.to_string()), "").is_ok()).count()
            });
            while fs::read_dir(&folder).unwrap().count() < 10 {}
            remove_while_written(&folder).unwrap();
            assert!(writer.join().unwrap() >= 10);
            assert_eq!(names(outer.path()), [""; 0]);
        }
    }

    #[test]
    fn a_target_stays_where_nothing_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("answers.csv");
        fs::write(&target, "before").unwrap();
        assert!(Partial::beside(&target).unwrap().replace(&target).is_err());
        assert_eq!(fs::read_to_string(&target).unwrap(), "before");
    }
}
