//! `truename match`.

use std::path::Path;
use std::time::Instant;

use truename::LinkOptions;

use crate::arguments::{InputFormat, Match, OutputFormat};
use crate::command::open_linker;
use crate::names::tally::Tally;
use crate::names::{delimited, parquet};

/// Candidates in JSONL where the user does not say.
const JSONL_TOP: u32 = 5;
pub fn run(arguments: &Match, quiet: bool) -> anyhow::Result<()> {
    let format = arguments.input_format.unwrap_or_else(|| by_extension(&arguments.file));
    let linker = open_linker(&arguments.kb, quiet)?.with_options(link_options(arguments)?)?;
    let mut tally = Tally::new(arguments.strict);
    let start = Instant::now();
    match format {
        InputFormat::Parquet => parquet::run(arguments, &linker, &mut tally, quiet)?,
        InputFormat::Text => delimited::run(arguments, None, &linker, &mut tally, quiet)?,
        InputFormat::Csv => delimited::run(arguments, Some(b','), &linker, &mut tally, quiet)?,
        InputFormat::Tsv => delimited::run(arguments, Some(b'\t'), &linker, &mut tally, quiet)?,
    }
    if !quiet {
        tally.report(start);
    }
    Ok(())
}

fn link_options(arguments: &Match) -> Result<LinkOptions, truename::Error> {
    let jsonl = arguments.format == OutputFormat::Jsonl;
    Ok(LinkOptions {
        top: arguments.top.unwrap_or(if jsonl { JSONL_TOP } else { 1 }) as usize,
        min_probability: arguments.min_probability,
        types: arguments.types.clone(),
        explain: arguments.explain,
        placeholders: arguments.placeholders.read()?,
    })
}

fn by_extension(path: &Path) -> InputFormat {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "csv" => InputFormat::Csv,
        "tsv" | "tab" => InputFormat::Tsv,
        "parquet" | "pq" => InputFormat::Parquet,
        _ => InputFormat::Text,
    }
}
