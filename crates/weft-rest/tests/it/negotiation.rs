//! Versions, unknown paths and methods, CORS.

use http::Method;
use serde_json::{Value, json};
use weft_model::operation::OPERATIONS;
use weft_rest::CorsPolicy;

use crate::ask::Ask;
use crate::world::{Settings, World, unknown_run};

const NOT_FOUND: &str = "404\ncache-control: no-store\ncontent-type: application/json\nopenwop-version: 2.46\n\n\
                         {\"error\":\"not_found\",\"message\":\"There is nothing at this path.\"}";

/// A path of each served operation and its method.
fn served(run: &str) -> Vec<(Method, String)> {
    vec![
        (Method::GET, "/.well-known/openwop".to_owned()),
        (Method::GET, "/workflows/conformance-noop".to_owned()),
        (Method::POST, "/runs".to_owned()),
        (Method::GET, "/runs".to_owned()),
        (Method::GET, format!("/runs/{run}")),
        (Method::GET, format!("/runs/{run}/events")),
        (Method::GET, format!("/runs/{run}/events/poll")),
        (Method::POST, format!("/runs/{run}/cancel")),
        (Method::POST, format!("/runs/{run}/interrupts/gate")),
    ]
}

/// Witnesses R-VER-02, R-VER-04, R-VER-05, R-VER-07, R-VER-20: every minor of the major, on every
/// operation, and the answer always names the contract used.
#[tokio::test(start_paused = true)]
async fn the_served_major_is_served_everywhere() {
    let world = World::new().await;
    let run = world.run("conformance-noop").await.projected();
    for (method, path) in served(&run) {
        for version in ["2", "2.0", "2.46", "2.9"] {
            let answer = world.ask(Ask::new(method.clone(), &path).header("openwop-version", version)).await;
            assert_ne!(answer.status, 406, "{method} {path}");
            assert_eq!(answer.header("openwop-version"), "2.46", "{method} {path}");
        }
    }
}

/// Witnesses R-VER-01, R-VER-03, R-VER-08: other majors and garbage, with and without a credential.
#[tokio::test(start_paused = true)]
async fn other_majors_are_refused_everywhere() {
    let world = World::new().await;
    let run = unknown_run("acme").projected();
    let advertised = world.get("/.well-known/openwop").await.json()["protocolVersions"].clone();
    for (method, path) in served(&run) {
        for version in ["9", "1.0", "3.0", "abc", "2.x", ""] {
            let refused = world.ask_plainly(Ask::new(method.clone(), &path).header("openwop-version", version)).await;
            assert_eq!((refused.status, refused.code().as_str()), (406, "protocol_version_unsupported"), "{path}");
            assert_eq!(refused.json()["details"]["protocolVersions"], advertised);
            assert_eq!(refused.header("openwop-version"), "2.46");
        }
    }
}

/// Witnesses R-VER-11, R-VER-12, R-VER-14, R-HDR-07: headers that never lead to a refusal.
#[tokio::test(start_paused = true)]
async fn informative_headers_never_refuse() {
    let world = World::new().await;
    let plain = world.get("/runs").await;
    for (name, value) in [
        ("openwop-client-version", "0.0"),
        ("openwop-client-version", "9.9.9"),
        ("openwop-client-version", "garbage\u{e9}"),
        ("openwop-client-version", ""),
        ("accept-language", "%%%;q=x"),
        ("accept", "text/html"),
        ("traceparent", "nonsense"),
        ("x-tenant", "globex"),
    ] {
        assert_eq!(world.ask(Ask::get("/runs").header(name, value)).await.text(), plain.text(), "{name}: {value}");
    }
}

/// Witnesses R-VER-06, R-VER-10.
#[tokio::test(start_paused = true)]
async fn versioned_path_spaces_do_not_exist() {
    let world = World::new().await;
    for path in ["/v1/runs", "/v1/runs/a/b/c/d/e/f"] {
        let mismatch = world.ask(Ask::get(path).header("openwop-version", "2")).await;
        assert_eq!((mismatch.status, mismatch.code().as_str()), (400, "protocol_version_mismatch"));
        let unserved = world.ask(Ask::get(path).header("openwop-version", "1")).await;
        assert_eq!((unserved.status, unserved.code().as_str()), (406, "protocol_version_unsupported"));
    }
    for path in ["/v1/runs", "/v2/runs", "/v2/.well-known/openwop", "/.well-known/wop"] {
        assert_eq!(world.get(path).await.text(), NOT_FOUND, "{path}");
    }
}

