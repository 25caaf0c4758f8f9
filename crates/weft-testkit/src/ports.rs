//! Time and randomness for tests of a host that is not simulated as a whole.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;
use weft_engine::{BoxFuture, Clock, Entropy};
use weft_model::Timestamp;

/// The moment at which a test begins: 2027-01-15T08:00:00Z.
pub const START: Timestamp = Timestamp::from_millis(1_800_000_000_000);

/// Follows the runtime's clock, which tests pause.
#[derive(Clone, Copy, Debug)]
pub struct PausedClock(Instant);

impl PausedClock {
    /// A clock that shows [`START`] now. Must be made inside the runtime.
    #[must_use]
    pub fn starting() -> PausedClock {
        PausedClock(Instant::now())
    }
}

impl Clock for PausedClock {
    fn now(&self) -> Timestamp {
        START.plus_ms(u64::try_from(self.0.elapsed().as_millis()).expect("a short test"))
    }

    fn sleep_until(&self, due: Timestamp) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(Duration::from_millis(due.saturating_ms_since(self.now()))))
    }
}

/// Values that never repeat, and are the same in every run of a test.
#[derive(Debug)]
pub struct CountedEntropy(AtomicU64);

impl CountedEntropy {
    /// Counts from `first`. Worlds over one store need beginnings that lie apart.
    #[must_use]
    pub fn from(first: u64) -> CountedEntropy {
        CountedEntropy(AtomicU64::new(first))
    }
}

impl Entropy for CountedEntropy {
    fn random_128(&self) -> [u8; 16] {
        // In both halves, because what is made of it may use only one.
        let count = u128::from(self.0.fetch_add(1, Ordering::Relaxed));
        (count << 64 | count).to_be_bytes()
    }
}
