//! Names: every answer is judged, and the judged address is the dialled one.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use weft_egress::{EgressError, Refusal, Resolver, Resolving, Sent, SystemResolver};

use crate::servers::{Answer, Peer, Scripted, client, get, ok};

fn word(error: &EgressError) -> Option<&'static str> {
    match error {
        EgressError::Refused(refusal) => Some(Refusal::word(refusal)),
        _ => None,
    }
}

/// Witnesses R-EGR-05: one bad address among good ones refuses the name.
#[tokio::test]
async fn every_answer_must_pass() {
    for answers in [
        &["10.0.0.1"][..],
        &["93.184.216.34", "127.0.0.1"],
        &["127.0.0.1", "93.184.216.34"],
        &["2606:2800:220:1::1", "::1"],
        &["93.184.216.34", "::ffff:10.0.0.1"],
        &["169.254.169.254"],
    ] {
        let resolver = Scripted::new(&[answers]);
        let error =
            client(&[], resolver).send(get("https://rebound.example.com/")).await.expect_err("a private answer");
        assert_eq!(word(&error), Some("address"), "{answers:?}: {error:?}");
        assert_eq!(error.sent(), Sent::No);
    }
}

/// Witnesses R-EGR-05: the answer that was judged is dialled although the next
/// look-up would say something else.
#[tokio::test]
async fn an_answer_that_changes_is_not_used() {
    let peer = Peer::start(Answer::Bytes(ok("checked"))).await;
    let resolver = Scripted::new(&[&["127.0.0.1"], &["10.9.9.9"]]);
    let client = client(&["127.0.0.0/8"], resolver.clone());
    let url = format!("http://service.example.com:{}/", peer.address.port());
    let response = client.send(get(url.clone())).await.expect("the checked address");
    assert_eq!(&response.body[..], b"checked");
    assert_eq!(resolver.asked.load(Ordering::SeqCst), 1, "resolved once per connection");
    let host = format!("host: service.example.com:{}\r\n", peer.address.port());
    assert!(peer.heads.lock()[0].to_ascii_lowercase().contains(&host));

    // A connection that has to be opened again is judged again.
    let error = client.vet(&url).await.expect_err("the new answer is private");
    assert_eq!(word(&error), Some("address"));
}

// R-EGR-08: plain http by name needs every address listed.
#[tokio::test]
async fn plain_http_to_a_public_address_is_refused_after_resolving() {
    let resolver = Scripted::new(&[&["93.184.216.34"]]);
    let client = client(&["127.0.0.0/8"], resolver);
    let error = client.send(get("http://service.example.com/")).await.expect_err("plain");
    assert_eq!(word(&error), Some("plain-http"));
}

#[tokio::test]
async fn a_name_without_answer_is_transient() {
    let error = client(&[], Scripted::new(&[])).send(get("https://nothing.example.com/")).await.expect_err("no answer");
    assert!(matches!(error, EgressError::Resolve { .. }), "{error:?}");
}

#[tokio::test]
async fn a_name_with_too_many_answers_is_refused() {
    let many: Vec<String> = (0..80).map(|n| format!("93.184.216.{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let resolver = Scripted::new(&[&many]);
    let error = client(&[], resolver).send(get("https://many.example.com/")).await.expect_err("too many");
    assert_eq!(word(&error), Some("too-many-addresses"));
}

/// Witnesses R-EGR-01: a registration judges the name's addresses too.
#[tokio::test]
async fn vetting_judges_without_connecting() {
    let client = client(&[], Scripted::new(&[&["93.184.216.34"], &["192.168.0.1"]]));
    assert!(client.vet("https://hook.example.com/").await.is_ok());
    assert!(client.vet("https://hook.example.com/").await.is_err());
}

/// Never answers.
struct Hung;

impl Resolver for Hung {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        Box::pin(std::future::pending())
    }
}

// A resolver that hangs ends at the connect limit, long before a patient caller
// would. The clock is paused: it jumps to whatever is due next.
#[tokio::test(start_paused = true)]
async fn a_hanging_look_up_ends_at_the_connect_limit() {
    let client = client(&[], Arc::new(Hung));
    let mut request = get("https://slow.example.com/");
    request.timeout = Duration::from_secs(600);
    let error = client.send(request).await.expect_err("no answer");
    assert!(matches!(error, EgressError::ConnectTimeout { .. }), "{error:?}");
    assert_eq!(error.sent(), Sent::No);
}

// The system resolver answers for a literal without any network.
#[tokio::test]
async fn the_system_resolver_reports_addresses() {
    let answer = SystemResolver::new().resolve("127.0.0.1").await.expect("a literal");
    assert_eq!(answer, ["127.0.0.1".parse::<std::net::IpAddr>().expect("address")]);
}
