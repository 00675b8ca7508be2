//! Counts of a run of `match`, with its malformed rows.

use std::path::Path;
use std::time::Instant;

use truename::{Link, Linker, Problem};
use truename_view::suggestion;

use super::context::InContext;
use crate::count::{counted, grouped};
use crate::problems::{self, RetiredIds, Truncated};

/// Treatment of a malformed row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Answered,
    Unanswered,
}

/// Counts of a run.
#[derive(Default)]
pub struct Tally {
    names: u64,
    nil: u64,
    suggested: u64,
    truncated: Truncated,
    retired: RetiredIds,
    problems: Vec<Problem>,
    problem_count: u64,
    malformed: u64,
    unanswered: u64,
    /// Line of the last malformed row; two problems of a row count once.
    last: u64,
    strict: bool,
    suggest: bool,
}

impl Tally {
    pub fn new(strict: bool, suggest: bool) -> Self {
        Self { strict, suggest, ..Self::default() }
    }

    fn count(&mut self, links: &[Link]) {
        self.names += links.len() as u64;
        self.truncated.count(links);
        self.retired.count(links);
        self.nil += links.iter().filter(|link| link.is_nil).count() as u64;
        self.suggested += links.iter().filter(|link| suggestion(link).is_some()).count() as u64;
    }

    /// Links names and counts the answers.
    pub fn link(&mut self, linker: &Linker, names: &[InContext]) -> anyhow::Result<Vec<Link>> {
        let links = linker.link_queries(&names.iter().map(InContext::query).collect::<Vec<_>>())?;
        self.count(&links);
        Ok(links)
    }

    /// Counts a malformed row, and keeps it if it is among the first ones.
    ///
    /// # Errors
    /// If the run is strict.
    pub fn problem(&mut self, path: &Path, line: u64, what: &str, fate: Fate) -> anyhow::Result<()> {
        let problem = Problem::new(path, line, what);
        anyhow::ensure!(!self.strict, "{problem}");
        self.problem_count += 1;
        self.malformed += u64::from(self.last != line);
        self.unanswered += u64::from(fate == Fate::Unanswered);
        self.last = line;
        if self.problems.len() < problems::MAX_SHOWN {
            self.problems.push(problem);
        }
        Ok(())
    }

    pub fn report(&self, start: Instant) {
        problems::show(&self.problems, self.problem_count);
        if self.malformed > 0 {
            let malformed = counted(self.malformed, "malformed row");
            let unanswered = match self.unanswered {
                0 => "all were answered".into(),
                unanswered => format!("{} left without an answer", grouped(unanswered)),
            };
            crate::say!("{malformed}, {unanswered} (--strict makes this an error)");
        }
        self.truncated.say();
        self.retired.say();
        let seconds = start.elapsed().as_secs_f64().max(1e-6);
        let suggested = if self.suggest {
            format!(", {} of them with a suggestion", grouped(self.suggested))
        } else {
            String::new()
        };
        crate::say!(
            "{}: {} linked, {} NIL{suggested} ({seconds:.1} s, {}/s)",
            counted(self.names, "name"),
            grouped(self.names - self.nil),
            grouped(self.nil),
            counted((self.names as f64 / seconds) as u64, "name")
        );
    }
}
