//! Plans of batches: what is matched, with which options, in which parts.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use truename_error::{counted, grouped};
use truename_read::{quoted, row_groups};

use crate::arguments::InputFormat;

/// Plan of a batch, kept as `batch.json` in its folder. All but the parts is compared with that of a later run.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of Truename.
    pub version: String,
    /// Fingerprint of the knowledge base.
    pub knowledge_base: String,
    /// Hash of the encoder; `None` where names are compared by letters alone.
    pub encoder: Option<String>,
    /// Options of `match` that were given, with their values, but for those of knowledge base and encoder.
    pub options: BTreeMap<String, Vec<String>>,
    /// Most rows of a part of a Parquet table.
    pub rows: u64,
    /// Files that are matched, and those that options name.
    pub inputs: Vec<Input>,
    pub parts: Vec<Part>,
}

/// A file that answers depend on.
#[derive(Serialize, Deserialize)]
pub struct Input {
    path: PathBuf,
    bytes: u64,
    modified: SystemTime,
}

/// A part of the inputs, and the file that its answers are written to.
#[derive(Clone, Serialize, Deserialize)]
pub struct Part {
    /// Name of the file in the folder of the batch.
    pub file: String,
    pub input: PathBuf,
    /// Rows of the input; all of them where this is `None`.
    pub rows: Option<Range<u64>>,
}

impl Input {
    pub fn of(path: &Path) -> anyhow::Result<Self> {
        let read = || path.metadata().and_then(|file| Ok((file.len(), file.modified()?)));
        let (bytes, modified) = read().with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self { path: path.to_owned(), bytes, modified })
    }
}

impl std::fmt::Display for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let since = self.modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        write!(f, "{} of {}, changed at {since:?}", self.path.display(), counted(self.bytes, "byte"))
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.file, self.input.display())?;
        let Some(Range { start, end }) = self.rows else { return Ok(()) };
        write!(f, ", rows {} to {}", grouped(start + 1), grouped(end))
    }
}

impl Plan {
    /// Returns what differs in a later plan, so that its parts do not fit those of this one.
    pub fn difference(&self, later: &Self) -> Option<String> {
        let encoder = |plan: &Self| plan.encoder.clone().unwrap_or_else(|| "none".into());
        let pairs = [
            ("the version of truename", self.version.clone(), later.version.clone()),
            ("the fingerprint of the knowledge base", self.knowledge_base.clone(), later.knowledge_base.clone()),
            ("the encoder", encoder(self), encoder(later)),
            ("--rows", self.rows.to_string(), later.rows.to_string()),
            ("the number of files", self.inputs.len().to_string(), later.inputs.len().to_string()),
        ];
        let pairs = pairs.map(|(what, was, is)| (what.to_owned(), was, is)).into_iter();
        let names: BTreeSet<&String> = self.options.keys().chain(later.options.keys()).collect();
        let options = names.iter().map(|name| (format!("--{name}"), self.option(name), later.option(name)));
        let files =
            self.inputs.iter().zip(&later.inputs).map(|(was, is)| ("a file".into(), was.to_string(), is.to_string()));
        let (what, was, is) = pairs.chain(options).chain(files).find(|(_, was, is)| was != is)?;
        Some(format!("{what} was {was} and is {is}"))
    }

    /// Returns the values of an option as a message shows them.
    fn option(&self, name: &str) -> String {
        match self.options.get(name) {
            None => "not given".into(),
            Some(values) if values.is_empty() => "given".into(),
            Some(values) => values.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(", "),
        }
    }
}

/// Cuts files into parts: Parquet tables into at most `rows` rows, other files not at all. Their answers are written with an extension.
///
/// # Errors
/// If a Parquet table cannot be read.
pub fn parts(files: &[PathBuf], format: InputFormat, rows: u64, extension: &str) -> anyhow::Result<Vec<Part>> {
    let mut parts = Vec::new();
    for path in files {
        let ranges = match format {
            InputFormat::Parquet => ranges(&row_groups(path)?, rows),
            _ => Vec::new(),
        };
        // A table without rows is a part too.
        let whole = ranges.is_empty().then_some(None);
        for rows in whole.into_iter().chain(ranges.into_iter().map(Some)) {
            let file = format!("part-{:05}.{extension}", parts.len());
            parts.push(Part { file, input: path.clone(), rows });
        }
    }
    Ok(parts)
}

/// Returns ranges of at most `most` rows: of whole row groups where they fit, else of pieces of one.
fn ranges(groups: &[u64], most: u64) -> Vec<Range<u64>> {
    let (mut ranges, mut start, mut end) = (Vec::new(), 0, 0);
    for group in groups {
        if end > start && end + group - start > most {
            ranges.push(start..end);
            start = end;
        }
        end += group;
        while end - start > most {
            ranges.push(start..start + most);
            start += most;
        }
    }
    if end > start {
        ranges.push(start..end);
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_of_whole_row_groups_where_they_fit() {
        assert_eq!(ranges(&[10, 10, 10, 10, 5], 20), [0..20, 20..40, 40..45]);
        assert_eq!(ranges(&[10, 15, 10], 20), [0..10, 10..25, 25..35]);
        assert_eq!(ranges(&[50, 5], 20), [0..20, 20..40, 40..55]);
        assert_eq!(ranges(&[5, 50], 20), [0..5, 5..25, 25..45, 45..55]);
        assert_eq!(ranges(&[20, 0, 20], 20), [0..20, 20..40]);
        assert_eq!(ranges(&[], 20), [0..0; 0]);
    }
}
