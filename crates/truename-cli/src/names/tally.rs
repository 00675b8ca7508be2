//! Counts of a run of `match`.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use truename::Link;
use truename_error::{counted, grouped};
use truename_view::suggestion;

use crate::problems::{RetiredIds, TruncatedNames};

/// Counts of answers.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub struct Counts {
    names: u64,
    nil: u64,
    suggested: u64,
}

/// Counts of answers, and what is to be said of names.
#[derive(Default)]
pub struct Tally {
    pub counts: Counts,
    truncated: TruncatedNames,
    retired: RetiredIds,
}

impl Tally {
    pub fn count(&mut self, links: &[Link]) {
        self.truncated.count(links);
        self.retired.count(links);
        self.counts.add(Counts {
            names: links.len() as u64,
            nil: links.iter().filter(|link| link.is_nil).count() as u64,
            suggested: links.iter().filter(|link| suggestion(link).is_some()).count() as u64,
        });
    }

    /// Lists truncated names and retired ids.
    pub fn say_notes(&self) {
        self.truncated.say();
        self.retired.say();
    }
}

impl Counts {
    pub fn add(&mut self, others: Self) {
        self.names += others.names;
        self.nil += others.nil;
        self.suggested += others.suggested;
    }

    /// Returns the number of names answered in a second.
    pub fn rate(&self, start: Instant) -> u64 {
        (self.names as f64 / start.elapsed().as_secs_f64().max(1e-6)) as u64
    }

    /// Reports the counts, and the suggestions where some were asked for.
    pub fn report(&self, start: Instant, suggests: bool) {
        let suggested = match suggests {
            true => format!(", {} of them with a suggestion", grouped(self.suggested)),
            false => String::new(),
        };
        crate::say!(
            "{}: {} linked, {} NIL{suggested} ({:.1} s, {}/s)",
            counted(self.names, "name"),
            grouped(self.names - self.nil),
            grouped(self.nil),
            start.elapsed().as_secs_f64(),
            counted(self.rate(start), "name")
        );
    }
}
