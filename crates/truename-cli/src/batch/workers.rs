//! Processes that make the parts of a batch, some at a time.

use std::collections::BTreeMap;
use std::process::{ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use truename_error::grouped;

use super::plan::Part;
use crate::exit_code::ExitCode;
use crate::interrupt;
use crate::names::tally::Counts;

/// Time between two looks for an interruption.
const POLL: Duration = Duration::from_millis(50);

/// Processes, and what they have done.
#[derive(Default)]
pub struct Workers {
    /// Counts of the parts that were made.
    pub counts: Counts,
    /// Number of parts that could not be made.
    pub failed: usize,
    /// True where a process refused its arguments, as the others would.
    is_refused: bool,
    /// Stdin of each process by its number: it ends where this is closed, or where this process is.
    running: BTreeMap<u32, ChildStdin>,
}

/// Makes parts by as many processes at a time, which `command` begins. Returns when all have ended.
pub fn run(
    parts: &[Part],
    processes: usize,
    command: &(impl Fn(&Part) -> Command + Sync),
    bar: &ProgressBar,
    quiet: bool,
) -> Workers {
    let (start, parts, workers) = (Instant::now(), Mutex::new(parts.iter()), Mutex::new(Workers::default()));
    let work = || {
        while let Some(part) = next(&parts, &workers) {
            let made = make(part, command, &workers);
            let mut workers = locked(&workers);
            match made {
                Ok((counts, notes)) => {
                    workers.counts.add(counts);
                    bar.set_message(format!("{} names/s", grouped(workers.counts.rate(start))));
                    bar.inc(1);
                    if !quiet {
                        say_lines(bar, &notes);
                    }
                }
                // The interruption is reported, and not the end of the processes.
                Err(_) if interrupt::asked() => {}
                Err(failure) => {
                    workers.failed += 1;
                    workers.is_refused |= failure.is_refused;
                    say_lines(bar, &format!("{}error: {part}: {}\n", failure.notes, failure.end));
                }
            }
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..processes).map(|_| scope.spawn(work)).collect();
        while threads.iter().any(|thread| !thread.is_finished()) {
            if interrupt::asked() {
                locked(&workers).running.clear();
            }
            thread::sleep(POLL);
        }
    });
    workers.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the next part to make.
fn next<'a>(parts: &Mutex<impl Iterator<Item = &'a Part>>, workers: &Mutex<Workers>) -> Option<&'a Part> {
    let is_over = interrupt::asked() || locked(workers).is_refused;
    if is_over { None } else { locked(parts).next() }
}

/// Part that could not be made.
struct Failure {
    end: String,
    /// Lines that the process wrote to stderr.
    notes: String,
    is_refused: bool,
}

/// Makes a part, and once more where the process is killed. Returns its counts and what the process wrote to stderr.
fn make(
    part: &Part,
    command: &impl Fn(&Part) -> Command,
    workers: &Mutex<Workers>,
) -> Result<(Counts, String), Failure> {
    let mut killed = 0;
    loop {
        let failed =
            |error: std::io::Error| Failure { end: error.to_string(), notes: String::new(), is_refused: false };
        let Output { status, stdout, stderr } = process(command(part), workers).map_err(failed)?;
        let notes = String::from_utf8_lossy(&stderr).into_owned();
        if status.success() {
            let counts = serde_json::from_slice(&stdout);
            return counts.map(|counts| (counts, notes)).map_err(|error| failed(error.into()));
        }
        killed += usize::from(is_killed(status));
        if killed != 1 || interrupt::asked() {
            let end = format!("the process ended {}by {status}", if killed > 1 { "twice " } else { "" });
            return Err(Failure { end, notes, is_refused: status.code() == Some(ExitCode::Usage as i32) });
        }
    }
}

/// Runs a process to its end.
fn process(mut command: Command, workers: &Mutex<Workers>) -> std::io::Result<Output> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (number, stdin) = (child.id(), child.stdin.take());
    locked(workers).running.extend(stdin.map(|stdin| (number, stdin)));
    let output = child.wait_with_output();
    locked(workers).running.remove(&number);
    output
}

/// Returns true where a process was ended by a signal.
fn is_killed(status: ExitStatus) -> bool {
    status.code().is_none()
}

fn say_lines(bar: &ProgressBar, lines: &str) {
    bar.suspend(|| lines.lines().for_each(|line| crate::say!("{line}")));
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
