//! Tests of the fold and of decisions.
//!
//! `scene.rs` drives a run with one-line orders and checks the invariants after every decision,
//! `render.rs` writes decisions as lines, the `cases_*` files are tables of given, when, then.

mod cases_approval;
mod cases_bounds;
mod cases_chain;
mod cases_effects;
mod codec;
mod coverage;
mod details;
mod fold;
mod properties;
mod render;
mod scene;
mod snapshot;
mod timers;
mod triggers;

use scene::Scene;

/// One row of a table: what was ordered before, what is ordered now, and what follows.
struct Case {
    /// What the row says, with the requirements it witnesses.
    rule: &'static str,
    /// The definition, see `testing::flow`.
    flow: &'static str,
    /// Orders that came before.
    given: &'static [&'static str],
    /// The order.
    when: &'static str,
    /// The lines that follow from it.
    then: &'static [&'static str],
}

impl Case {
    fn check(&self) {
        let mut scene = Scene::new(self.flow);
        for order in self.given {
            let lines = scene.order(order);
            let refused = lines.iter().any(|line| line.starts_with("refused"));
            assert!(!refused, "{}: the order {order:?} of its history was {lines:?}", self.rule);
        }
        let lines = scene.order(self.when);
        assert_eq!(lines, self.then, "{}\n  flow: {}\n  when: {}", self.rule, self.flow, self.when);
    }
}

fn check_all(cases: &[Case]) {
    for case in cases {
        case.check();
    }
}

/// Every table, for the coverage of transitions.
const TABLES: &[&[Case]] = &[cases_chain::CASES, cases_effects::CASES, cases_approval::CASES, cases_bounds::CASES];
