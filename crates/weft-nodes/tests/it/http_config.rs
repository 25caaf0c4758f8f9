//! `core.openwop.http.fetch`: what a definition may say.

use serde_json::{Value, json};

use crate::support::{FETCH, catalog, effect, is_repeatable, object};

fn check(config: Value) -> Result<(), String> {
    effect(&catalog(&[]), FETCH).check(&object(config))
}

#[test]
fn the_published_config_is_accepted() {
    for config in [
        json!({"url": "https://example.com/{{id}}"}),
        json!({"url": "{{base}}", "method": "POST"}),
        json!({
            "url": "https://example.com/", "method": "PATCH",
            "headers": {"Authorization": "Bearer x", "X-One": "1"}, "timeoutMs": 100,
            "retry": {"maxAttempts": 10, "initialDelayMs": 0, "maxDelayMs": 60000},
            "idempotency": {"mode": "disabled"},
        }),
        json!({"url": "https://example.com/", "retry": {}, "idempotency": {}}),
    ] {
        assert_eq!(check(config.clone()), Ok(()), "{config}");
    }
}

#[test]
fn anything_beyond_it_is_refused() {
    let with = |name: &str, value: Value| {
        let mut config = json!({"url": "https://example.com/"});
        config[name] = value;
        config
    };
    for config in [
        json!({}),
        json!({"url": ""}),
        json!({"url": 5}),
        json!({"url": "x".repeat(2049)}),
        with("method", json!("TRACE")),
        with("method", json!("get")),
        with("timeoutMs", json!(99)),
        with("timeoutMs", json!(120_001)),
        with("timeoutMs", json!("1000")),
        with("retry", json!({"maxAttempts": 0})),
        with("retry", json!({"maxAttempts": 11})),
        with("retry", json!({"initialDelayMs": 60_001})),
        with("retry", json!({"backoff": 1})),
        with("idempotency", json!({"mode": "always"})),
        with("headers", json!({"Host": "internal"})),
        with("headers", json!({"content-length": "5"})),
        with("headers", json!({"Transfer-Encoding": "chunked"})),
        with("headers", json!({"a b": "1"})),
        with("headers", json!({"x": "a\r\nHost: internal"})),
        with("headers", json!({"x": "1", "X": "2"})),
        with("headers", json!({"x": "y".repeat(8193)})),
        with("body", json!({})),
        with("followRedirects", json!(true)),
    ] {
        assert!(check(config.clone()).is_err(), "{config}");
    }
}

// DECISIONS 36: only a read may be made again after a crash.
#[test]
fn only_reads_are_repeated_after_a_crash() {
    let config = |method: &str| json!({"url": "https://example.com/", "method": method});
    for method in ["GET", "HEAD", "OPTIONS"] {
        assert!(is_repeatable(FETCH, &config(method)), "{method}");
    }
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        assert!(!is_repeatable(FETCH, &config(method)), "{method}");
    }
    assert!(is_repeatable(FETCH, &json!({"url": "https://example.com/"})));
    assert!(!is_repeatable(FETCH, &json!({"url": 5})), "an unreadable config is never repeated");
}
