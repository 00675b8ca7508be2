//! The files of a folder that are read.

use std::path::{Path, PathBuf};

use truename_error::{HintPart, hint};

use super::format::Format;
use super::options::ImportOptions;
use super::rrf;
use super::{Input, open};
use crate::{Error, error};

/// Number of files that are listed as left out.
const LISTED_FILES: usize = 5;

/// Opens those files of a folder or pattern whose format is known. Where one is of a published vocabulary of several files, the
/// others are left out, and so are the versions of SNOMED CT beside the snapshot. The first has a note about those left out.
pub(super) fn choose(folder: &Path, files: Vec<PathBuf>, options: &ImportOptions) -> Result<Vec<Input>, Error> {
    if folder.join("data.mdb").is_file() {
        let export = HintPart::action("kb export").with("kb", folder.display());
        return Err(error::syntax(folder, None, "a knowledge base, not a folder of files")
            .with_hint(hint!["write its concepts to a file: ", export]));
    }
    let (mut opened, mut left_out) = (Vec::new(), Vec::new());
    for path in files {
        match open(&path, options) {
            Ok(file) => opened.push(file),
            Err(_) => left_out.push(path),
        }
    }
    if options.format.is_none() {
        let is_release = |file: &Input| file.format.is_published_table() || file.format == Format::Rrf;
        let has_release = opened.iter().any(is_release);
        let has_snapshot = opened.iter().any(is_snapshot);
        opened.retain(|file| {
            let is_read = match file.format {
                Format::Rrf => rrf::is_read(&file.path),
                Format::Rf2 => is_snapshot(file) || !has_snapshot,
                _ => is_release(file) || !has_release,
            };
            left_out.extend((!is_read).then(|| file.path.clone()));
            is_read
        });
    }
    let first = opened.first_mut().ok_or_else(|| {
        let error = error::syntax(folder, None, "a folder without a file of a known format");
        error.with_hint(format!("name the files one by one, with their format: {}", Format::names()))
    })?;
    first.note = note(folder, left_out);
    Ok(opened)
}

fn is_snapshot(file: &Input) -> bool {
    file.format == Format::Rf2 && file.path.file_name().is_some_and(|name| name.to_string_lossy().contains("Snapshot"))
}

fn note(folder: &Path, mut left_out: Vec<PathBuf>) -> Option<String> {
    left_out.sort();
    let names =
        left_out.iter().take(LISTED_FILES).map(|path| path.strip_prefix(folder).unwrap_or(path).display().to_string());
    let names = names.collect::<Vec<_>>().join(", ");
    let more = if left_out.len() > LISTED_FILES { " and others" } else { "" };
    (!left_out.is_empty()).then(|| format!("files of the folder that are not read: {} ({names}{more})", left_out.len()))
}
