//! Pools of threads, lent to calls.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use rayon::{ThreadPool, ThreadPoolBuilder};
use truename_error::Error;

use crate::process::locked;

/// Number of threads that stands for one a processor. Calls on it share a pool, whose threads help whoever has work.
const PROCESSORS: usize = 0;

/// Pools that no call uses, by their number of threads, and the shared one.
static FREE: Mutex<BTreeMap<usize, Vec<Arc<ThreadPool>>>> = Mutex::new(BTreeMap::new());

/// A pool of threads that one call uses, until it is dropped.
pub struct PoolLease {
    threads: usize,
    pool: Arc<ThreadPool>,
}

impl PoolLease {
    /// Lends a pool of so many threads; 0 for one a processor.
    pub fn new(threads: usize) -> Result<Self, Error> {
        let free = locked(&FREE).get_mut(&threads).and_then(|free| match threads {
            PROCESSORS => free.first().map(Arc::clone),
            _ => free.pop(),
        });
        if let Some(pool) = free {
            return Ok(Self { threads, pool });
        }
        let named = |number| format!("truename-{number}");
        let made = ThreadPoolBuilder::new().num_threads(threads).thread_name(named).build().map_err(Error::other)?;
        let lent = Self { threads, pool: Arc::new(made) };
        if threads == PROCESSORS {
            lent.free();
        }
        Ok(lent)
    }

    /// Runs work on the pool, and hands its value on when the pool is free again.
    pub fn spawn<T>(self, work: impl FnOnce() -> T + Send + 'static, tell: impl FnOnce(T) + Send + 'static) {
        let pool = Arc::clone(&self.pool);
        pool.spawn(move || {
            let value = work();
            drop(self);
            tell(value);
        });
    }

    fn free(&self) {
        locked(&FREE).entry(self.threads).or_default().push(Arc::clone(&self.pool));
    }
}

impl Drop for PoolLease {
    fn drop(&mut self) {
        if self.threads != PROCESSORS {
            self.free();
        }
    }
}

/// Forgets the pools of a parent process. Their threads are not in this one, and dropping a pool would wake them.
pub fn forget() {
    std::mem::take(&mut *locked(&FREE)).into_values().flatten().for_each(std::mem::forget);
}
