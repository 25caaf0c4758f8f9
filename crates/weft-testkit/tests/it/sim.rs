//! The seeded simulation of a whole host (R16). `WEFT_SIM_SEED=7` plays one seed and prints every
//! line of it; without it a fixed set is played.

use std::time::{Duration, Instant};

use weft_testkit::simulator::{Counts, Fault, Outcome, simulate};

/// The fixed set.
const SEEDS: std::ops::Range<u64> = 0..200;
/// Real time that the set may take on a busy machine with two cores, in a debug build. One that
/// takes longer has found a loop that turns without waiting.
const REAL_TIME_MAX: Duration = Duration::from_secs(120);

/// Broken promises of one seed that are printed.
const VIOLATIONS_SHOWN: usize = 8;

fn wanted_seed() -> Option<u64> {
    let text = std::env::var("WEFT_SIM_SEED").ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("WEFT_SIM_SEED is a number, not {text:?}")))
}

fn play(seed: u64, loud: bool) -> Outcome {
    std::panic::catch_unwind(|| simulate(seed, loud)).unwrap_or_else(|panic| {
        eprintln!("seed {seed} broke the simulation; again: WEFT_SIM_SEED={seed} cargo test -p weft-testkit sim");
        std::panic::resume_unwind(panic)
    })
}

/// Says what is wrong with an outcome; `true` when nothing is.
fn holds(seed: u64, outcome: &Outcome) -> bool {
    if outcome.violations.is_empty() {
        return true;
    }
    println!("seed {seed} broke {} promises:", outcome.violations.len());
    for violation in outcome.violations.iter().take(VIOLATIONS_SHOWN) {
        println!("    {violation}");
    }
    println!("again: WEFT_SIM_SEED={seed} cargo test -p weft-testkit sim");
    false
}

/// Witnesses that what was answered is durable and goes on after every crash (R-DUR-01, R-DUR-02,
/// R-INT-17), that a key is one run and one answer (R-IDEM-04, R-IDEM-09, R-IDEM-15, R-INT-13),
/// that one of two answers wins (R-INT-12), that a cancel holds (R-CAN-01), that the log is whole
/// (R-EVT-02, R-EVT-03), and that a subscriber misses and repeats nothing (R-SSE-12, R-SSE-19).
#[test]
fn two_hundred_seeds() {
    if let Some(seed) = wanted_seed() {
        let outcome = play(seed, true);
        println!("{} runs, {} lives, {} ms: {}", outcome.runs, outcome.lives, outcome.simulated_ms, outcome.faults);
        assert!(holds(seed, &outcome), "seed {seed} broke a promise");
        return;
    }
    let begun = Instant::now();
    let (mut faults, mut runs, mut lives, mut broken) = (Counts::default(), 0, 0, Vec::new());
    for seed in SEEDS {
        let outcome = play(seed, false);
        if !holds(seed, &outcome) {
            broken.push(seed);
        }
        faults.add(&outcome.faults);
        runs += outcome.runs;
        lives += outcome.lives;
    }
    let took = begun.elapsed();
    println!("{} seeds, {runs} runs, {lives} lives in {took:?}: {faults}", SEEDS.end - SEEDS.start);
    assert!(broken.is_empty(), "these seeds broke promises: {broken:?}");
    // A set in which a fault never happens shows nothing about that fault.
    for fault in Fault::ALL {
        assert!(faults.of(fault) > 0, "{fault:?} never happened");
    }
    assert!(took < REAL_TIME_MAX, "the set took {took:?}");
}

/// A seed that does not repeat itself cannot be looked into.
#[test]
fn a_seed_repeats_itself() {
    let seeds = wanted_seed().map_or(0..6, |seed| seed..seed + 1);
    for seed in seeds {
        let (once, again) = (simulate(seed, false), simulate(seed, false));
        let parting = once.lines.iter().zip(&again.lines).find(|(a, b)| a != b);
        assert_eq!(once.digest, again.digest, "seed {seed} parts at {parting:#?}");
    }
}
