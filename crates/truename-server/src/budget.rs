//! Bytes of memory that all requests hold together.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Unit in which bytes are counted: a semaphore has 32 bits.
const UNIT: usize = 1 << 10;

/// A bounded number of bytes, shared by all requests.
pub(crate) struct Budget {
    units: Arc<Semaphore>,
    all: u32,
    /// Bytes taken since the last call of [`Budget::taken`].
    taken: AtomicUsize,
}

/// Bytes taken from a [`Budget`], given back on drop.
#[derive(Default)]
pub(crate) struct HeldBytes(Option<OwnedSemaphorePermit>);

impl Budget {
    pub fn new(bytes: usize) -> Self {
        let all = units(bytes).max(1);
        Self { units: Arc::new(Semaphore::new(all as usize)), all, taken: AtomicUsize::new(0) }
    }

    /// Returns the number of bytes of the whole budget.
    pub fn bytes(&self) -> usize {
        self.all as usize * UNIT
    }

    /// Returns the number of bytes that were taken since the last call, those given back among them.
    pub fn taken(&self) -> usize {
        self.taken.swap(0, Ordering::Relaxed)
    }

    /// Returns true if nothing is taken.
    pub fn is_free(&self) -> bool {
        self.units.available_permits() == self.all as usize
    }

    /// Waits until there is room for some bytes, or for the whole budget if they are more.
    pub async fn take(&self, bytes: usize) -> HeldBytes {
        self.taken.fetch_add(bytes, Ordering::Relaxed);
        // The semaphore is never closed.
        HeldBytes(Arc::clone(&self.units).acquire_many_owned(units(bytes).min(self.all)).await.ok())
    }
}

impl HeldBytes {
    /// Holds at least `bytes` of a budget; returns false if others hold too many.
    pub fn grow_to(&mut self, bytes: usize, budget: &Budget) -> bool {
        let held = self.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let Some(more) = units(bytes).checked_sub(held as u32).filter(|more| *more > 0) else { return true };
        let Ok(more) = Arc::clone(&budget.units).try_acquire_many_owned(more) else { return false };
        budget.taken.fetch_add(more.num_permits() * UNIT, Ordering::Relaxed);
        match &mut self.0 {
            Some(permit) => permit.merge(more),
            None => self.0 = Some(more),
        }
        true
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX)
}

/// Memory that a request holds until its answer is sent.
#[derive(Clone, Default)]
pub(crate) struct HeldMemory(Arc<Mutex<Vec<HeldBytes>>>);

impl HeldMemory {
    pub fn keep(&self, held: HeldBytes) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn bytes_are_taken_once_and_given_back() {
        let budget = Budget::new(10 << 10);
        let mut body = HeldBytes::default();
        assert!(body.grow_to(1, &budget) && body.grow_to(4 << 10, &budget) && body.grow_to(2 << 10, &budget));
        assert_eq!(budget.units.available_permits(), 6);
        assert!(!HeldBytes::default().grow_to(7 << 10, &budget) && !body.grow_to(11 << 10, &budget));
        let all = budget.take(6 << 10).await;
        assert!(!body.grow_to(5 << 10, &budget));
        drop((all, body));
        // More than the whole budget is the whole budget.
        drop(budget.take(1 << 30).await);
        assert_eq!((budget.units.available_permits(), budget.bytes()), (10, 10 << 10));
        assert_eq!((budget.taken(), budget.taken()), ((10 << 10) + (1 << 30), 0));
        assert!(budget.is_free());
    }
}
