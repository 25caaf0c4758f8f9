//! One simulation from its first start to its last look.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;

use super::clients::{self, Connections, Memory, Ring};
use super::faults::{Counts, Fault, LifeFaults, Tally};
use super::life::{Ground, Life, Manner};
use super::observe::{Observation, observe, wait_for_rest};
use super::rng::Rng;
use super::trace::Trace;
use super::verdict;
use super::world::SimClock;

/// Real time is not spent in a simulation, so this bounds turns of the scheduler: how many it may
/// take until every client has noticed that its connection broke.
const CUT_TURNS_MAX: u32 = 10_000;
/// Turns that what is left of a dead life gets to fall apart.
const DECAY_TURNS: u32 = 50;
/// How long the clients may take to finish once nothing fails any more.
const FINISH_MS: u64 = 20 * 60 * 1000;
/// The farthest that the wall clock is set at once (R7).
const JUMP_MS: u64 = 60 * 60 * 1000;
/// Time within which every run rests once nothing fails any more and the wall clock is right:
/// longer than any timer of the workflows and any scan of recovery.
const REST_MS: u64 = 90_000;

/// What a simulation came to.
#[derive(Debug)]
pub struct Outcome {
    /// Fingerprint of everything that happened.
    pub digest: String,
    /// Every line of what happened.
    pub lines: Vec<String>,
    /// Broken promises, in words; empty when all were kept.
    pub violations: Vec<String>,
    /// How often each fault happened.
    pub faults: Counts,
    /// Runs that were made.
    pub runs: usize,
    /// Times that the host was started.
    pub lives: u32,
    /// Milliseconds that passed for the host.
    pub simulated_ms: u64,
}

/// Plays one seed. Everything happens in the calling thread and in no real time.
///
/// # Panics
/// When the simulator itself is broken.
#[must_use]
pub fn simulate(seed: u64, loud: bool) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime without a driver for sockets needs nothing of the system");
    runtime.block_on(async { Driver::new(seed, loud).play().await })
}

struct Driver {
    ground: Ground,
    ring: Arc<Ring>,
    rng: Rng,
    lives: u32,
    /// By how much the wall clock is off, and the most by which it ever was ahead.
    off_ms: i64,
    ahead_ms: i64,
}

impl Driver {
    fn new(seed: u64, loud: bool) -> Driver {
        let clock = SimClock::new();
        let mut rng = Rng::for_purpose(seed, "driver");
        let ring = Arc::new(Ring {
            seed,
            clock: clock.clone(),
            trace: Trace::new(clock.clone(), loud),
            tally: Tally::default(),
            connections: Connections::default(),
            memory: Memory::default(),
            closes_ms: rng.between(12_000, 24_000),
        });
        let ground = Ground::new(seed, clock);
        Driver { ground, ring, rng, lives: 0, off_ms: 0, ahead_ms: 0 }
    }

    async fn play(mut self) -> Outcome {
        let clients = clients::spawn(&self.ring);
        while self.ground.clock.passed_ms() < self.ring.closes_ms {
            self.troubled_life().await;
        }
        self.set_clock(self.ahead_ms - self.off_ms);
        let life = self.calm_life().await;
        let mut violations = self.finish(clients).await;
        let before = self.at_rest(&life, &mut violations).await;
        self.kill(life).await;
        // What a fresh host reads from the disk alone must be what the old one showed.
        let life = self.calm_life().await;
        let after = self.at_rest(&life, &mut violations).await;
        violations.extend(verdict::same(&before, &after));
        let (history, promises) = self.ring.memory.recall();
        violations.extend(verdict::judge(&history, &promises, &after, &self.ground.peer.begun()));
        self.kill(life).await;
        for line in after.lines() {
            self.ring.trace.keep(line);
        }
        Outcome {
            digest: self.ring.trace.digest(),
            lines: self.ring.trace.lines(),
            violations,
            faults: self.ring.tally.counts(),
            runs: after.runs.len(),
            lives: self.lives,
            simulated_ms: self.ground.clock.passed_ms(),
        }
    }

