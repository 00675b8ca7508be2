//! The lines of a file, for formats of an entry a line.

use truename_read::{LineFault, Source};

use super::collector::Collector;
use crate::Error;

/// Hands each line that is not blank to `visit` with its number from 1 and without its end. A last line without a line end is listed
/// as a problem, unless it is listed already or `is_whole` says that it is not cut off.
pub(super) fn for_each_row(
    source: Source,
    collector: &mut Collector,
    is_whole: fn(&str) -> bool,
    mut visit: impl FnMut(u64, &str, &mut Collector) -> Result<(), Error>,
) -> Result<(), Error> {
    let path = source.path().to_owned();
    let mut lines = source.into_lines();
    while let Some(line) = lines.read_filled()? {
        let (number, listed) = (line.number, collector.problem_count());
        match line.text() {
            Ok(text) => {
                visit(number, text, collector)?;
                if !line.is_ended && collector.problem_count() == listed && !is_whole(text) {
                    collector.cut_off(number, text)?;
                }
            }
            Err(LineFault::NotUtf8(_)) => collector.not_utf8(number, line.bytes)?,
            Err(fault) => return Err(fault.at(&path, number)),
        }
    }
    match lines.blank_end() {
        Some(number) if !is_whole(" ") => collector.cut_off(number, " "),
        _ => Ok(()),
    }
}
