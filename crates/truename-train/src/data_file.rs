//! Files that data came from.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use truename::KnowledgeBase;
use xxhash_rust::xxh3::Xxh3;

use crate::Error;

/// A file that data came from.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct DataFile {
    /// The path.
    pub path: PathBuf,
    /// XXH3 hash of its bytes, 128 bits in hexadecimal.
    pub hash: String,
}

impl DataFile {
    /// Returns the files that a path stands for, each with its hash. The folder of a knowledge base is one.
    ///
    /// # Errors
    /// If one cannot be read, or a folder has none.
    pub(crate) fn each(path: &Path) -> Result<Vec<Self>, Error> {
        match KnowledgeBase::is_at(path) {
            true => Ok(vec![Self::of(path)?]),
            false => files_of(path)?.into_iter().map(|file| Self::hashed(&file, &[&file])).collect(),
        }
    }

    /// Returns the files that paths stand for, in their order.
    ///
    /// # Errors
    /// As [`DataFile::each`].
    pub(crate) fn each_of(paths: &[PathBuf]) -> Result<Vec<Self>, Error> {
        let files: Vec<Vec<Self>> = paths.iter().map(|path| Self::each(path)).collect::<Result<_, _>>()?;
        Ok(files.concat())
    }

    /// Returns a path with the hash of the bytes of all its files, in the order of their names.
    ///
    /// # Errors
    /// As [`DataFile::each`].
    pub(crate) fn of(path: &Path) -> Result<Self, Error> {
        match path.join(STORE).is_file() {
            true => Self::hashed(path, &[&path.join(STORE)]),
            false => Self::hashed(path, &files_of(path)?.iter().collect::<Vec<_>>()),
        }
    }

    fn hashed(path: &Path, files: &[&PathBuf]) -> Result<Self, Error> {
        let mut hasher = Xxh3::new();
        for file in files {
            let failed = |source| Error::io("read", file, source);
            if !file.metadata().map_err(failed)?.is_file() {
                return Err(failed(io::Error::other(
                    "the data of a run are hashed and then read, so a pipe is not enough",
                )));
            }
            File::open(file).and_then(|mut bytes| io::copy(&mut bytes, &mut hasher)).map_err(failed)?;
        }
        Ok(Self { path: path.to_owned(), hash: format!("{:032x}", hasher.digest128()) })
    }
}

/// File of the folder of a knowledge base that holds its concepts.
const STORE: &str = "data.mdb";

/// Returns the files that a path stands for, with the annotations of brat beside its texts.
fn files_of(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let files = truename_read::files(path)?;
    let texts = files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "txt"));
    let annotations = texts.map(|text| text.with_extension("ann")).filter(|file| file.is_file());
    let all: BTreeSet<PathBuf> = annotations.chain(files.iter().cloned()).collect();
    match all.is_empty() {
        true => Err(Error::io("read", path, io::Error::new(io::ErrorKind::NotFound, "the folder has no file"))),
        false => Ok(all.into_iter().collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_a_pattern_and_a_store_stand_for_their_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["notes/b.txt", "notes/a.txt", "notes/a.ann", "kb/data.mdb", "kb/lock.mdb"] {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            std::fs::write(at(name), name).unwrap();
        }
        let names = |path: &str| -> Vec<String> {
            let name = |file: DataFile| file.path.strip_prefix(folder.path()).unwrap().to_string_lossy().into_owned();
            DataFile::each(&at(path)).unwrap().into_iter().map(name).collect()
        };
        assert_eq!(names("notes"), ["notes/a.ann", "notes/a.txt", "notes/b.txt"]);
        assert_eq!(names("notes/*.txt"), names("notes"), "annotations belong to their text");
        assert_eq!(names("notes/b.txt"), ["notes/b.txt"]);
        assert_eq!(names("kb"), ["kb"]);
        let of = |path: &str| DataFile::of(&at(path)).unwrap();
        assert_eq!(of("kb").hash, of("kb/data.mdb").hash);
        std::fs::write(at("whole"), "notes/a.annnotes/a.txtnotes/b.txt").unwrap();
        assert_eq!(of("notes").hash, of("whole").hash);
        std::fs::create_dir(at("empty")).unwrap();
        for path in ["empty", "none", "*.csv"] {
            assert!(DataFile::each(&at(path)).unwrap_err().to_string().starts_with("cannot read "), "{path}");
        }
    }
}