    /// A life with faults, up to the crash that ends it.
    async fn troubled_life(&mut self) {
        let now = self.ground.clock.passed_ms();
        let in_recovery = self.lives > 0 && self.rng.happens(200);
        let length = if in_recovery { self.rng.between(1, 60) } else { self.rng.between(300, 6_000) };
        let reads_fail = !Manner::of(self.lives).remembers;
        let tally = self.ring.tally.clone();
        let faults = LifeFaults::draw(self.ground.seed, self.lives, now..now + length, reads_fail, tally);
        let life = self.begin(faults).await;
        tokio::select! {
            biased;
            () = life.switch.pulled() => {}
            () = self.ground.clock.until_ms(now + length) => {
                if life.switch.pull() {
                    self.ring.tally.count(if in_recovery { Fault::CrashInRecovery } else { Fault::Crash });
                }
            }
        }
        self.kill(life).await;
        let down = self.rng.between(0, 200);
        tokio::time::sleep(Duration::from_millis(down)).await;
        self.disturb_clock();
    }

    async fn calm_life(&mut self) -> Arc<Life> {
        let faults = LifeFaults::none(self.ground.seed, self.lives, self.ring.tally.clone());
        self.begin(faults).await
    }

    async fn begin(&mut self, faults: LifeFaults) -> Arc<Life> {
        self.ring.trace.note("driver", format_args!("life {} begins", self.lives));
        let life = Life::begin(&self.ground, self.lives, faults).await;
        self.lives += 1;
        self.ring.connections.lead_to(Some(Arc::clone(&life)));
        life
    }

    /// What a crash does, in an order that a seed rules: the disk is out of reach first, then all
    /// connections break, and the tasks of the process go last.
    async fn kill(&mut self, life: Arc<Life>) {
        life.switch.pull();
        self.ring.connections.lead_to(None);
        life.cut.cancel();
        for _ in 0..CUT_TURNS_MAX {
            if self.ring.connections.open() == 0 {
                break;
            }
            tokio::task::yield_now().await;
        }
        assert_eq!(self.ring.connections.open(), 0, "a client clings to a dead host");
        life.end();
        drop(life);
        for _ in 0..DECAY_TURNS {
            tokio::task::yield_now().await;
        }
        self.ring.trace.note("driver", format_args!("life {} is over", self.lives - 1));
    }

    /// Sets the wall clock wrong, now and then.
    fn disturb_clock(&mut self) {
        if !self.rng.happens(300) {
            return;
        }
        let ms = i64::try_from(self.rng.between(1, JUMP_MS)).expect("an hour is a small number");
        let forwards = self.rng.happens(500);
        self.ring.tally.count(if forwards { Fault::ClockForwards } else { Fault::ClockBack });
        self.set_clock(if forwards { ms } else { -ms });
    }

    fn set_clock(&mut self, by_ms: i64) {
        self.off_ms += by_ms;
        self.ahead_ms = self.ahead_ms.max(self.off_ms);
        self.ground.clock.jump(by_ms);
        self.ring.trace.note("driver", format_args!("the clock is set by {by_ms} ms"));
    }

    /// Lets the clients get their last answers.
    async fn finish(&self, clients: Vec<JoinHandle<()>>) -> Vec<String> {
        let all = async {
            for client in clients {
                client.await.expect("a client broke");
            }
        };
        match tokio::time::timeout(Duration::from_millis(FINISH_MS), all).await {
            Ok(()) => Vec::new(),
            Err(_) => vec!["the clients did not get their answers".to_owned()],
        }
    }

    async fn at_rest(&self, life: &Life, violations: &mut Vec<String>) -> Observation {
        if let Err(moving) = wait_for_rest(&life.host, &self.ground.clock, REST_MS).await {
            violations.push(format!("I4: after {REST_MS} ms these still move: {moving:?}"));
        }
        observe(&life.host).await
    }
}
