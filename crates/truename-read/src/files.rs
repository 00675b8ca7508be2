//! Files that a path stands for.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::error::Error;

/// Returns whether a path names a pipe or stdin (`-`), which cannot be read twice and may have nothing for a while.
pub fn is_stream(path: &Path) -> bool {
    path == Path::new("-") || (path.exists() && !path.is_file())
}

/// Returns the files that a path stands for: those of a folder and of the folders in it, those that match a pattern such as
/// `notes/*.txt`, else the path itself. They are in the order of their names; hidden ones are left out unless a pattern names their dot.
/// A link that leads nowhere is among them: opening it says so.
///
/// # Errors
/// If a folder cannot be read.
///
/// ```
/// use std::path::Path;
///
/// assert_eq!(truename_read::files(Path::new("-"))?, [Path::new("-")]);
/// # Ok::<(), truename_read::Error>(())
/// ```
pub fn files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    if path.is_dir() {
        list(path, &mut Vec::new(), &mut found)?;
        return Ok(found);
    }
    for path in matching(path) {
        if path.is_dir() { list(&path, &mut Vec::new(), &mut found)? } else { found.push(path) }
    }
    if found.is_empty() {
        // No such file: opening it says so.
        found.push(path.to_owned());
    }
    Ok(found)
}

/// Returns the paths that match a pattern, unless it is the name of a file. What links lead to is named once.
fn matching(path: &Path) -> Vec<PathBuf> {
    let pattern = path.to_str().filter(|text| text.contains(['*', '?', '[']) && path.symlink_metadata().is_err());
    let found = pattern.and_then(|pattern| glob::glob(pattern).ok());
    let mut places = HashSet::new();
    let mut is_new = |path: &PathBuf| path.canonicalize().map_or(true, |place| places.insert(place));
    let is_named = |found: &PathBuf| hidden(found) <= hidden(path);
    let paths = found.map(|paths| paths.filter_map(Result::ok).filter(is_named).filter(&mut is_new).collect());
    paths.unwrap_or_else(|| vec![path.to_owned()])
}

/// Returns the number of folders and files in a path whose names begin with a dot.
fn hidden(path: &Path) -> usize {
    let is_hidden = |part: &Component<'_>| matches!(part, Component::Normal(name) if begins_with_dot(name));
    path.components().filter(is_hidden).count()
}

fn begins_with_dot(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Lists a folder within `above`, the folders that a link may lead back to.
fn list(folder: &Path, above: &mut Vec<PathBuf>, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    let failed = |source| Error::io("read", folder, source);
    let place = folder.canonicalize().map_err(failed)?;
    if above.contains(&place) {
        return Ok(());
    }
    above.push(place);
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>).map_err(failed)?;
    let mut paths: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).collect();
    paths.sort();
    for path in paths {
        let is_hidden = path.file_name().is_some_and(begins_with_dot);
        match () {
            () if is_hidden => {}
            () if path.is_dir() => list(&path, above, found)?,
            () => found.extend((path.is_file() || !path.exists()).then_some(path)),
        }
    }
    above.pop();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_and_a_pattern_stand_for_their_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.txt", "a.txt", "within/c.txt", ".hidden", ".h.txt", ".git/c.txt", "[x].txt"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path().join("within"), folder.path().join("within/up")).unwrap();
        let names = |path: PathBuf| -> Vec<String> {
            let found = files(&path).unwrap();
            let name = |path: &PathBuf| path.strip_prefix(folder.path()).unwrap().to_string_lossy().replace('\\', "/");
            found.iter().map(name).collect()
        };
        assert_eq!(names(folder.path().to_owned()), ["[x].txt", "a.txt", "b.txt", "within/c.txt"]);
        assert_eq!(names(folder.path().join("?.txt")), ["a.txt", "b.txt"]);
        assert_eq!(names(folder.path().join("**/c.txt")), ["within/c.txt"]);
        assert_eq!(names(folder.path().join("with*")), ["within/c.txt"]);
        assert_eq!(names(folder.path().join("*.txt")), ["[x].txt", "a.txt", "b.txt"]);
        assert_eq!(names(folder.path().join(".*.txt")), [".h.txt"]);
        assert_eq!(names(folder.path().join("[x].txt")), ["[x].txt"]);
        assert_eq!(names(folder.path().join("*.csv")), ["*.csv"]);
    }
    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_is_a_file_of_its_folder_too() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("gone.txt");
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        assert_eq!(files(folder.path()).unwrap(), std::slice::from_ref(&link));
        assert_eq!(files(&folder.path().join("*.txt")).unwrap(), [link]);
    }
}
