//! Lists and tables of names: read, linked, written.
//!
//! Rows pass through byte for byte and gain columns or fields, or are converted to another format if `--out` says so.

pub mod added;
mod cells;
pub mod classified;
pub mod column;
mod context;
mod converter;
pub mod input;
pub mod phrases;
mod row_writer;
mod rows;
pub mod tally;
mod walk;

use truename::{Link, Linker};
use truename_view::NameLine;

use crate::arguments::{InputFormat, Match, OutputFormat};
use crate::exit_code::UsageError;
use crate::problems::Malformed;
use input::{Input, InputOptions, by_extension, layout, told};
use rows::Names;
use tally::Tally;

/// Links the names of files and writes the results.
pub fn run(arguments: &Match, linker: &Linker, quiet: bool) -> anyhow::Result<(Tally, Malformed)> {
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
    let (mut tally, mut malformed) = (Tally::default(), Malformed::new(arguments.strict));
    let mut names = Names::open(&mut input, target, arguments, linker, &mut tally)?;
    walk::walk(input, &mut names, &mut malformed, "name")?;
    names.finish()?;
    Ok((tally, malformed))
}

/// Form of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// Rows as they are, with columns or fields added.
    Rows,
    /// Rows converted to another format, with columns or fields added.
    Converted(InputFormat),
    /// One object a name, with its answer and candidates.
    Candidates,
}

impl Target {
    fn of(arguments: &Match, input: InputFormat) -> anyhow::Result<Self> {
        let refused = |message: String| Err(UsageError(message).into());
        let Some(out) = &arguments.out else {
            return match (arguments.format, input) {
                (OutputFormat::Jsonl, _) => Ok(Self::Candidates),
                (OutputFormat::Table, InputFormat::Parquet) => refused(
                    "a Parquet table is written to a file: say --out FILE.parquet, --out FILE.csv or --format jsonl"
                        .into(),
                ),
                (OutputFormat::Table, _) => Ok(Self::Rows),
            };
        };
        let (shown, asked) = (out.display(), by_extension(out));
        let is_packed = out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        match (arguments.format, asked) {
            (OutputFormat::Jsonl, None | Some(InputFormat::Jsonl)) => Ok(Self::Candidates),
            (OutputFormat::Jsonl, _) => refused(format!("--format jsonl writes JSONL; call {shown} .jsonl")),
            (_, Some(InputFormat::Parquet)) if is_packed => {
                refused(format!("Parquet is compressed in itself; call {shown} .parquet"))
            }
            (_, Some(InputFormat::Parquet)) if !cfg!(feature = "parquet") => {
                refused("Parquet is not enabled in this build; build with --features parquet".into())
            }
            (_, None | Some(InputFormat::Parquet)) if input == InputFormat::Parquet => {
                Ok(Self::Converted(InputFormat::Parquet))
            }
            (_, None) => Ok(Self::Rows),
            (_, Some(asked)) if asked == input => Ok(Self::Rows),
            (_, Some(InputFormat::Tsv)) if input == InputFormat::Text => Ok(Self::Rows),
            (..) if input == InputFormat::Jsonl => refused(format!(
                "rows of JSONL have no fixed columns, so they are written as JSONL; call {shown} .jsonl"
            )),
            (_, Some(asked)) => Ok(Self::Converted(asked)),
        }
    }
}

/// Returns the line of an answer, with its best candidate if that is NIL and `suggest`.
fn json_line(link: &Link, suggest: bool) -> serde_json::Result<Vec<u8>> {
    let of = if suggest { NameLine::with_suggestion } else { NameLine::new };
    let mut line = serde_json::to_vec(&of(link))?;
    line.push(b'\n');
    Ok(line)
}
