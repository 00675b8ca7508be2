//! Problems of the input, listed on stderr.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use truename::{ConceptId, Link, Problem};
use truename_error::{Error, ErrorKind, counted, grouped};

use crate::exit_code::worded;

/// Maximum number of problems listed; all are counted.
pub const MAX_SHOWN: usize = 10;

/// Lists the first of `count` problems.
pub fn show<P: Display>(problems: &[P], count: u64) {
    problems.iter().take(MAX_SHOWN).for_each(|problem| crate::say!("warning: {problem}"));
    let more = count.saturating_sub(MAX_SHOWN as u64);
    if more > 0 {
        crate::say!("warning: and {} more", grouped(more));
    }
}

/// Formats a problem with its advice on one line.
pub fn advised(problem: &Problem) -> String {
    let hint = problem.hint.as_ref().map(|hint| format!(" ({})", worded(hint)));
    format!("{problem}{}", hint.unwrap_or_default())
}

/// Lists the first of `count` problems, then their number; `what` tells what happened to the malformed entries.
pub fn list<P: Display>(problems: &[P], count: u64, what: &str) {
    show(problems, count);
    if count > 0 {
        crate::say!("{} {what} (--strict makes this an error)", grouped(count));
    }
}

/// A fault of a row.
pub struct Fault {
    pub message: String,
    /// True if the row has an answer all the same.
    pub is_answered: bool,
}

impl Fault {
    pub fn answered(message: String) -> Self {
        Self { message, is_answered: true }
    }

    pub fn unanswered(message: String) -> Self {
        Self { message, is_answered: false }
    }
}

/// Malformed rows, with the first of their faults.
#[derive(Default)]
pub struct MalformedRows {
    first: Vec<Problem>,
    faults: u64,
    rows: u64,
    unanswered: u64,
    /// Place of the last malformed row; two faults of a row count once.
    last: Option<(PathBuf, u64)>,
    is_strict: bool,
}

impl MalformedRows {
    pub fn new(is_strict: bool) -> Self {
        Self { is_strict, ..Self::default() }
    }

    /// Counts the fault of a row.
    ///
    /// # Errors
    /// If the run is strict.
    pub fn add(&mut self, path: &Path, line: u64, fault: Fault) -> anyhow::Result<()> {
        let problem = Problem::new(path, line, fault.message);
        anyhow::ensure!(!self.is_strict, "{problem}");
        self.faults += 1;
        self.unanswered += u64::from(!fault.is_answered);
        let place = (path.to_owned(), line);
        self.rows += u64::from(self.last.as_ref() != Some(&place));
        self.last = Some(place);
        if self.first.len() < MAX_SHOWN {
            self.first.push(problem);
        }
        Ok(())
    }

    /// Fails with advice if no row was answered, and some are malformed.
    pub fn check(&self, answered: u64, hint: &str) -> Result<(), Error> {
        let Some(first) = self.first.first().filter(|_| answered == 0) else { return Ok(()) };
        let message = format!("no row could be read; the first problem: {first}");
        Err(Error::new(ErrorKind::Syntax, message).with_hint(hint))
    }

    /// Reports the faults, and how many rows have no answer.
    pub fn say(&self) {
        show(&self.first, self.faults);
        if self.rows > 0 {
            let unanswered = match self.unanswered {
                0 => "all were answered".into(),
                unanswered => format!("{} left without an answer", grouped(unanswered)),
            };
            crate::say!("{}, {unanswered} (--strict makes this an error)", counted(self.rows, "malformed row"));
        }
    }

    /// Reports the faults; `outcome` tells what happened to the rows.
    pub fn list(&self, outcome: &str) {
        list(&self.first, self.faults, outcome);
    }
}

/// Links of names that are longer than the window of a model, with the first of them.
#[derive(Default)]
pub struct TruncatedNames {
    count: u64,
    first: Vec<String>,
}

impl TruncatedNames {
    /// Counts those of several links.
    pub fn count<'a>(&mut self, links: impl IntoIterator<Item = &'a Link>) {
        links.into_iter().filter(|link| link.is_truncated).for_each(|link| self.add(&link.name));
    }

    /// Counts a name.
    pub fn add(&mut self, name: &str) {
        self.count += 1;
        if self.first.len() < MAX_SHOWN {
            self.first.push(name.chars().take(80).collect());
        }
    }

    /// Reports them.
    pub fn say(&self) {
        if self.count > 0 {
            let (are, their, they) = if self.count == 1 { ("is", "its", "it") } else { ("are", "their", "they") };
            let names = counted(self.count, "name");
            crate::say!(
                "{names} {are} longer than the window of a model; an encoder reads {their} beginning, and by context {they} {are} not linked:"
            );
            self.first.iter().for_each(|name| crate::say!("  {name}…"));
        }
    }
}

/// Retired ids that were given, each with the id that replaces it.
#[derive(Default)]
pub struct RetiredIds {
    count: u64,
    first: Vec<String>,
}

impl RetiredIds {
    /// Counts a retired id.
    pub fn add(&mut self, id: &ConceptId, current: Option<&ConceptId>) {
        self.count += 1;
        if self.first.len() < MAX_SHOWN {
            self.first.push(match current {
                Some(current) => format!("{id}: {current} replaces it"),
                None => format!("{id}: no single concept replaces it"),
            });
        }
    }

    /// Counts those of several links.
    pub fn count<'a>(&mut self, links: impl IntoIterator<Item = &'a Link>) {
        for link in links {
            if let Some(retired) = &link.retired_id {
                self.add(retired, link.candidates.first().map(|best| &best.id));
            }
        }
    }

    /// Reports them.
    pub fn say(&self) {
        if self.count > 0 {
            crate::say!("{} no longer in use:", counted(self.count, "id"));
            self.first.iter().for_each(|line| crate::say!("  {line}"));
        }
    }
}

/// Reports the number of names that an encoder truncated.
pub fn say_truncated(names: u64) {
    if names > 0 {
        let (are, their) = if names == 1 { ("is", "its") } else { ("are", "their") };
        crate::say!(
            "{} {are} longer than the encoder's window; only {their} beginning is encoded",
            counted(names, "name")
        );
    }
}
