//! A crate may see only the crates that an arrow of ARCHITECTURE.md points it to.

use super::Finding;
use crate::workspace::Workspace;

/// What one crate may see.
struct Arrows {
    from: &'static str,
    /// The crates it may depend on.
    may: &'static [&'static str],
    /// The crates its tests may see besides, because a test fills the ports that `wire_up` fills.
    tests_may: &'static [&'static str],
}

const EVERY_CRATE: &[&str] = &[
    "weft-model",
    "weft-core",
    "weft-store",
    "weft-engine",
    "weft-nodes",
    "weft-egress",
    "weft-auth",
    "weft-ops",
    "weft-rest",
];

/// The authority. ARCHITECTURE.md draws it.
#[rustfmt::skip]
const TABLE: &[Arrows] = &[
    Arrows { from: "weft-model", may: &[], tests_may: &[] },
    Arrows { from: "weft-core", may: &["weft-model"], tests_may: &[] },
    Arrows { from: "weft-store", may: &["weft-model"], tests_may: &[] },
    Arrows { from: "weft-egress", may: &["weft-model"], tests_may: &[] },
    Arrows { from: "weft-auth", may: &["weft-model", "weft-store"], tests_may: &[] },
    Arrows { from: "weft-nodes", may: &["weft-model", "weft-core", "weft-egress"], tests_may: &[] },
    Arrows { from: "weft-engine", may: &["weft-model", "weft-core", "weft-store"], tests_may: &["weft-nodes"] },
    Arrows {
        from: "weft-ops",
        may: &["weft-model", "weft-core", "weft-store", "weft-engine", "weft-auth"],
        tests_may: &["weft-nodes"],
    },
    Arrows { from: "weft-rest", may: &["weft-model", "weft-ops"], tests_may: EVERY_CRATE },
    Arrows { from: "weft-testkit", may: EVERY_CRATE, tests_may: EVERY_CRATE },
    Arrows { from: "weft", may: EVERY_CRATE, tests_may: EVERY_CRATE },
    // A bench drives the binary from outside; the tasks must run when nothing else builds.
    Arrows { from: "weft-bench", may: &[], tests_may: &[] },
    Arrows { from: "xtask", may: &[], tests_may: &[] },
];

/// Only tests may see it, and any test may.
const TESTKIT: &str = "weft-testkit";

/// Packages that bring IO, a clock or randomness, and so have no place in the pure crates, not even
/// behind a re-export that [`super::naming`] could not see.
const IMPURE: &[&str] =
    &["tokio", "hyper", "hyper-util", "axum", "rusqlite", "getrandom", "rand", "jiff", "chrono", "time"];
const PURE: &[&str] = &["weft-model", "weft-core"];

pub(super) fn check(workspace: &Workspace) -> Vec<Finding> {
    let ours: Vec<&str> = workspace.members().map(|package| package.name.as_str()).collect();
    let mut findings = Vec::new();
    for package in workspace.members() {
        let Some(arrows) = TABLE.iter().find(|arrows| arrows.from == package.name) else {
            let message = "has no row in the table of arrows; add one to xtask/src/tidy/arrows.rs".to_owned();
            findings.push(Finding::new(&package.name, None, message));
            continue;
        };
        for dependency in &package.dependencies {
            let is_test = dependency.kind.as_deref() == Some("dev");
            let name = dependency.name.as_str();
            if ours.contains(&name) && !arrows.allow(name, is_test) {
                findings.push(Finding::new(&package.name, None, format!("must not see {name}")));
            }
            if PURE.contains(&package.name.as_str()) && IMPURE.contains(&name) && !is_test {
                let message = format!("is pure and must not depend on {name}");
                findings.push(Finding::new(&package.name, None, message));
            }
        }
    }
    findings
}

impl Arrows {
    fn allow(&self, name: &str, is_test: bool) -> bool {
        self.may.contains(&name) || (is_test && (name == TESTKIT || self.tests_may.contains(&name)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::planted::{foreign, member, packages};
    use super::check;

    #[test]
    fn a_door_that_sees_the_store_is_found() {
        let found = check(&packages(vec![
            member("weft-store", &[], &[]),
            member("weft-rest", &["weft-store", "axum"], &["weft-store"]),
            foreign("axum", None),
        ]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].message, "must not see weft-store");
    }

    #[test]
    fn only_tests_may_see_the_testkit() {
        let testkit = || member("weft-testkit", &[], &[]);
        assert_eq!(check(&packages(vec![testkit(), member("weft-core", &[], &["weft-testkit"])])), []);
        assert_eq!(check(&packages(vec![testkit(), member("weft", &["weft-testkit"], &[])])).len(), 1);
    }

    #[test]
    fn a_crate_without_a_row_is_found() {
        assert_eq!(check(&packages(vec![member("weft-surprise", &[], &[])])).len(), 1);
    }

    #[test]
    fn a_pure_crate_that_brings_in_a_clock_is_found() {
        let found = check(&packages(vec![member("weft-core", &["serde_json", "tokio"], &["jiff"])]));
        assert_eq!(found.len(), 1);
        assert!(found[0].message.contains("tokio"));
    }
}
