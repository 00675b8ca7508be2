//! What a run of `match` counted, and the rows it could not read.

use std::path::Path;
use std::time::Instant;

use truename::{Link, Linker};

use crate::problems;
use crate::progress::grouped;

/// What a run counted.
#[derive(Default)]
pub struct Tally {
    names: u64,
    nil: u64,
    truncated: u64,
    problems: Vec<String>,
    problem_count: u64,
    strict: bool,
}

impl Tally {
    pub fn new(strict: bool) -> Self {
        Self { strict, ..Self::default() }
    }

    fn count(&mut self, links: &[Link]) {
        self.names += links.len() as u64;
        self.truncated += links.iter().filter(|link| link.is_truncated).count() as u64;
        self.nil += links.iter().filter(|link| link.is_nil).count() as u64;
    }

    /// Links names and counts the answers.
    pub fn link(&mut self, linker: &Linker, names: &[String]) -> anyhow::Result<Vec<Link>> {
        let links = linker.link_names(names)?;
        self.count(&links);
        Ok(links)
    }

    /// A row that gets no answer because it cannot be read; an error where the run is strict.
    pub fn problem(&mut self, path: &Path, line: u64, what: &str) -> anyhow::Result<()> {
        let problem = format!("{}:{line}: {what}", path.display());
        anyhow::ensure!(!self.strict, "{problem}");
        self.problem_count += 1;
        if self.problems.len() < problems::SHOWN {
            self.problems.push(problem);
        }
        Ok(())
    }

    pub fn report(&self, start: Instant) {
        problems::list(&self.problems, self.problem_count, "rows were left without an answer");
        problems::say_truncated(self.truncated);
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
