//! Problems of the input, listed on stderr.

use std::fmt::Display;

use crate::count::{counted, grouped};

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

/// Lists the first of `count` problems, then their number; `what` tells what happened to the malformed entries.
pub fn list<P: Display>(problems: &[P], count: u64, what: &str) {
    show(problems, count);
    if count > 0 {
        crate::say!("{} {what} (--strict makes this an error)", grouped(count));
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
