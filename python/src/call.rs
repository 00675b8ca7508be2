//! Calls of the library: on a pool of threads, without the interpreter's lock, until they end or Ctrl-C.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use truename::Progress;
use truename_error::Error;

use crate::error::raised;
use crate::pool::PoolLease;
use crate::process::{self, locked};
use crate::watch::{Look, Watch};

/// Time between two looks for Ctrl-C.
const POLL: Duration = Duration::from_millis(50);
/// The default of [`Call::patience`].
const PATIENCE: Duration = Duration::from_millis(500);

/// A call of the library.
pub struct Call {
    /// Number of threads; 0 for one a processor.
    pub threads: usize,
    /// Progress by which the work is stopped and watched.
    pub progress: Arc<Progress>,
    /// Reports to Python while the work goes on.
    pub watch: Box<dyn Look>,
    /// Time that interrupted work has to end; work that goes on ends later, and nobody waits for its answer.
    pub patience: Duration,
}

impl Default for Call {
    fn default() -> Self {
        Self { threads: 0, progress: Arc::default(), watch: Box::new(Watch::default()), patience: PATIENCE }
    }
}

/// Answer of the work, where it has ended.
type Answer<T> = (Mutex<Option<Result<Result<T, Error>, Box<dyn Any + Send>>>>, Condvar);

impl Call {
    /// Creates a call on a number of threads.
    pub fn on(threads: usize) -> Self {
        Self { threads, ..Self::default() }
    }

    /// Creates a call that tells its progress, by the argument `progress`.
    pub fn watched(progress: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Ok(Self { watch: Box::new(Watch::new(progress)?), ..Self::default() })
    }

    /// Runs work. Raises the exception of a signal, `KeyboardInterrupt` as a rule, within a second; in a child of a fork, `RuntimeError`.
    pub fn run<T: Send + 'static>(
        mut self,
        py: Python<'_>,
        work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let answer: Arc<Answer<T>> = Arc::default();
        let (told, process) = (Arc::clone(&answer), std::process::id());
        let work = move || {
            let under_way = process::begin();
            (catch_unwind(AssertUnwindSafe(work)), under_way)
        };
        let tell = move |(outcome, _under_way)| {
            *locked(&told.0) = Some(outcome);
            told.1.notify_all();
        };
        PoolLease::new(self.threads).map_err(raised)?.spawn(work, tell);
        loop {
            // A function that is told the progress may fork.
            if std::process::id() != process {
                return Err(PyRuntimeError::new_err("the process was forked while the call was under way"));
            }
            if let Some(outcome) = py.detach(|| wait(&answer, POLL)) {
                self.watch.look(py, &self.progress, true)?;
                return outcome.map_err(|panic| PanicException::new_err(said(&*panic)))?.map_err(raised);
            }
            let looked = py.check_signals().and_then(|()| self.watch.look(py, &self.progress, false));
            if let Err(interrupt) = looked {
                self.progress.stop();
                py.detach(|| self.stop(&answer));
                return Err(interrupt);
            }
        }
    }

    /// Waits for work that was asked to stop; a commit under way is finished.
    fn stop<T>(&self, answer: &Answer<T>) {
        let start = Instant::now();
        while wait(answer, POLL).is_none() && (start.elapsed() < self.patience || self.progress.is_committing()) {}
    }
}

fn wait<T>((answer, ready): &Answer<T>, longest: Duration) -> Option<Result<Result<T, Error>, Box<dyn Any + Send>>> {
    let waited = ready.wait_timeout_while(locked(answer), longest, |answer| answer.is_none());
    waited.unwrap_or_else(PoisonError::into_inner).0.take()
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "the library failed".to_owned())
}
