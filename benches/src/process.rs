//! What this process used: time, processor time, memory. `benches/candle` includes this file.

use std::time::{Duration, Instant};

use anyhow::Context;

/// The result of some work, and how long it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

/// The most memory that this process had resident, with the pages of mapped files that it touched.
pub fn peak_memory_mb() -> anyhow::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status").context("cannot read /proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM in /proc/self/status")?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes / 1024.0)
}

/// The processor time that all threads of this process have had.
pub fn cpu_seconds() -> anyhow::Result<f64> {
    let mut nanoseconds = 0;
    for task in std::fs::read_dir("/proc/self/task").context("cannot read /proc/self/task")? {
        let times = std::fs::read_to_string(task?.path().join("schedstat")).context("cannot read a schedstat")?;
        nanoseconds += times.split(' ').next().unwrap_or_default().parse::<u64>().context("no time in schedstat")?;
    }
    Ok(1e-9 * nanoseconds as f64)
}
