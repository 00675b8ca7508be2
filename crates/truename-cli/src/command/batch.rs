//! `truename batch`.

use std::ffi::OsString;
use std::process::Command;
use std::time::Instant;

use clap::ValueEnum;
use truename_error::{Error, ErrorKind, counted};
use truename_read::is_stream;

use crate::arguments::{Batch, BatchMatch, InputFormat, Match, OutputFormat};
use crate::bars::{STEPS, bar};
use crate::batch::{BatchFolder, Part, Plan, parts, run as run_parts};
use crate::command::open_linker;
use crate::exit_code::UsageError;
use crate::names::input::all_files;
use crate::run_identity::RunIdentity;
use crate::{interrupt, names};

pub fn run(command: &Batch, program: &[OsString], threads: Option<u16>, quiet: bool) -> anyhow::Result<()> {
    let Batch::Match(arguments) = command;
    let start = Instant::now();
    let (planned, format) = plan(arguments, quiet)?;
    let out = arguments.names.arguments.out.as_deref().expect("--out is required");
    let folder = BatchFolder::open(out, planned, arguments.restart)?;
    let (missing, total) = (folder.missing(), folder.plan.parts.len());
    interrupt::keeps("the parts that are done stay, and the same command goes on");
    let share = Share::of(threads, arguments.workers);
    let worker = |part: &Part| {
        let mut command = Command::new(&program[0]);
        command.args(&program[1..]).args(["match", "--worker", "--threads", &share.threads.to_string()]);
        command.args(["--input-format", format.to_possible_value().expect("a format has a name").get_name()]);
        command.arg("--out").arg(folder.path_of(part)).args(quiet.then_some("--quiet"));
        command.args(part.rows.iter().map(|rows| format!("--row-range={}..{}", rows.start, rows.end)));
        command.args(arguments.names.options.iter().filter(|(name, _)| name != "input-format").flat_map(written));
        command.arg("--").arg(&part.input);
        command
    };
    let progress = bar(total as u64, STEPS, quiet);
    progress.set_position((total - missing.len()) as u64);
    let workers = run_parts(&missing, share.workers, &worker, &progress, quiet);
    progress.finish_and_clear();
    folder.clear()?;
    interrupt::check()?;
    let left = folder.missing().len();
    folder.check(&plan(arguments, true)?.0)?;
    if !quiet {
        let there = counted((total - missing.len()) as u64, "part");
        crate::say!("{}: {there} there before, {} made", out.display(), missing.len() - left);
        workers.counts.report(start, arguments.names.arguments.suggest);
    }
    match left {
        0 => Ok(()),
        left => {
            let message = format!("{left} of {} could not be made", counted(total as u64, "part"));
            Err(Error::new(ErrorKind::Other, message).with_hint("the same command tries them again").into())
        }
    }
}

/// Plans a batch. Returns the format of its files too.
fn plan(arguments: &BatchMatch, quiet: bool) -> anyhow::Result<(Plan, InputFormat)> {
    let BatchMatch { names: given, rows, .. } = arguments;
    let names = &given.arguments;
    if let Some(stream) = all_files(&names.files)?.iter().find(|path| is_stream(path)) {
        let message =
            format!("{} is no file, and cannot be cut into parts; `truename match` reads it", stream.display());
        return Err(UsageError(message).into());
    }
    let (files, format) = names::files(names)?;
    let linker = open_linker(&names.kb, quiet)?;
    let inputs = files.iter().chain(&names.placeholders.placeholders);
    let plan = Plan {
        run: RunIdentity::of(&linker, &given.options, inputs)?,
        rows: *rows,
        parts: parts(&files, format, *rows, extension(names, format))?,
    };
    Ok((plan, format))
}

/// Returns the extension by which `match` writes its answers to a format.
fn extension(arguments: &Match, format: InputFormat) -> &'static str {
    match format {
        _ if arguments.format == OutputFormat::Jsonl => "jsonl",
        InputFormat::Text | InputFormat::Tsv => "tsv",
        InputFormat::Csv => "csv",
        InputFormat::Jsonl => "jsonl",
        InputFormat::Parquet => "parquet",
    }
}

/// Returns an option as arguments of a command.
fn written((name, values): &(String, Vec<OsString>)) -> Vec<OsString> {
    let flag = || OsString::from(format!("--{name}"));
    let with_value = |value: &OsString| {
        let mut option = flag();
        option.push("=");
        option.push(value);
        option
    };
    if values.is_empty() { vec![flag()] } else { values.iter().map(with_value).collect() }
}

/// Processes at a time, and the threads of each.
struct Share {
    workers: usize,
    threads: usize,
}

impl Share {
    fn of(threads: Option<u16>, workers: Option<u16>) -> Self {
        let processors = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = threads.map_or_else(processors, usize::from);
        let workers = workers.map_or(threads, usize::from);
        Self { workers, threads: (threads / workers).max(1) }
    }
}
