//! A file that lines are appended to, each on the disk before it is acknowledged.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use truename_files::{Partial, has_other_names, open_regular};

use crate::{Error, error};

/// Lines of text below a head. What was appended stays, whatever happens to the process.
pub(crate) struct LineFile {
    path: PathBuf,
    head: String,
    file: Mutex<Option<File>>,
}

impl LineFile {
    /// Opens a file. It is made by the first line, below the head. A last line without its end, of a process that was stopped while it
    /// wrote, is cut off by the next line.
    pub fn new(path: &Path, head: String) -> Self {
        Self { path: path.to_owned(), head, file: Mutex::new(None) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether there is a file, and cuts off its last line if that has no end.
    ///
    /// # Errors
    /// As [`LineFile::append`].
    pub fn is_there(&self) -> Result<bool, Error> {
        match fs::symlink_metadata(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            _ => self.opened(&mut self.locked()).map(|_| true),
        }
    }

    /// Appends whole lines, and returns once they are on the disk.
    ///
    /// # Errors
    /// If the file cannot be written, is a link, or has another name (hard link), under which the lines would appear too.
    pub fn append(&self, lines: &[u8]) -> Result<(), Error> {
        let mut kept = self.locked();
        let file = self.opened(&mut kept)?;
        // The file is opened anew after a failure, so that what it wrote in part is cut off.
        let written = (&file).write_all(lines).and_then(|()| file.sync_data());
        written.map_err(|source| self.failed(source))?;
        *kept = Some(file);
        Ok(())
    }

    /// Removes some lines below the head and appends others, in one step, and returns once the file is on the disk.
    ///
    /// # Errors
    /// As [`LineFile::append`]; the file then stays as it was.
    pub fn replace(&self, is_removed: impl Fn(&str) -> bool, lines: &str) -> Result<(), Error> {
        let mut kept = self.locked();
        self.opened(&mut kept)?;
        let replaced = fs::read_to_string(&self.path).and_then(|text| {
            let stay: String = text.split_inclusive('\n').filter(|line| !is_removed(line)).collect();
            let partial = Partial::beside(&self.path)?;
            fs::write(partial.path(), stay + lines)?;
            partial.replace(&self.path)
        });
        replaced.map_err(|source| self.failed(source))
    }

    /// Returns the whole lines of the file; the head if there is no file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn text(&self) -> Result<String, Error> {
        let mut text = String::new();
        let read =
            open_regular(&self.path, File::options().read(true)).and_then(|mut file| file.read_to_string(&mut text));
        match read {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(self.head.clone()),
            read => read.map_err(|source| error::io("read", &self.path, source))?,
        };
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        Ok(text)
    }

    fn locked(&self) -> MutexGuard<'_, Option<File>> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the open file if it is still that at the path, else opens that one.
    fn opened(&self, kept: &mut Option<File>) -> Result<File, Error> {
        match kept.take().filter(|file| is_at(file, &self.path)) {
            Some(file) => Ok(file),
            None => open(&self.path, self.head.as_bytes()).map_err(|source| self.failed(source)),
        }
    }

    fn failed(&self, source: std::io::Error) -> Error {
        error::io("write", &self.path, source)
    }
}

/// Returns whether an open file is still that at a path, and was not moved, removed or given another name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of = |metadata: std::io::Result<std::fs::Metadata>| metadata.map(|found| (found.dev(), found.ino())).ok();
    let at = std::fs::symlink_metadata(path);
    !at.as_ref().is_ok_and(has_other_names) && of(file.metadata()).is_some_and(|open| of(at) == Some(open))
}

/// Elsewhere an open file cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Opens a file to append to, behind its head and its last whole line.
fn open(path: &Path, head: &[u8]) -> std::io::Result<File> {
    let is_new = !path.exists();
    if let (true, Some(folder)) = (is_new, path.parent()) {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = open_regular(path, File::options().read(true).append(true).create(true))?;
    if has_other_names(&file.metadata()?) {
        return Err(std::io::Error::other("it has another name (hard link); put a copy in its place"));
    }
    let whole = whole_lines(&mut file)?;
    if begins(&mut file, head)? {
        file.set_len(0)?;
        file.write_all(head)?;
    } else if whole < file.metadata()?.len() {
        file.set_len(whole)?;
        file.sync_data()?;
    }
    if let (true, Some(folder)) = (is_new, path.parent()) {
        // The entry of the file in its folder is to survive too.
        File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?.sync_all()?;
    }
    Ok(file)
}

/// Returns the number of bytes up to the end of the last whole line.
fn whole_lines(file: &mut File) -> std::io::Result<u64> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::new(file);
    let (mut whole, mut line) = (0, Vec::new());
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            return Ok(whole);
        }
        whole += read as u64;
    }
}

/// Returns true if a file is a part of the head, or empty: a process that was stopped while it wrote the head wrote no line.
fn begins(file: &mut File, head: &[u8]) -> std::io::Result<bool> {
    file.seek(SeekFrom::Start(0))?;
    let mut begun = Vec::new();
    file.take(head.len() as u64).read_to_end(&mut begun)?;
    Ok(begun.len() < head.len() && head.starts_with(&begun))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_begun_by_its_head_and_keeps_its_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/lines");
        let lines = || LineFile::new(&path, "first\nhead\n".to_owned());
        assert!(!lines().is_there().unwrap() && lines().text().unwrap() == "first\nhead\n");
        lines().append(b"a\n").unwrap();
        for cut in ["", "fir", "first\n", "first\nhea"] {
            fs::write(&path, cut).unwrap();
            lines().append(b"a\nb\n").unwrap();
            assert_eq!(lines().text().unwrap(), "first\nhead\na\nb\n");
        }
        let open = lines();
        open.append(b"c\n").unwrap();
        open.replace(|line| line == "b\n", "d\n").unwrap();
        open.append(b"e\n").unwrap();
        assert_eq!(open.text().unwrap(), "first\nhead\na\nc\nd\ne\n");
        // Another head, of a file that was begun earlier, stays.
        fs::write(&path, "old\na\nb").unwrap();
        lines().append(b"c\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old\na\nc\n");
    }
}
