//! Pools of threads, one for each number of threads.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use rayon::{ThreadPool, ThreadPoolBuilder};
use truename_error::Error;

use crate::process::locked;

static POOLS: Mutex<BTreeMap<usize, Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());

/// Returns the pool of so many threads; 0 for one a processor.
pub fn pool(threads: usize) -> Result<Arc<ThreadPool>, Error> {
    if let Some(pool) = locked(&POOLS).get(&threads) {
        return Ok(Arc::clone(pool));
    }
    let named = |number| format!("truename-{number}");
    let made = ThreadPoolBuilder::new().num_threads(threads).thread_name(named).build().map_err(Error::other)?;
    Ok(Arc::clone(locked(&POOLS).entry(threads).or_insert_with(|| Arc::new(made))))
}

/// Forgets the pools of a parent process. Their threads are not in this one, and dropping a pool would wake them.
pub fn forget() {
    std::mem::take(&mut *locked(&POOLS)).into_values().for_each(std::mem::forget);
}
