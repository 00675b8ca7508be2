//! Lists and tables of names: read, linked, written.
//!
//! Rows pass through byte for byte and gain columns or fields, or are converted to another format if `--out` says so.

pub mod added;
mod cells;
pub mod classified;
pub mod column;
mod context;
pub mod input;
pub mod phrases;
mod row_writer;
mod rows;
mod sink;
pub mod tally;
mod walk;

use truename::Linker;

use crate::arguments::{InputFormat, Match};
use crate::exit_code::UsageError;
use crate::problems::MalformedRows;
use input::{Input, InputOptions, layout, told};
use rows::Names;
use sink::Target;
use tally::Tally;

/// Links the names of files and writes the results.
pub fn run(arguments: &Match, linker: &Linker, quiet: bool) -> anyhow::Result<(Tally, MalformedRows)> {
    let Match { encoding, max_line_bytes, table, input_format, .. } = arguments;
    let options = InputOptions { encoding: encoding.as_deref(), max_line_bytes: *max_line_bytes, quiet };
    let is_table = arguments.column.is_some() || table.delimiter.is_some() || table.no_header;
    let other = if is_table { InputFormat::Csv } else { InputFormat::Text };
    let wanted = [&[arguments.column.as_deref().unwrap_or("name")][..]];
    let mut target = Target::Rows;
    let mut input = Input::open(
        &arguments.files,
        options,
        |source, first| told(source, *input_format, first.unwrap_or(other)),
        |format| {
            target = Target::of(arguments, format)?;
            let layout = layout(format, table, &wanted)?;
            if format == InputFormat::Text && arguments.context_column.is_some() {
                let message = "a list of names has no further column; --context-column is for tables and JSONL";
                return Err(UsageError(message.into()).into());
            }
            Ok(layout)
        },
    )?;
    let (mut tally, mut malformed) = (Tally::default(), MalformedRows::new(arguments.strict));
    let mut names = Names::open(&mut input, target, arguments, linker, &mut tally)?;
    walk::walk(input, &mut names, &mut malformed, "name")?;
    names.finish()?;
    Ok((tally, malformed))
}
