//! Limit of the requests of each user.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::failure::Failure;

/// Wrong keys of an address in a minute, where requests have no limit.
pub(crate) const WRONG_KEYS: NonZeroU32 = NonZeroU32::new(30).expect("it is not 0");

/// Limits the requests of each user.
pub(crate) struct Limiter(DefaultKeyedRateLimiter<String>);

impl Limiter {
    pub fn new(a_minute: NonZeroU32) -> Self {
        Self(RateLimiter::keyed(Quota::per_minute(a_minute)))
    }

    /// Forgets users who have not asked lately.
    pub fn forget(&self) {
        self.0.retain_recent();
    }

    /// Counts a request; an error if the user asked too often.
    pub fn check(&self, user: &str) -> Result<(), Failure> {
        let now = DefaultClock::default().now();
        let wait = |wait: Duration| Failure::too_many(wait.as_secs() + 1);
        self.0.check_key(&user.to_owned()).map_err(|until| wait(until.wait_time_from(now)))
    }
}
