//! Lines of word lists and vocabularies.

use std::path::Path;

use truename_read::{Source, without_packing};

use crate::Error;

/// Passes each line with its number, from 1, to `visit`, without its end. Blank lines are passed over.
///
/// # Errors
/// If the file cannot be read, or a line is not UTF-8 or too long.
pub(super) fn for_each_line(
    source: Source,
    mut visit: impl FnMut(u64, &str) -> Result<(), Error>,
) -> Result<(), Error> {
    let (path, mut lines) = (source.path().to_owned(), source.into_lines());
    while let Some(line) = lines.read_filled()? {
        visit(line.number, line.text().map_err(|fault| fault.at(&path, line.number))?)?;
    }
    Ok(())
}

/// Returns the name of a file without the extension of a compressor, in lower case.
pub(super) fn plain_name(path: &Path) -> String {
    without_packing(path).file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default()
}
