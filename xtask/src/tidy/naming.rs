//! What the code of a crate may not name: clocks in the pure crates, sockets outside the egress
//! crate, the environment outside the binary. Test code is free.

use super::Finding;
use crate::source::RustFile;
use crate::workspace::Workspace;

/// Whom a rule binds.
enum Crates {
    Only(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

struct Rule {
    crates: Crates,
    /// Paths, found anywhere in a longer path.
    names: &'static [&'static str],
    /// Folders or files that the rule does not bind, by how their path starts.
    except: &'static [&'static str],
    /// Ends the sentence "names X: ".
    why: &'static str,
}

#[rustfmt::skip]
const RULES: &[Rule] = &[
    Rule {
        crates: Crates::Only(&["weft-model", "weft-core"]),
        names: &[
            "tokio", "hyper", "rusqlite", "getrandom", "std::time::SystemTime", "std::time::Instant", "std::fs", "std::net",
            "std::env", "std::process", "std::thread", "SystemTime::now", "Instant::now",
        ],
        except: &[],
        why: "the model and the core do no IO; time, ids and randomness come in as values",
    },
    Rule {
        crates: Crates::Only(&["weft-rest"]),
        names: &["weft_store", "weft_engine", "weft_core", "weft_auth", "weft_nodes", "weft_egress"],
        except: &[],
        why: "a door sees weft-ops and nothing behind it",
    },
    Rule {
        crates: Crates::AllBut(&["weft-egress", "weft-testkit", "bench", "xtask"]),
        names: &[
            "TcpStream::connect", "TcpStream::connect_timeout", "TcpSocket", "UdpSocket", "std::net::TcpStream",
            "hyper_util::client", "hyper::client", "hyper_rustls", "HttpConnector", "ToSocketAddrs", "lookup_host",
        ],
        // The command line talks to its own host; a door sets options on the socket it listens on.
        except: &["crates/weft/src/client/", "crates/weft/src/client.rs", "crates/weft-rest/src/serve/listener.rs"],
        why: "only weft-egress opens an outbound socket",
    },
    Rule {
        crates: Crates::AllBut(&["weft", "weft-testkit", "bench", "xtask"]),
        names: &["std::env", "toml", "clap"],
        except: &[],
        why: "only the binary reads settings and the environment",
    },
];

pub(super) fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &workspace.rust {
        let rules: Vec<&Rule> = RULES.iter().filter(|rule| rule.binds(file)).collect();
        if rules.is_empty() {
            continue;
        }
        for path in file.production_paths() {
            for rule in &rules {
                if let Some(name) = rule.names.iter().find(|name| path.holds(name)) {
                    findings.push(Finding::new(&file.path, path.line, format!("names {name}: {}", rule.why)));
                }
            }
        }
    }
    findings
}

impl Rule {
    fn binds(&self, file: &RustFile) -> bool {
        let name = file.crate_name();
        let bound = match self.crates {
            Crates::Only(only) => only.contains(&name),
            Crates::AllBut(not) => !not.contains(&name),
        };
        bound && !self.except.iter().any(|except| file.path.starts_with(except))
    }
}

#[cfg(test)]
mod tests {
    use super::super::planted::files;
    use super::check;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&files(&[(path, text)])).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn a_clock_in_the_core_is_found_however_it_is_spelled() {
        for text in [
            "use std::time::{Duration, Instant};",
            "use std::{time::SystemTime as Wall};",
            "fn a() { let t = std::time::Instant::now(); }",
            "use std::fs::File;",
            "pub use tokio::sync;",
        ] {
            assert_eq!(found("crates/weft-core/src/a.rs", text).len(), 1, "{text}");
        }
    }

    #[test]
    fn words_comments_and_tests_are_free() {
        let text = "// std::fs\nuse std::time::Duration;\nconst A: &str = \"tokio::spawn\";\n#[cfg(test)]\nmod tests { use std::fs; }\n";
        assert_eq!(found("crates/weft-model/src/a.rs", text), [""; 0]);
    }

    #[test]
    fn only_egress_dials() {
        let text = "async fn a() { tokio::net::TcpStream::connect(b).await; }";
        assert_eq!(found("crates/weft-nodes/src/a.rs", text).len(), 1);
        assert_eq!(found("crates/weft/src/cli/a.rs", text).len(), 1);
        assert_eq!(found("crates/weft/src/client/a.rs", text), [""; 0]);
        assert_eq!(found("crates/weft-egress/src/a.rs", text), [""; 0]);
    }

    #[test]
    fn only_the_binary_reads_the_environment() {
        let text = "fn a() { std::env::var(\"A\"); }";
        assert_eq!(found("crates/weft-store/src/a.rs", text).len(), 1);
        assert_eq!(found("crates/weft/src/config.rs", text), [""; 0]);
        assert_eq!(found("crates/weft-store/tests/it/main.rs", text), [""; 0]);
    }

    #[test]
    fn a_door_that_names_the_engine_is_found() {
        assert_eq!(found("crates/weft-rest/src/a.rs", "use weft_engine::Engine;").len(), 1);
    }
}
