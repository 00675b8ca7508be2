//! Lists and tables of names: read, linked, written.
//!
//! Rows pass through byte for byte and gain columns or fields, or are converted to another format if `--out` says so.

pub mod added;
pub mod cells;
pub mod classified;
pub mod column;
mod context;
pub mod input;
mod match_run;
pub mod phrases;
mod row_writer;
mod rows;
mod sink;
pub mod tally;
mod walk;

use std::path::PathBuf;

use truename::Linker;

use crate::arguments::{InputFormat, Match};
use crate::bars;
use crate::exit_code::UsageError;
use crate::problems::MalformedRows;
use input::{Input, InputOptions, layout, told};
pub use match_run::MatchRun;
use rows::Names;
use sink::Target;
use tally::Tally;

/// Links the names of files and writes the results.
pub fn run(run: MatchRun<'_>, linker: &Linker, quiet: bool) -> anyhow::Result<(Tally, MalformedRows)> {
    let arguments = run.arguments;
    let mut target = Target::Rows;
    let column = [name_column(arguments)];
    let wanted = [&column[..]];
    let mut input = open(arguments, &wanted, quiet, |format| {
        target = Target::of(arguments, format)?;
        Ok(())
    })?;
    if !quiet && !arguments.worker && arguments.input_format.is_none() && !says_table(arguments) {
        input.say_shape();
    }
    let (mut tally, mut malformed) = (Tally::default(), MalformedRows::new(arguments.strict));
    let header_note = input.header_note(arguments.column.as_deref().as_slice());
    let mut names = Names::open(&mut input, target, run, linker, &mut tally)?;
    if !quiet && !arguments.worker {
        header_note.iter().for_each(|note| crate::say!("{note}"));
    }
    walk::walk(input, &mut names, &mut malformed, "name")?;
    names.finish()?;
    Ok((tally, malformed))
}

/// Returns the files of names and their format, after a comparison of their beginnings.
///
/// # Errors
/// If one cannot be read, or differs from the first in its format or columns.
pub fn files(arguments: &Match) -> anyhow::Result<(Vec<PathBuf>, InputFormat)> {
    let column = [name_column(arguments)];
    let wanted = [&column[..]];
    let input = open(arguments, &wanted, true, |_| Ok(()))?;
    Ok((input.files.clone(), input.format))
}

/// Returns the name that the column of names is expected to have.
fn name_column(arguments: &Match) -> &str {
    arguments.column.as_deref().unwrap_or("name")
}

/// Returns true if options are given that only a table has.
fn says_table(arguments: &Match) -> bool {
    let Match { column, table, .. } = arguments;
    column.is_some() || table.delimiter.is_some() || table.no_header
}

/// Opens the files of names as one, with `wanted` columns; `check` may refuse their format.
fn open<'a>(
    arguments: &'a Match,
    wanted: &'a [&'a [&'a str]],
    quiet: bool,
    check: impl FnOnce(InputFormat) -> anyhow::Result<()>,
) -> anyhow::Result<Input<'a>> {
    let Match { encoding, max_line_bytes, table, input_format, row_range, .. } = arguments;
    let (encoding, row_range) = (encoding.as_deref(), row_range.as_ref());
    let quiet = quiet || bars::is_in_the_way(arguments.out.as_ref());
    let options = InputOptions { encoding, max_line_bytes: *max_line_bytes, row_range, quiet };
    let other = if says_table(arguments) { InputFormat::Csv } else { InputFormat::Text };
    Input::open(
        &arguments.files,
        options,
        move |source, first| told(source, *input_format, first.unwrap_or(other)),
        |format| {
            check(format)?;
            let layout = layout(format, table, wanted)?;
            if format == InputFormat::Text && arguments.context_column.is_some() {
                let message = "a list of names has no further column; --context-column is for tables and JSONL";
                return Err(UsageError(message.into()).into());
            }
            Ok(layout)
        },
    )
}
