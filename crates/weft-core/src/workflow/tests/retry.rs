//! A node's own settings: retries and timeouts.

use serde_json::{Value, json};

use crate::workflow::{RetryPolicy, settings};

fn read(node_settings: Value, max_retries: Option<u32>) -> Result<(RetryPolicy, Option<u64>), String> {
    let settings = node_settings.as_object().cloned();
    settings::read(settings.as_ref(), max_retries, "/nodes/0").map_err(|fault| fault.to_string())
}

fn policy(node_settings: Value, max_retries: Option<u32>) -> RetryPolicy {
    read(node_settings, max_retries).unwrap().0
}

#[test]
fn attempts_come_from_the_node_else_from_the_workflow() {
    assert_eq!(policy(json!({}), None).max_attempts, 1);
    assert_eq!(policy(json!({}), Some(0)).max_attempts, 1);
    assert_eq!(policy(json!({}), Some(4)).max_attempts, 5);
    assert_eq!(policy(json!({"retry": {"maxAttempts": 2}}), Some(4)).max_attempts, 2);
    assert_eq!(policy(json!({"retry": {"initialMs": 2}}), Some(4)).max_attempts, 5);
    assert_eq!(policy(json!({}), Some(u32::MAX)).max_attempts, 1_000);
}

#[test]
fn pauses_double_up_to_their_maximum() {
    let policy = policy(json!({"retry": {"initialMs": 100, "maxMs": 450}}), None);
    let pauses: Vec<u64> = (1..6).map(|attempt| policy.pause_ms(attempt, [0; 16])).collect();
    assert_eq!(pauses, [100, 200, 400, 450, 450]);
    assert_eq!(policy.pause_ms(u32::MAX, [0; 16]), 450);
}

#[test]
fn fixed_pauses_stay() {
    let policy = policy(json!({"retry": {"backoff": "fixed", "initialMs": 70}}), None);
    assert_eq!((policy.pause_ms(1, [9; 16]), policy.pause_ms(8, [9; 16])), (70, 70));
}

#[test]
fn jitter_takes_away_up_to_half() {
    let policy = policy(json!({"retry": {"initialMs": 100, "jitter": true}}), None);
    for byte in 0..=255u8 {
        let pause = policy.pause_ms(1, [byte; 16]);
        assert!((50..=100).contains(&pause), "{pause}");
    }
    assert_eq!(policy.pause_ms(1, [0; 16]), 100);
}

#[test]
fn settings_of_others_are_left_alone() {
    assert_eq!(read(json!({"vendor": 1, "retry": null, "timeoutMs": null}), None).unwrap().1, None);
    assert_eq!(read(json!({"timeoutMs": 0}), None).unwrap().1, None);
    assert_eq!(read(json!({"timeoutMs": 9}), None).unwrap().1, Some(9));
}

#[test]
fn malformed_settings_are_refused_with_their_place() {
    for (settings, place) in [
        (json!({"retry": {"maxAttempts": 0}}), "/nodes/0/settings/retry: maxAttempts"),
        (json!({"retry": {"maxAttempts": 1001}}), "/nodes/0/settings/retry: maxAttempts"),
        (json!({"retry": {"tries": 3}}), "/nodes/0/settings/retry: unknown field"),
        (json!({"retry": {"backoff": "linear"}}), "/nodes/0/settings/retry: unknown variant"),
        (json!({"retry": {"initialMs": 9, "maxMs": 8}}), "/nodes/0/settings/retry: maxMs"),
        (json!({"retry": 3}), "/nodes/0/settings/retry: invalid type"),
        (json!({"timeoutMs": -1}), "/nodes/0/settings/timeoutMs"),
        (json!({"timeoutMs": "1"}), "/nodes/0/settings/timeoutMs"),
    ] {
        let reason = read(settings.clone(), None).unwrap_err();
        assert!(reason.starts_with(place), "{settings}: {reason}");
    }
}
