//! Progress on stderr: bars on a terminal, else lines.

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::style::ProgressTracker;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, WeakProgressBar};
use truename_error::grouped;

use crate::progress_lines::ProgressLines;

/// Bars of this process.
static BARS: Mutex<Vec<WeakProgressBar>> = Mutex::new(Vec::new());
static ARE_HIDDEN: AtomicBool = AtomicBool::new(false);

/// Hides all bars.
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
    let target = match is_on_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::term_like_with_hz(Box::new(ProgressLines::new()), 1),
    };
    let bar = ProgressBar::with_draw_target(Some(total), target).with_style(style(template));
    BARS.lock().unwrap_or_else(PoisonError::into_inner).push(bar.downgrade());
    bar
}

fn is_on_terminal() -> bool {
    !ProgressDrawTarget::stderr().is_hidden()
}

/// Returns the style of a template; lines have no drawing in front of the numbers.
pub fn style(template: &str) -> ProgressStyle {
    let template = match is_on_terminal() {
        true => template.to_owned(),
        false => template.replace("{bar:30} ", "").replace("{spinner} ", ""),
    };
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
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

pub const BYTES: &str = "{bar:30} {bytes}/{total_bytes}  {msg}  {bytes_per_sec}  {eta} left";
const BYTES_OF_STREAM: &str = "{spinner} {bytes}  {msg}  {bytes_per_sec}";
const NAMES: &str = "{bar:30} {human_pos}/{human_len} names  {rate} names/s  {eta} left";
pub const STEPS: &str = "{msg}  {bar:30} {human_pos}/{human_len}  {eta} left";
pub const UNKNOWN: &str = "{spinner} {msg}  {elapsed}";

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
