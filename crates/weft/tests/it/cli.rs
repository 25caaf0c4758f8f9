//! The command line as scripts use it, and the walk of the README as it is printed.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::host::{Host, key, run, stdout, weft};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn data(&self) -> std::path::PathBuf {
        self.0.path().join("data")
    }
}

/// Runs a client command against a host.
fn client(host: &Host, key: &str, arguments: &[&str]) -> std::process::Output {
    run(arguments, &[("WEFT_URL", &host.url), ("WEFT_API_KEY", key)])
}

fn stderr(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_demo_runs_by_itself() {
    let output = run(&["demo"], &[]);
    let words = stdout(&output);
    for expected in ["run.started", "node.suspended", "interrupt.resolved", "run.completed", "completed"] {
        assert!(words.contains(expected), "{expected} is missing in:\n{words}");
    }
}

#[test]
fn a_run_is_created_followed_and_read() {
    let folder = Folder::new();
    let host = Host::start(&folder.data(), &[]);
    let key = key(&folder.data(), "dev");
    let arguments = ["run", "hello", "--input", r#"{"payload": {"text": "hi"}}"#, "--follow"];
    let outputs: Value = serde_json::from_str(&stdout(&client(&host, &key, &arguments))).expect("outputs are JSON");
    assert_eq!(outputs["payload"]["text"], "hi");

    let listed = stdout(&client(&host, &key, &["runs", "list", "--json"]));
    let page: Value = serde_json::from_str(&listed).expect("JSON");
    let id = page["runs"][0]["runId"].as_str().expect("one run").to_owned();
    assert!(stdout(&client(&host, &key, &["runs", "get", &id])).contains("completed"));
    assert!(stdout(&client(&host, &key, &["runs", "events", &id])).contains("run.completed"));
    let followed = stdout(&client(&host, &key, &["runs", "events", &id, "--follow", "--json"]));
    assert_eq!(followed.lines().count(), 6, "start, two nodes of two events, end:\n{followed}");
    assert_eq!(host.stop(), Some(0), "a host that is asked to stop drains and exits with 0");
}

#[test]
fn an_approval_is_decided_and_a_run_cancelled() {
    let folder = Folder::new();
    let host = Host::start(&folder.data(), &[]);
    let key = key(&folder.data(), "dev");
    let id = stdout(&client(&host, &key, &["run", "conformance-approval"])).trim().to_owned();
    let approved = client(&host, &key, &["approve", &id, "--action", "accept", "--feedback", "fine"]);
    assert!(approved.status.success(), "{}", stderr(&approved));
    let again = client(&host, &key, &["approve", &id, "--action", "accept"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr(&again).contains("waits for nobody"), "{}", stderr(&again));

    let id = stdout(&client(&host, &key, &["run", "conformance-cancellable"])).trim().to_owned();
    assert!(stdout(&client(&host, &key, &["runs", "cancel", &id, "--reason", "enough"])).starts_with("cancel"));
    let again = client(&host, &key, &["runs", "cancel", &id]);
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr(&again).contains("run_terminal"), "{}", stderr(&again));
}

// R-AUTH-05, DECISIONS 6: revoked through the owner's socket, refused on the next request.
#[test]
fn a_revoked_key_is_refused_from_the_next_request_on() {
    let folder = Folder::new();
    let host = Host::start(&folder.data(), &[]);
    let data = folder.data();
    let data = data.to_str().expect("utf-8");
    let key = key(&folder.data(), "dev");
    assert!(client(&host, &key, &["runs", "list"]).status.success());
    let listed = stdout(&run(&["keys", "list", "--tenant", "dev", "--json", "--data", data], &[]));
    let keys: Value = serde_json::from_str(&listed).expect("JSON");
    for entry in keys.as_array().expect("keys") {
        let id = entry["keyId"].as_str().expect("an id");
        assert!(!listed.contains(&key), "a list never shows a key");
        assert!(run(&["keys", "revoke", id, "--data", data], &[]).status.success());
    }
    let refused = client(&host, &key, &["runs", "list"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("credential_revoked"), "{}", stderr(&refused));
    assert_eq!(run(&["keys", "revoke", "no-such-key", "--data", data], &[]).status.code(), Some(1));
}

// DECISIONS 31: one process owns a data folder; DECISIONS 33: the first key is in a private file.
#[test]
fn a_data_folder_has_one_owner_and_a_private_first_key() {
    let folder = Folder::new();
    let host = Host::start(&folder.data(), &[]);
    let pid = std::fs::read_to_string(folder.data().join("lock")).expect("a lock file").trim().to_owned();
    let second = weft()
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(folder.data())
        .stdin(Stdio::null())
        .output()
        .expect("the command runs");
    assert_eq!(second.status.code(), Some(1));
    assert!(stderr(&second).contains(&pid), "{}", stderr(&second));

    let first_key = folder.data().join("first-key");
    for name in ["first-key", "weft.db", "weft.db-wal"] {
        let mode = std::fs::metadata(folder.data().join(name)).expect("written").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    let key = std::fs::read_to_string(&first_key).expect("readable");
    assert!(client(&host, key.trim(), &["runs", "list"]).status.success());
    assert!(!host.stderr().contains(key.trim()), "a key never reaches the log");
}

#[test]
fn keys_work_without_a_running_host() {
    let folder = Folder::new();
    let made = key(&folder.data(), "acme");
    let host = Host::start(&folder.data(), &[]);
    assert!(client(&host, &made, &["runs", "list"]).status.success());
}

#[test]
fn exit_codes_tell_usage_refusal_and_silence_apart() {
    assert_eq!(run(&["runs", "frobnicate"], &[]).status.code(), Some(2));
    assert_eq!(run(&["approve", "x", "--action", "timeout"], &[]).status.code(), Some(2));
    let silent = run(&["runs", "list", "--url", "http://127.0.0.1:9"], &[("WEFT_API_KEY", "k")]);
    assert_eq!(silent.status.code(), Some(3));
    assert!(stderr(&silent).contains("is the host running?"), "{}", stderr(&silent));
    for wrong in [["run", "hello", "--input", "[]"], ["run", "hello", "--input", "{"], ["runs", "list", "--url", "x"]] {
        assert_eq!(run(&wrong, &[]).status.code(), Some(2), "{wrong:?}");
    }
    let folder = Folder::new();
    let host = Host::start(&folder.data(), &[]);
    let refused = run(&["run", "hello"], &[("WEFT_URL", &host.url)]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("weft keys create"), "{}", stderr(&refused));
}

#[test]
fn a_misspelt_data_folder_is_told_and_not_made() {
    let folder = Folder::new();
    let data = folder.data();
    let data = data.to_str().expect("utf-8");
    for arguments in [vec!["keys", "list", "--data", data], vec!["keys", "revoke", "k", "--data", data]] {
        let refused = run(&arguments, &[]);
        assert_eq!(refused.status.code(), Some(1));
        assert!(stderr(&refused).contains("--data"), "{}", stderr(&refused));
    }
    assert!(!folder.data().exists());
    let made = run(&["keys", "create", "--tenant", "dev", "--data", data], &[]);
    assert!(stderr(&made).contains("no host runs"), "{}", stderr(&made));
    let listed = stdout(&run(&["keys", "list", "--data", data], &[]));
    assert!(listed.lines().all(|line| line.chars().count() <= 100), "{listed}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let folder = Folder::new();
    let host = Host::start(&folder.data(), &[]);
    let key = key(&folder.data(), "dev");
    let mut child = weft()
        .args(["runs", "list"])
        .envs([("WEFT_URL", host.url.as_str()), ("WEFT_API_KEY", key.as_str())])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_host_under_a_private_authority_is_reached_with_ca() {
    let folder = Folder::new();
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    let (cert, secret) = (folder.0.path().join("cert.pem"), folder.0.path().join("key.pem"));
    std::fs::write(&cert, made.cert.pem()).expect("written");
    std::fs::write(&secret, made.signing_key.serialize_pem()).expect("written");
    let [cert, secret] = [&cert, &secret].map(|path| path.to_str().expect("utf-8"));
    let host = Host::start(&folder.data(), &["--tls-cert", cert, "--tls-key", secret]);
    let key = key(&folder.data(), "dev");
    assert!(host.url.starts_with("https:"), "{}", host.url);
    assert!(client(&host, &key, &["runs", "list", "--ca", cert]).status.success());
    let distrusted = client(&host, &key, &["runs", "list"]);
    assert_eq!(distrusted.status.code(), Some(3));
    assert!(stderr(&distrusted).contains("--ca"), "{}", stderr(&distrusted));
    let plain = host.url.replacen("https:", "http:", 1);
    let plain = client(&host, &key, &["runs", "list", "--url", &plain]);
    assert!(stderr(&plain).contains("https:"), "{}", stderr(&plain));
}

// DECISIONS 34: a bad file is named and left out; a corrected one is served without a restart.
#[test]
fn workflow_files_are_checked_and_read_again() {
    let folder = Folder::new();
    let workflows = folder.0.path().join("workflows");
    std::fs::create_dir(&workflows).expect("made");
    let file = workflows.join("mine.json");
    std::fs::write(&file, r#"{"id": "mine", "#).expect("written");
    let host = Host::start(&folder.data(), &["--workflows", workflows.to_str().expect("utf-8")]);
    let key = key(&folder.data(), "dev");
    assert!(host.stderr().contains("mine.json"), "{}", host.stderr());
    assert_eq!(client(&host, &key, &["run", "mine"]).status.code(), Some(1));

    let hello = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workflows/hello.json");
    let text = std::fs::read_to_string(hello).expect("the sample");
    std::fs::write(&file, text.replacen("\"hello\"", "\"mine\"", 1)).expect("written");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !client(&host, &key, &["run", "mine", "--input", r#"{"payload": {}}"#]).status.success() {
        assert!(std::time::Instant::now() < deadline, "never served: {}", host.stderr());
    }
}

#[test]
fn the_workflow_of_the_documentation_is_served() {
    let folder = Folder::new();
    let guide = include_str!("../../../../docs/workflows.md");
    let (_, rest) = guide.split_once("```json\n").expect("the guide shows a workflow");
    let (definition, _) = rest.split_once("```").expect("the block ends");
    let workflows = folder.0.path().join("workflows");
    std::fs::create_dir(&workflows).expect("made");
    std::fs::write(workflows.join("deploy.json"), definition).expect("written");
    let host = Host::start(&folder.data(), &["--workflows", workflows.to_str().expect("utf-8")]);
    let key = key(&folder.data(), "dev");
    let created = client(&host, &key, &["run", "deploy", "--input", r#"{"url": "https://example.org/"}"#]);
    assert!(created.status.success(), "{}\n{}", stderr(&created), host.stderr());
    let id = stdout(&created).trim().to_owned();
    assert!(stdout(&client(&host, &key, &["runs", "get", &id])).contains("deploy"));
    let as_file = run(
        &[
            "serve",
            "--data",
            folder.0.path().join("other").to_str().expect("utf-8"),
            "--listen",
            "127.0.0.1:0",
            "--workflows",
            workflows.join("deploy.json").to_str().expect("utf-8"),
        ],
        &[],
    );
    assert!(stderr(&as_file).contains("takes the folder"), "{}", stderr(&as_file));
}

/// Every shell block under a heading of the README, joined.
fn readme_blocks(heading: &str) -> String {
    let readme = include_str!("../../../../README.md");
    let section = readme.split("\n## ").find(|section| section.starts_with(heading)).expect("the section exists");
    section.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n")).collect()
}

#[test]
fn the_walk_of_the_readme_works_as_printed() {
    let missing = |tool: &str| Command::new(tool).arg("--version").output().is_err();
    if missing("bash") || missing("curl") {
        eprintln!("skipped: the walk needs bash and curl");
        return;
    }
    let folder = Folder::new();
    let host = Host::start(&folder.data(), &["--allow-egress", "127.0.0.1/32"]);
    let walk = readme_blocks("A walk").replace("http://127.0.0.1:8080", &host.url);
    let script = format!(
        "set -euo pipefail\ncargo() {{ [ \"$1 $2 $3\" = 'run --quiet --' ]; shift 3; \"$WEFT\" \"$@\"; }}\n{walk}"
    );
    let output = Command::new("bash")
        .args(["-c", &script])
        .env("WEFT", env!("CARGO_BIN_EXE_weft"))
        .env("WEFT_URL", &host.url)
        .env("WEFT_DATA", folder.data())
        .stdin(Stdio::null())
        .output()
        .expect("bash runs");
    let words = stdout(&output);
    for expected in ["Hello, Ada", "waiting-approval", "event: run.completed", "interrupt.resolved", "cancelled"] {
        assert!(words.contains(expected), "{expected} is missing in:\n{words}\n{}", stderr(&output));
    }
}
