//! Progress of long work: phases to watch, and a request to stop that no commit under way heeds.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Error, error};

/// Progress of an import, update or calibration, for another thread to watch and to stop.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes of all files.
    pub bytes_total: AtomicU64,
    /// Bytes read.
    pub bytes_read: AtomicU64,
    /// Names read.
    pub names: AtomicU64,
    phase: Mutex<Option<Phase>>,
    /// The lowest bit says that the work is to stop, the others count commits under way.
    state: AtomicU32,
}

/// A phase of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Phase {
    /// Name, as `indexing`.
    pub name: &'static str,
    /// Steps done.
    pub done: u64,
    /// Steps in all; 0 where their number is not known.
    pub total: u64,
}

const STOPPED: u32 = 1;
const COMMIT: u32 = 2;

impl Progress {
    /// Asks the work to end with [`Error::is_interrupted`]. A commit under way is finished.
    pub fn stop(&self) {
        self.state.fetch_or(STOPPED, Ordering::SeqCst);
    }

    /// Returns whether the work was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.state.load(Ordering::Relaxed) & STOPPED != 0
    }

    /// Returns whether results are being put in place.
    pub fn is_committing(&self) -> bool {
        self.state.load(Ordering::SeqCst) >= COMMIT
    }

    /// Returns an error if the work was asked to stop.
    ///
    /// # Errors
    /// [`Error::is_interrupted`] if it was.
    pub fn check(&self) -> Result<(), Error> {
        if self.is_stopped() { Err(error::interrupted()) } else { Ok(()) }
    }

    /// Begins to put results in place: from here to the end of the guard's life the work is not stopped.
    ///
    /// # Errors
    /// [`Error::is_interrupted`] if it was stopped before.
    pub fn commit(&self) -> Result<Committing<'_>, Error> {
        let begun = |state| (state & STOPPED == 0 || state >= COMMIT).then_some(state + COMMIT);
        let begun = self.state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, begun);
        begun.map(|_| Committing(self)).map_err(|_| error::interrupted())
    }

    /// Begins a phase of so many steps, 0 where their number is not known.
    pub fn begin(&self, name: &'static str, total: u64) {
        *self.locked() = Some(Phase { name, done: 0, total });
    }

    /// Counts steps of the phase.
    pub fn advance(&self, steps: u64) {
        if let Some(phase) = self.locked().as_mut() {
            phase.done += steps;
        }
    }

    /// Returns the current phase; none while files are read.
    pub fn phase(&self) -> Option<Phase> {
        *self.locked()
    }

    fn locked(&self) -> MutexGuard<'_, Option<Phase>> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A commit under way.
#[derive(Debug)]
pub struct Committing<'a>(&'a Progress);

impl Drop for Committing<'_> {
    fn drop(&mut self) {
        self.0.state.fetch_sub(COMMIT, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stopped_is_not_committed_and_what_is_committed_not_stopped() {
        let progress = Progress::default();
        let outer = progress.commit().unwrap();
        progress.stop();
        assert!(progress.is_stopped() && progress.is_committing());
        // A commit of several parts is finished.
        drop(progress.commit().unwrap());
        drop(outer);
        assert!(!progress.is_committing());
        assert!(progress.commit().unwrap_err().is_interrupted() && progress.check().unwrap_err().is_interrupted());
    }
}
