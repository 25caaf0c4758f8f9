//! The built binary at the limits that an operator or the system sets.

use super::host::{Host, key, limited_weft, run, stdout};

/// A file that may not grow any more is told by a signal that kills by default. The host lives on:
/// writes are refused by name, reads go on, and nothing that was acknowledged is lost. Its end is
/// no success, because its store has failed, but it is an end of its own.
#[test]
fn a_file_size_limit_refuses_writes_and_kills_nobody() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().join("data");
    let host = Host::start_as(limited_weft("-f 4096"), &data, &[]);
    let key = key(&data, "dev");
    let environment = [("WEFT_URL", host.url.as_str()), ("WEFT_API_KEY", key.as_str())];
    let input = format!(r#"{{"payload": {{"text": "{}"}}}}"#, "x".repeat(100_000));
    let mut acknowledged = Vec::new();
    let refused = loop {
        let created = run(&["run", "hello", "--input", &input], &environment);
        if !created.status.success() {
            break String::from_utf8_lossy(&created.stderr).into_owned();
        }
        acknowledged.push(stdout(&created).trim().to_owned());
        assert!(acknowledged.len() < 200, "the limit was never reached");
    };
    assert!(refused.contains("service_unavailable"), "{refused}");
    for id in &acknowledged {
        assert!(stdout(&run(&["runs", "get", id], &environment)).contains("completed"));
    }
    assert_eq!(host.stop(), Some(1), "an exit code, and not a signal");
}

// R-ID-09: a run's id begins with its tenant, and no minted id holds a `~`.
#[test]
fn no_key_is_made_for_a_tenant_with_a_tilde() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().join("data");
    let data = data.to_str().expect("utf-8");
    let refused = run(&["keys", "create", "--tenant", "a~b", "--data", data], &[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains('~'));
    assert!(run(&["keys", "create", "--tenant", "a-b", "--data", data], &[]).status.success());
}
