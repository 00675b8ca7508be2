//! Zips split into numbered parts, one a package.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use zip::ZipArchive;

/// Returns the number in the path of a part, such as `pkg/all-mpnet-base-v2.zip.001`.
pub(crate) fn part_number(path: &str) -> Option<u32> {
    let (_, number) = path.rsplit_once(".zip.")?;
    number.parse().ok().filter(|_| number.len() >= 2 && number.bytes().all(|byte| byte.is_ascii_digit()))
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
        assert_eq!(part_number("pkg/input/m.zip.012"), Some(12));
        for path in ["m.zip", "m.zip.x", "m.tar.001", "m.zip.1", "001", "m.zip.0a", "m.zip.01/x"] {
            assert_eq!(part_number(path), None, "{path}");
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
