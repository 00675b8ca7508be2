//! Counts of a run of `match`.

use std::time::Instant;

use truename::Link;
use truename_error::{counted, grouped};
use truename_view::suggestion;

use crate::problems::{RetiredIds, TruncatedNames};

/// Counts of answers.
#[derive(Default)]
pub struct Tally {
    names: u64,
    nil: u64,
    suggested: u64,
    truncated: TruncatedNames,
    retired: RetiredIds,
}

impl Tally {
    pub fn count(&mut self, links: &[Link]) {
        self.names += links.len() as u64;
        self.truncated.count(links);
        self.retired.count(links);
        self.nil += links.iter().filter(|link| link.is_nil).count() as u64;
        self.suggested += links.iter().filter(|link| suggestion(link).is_some()).count() as u64;
    }

    /// Reports the counts, and the suggestions where some were asked for.
    pub fn report(&self, start: Instant, suggests: bool) {
        self.truncated.say();
        self.retired.say();
        let seconds = start.elapsed().as_secs_f64().max(1e-6);
        let suggested = match suggests {
            true => format!(", {} of them with a suggestion", grouped(self.suggested)),
            false => String::new(),
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
