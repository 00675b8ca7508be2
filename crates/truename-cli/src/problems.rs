//! What was malformed, listed on stderr.

use std::fmt::Display;

use crate::progress::{counted, grouped};

/// Problems shown; all are counted.
pub const SHOWN: usize = 10;

/// Shows the first of `count` problems.
pub fn show<P: Display>(problems: &[P], count: u64) {
    problems.iter().take(SHOWN).for_each(|problem| crate::say!("warning: {problem}"));
    let more = count.saturating_sub(SHOWN as u64);
    if more > 0 {
        crate::say!("warning: and {} more", grouped(more));
    }
}

/// Shows the first of `count` problems and says how many there were; `what` names what became of them.
pub fn list<P: Display>(problems: &[P], count: u64, what: &str) {
    show(problems, count);
    if count > 0 {
        crate::say!("{} {what} (--strict makes this an error)", grouped(count));
    }
}

/// Says how many names an encoder read the beginning of alone.
pub fn say_truncated(names: u64) {
    if names > 0 {
        let (are, their) = if names == 1 { ("is", "its") } else { ("are", "their") };
        crate::say!(
            "{} {are} longer than the encoder's window; only {their} beginning is encoded",
            counted(names, "name")
        );
    }
}
