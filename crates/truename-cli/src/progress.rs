//! Progress bars on stderr; indicatif hides them if it is no terminal.

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::style::ProgressTracker;
use indicatif::{ProgressBar, ProgressState, ProgressStyle, WeakProgressBar};
use truename::{Phase, Progress};

use crate::interrupt;

/// Bars of this process.
static BARS: Mutex<Vec<WeakProgressBar>> = Mutex::new(Vec::new());
static ARE_HIDDEN: AtomicBool = AtomicBool::new(false);

/// Hides all bars; log lines would otherwise mix with them.
pub fn hide() {
    ARE_HIDDEN.store(true, Ordering::Relaxed);
}

/// Clears the visible bars.
pub fn clear() {
    let bars = BARS.lock().unwrap_or_else(PoisonError::into_inner);
    bars.iter().filter_map(WeakProgressBar::upgrade).for_each(|bar| bar.finish_and_clear());
}

/// Returns whether results go to a terminal, where a bar would interrupt them.
pub fn is_in_the_way(out: Option<&PathBuf>) -> bool {
    out.is_none() && std::io::stdout().is_terminal()
}

/// Creates a bar from a template; a hidden one if `quiet`.
pub fn bar(total: u64, template: &str, quiet: bool) -> ProgressBar {
    if quiet || ARE_HIDDEN.load(Ordering::Relaxed) {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(total).with_style(style(template));
    BARS.lock().unwrap_or_else(PoisonError::into_inner).push(bar.downgrade());
    bar
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("rate", Rate)
}

/// Formats a rate as `2,861` a second.
#[derive(Clone)]
struct Rate;

impl ProgressTracker for Rate {
    fn clone_box(&self) -> Box<dyn ProgressTracker> {
        Box::new(self.clone())
    }
    fn tick(&mut self, _: &ProgressState, _: Instant) {}
    fn reset(&mut self, _: &ProgressState, _: Instant) {}
    fn write(&self, state: &ProgressState, words: &mut dyn Write) {
        let _ = words.write_str(&grouped(state.per_sec() as u64));
    }
}

const BYTES: &str = "{bar:30} {bytes}/{total_bytes}  {msg}  {eta} left";
const BYTES_OF_STREAM: &str = "{spinner} {bytes}  {msg}";
const NAMES: &str = "{bar:30} {human_pos}/{human_len} names  {rate} names/s  {eta} left";
const STEPS: &str = "{msg}  {bar:30} {human_pos}/{human_len}  {eta} left";
const UNKNOWN: &str = "{spinner} {msg}  {elapsed}";

/// Creates a bar over bytes with another rate as its message; a spinner if the total is unknown.
pub fn bytes_bar(total: Option<u64>, quiet: bool) -> ProgressBar {
    let bar = bar(total.unwrap_or_default(), if total.is_some() { BYTES } else { BYTES_OF_STREAM }, quiet);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Creates a bar over names.
pub fn count_bar(total: u64, quiet: bool) -> ProgressBar {
    bar(total, NAMES, quiet)
}

/// Runs work of the library under a bar that shows its phases.
pub fn watched<T>(quiet: bool, work: impl FnOnce() -> T) -> T {
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let bar = bar(0, BYTES, quiet);
            let (start, mut shown) = (Instant::now(), None);
            while !is_done.load(Ordering::Relaxed) {
                draw(&bar, &interrupt::progress(), start, &mut shown);
                thread::park_timeout(Duration::from_millis(100));
            }
            bar.finish_and_clear();
        });
        let outcome = work();
        is_done.store(true, Ordering::Relaxed);
        watcher.thread().unpark();
        outcome
    })
}

/// Draws the progress of the work; `shown` is the phase whose style the bar has.
fn draw(bar: &ProgressBar, progress: &Progress, start: Instant, shown: &mut Option<&'static str>) {
    let read = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
    let names = read(&progress.names);
    let Some(Phase { name, done, total, .. }) = progress.phase() else {
        if read(&progress.bytes_total) == 0 {
            return;
        }
        let rate = names as f64 / start.elapsed().as_secs_f64().max(0.001);
        bar.set_length(read(&progress.bytes_total));
        bar.set_position(read(&progress.bytes_read));
        bar.set_message(format!("{}, {} names/s", counted(names, "name"), grouped(rate as u64)));
        return;
    };
    if *shown != Some(name) {
        bar.set_style(style(if total == 0 { UNKNOWN } else { STEPS }));
        bar.set_message(if names == 0 { name.to_owned() } else { format!("{name} {}", counted(names, "name")) });
        bar.reset();
        *shown = Some(name);
    }
    bar.set_length(total);
    bar.set_position(done);
    bar.tick();
}

/// Formats a number as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// Formats a number with its noun: `1 document`, `2,000 documents`, `2 entries`.
pub fn counted(number: u64, noun: &str) -> String {
    match noun.strip_suffix('y') {
        _ if number == 1 => format!("1 {noun}"),
        Some(stem) => format!("{} {stem}ies", grouped(number)),
        None => format!("{} {noun}s", grouped(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_nouns_agree() {
        assert_eq!([0, 1, 1000].map(|number| counted(number, "entry")), ["0 entries", "1 entry", "1,000 entries"]);
        assert_eq!(counted(1, "name"), "1 name");
    }
}
