//! Lists and tables of names: read, linked, written.
//!
//! Rows pass through byte for byte and gain columns or fields, or are converted to another format if `--out` says so.

mod added;
pub mod classified;
pub mod column;
mod context;
mod converter;
pub mod input;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
mod parquet;
pub mod phrases;
mod row_writer;
mod rows;
pub mod tally;
pub mod whole;

use truename::{Link, Linker};
use truename_view::NameLine;

use crate::arguments::{InputFormat, Match, OutputFormat};
use crate::exit_code::UsageError;
use input::{Input, InputOptions, by_extension, check_table_options};
use tally::Tally;

/// Rows read and linked together.
const PIECE: usize = 4096;

/// Links the names of a file and writes the results.
pub fn run(arguments: &Match, linker: &Linker, tally: &mut Tally, quiet: bool) -> anyhow::Result<()> {
    let input = Input::open(&arguments.file, input_options(arguments, quiet))?;
    let is_table = arguments.column.is_some() || arguments.table.delimiter.is_some() || arguments.table.no_header;
    let format = input.format(arguments.input_format, is_table);
    let target = Target::of(arguments, format)?;
    check_table_options(&arguments.table, format)?;
    if format == InputFormat::Text && arguments.context_column.is_some() {
        return Err(UsageError(
            "a list of names has no further column; --context-column is for tables and JSONL".into(),
        )
        .into());
    }
    match format {
        InputFormat::Parquet => parquet::run(arguments, target, linker, tally, quiet),
        _ => rows::run(input, format, target, arguments, linker, tally),
    }
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
        let Some(out) = &arguments.out else {
            let is_rows = arguments.format == OutputFormat::Table;
            return Ok(if is_rows { Self::Rows } else { Self::Candidates });
        };
        let refused = |message: String| Err(UsageError(message).into());
        let (shown, asked) = (out.display(), by_extension(out));
        let is_packed = out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        match (arguments.format, asked) {
            (OutputFormat::Jsonl, None | Some(InputFormat::Jsonl)) => Ok(Self::Candidates),
            (OutputFormat::Jsonl, _) => refused(format!("--format jsonl writes JSONL; call {shown} .jsonl")),
            (_, Some(InputFormat::Parquet)) if is_packed => {
                refused(format!("Parquet is compressed in itself; call {shown} .parquet"))
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

fn input_options(arguments: &Match, quiet: bool) -> InputOptions<'_> {
    let Match { encoding, max_line_bytes, .. } = arguments;
    InputOptions { encoding: encoding.as_deref(), max_line_bytes: *max_line_bytes, quiet }
}

/// Returns the line of an answer, with its best candidate if that is NIL and `suggest`.
fn json_line(link: &Link, suggest: bool) -> serde_json::Result<Vec<u8>> {
    let of = if suggest { NameLine::with_suggestion } else { NameLine::new };
    let mut line = serde_json::to_vec(&of(link))?;
    line.push(b'\n');
    Ok(line)
}
