//! Plans of batches: what is matched, with which options, in which parts.

use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use truename_error::grouped;
use truename_read::row_groups;

use crate::arguments::InputFormat;
use crate::run_identity::RunIdentity;

/// Plan of a batch, kept as `batch.json` in its folder. All but the parts is compared with that of a later run.
#[derive(Serialize, Deserialize)]
pub struct Plan {
    #[serde(flatten)]
    pub run: RunIdentity,
    /// Most rows of a part of a Parquet table.
    pub rows: u64,
    pub parts: Vec<Part>,
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
        let rows = || (self.rows != later.rows).then(|| format!("--rows was {} and is {}", self.rows, later.rows));
        self.run.difference(&later.run).or_else(rows)
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
