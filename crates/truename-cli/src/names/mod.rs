//! Lists and tables of names: read, linked, written.
//!
//! Rows pass through byte for byte and gain columns or fields, or are converted to another format if `--out` says so.

mod added;
pub mod classified;
pub mod column;
mod context;
mod converter;
mod dialect;
mod encoding;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
mod parquet;
pub mod phrases;
pub mod record;
mod rows;
pub mod source;
pub mod tally;
pub mod whole;

use serde::Serialize;
use truename::{Candidate, ConceptId, Link, Linker};

use crate::arguments::{InputFormat, Match, OutputFormat};
use crate::exit_code::UsageError;
use source::{Source, by_extension};
use tally::Tally;

/// Rows read and linked together.
const PIECE: usize = 4096;

/// Links the names of a file and writes the results.
pub fn run(arguments: &Match, linker: &Linker, tally: &mut Tally, quiet: bool) -> anyhow::Result<()> {
    let source = Source::open(&arguments.file, quiet)?;
    let format = source.format(arguments);
    let target = Target::of(arguments, format)?;
    check_delimiter(arguments, format)?;
    if format == InputFormat::Text && arguments.context_column.is_some() {
        return Err(UsageError(
            "a list of names has no further column; --context-column is for tables and JSONL".into(),
        )
        .into());
    }
    match format {
        InputFormat::Parquet => parquet::run(arguments, target, linker, tally, quiet),
        _ => rows::run(source, format, target, arguments, linker, tally),
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

fn check_delimiter(arguments: &Match, format: InputFormat) -> Result<(), UsageError> {
    let Some(crate::arguments::Delimiter(delimiter)) = arguments.delimiter else { return Ok(()) };
    match format {
        InputFormat::Csv => Ok(()),
        InputFormat::Tsv if delimiter == b'\t' || arguments.input_format.is_none() => Ok(()),
        InputFormat::Tsv => Err(UsageError("TSV is delimited by tabs; --input-format csv has other delimiters".into())),
        _ => Err(UsageError("--delimiter is for tables; say --input-format csv".into())),
    }
}

/// A line of JSONL.
#[derive(Serialize)]
struct JsonLine<'a> {
    name: &'a str,
    id: Option<&'a str>,
    preferred_name: Option<&'a str>,
    matched_name: Option<&'a str>,
    probability: f64,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    suggested: Option<Suggested<'a>>,
    candidates: &'a [Candidate],
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a str>,
    /// True if the vector covers only the beginning of the name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_truncated: bool,
}

#[derive(Serialize)]
struct Suggested<'a> {
    suggested_id: Option<&'a str>,
    suggested_name: Option<&'a str>,
}

fn json_line(link: &Link, suggest: bool) -> serde_json::Result<Vec<u8>> {
    let answer = link.answer();
    let suggestion = added::suggestion(link);
    let mut line = serde_json::to_vec(&JsonLine {
        name: &link.name,
        id: link.id().map(ConceptId::as_str),
        preferred_name: answer.map(|candidate| candidate.preferred_name.as_str()),
        matched_name: answer.map(|candidate| candidate.matched_name.as_str()),
        probability: added::probability(link),
        suggested: suggest.then_some(Suggested {
            suggested_id: suggestion.map(|candidate| candidate.id.as_str()),
            suggested_name: suggestion.map(|candidate| candidate.preferred_name.as_str()),
        }),
        candidates: &link.candidates,
        explanation: link.explanation.as_deref(),
        is_truncated: link.is_truncated,
    })?;
    line.push(b'\n');
    Ok(line)
}
