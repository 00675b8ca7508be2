//! Values that each process opens for itself. An open store and a pool of threads do not survive a fork.
//!
//! A fork waits for the calls under way ([`begin`]), but no longer than [`PATIENCE`]: what a call has open then stays open in the child,
//! where it is an error to use it.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use truename_error::Error;

use crate::pool;

/// Longest time that a fork waits for calls under way.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two looks for the end of calls or of a fork.
const POLL: Duration = Duration::from_millis(1);

/// A value that is opened when it is first needed, and again in a child of a fork.
pub struct PerProcess<T>(Arc<Slot<T>>);

/// A slot is looked at under the lock of [`SLOTS`] alone, which no other thread has while a process forks.
struct Slot<T>(Mutex<Option<Arc<T>>>);

trait Forget: Send + Sync {
    fn forget(&self);
}

type Slots = Vec<Weak<dyn Forget>>;

/// Slots of all values.
static SLOTS: Mutex<Slots> = Mutex::new(Vec::new());
/// Number of calls under way.
static CALLS: AtomicUsize = AtomicUsize::new(0);
/// True while a fork waits for calls, and during the fork.
static IS_FORKING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The lock of [`SLOTS`] from before a fork until after it.
    static FORKING: RefCell<Option<MutexGuard<'static, Slots>>> = const { RefCell::new(None) };
}

impl<T: Send + Sync + 'static> PerProcess<T> {
    /// Creates a value that is not open yet.
    pub fn new() -> Self {
        let slot = Arc::new(Slot(Mutex::new(None)));
        let mut slots = locked(&SLOTS);
        slots.retain(|slot| slot.strong_count() > 0);
        let weak: Weak<Slot<T>> = Arc::downgrade(&slot);
        slots.push(weak);
        Self(slot)
    }

    /// Returns the value, opened where it is not open.
    pub fn get(&self, open: impl FnOnce() -> Result<T, Error>) -> Result<Arc<T>, Error> {
        if let Some(value) = self.0.look(|value| value.clone()) {
            return Ok(value);
        }
        let opened = Arc::new(open()?);
        Ok(self.0.look(|value| Arc::clone(value.get_or_insert(opened))))
    }

    /// Closes the value; the next call opens it anew.
    pub fn close(&self) {
        let value = self.0.look(Option::take);
        drop(value);
    }
}

impl<T> Slot<T> {
    fn look<R>(&self, look: impl FnOnce(&mut Option<Arc<T>>) -> R) -> R {
        let _slots = locked(&SLOTS);
        look(&mut locked(&self.0))
    }
}

impl<T: Send + Sync> Forget for Slot<T> {
    fn forget(&self) {
        let value = locked(&self.0).take();
        drop(value);
    }
}

/// Counts a call as under way until it is dropped.
pub struct RunningCall(());

/// Begins a call, after a fork that is under way.
pub fn begin() -> RunningCall {
    loop {
        CALLS.fetch_add(1, Ordering::SeqCst);
        if !IS_FORKING.load(Ordering::SeqCst) {
            return RunningCall(());
        }
        CALLS.fetch_sub(1, Ordering::SeqCst);
        std::thread::sleep(POLL);
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        CALLS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Waits for the calls under way, before a fork.
#[pyfunction]
#[pyo3(name = "_before_fork")]
pub fn before_fork(py: Python<'_>) {
    IS_FORKING.store(true, Ordering::SeqCst);
    let start = Instant::now();
    while CALLS.load(Ordering::SeqCst) > 0 && start.elapsed() < PATIENCE {
        py.detach(|| std::thread::sleep(POLL));
    }
    FORKING.set(Some(locked(&SLOTS)));
}

/// Lets calls begin again, in the process that forked.
#[pyfunction]
#[pyo3(name = "_after_fork_in_parent")]
pub fn after_fork_in_parent() {
    FORKING.take();
    IS_FORKING.store(false, Ordering::SeqCst);
}

/// Closes in a child what its parent had open, before the child opens anything.
#[pyfunction]
#[pyo3(name = "_after_fork_in_child")]
pub fn after_fork_in_child() {
    let slots: Vec<_> = FORKING.take().iter().flat_map(|slots| slots.iter()).filter_map(Weak::upgrade).collect();
    pool::forget();
    slots.iter().for_each(|slot| slot.forget());
    CALLS.store(0, Ordering::SeqCst);
    IS_FORKING.store(false, Ordering::SeqCst);
}

pub fn locked<T: ?Sized>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
