//! The seeded simulation of a whole host (R16). `WEFT_SIM_SEED=7` plays one seed and prints every
//! line of it, `WEFT_SIM_SEEDS=200..2000` plays another set; without either a fixed set is played.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use weft_testkit::simulator::{Counts, Fault, Outcome, simulate};

/// The fixed set.
const SEEDS: Range<u64> = 0..200;
/// Seeds played at once, each in a thread of its own.
const THREADS: usize = 2;
/// Real time that one seed may take on average on a busy machine in a debug build. A set that
/// takes longer has found a loop that turns without waiting.
const REAL_TIME_PER_SEED_MAX: Duration = Duration::from_secs(2);
/// Broken promises of one seed that are printed.
const VIOLATIONS_SHOWN: usize = 8;

/// What a set of seeds came to.
#[derive(Default)]
struct Sum {
    runs: usize,
    lives: u32,
    simulated_ms: u64,
    faults: Counts,
    broken: BTreeMap<u64, Vec<String>>,
}

fn wanted_seed() -> Option<u64> {
    let text = std::env::var("WEFT_SIM_SEED").ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("WEFT_SIM_SEED is a number, not {text:?}")))
}

fn wanted_seeds() -> Range<u64> {
    let Ok(text) = std::env::var("WEFT_SIM_SEEDS") else { return SEEDS };
    let bounds = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    bounds.unwrap_or_else(|| panic!("WEFT_SIM_SEEDS is a range like 200..400, not {text:?}"))
}

fn play(seed: u64, loud: bool) -> Outcome {
    std::panic::catch_unwind(|| simulate(seed, loud)).unwrap_or_else(|panic| {
        eprintln!("seed {seed} broke the simulation; again: {}", again(seed));
        std::panic::resume_unwind(panic)
    })
}

fn play_all(seeds: &Range<u64>) -> Sum {
    let next = AtomicU64::new(seeds.start);
    let (done, outcomes) = mpsc::channel();
    std::thread::scope(|threads| {
        for done in vec![done; THREADS] {
            let next = &next;
            threads.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end || done.send((seed, play(seed, false))).is_err() {
                        return;
                    }
                }
            });
        }
        let mut sum = Sum::default();
        for (seed, outcome) in outcomes {
            sum.runs += outcome.runs;
            sum.lives += outcome.lives;
            sum.simulated_ms += outcome.simulated_ms;
            sum.faults.add(&outcome.faults);
            if !outcome.violations.is_empty() {
                sum.broken.insert(seed, outcome.violations);
            }
        }
        sum
    })
}

fn tell(seed: u64, violations: &[String]) {
    println!("seed {seed} broke {} promises:", violations.len());
    for violation in violations.iter().take(VIOLATIONS_SHOWN) {
        println!("    {violation}");
    }
    println!("again: {}", again(seed));
}

/// Prints everything that is known of the runs that the violations name.
fn show_accused(outcome: &Outcome) {
    let words = outcome.violations.iter().flat_map(|violation| violation.split([' ', '"', ':', '\\', '[', ']', ',']));
    let accused: BTreeSet<&str> = words.filter(|word| word.contains('/')).collect();
    for run in accused {
        println!("--- {run}");
        outcome.lines.iter().filter(|line| line.contains(run)).for_each(|line| println!("{line}"));
    }
}

fn again(seed: u64) -> String {
    format!("WEFT_SIM_SEED={seed} cargo test -p weft-testkit sim")
}

/// Witnesses that what was answered is durable and goes on after every crash (R-DUR-01, R-DUR-02,
/// R-INT-17), that a key is one run and one answer (R-IDEM-04, R-IDEM-09, R-IDEM-15, R-INT-13),
/// that one of two answers wins (R-INT-12), that a cancel holds (R-CAN-01), that the log is whole
/// (R-EVT-02, R-EVT-03), and that a subscriber misses and repeats nothing (R-SSE-12, R-SSE-19).
#[test]
fn two_hundred_seeds() {
    if let Some(seed) = wanted_seed() {
        let outcome = play(seed, true);
        show_accused(&outcome);
        tell(seed, &outcome.violations);
        println!("{} runs, {} lives, {} ms: {}", outcome.runs, outcome.lives, outcome.simulated_ms, outcome.faults);
        assert!(outcome.violations.is_empty(), "seed {seed} broke a promise");
        return;
    }
    let begun = Instant::now();
    let seeds = wanted_seeds();
    let sum = play_all(&seeds);
    let (took, count) = (begun.elapsed(), seeds.end - seeds.start);
    let simulated = Duration::from_millis(sum.simulated_ms);
    println!("{count} seeds, {} runs, {} lives, {simulated:?} simulated in {took:?}", sum.runs, sum.lives);
    println!("{}", sum.faults);
    for (seed, violations) in &sum.broken {
        tell(*seed, violations);
    }
    assert!(sum.broken.is_empty(), "these seeds broke promises: {:?}", sum.broken.keys());
    // A set in which a fault never happens shows nothing about that fault.
    for fault in Fault::ALL {
        assert!(sum.faults.of(fault) > 0, "{fault:?} never happened");
    }
    let allowed = REAL_TIME_PER_SEED_MAX * u32::try_from(count).expect("a set of a bearable size");
    assert!(took < allowed, "the set took {took:?}");
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
