//! Time and randomness of a simulated host.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use weft_engine::{BoxFuture, Clock, Entropy};
use weft_model::Timestamp;

use super::rng::Rng;
use crate::ports::START;

/// A wall clock over the runtime's paused clock. It can be set, as an administrator or a time
/// server sets one: then it jumps, while time itself goes on as before.
#[derive(Clone)]
pub(crate) struct SimClock {
    begun: Instant,
    offset_ms: Arc<AtomicI64>,
}

impl SimClock {
    /// A clock that begins now. Must be made inside the runtime.
    pub(crate) fn new() -> SimClock {
        SimClock { begun: Instant::now(), offset_ms: Arc::default() }
    }

    /// Milliseconds that have passed since the beginning, whatever the wall clock says.
    pub(crate) fn passed_ms(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).expect("a simulation is short")
    }

    /// Sets the wall clock forwards or back.
    pub(crate) fn jump(&self, ms: i64) {
        self.offset_ms.fetch_add(ms, Ordering::Relaxed);
    }

    /// Sleeps until this much time has passed since the beginning.
    pub(crate) async fn until_ms(&self, ms: u64) {
        tokio::time::sleep_until(self.begun + Duration::from_millis(ms)).await;
    }
}

impl Clock for SimClock {
    fn now(&self) -> Timestamp {
        let passed = i64::try_from(self.passed_ms()).expect("a simulation is short");
        let offset = self.offset_ms.load(Ordering::Relaxed);
        Timestamp::from_micros(START.as_micros() + (passed + offset) * 1000)
    }

    fn sleep_until(&self, due: Timestamp) -> BoxFuture<'static, ()> {
        let wait = due.saturating_ms_since(self.now());
        Box::pin(tokio::time::sleep(Duration::from_millis(wait)))
    }
}

/// Seeded randomness for ids.
pub(crate) struct SimEntropy(Mutex<Rng>);

impl SimEntropy {
    /// Each life of the host draws from a stream of its own, as each process would.
    pub(crate) fn for_life(seed: u64, life: u32) -> SimEntropy {
        SimEntropy(Mutex::new(Rng::for_purpose(seed, &format!("entropy {life}"))))
    }
}

impl Entropy for SimEntropy {
    fn random_128(&self) -> [u8; 16] {
        self.0.lock().bits_128()
    }
}