/// Witnesses R-HDR-09, R-ERR-01, R-ERR-03: other methods on known paths, and unknown paths.
#[tokio::test(start_paused = true)]
async fn other_methods_and_paths_are_not_found() {
    let world = World::new().await;
    let run = world.run("conformance-noop").await.projected();
    let methods = [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
        Method::HEAD,
        Method::TRACE,
    ];
    let served = served(&run);
    for (_, path) in &served {
        for method in &methods {
            if served.iter().any(|(served_method, served_path)| (served_method, served_path) == (method, path)) {
                continue;
            }
            let answer = world.ask(Ask::new(method.clone(), path)).await;
            assert_eq!(answer.text(), NOT_FOUND, "{method} {path}");
        }
    }
    for path in ["/", "/runs/", "/runs//events", "/runs/a/b", "/index.html", "/runs/a/events/poll/more", "/..%2Fruns"] {
        assert_eq!(world.get(path).await.text(), NOT_FOUND, "{path}");
    }
}

/// Witnesses R-ERR-09, R-EFF-08, R-ANN-01, R-COMP-01, R-FORK-01, R-DIFF-01: operations of the table
/// that are not served, asked by a caller who may do everything.
#[tokio::test(start_paused = true)]
async fn unserved_operations_are_not_found() {
    let world = World::new().await;
    let run = world.run("conformance-noop").await.projected();
    let known = served("{runId}");
    let mut unserved = 0;
    for row in OPERATIONS {
        let served = known.iter().any(|(method, path)| {
            method.as_str() == row.method.as_str()
                && path.replace("conformance-noop", "{workflowId}").replace("gate", "{nodeId}") == row.path
        });
        if served {
            continue;
        }
        let path = row.path.replace("{runId}", &run).replace(['{', '}'], "");
        let method: Method = row.method.as_str().parse().expect("a method");
        let answer = world.ask(Ask::new(method, &path).json(&json!({}))).await;
        assert_eq!(answer.text(), NOT_FOUND, "{}", row.operation_id);
        unserved += 1;
    }
    assert_eq!(unserved + known.len(), OPERATIONS.len());
}

/// Witnesses R-HDR-02, R-HDR-03, R-HDR-04: a granted page may ask for everything that is served,
/// reads the answer, and another page gets neither.
#[tokio::test(start_paused = true)]
async fn granted_origins_may_call() {
    let cors = CorsPolicy::of_origins(&["https://app.example".to_owned()]).expect("an origin");
    let world = World::with(Settings { cors, ..Settings::standard() }).await;
    let preflight = |origin: &str| {
        Ask::new(Method::OPTIONS, "/runs")
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization, idempotency-key")
    };
    let granted = world.ask_plainly(preflight("https://app.example")).await;
    assert_eq!(
        granted.text(),
        "204\naccess-control-allow-headers: Accept-Language, Authorization, Content-Type, Idempotency-Key, \
         If-None-Match, Last-Event-ID, OpenWOP-Client-Version, OpenWOP-Dedup, OpenWOP-Force-Engine-Version, \
         OpenWOP-Version\naccess-control-allow-methods: GET, POST\naccess-control-allow-origin: https://app.example\n\
         access-control-expose-headers: ETag, OpenWOP-Idempotent-Replay, OpenWOP-Version, Retry-After, \
         WWW-Authenticate\naccess-control-max-age: 600\nopenwop-version: 2.46\nvary: origin\n\n"
    );
    let refused = world.ask_plainly(preflight("https://evil.example")).await;
    assert_eq!(refused.status, 404);
    assert!(!refused.headers.contains_key("access-control-allow-origin"));
    for (origin, admitted) in [("https://app.example", "https://app.example"), ("https://evil.example", "")] {
        let answer = world.ask(Ask::get("/runs").header("origin", origin)).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("access-control-allow-origin"), admitted);
        assert_eq!(answer.header("vary"), "origin");
    }
    let plain: Value = World::new().await.ask(Ask::get("/runs").header("origin", "https://app.example")).await.json();
    assert_eq!(plain, json!({"runs": []}));
}
