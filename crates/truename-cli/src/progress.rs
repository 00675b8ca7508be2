//! Bars that follow the work of the library.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use truename::{Phase, Progress};
use truename_error::{counted, grouped};

use crate::bars::{BYTES, STEPS, UNKNOWN, bar, style};
use crate::interrupt;

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
