//! `truename match`.

use std::path::Path;
use std::time::Instant;

use truename::{Link, LinkOptions, Linker};

use crate::arguments::{InputFormat, Match, OutputFormat};
use crate::command::open_linker;
use crate::names::{delimited, parquet};
use crate::progress::grouped;

/// Candidates in JSONL where the user does not say.
const JSONL_TOP: u32 = 5;
/// Malformed rows shown; all are counted.
const SHOWN_PROBLEMS: usize = 10;

/// What a run counted.
#[derive(Default)]
pub struct Tally {
    names: u64,
    nil: u64,
    problems: Vec<String>,
    problem_count: u64,
    strict: bool,
}

impl Tally {
    pub fn count(&mut self, links: &[Link]) {
        self.names += links.len() as u64;
        self.nil += links.iter().filter(|link| link.is_nil).count() as u64;
    }

    /// A row that gets no answer because it cannot be read; an error where the run is strict.
    pub fn problem(&mut self, path: &Path, line: u64, what: &str) -> anyhow::Result<()> {
        let problem = format!("{}:{line}: {what}", path.display());
        anyhow::ensure!(!self.strict, "{problem}");
        self.problem_count += 1;
        if self.problems.len() < SHOWN_PROBLEMS {
            self.problems.push(problem);
        }
        Ok(())
    }

    fn report(&self, start: Instant) {
        self.problems.iter().for_each(|problem| crate::say!("warning: {problem}"));
        let more = self.problem_count.saturating_sub(SHOWN_PROBLEMS as u64);
        if more > 0 {
            crate::say!("warning: and {} more", grouped(more));
        }
        if self.problem_count > 0 {
            crate::say!(
                "{} rows were left without an answer (--strict makes this an error)",
                grouped(self.problem_count)
            );
        }
        let seconds = start.elapsed().as_secs_f64().max(1e-6);
        crate::say!(
            "{} names: {} linked, {} NIL ({seconds:.1} s, {} names/s)",
            grouped(self.names),
            grouped(self.names - self.nil),
            grouped(self.nil),
            grouped((self.names as f64 / seconds) as u64)
        );
    }
}

pub fn run(arguments: &Match, quiet: bool) -> anyhow::Result<()> {
    let format = arguments.input_format.unwrap_or_else(|| by_extension(&arguments.file));
    let linker = open_linker(arguments.kb.kb.as_ref())?.with_options(link_options(arguments))?;
    let mut tally = Tally { strict: arguments.strict, ..Tally::default() };
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

fn link_options(arguments: &Match) -> LinkOptions {
    let jsonl = arguments.format == OutputFormat::Jsonl;
    LinkOptions {
        top: arguments.top.unwrap_or(if jsonl { JSONL_TOP } else { 1 }) as usize,
        min_probability: arguments.min_probability,
        types: arguments.types.clone(),
        explain: arguments.explain,
    }
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

/// Links names; those that cannot be names are answered NIL.
pub fn link(linker: &Linker, names: &[String], tally: &mut Tally) -> anyhow::Result<Vec<Link>> {
    let links = linker.link_names(names)?;
    tally.count(&links);
    Ok(links)
}
