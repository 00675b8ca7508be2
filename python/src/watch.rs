//! Progress of long work, told to Python.

use std::sync::atomic::Ordering;

use pyo3::prelude::*;
use pyo3::types::PyBool;
use truename::{Phase, Progress};

/// Reports to Python while work goes on.
pub trait Look: Sync {
    /// Tells what is new; at the `end` of the work for the last time.
    fn look(&mut self, py: Python<'_>, progress: &Progress, end: bool) -> PyResult<()>;
}

/// A function of Python that is told the phase of the work, the steps done and those in all, 0 where their number is not known.
#[derive(Default)]
pub struct Watch {
    tell: Option<Py<PyAny>>,
    told: Option<(String, u64, u64)>,
}

impl Watch {
    /// Creates a watch from the argument `progress`: a function, or true for a bar of `tqdm` where that is installed.
    pub fn new(progress: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(progress) = progress.filter(|progress| !progress.is_none()) else { return Ok(Self::default()) };
        let tell = match progress.cast::<PyBool>() {
            Ok(is_asked) if !is_asked.is_true() => return Ok(Self::default()),
            Ok(_) => progress.py().import("truename._progress")?.call_method0("bar")?,
            Err(_) => progress.clone(),
        };
        Ok(Self { tell: Some(tell.unbind()), told: None })
    }
}

impl Look for Watch {
    fn look(&mut self, py: Python<'_>, progress: &Progress, end: bool) -> PyResult<()> {
        let Some(tell) = &self.tell else { return Ok(()) };
        let (name, mut done, total) = match progress.phase() {
            Some(Phase { name, done, total, .. }) => (name, done, total),
            None => {
                let [read, all] =
                    [&progress.bytes_read, &progress.bytes_total].map(|count| count.load(Ordering::Relaxed));
                ("reading", read, all)
            }
        };
        if end && total > 0 {
            done = total;
        }
        let now = Some((name.to_owned(), done, total));
        if (total, name) != (0, "reading") && self.told != now {
            self.told = now;
            tell.call1(py, (name, done, total))?;
        }
        Ok(())
    }
}
