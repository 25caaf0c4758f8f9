//! The machine's clock and randomness, as the engine's ports want them.

use std::time::{SystemTime, UNIX_EPOCH};

use weft_engine::{BoxFuture, Clock, Entropy};
use weft_model::time::Timestamp;

/// The wall clock of this machine; waits on the runtime's monotonic timer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX))
    }

    fn sleep_until(&self, due: Timestamp) -> BoxFuture<'static, ()> {
        let wait = std::time::Duration::from_millis(due.saturating_ms_since(self.now()));
        Box::pin(tokio::time::sleep(wait))
    }
}

/// The operating system's random source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn random_128(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).expect("the operating system's random source does not fail once it is seeded");
        bytes
    }
}

/// A random token of 32 hexadecimal digits, in the grammar of an `Idempotency-Key`.
pub(crate) fn fresh_token() -> String {
    SystemEntropy.random_128().iter().map(|byte| format!("{byte:02x}")).collect()
}
