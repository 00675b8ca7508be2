//! The lines of a file, for formats of an entry a line.

use truename_read::{LineFault, Source};

use super::collector::Collector;
use crate::Error;

/// Hands each line that is not blank to `visit` with its number from 1 and without its end. Every line shows by itself that
/// it is whole.
pub(super) fn for_each_line(
    source: Source,
    collector: &mut Collector<'_>,
    mut visit: impl FnMut(u64, &str, &mut Collector<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    walk(source, collector, |number, line, _, collector| visit(number, line, collector)).map(|_| ())
}

/// As [`for_each_line`], for formats in which a part of a line may look whole: a last line without a line end is listed as
/// a problem, unless it is listed already.
pub(super) fn for_each_row(
    source: Source,
    collector: &mut Collector<'_>,
    mut visit: impl FnMut(u64, &str, &mut Collector<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let blank_end = walk(source, collector, |number, line, is_ended, collector| {
        let listed = collector.problem_count();
        visit(number, line, collector)?;
        if is_ended || collector.problem_count() > listed { Ok(()) } else { collector.cut_off(number, line) }
    })?;
    blank_end.map_or(Ok(()), |number| collector.cut_off(number, " "))
}

/// Hands over the lines with whether they are ended. Returns the number of a blank last line that is not.
fn walk(
    source: Source,
    collector: &mut Collector<'_>,
    mut visit: impl FnMut(u64, &str, bool, &mut Collector<'_>) -> Result<(), Error>,
) -> Result<Option<u64>, Error> {
    let path = source.path().to_owned();
    let mut lines = source.into_lines();
    while let Some(line) = lines.read_filled()? {
        match line.text() {
            Ok(text) => visit(line.number, text, line.is_ended, collector)?,
            Err(LineFault::NotUtf8(_)) => collector.not_utf8(line.number, line.bytes)?,
            Err(fault) => return Err(fault.at(&path, line.number).into()),
        }
    }
    Ok(lines.blank_end())
}
