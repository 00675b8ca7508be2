//! Values that each process opens for itself. An open store and a pool of threads do not survive a fork.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use pyo3::pyfunction;
use truename_error::Error;

use crate::pool;

/// A value that is opened when it is first needed, and again in a child of a fork.
pub struct PerProcess<T>(Arc<Slot<T>>);

/// The lock is held for no longer than a look takes, so that a fork rarely finds it locked.
struct Slot<T>(Mutex<Option<Arc<T>>>);

trait Forget: Send + Sync {
    fn forget(&self);
}

/// Slots of all values.
static SLOTS: Mutex<Vec<Weak<dyn Forget>>> = Mutex::new(Vec::new());

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
        if let Some(value) = &*locked(&self.0.0) {
            return Ok(Arc::clone(value));
        }
        let opened = Arc::new(open()?);
        Ok(Arc::clone(locked(&self.0.0).get_or_insert(opened)))
    }

    /// Closes the value; the next call opens it anew.
    pub fn close(&self) {
        self.0.forget();
    }
}

impl<T: Send + Sync> Forget for Slot<T> {
    fn forget(&self) {
        let value = locked(&self.0).take();
        drop(value);
    }
}

/// Closes in a child what its parent had open, before the child opens anything.
#[pyfunction]
#[pyo3(name = "_after_fork")]
pub fn after_fork() {
    pool::forget();
    let slots: Vec<_> = locked(&SLOTS).iter().filter_map(Weak::upgrade).collect();
    slots.iter().for_each(|slot| slot.forget());
}

pub fn locked<T: ?Sized>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
