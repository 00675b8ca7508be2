//! Resources of this process: time, processor time, memory. `benches/candle` includes this file.

use std::time::{Duration, Instant};

use anyhow::Context;

/// Runs work; returns its result and duration.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

/// Returns the peak resident memory of this process in MB, including touched pages of mapped files.
pub fn peak_memory_mb() -> anyhow::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status").context("cannot read /proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM in /proc/self/status")?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes / 1024.0)
}

/// Returns the processor time of all threads of this process, in seconds.
pub fn cpu_seconds() -> anyhow::Result<f64> {
    let mut nanoseconds = 0;
    for task in std::fs::read_dir("/proc/self/task").context("cannot read /proc/self/task")? {
        let times = std::fs::read_to_string(task?.path().join("schedstat")).context("cannot read a schedstat")?;
        nanoseconds += times.split(' ').next().unwrap_or_default().parse::<u64>().context("no time in schedstat")?;
    }
    Ok(1e-9 * nanoseconds as f64)
}
