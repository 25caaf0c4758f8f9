//! Every rule of the contract on every backend. The list below is the one place that names all
//! rules; `no_rule_is_forgotten` holds it against the sources.

use weft_store::contract::{keys, log, receipts, runs, timers, writes};

use crate::world::{Disk, Memory};

macro_rules! contract {
    ($(#[$doc:meta] $group:ident::$rule:ident;)+) => {
        mod memory {
            use super::*;
            $(#[$doc] #[tokio::test] async fn $rule() { $group::$rule(&Memory::new()).await; })+
        }
        mod sqlite {
            use super::*;
            $(#[$doc] #[tokio::test] async fn $rule() { $group::$rule(&Disk::new()).await; })+
        }
        const RULES: &[(&str, &str)] = &[$((stringify!($group), stringify!($rule)),)+];
    };
}

contract! {
    /// Witnesses R-EVT-02.
    log::sequences_count_from_zero;
    /// Witnesses R-EVT-02, R-EVT-03.
    log::gaps_and_repeats_are_refused;
    /// Witnesses R-EVT-03.
    log::one_of_concurrent_appends_wins;
    /// Witnesses R-EVT-10, R-EVT-03.
    log::stored_events_never_change;
    /// Witnesses R-EVT-03.
    log::pages_join_without_gap_or_repeat;
    /// The engine writes timers and receipts without events.
    log::an_append_may_have_no_events;
    /// A folded state is a cache of the log.
    log::the_last_state_snapshot_is_kept;
    /// Witnesses R-DUR-01.
    runs::a_created_run_is_found_after_a_restart;
    /// Two runs never share an id.
    runs::a_run_id_is_taken_once;
    /// One tenant's lists and look-ups never show another tenant's runs.
    runs::tenants_are_kept_apart;
    /// Newest first, and continued without gap or repeat.
    runs::lists_are_newest_first;
    /// Witnesses R-DUR-02.
    runs::moving_runs_are_found_after_a_restart;
    /// The ten words survive.
    runs::every_status_survives;
    /// Keys are never used twice.
    runs::run_keys_grow_over_restarts;
    /// Witnesses R-DUR-01, R-DUR-02.
    timers::timers_keep_their_due_time_over_restarts;
    /// Timers change with their commit.
    timers::timers_are_moved_and_cleared;
    /// Witnesses R-DUR-01.
    timers::the_outbox_keeps_messages_until_settled;
    /// Witnesses R-IDEM-10, R-IDEM-04.
    receipts::a_receipt_survives_with_its_change;
    /// Witnesses R-IDEM-15, R-IDEM-03.
    receipts::one_of_concurrent_copies_is_written;
    /// Witnesses R-IDEM-04.
    receipts::a_second_receipt_refuses_its_change;
    /// Witnesses R-IDEM-06.
    receipts::a_refused_change_leaves_no_receipt;
    /// Witnesses R-IDEM-10.
    receipts::receipts_are_purged_by_age;
    /// What a run pins outlives its file.
    receipts::definitions_outlive_a_restart;
    /// A key's hash, scopes and bounds survive.
    keys::keys_survive_a_restart;
    /// Revoked is revoked, also after a crash.
    keys::a_revocation_is_durable;
    /// Witnesses R-EVT-03.
    writes::conflicts_never_fail_their_neighbours;
    /// A one-node pure run costs at most twelve row writes.
    writes::a_whole_run_costs_at_most_twelve_row_writes;
    /// A refusal is cheap.
    writes::a_refused_commit_costs_no_row;
    /// Witnesses R-DUR-01.
    writes::a_forgotten_commit_is_written;
}

#[test]
fn no_rule_is_forgotten() {
    let sources = [
        ("keys", include_str!("../../src/contract/keys.rs")),
        ("log", include_str!("../../src/contract/log.rs")),
        ("receipts", include_str!("../../src/contract/receipts.rs")),
        ("runs", include_str!("../../src/contract/runs.rs")),
        ("timers", include_str!("../../src/contract/timers.rs")),
        ("writes", include_str!("../../src/contract/writes.rs")),
    ];
    let mut found = 0;
    for (group, source) in sources {
        for line in source.lines().filter_map(|line| line.strip_prefix("pub async fn ")) {
            let rule = line.split('(').next().expect("a name");
            assert!(RULES.contains(&(group, rule)), "{group}::{rule} is not in the list");
            found += 1;
        }
    }
    assert_eq!(found, RULES.len());
}
