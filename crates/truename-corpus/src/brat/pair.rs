//! The two files of a brat document, each found by the other.

use std::path::{Path, PathBuf};

use truename_read::without_packing;

/// Returns the `.txt` and the `.ann` file of a document, given either.
pub(super) fn pair(path: &Path) -> (PathBuf, PathBuf) {
    let plain = without_packing(path);
    let is_annotations = plain.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ann"));
    if is_annotations {
        (plain.with_extension("txt"), path.to_owned())
    } else {
        (path.to_owned(), plain.with_extension("ann"))
    }
}

/// Returns true if a `.ann` file lies beside a `.txt` file.
pub(crate) fn has_annotations(path: &Path) -> bool {
    pair(path).1.is_file()
}

/// Returns the `.txt` file of a `.ann` file; any other file itself.
pub(crate) fn text_of(path: &Path) -> PathBuf {
    pair(path).0
}
