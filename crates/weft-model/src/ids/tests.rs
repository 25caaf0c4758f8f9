use proptest::prelude::*;

use super::{EventId, IdempotencyKey, InterruptId, MINTED_LEN, NodeId, RunId, TenantId, TypeId};
use crate::time::Timestamp;

fn tenant() -> impl Strategy<Value = String> {
    "(anon:)?[A-Za-z0-9._~-]{1,128}"
}

fn opaque() -> impl Strategy<Value = String> {
    "[A-Za-z0-9._~-]{16,128}"
}

proptest! {
    // R-ID-01, R-ID-03, R-ID-10
    #[test]
    fn a_bound_id_survives_text_path_and_json(tenant in tenant(), opaque in opaque()) {
        let text = format!("{tenant}/{opaque}");
        let id = RunId::parse(&text).expect("the grammar");
        prop_assert_eq!(id.tenant(), tenant.as_str());
        prop_assert_eq!(id.opaque(), opaque.as_str());
        prop_assert_eq!(id.tenant_id(), TenantId::parse(&tenant).expect("the grammar"));
        prop_assert_eq!(id.to_string(), text.clone());
        prop_assert!(!id.projected().contains('/'));
        prop_assert_eq!(&RunId::from_path_segment(&id.projected()).expect("projected"), &id);
        prop_assert_eq!(&RunId::from_path_segment(&text).expect("percent-decoded"), &id);
        let json = serde_json::to_string(&id).expect("a string");
        prop_assert_eq!(&serde_json::from_str::<RunId>(&json).expect("the same"), &id);
    }

    // R-ID-13
    #[test]
    fn parsing_any_text_agrees_with_the_grammar(text in ".{0,40}") {
        let bytes = text.as_bytes();
        let plain = |b: &u8| b.is_ascii_alphanumeric() || b"._~-".contains(b);
        let author = (1..=128).contains(&bytes.len()) && bytes.iter().all(|b| plain(b) || *b == b':');
        prop_assert_eq!(NodeId::parse(&text).is_ok(), author);
        let event = (16..=128).contains(&bytes.len()) && bytes.iter().all(plain);
        prop_assert_eq!(EventId::parse(&text).is_ok(), event);
    }

    // R-ID-09, R-ID-11
    #[test]
    fn minted_ids_sort_by_time_and_keep_every_random_bit(
        early in 0i64..253_402_300_799_000,
        later in 1i64..1_000_000,
        a in any::<[u8; 16]>(),
        b in any::<[u8; 16]>(),
    ) {
        let acme = TenantId::parse("acme").expect("a tenant");
        let first = RunId::mint(&acme, Timestamp::from_millis(early), a);
        let second = RunId::mint(&acme, Timestamp::from_millis(early + later), b);
        prop_assert_eq!(first.opaque().len(), MINTED_LEN);
        prop_assert!(!first.opaque().contains('~'));
        prop_assert!(RunId::parse(first.as_str()).is_ok());
        if early + later <= 253_402_300_799_999 {
            prop_assert!(first < second);
        }
        let same_time = RunId::mint(&acme, Timestamp::from_millis(early), b);
        prop_assert_eq!(a == b, first == same_time);
        prop_assert_eq!(a.cmp(&b), first.cmp(&same_time));
    }
}

// R-ID-08
#[test]
fn a_bare_opaque_segment_is_refused() {
    assert!(RunId::parse("0123456789abcdef").is_err());
    assert!(RunId::from_path_segment("0123456789abcdef").is_err());
}

// R-ID-04, R-ID-05, R-ID-06
#[test]
fn a_path_segment_is_read_in_either_form() {
    for segment in ["acme~2F0123456789abcdef", "acme~2f0123456789abcdef", "acme/0123456789abcdef"] {
        let id = RunId::from_path_segment(segment).expect(segment);
        assert_eq!(id.as_str(), "acme/0123456789abcdef");
    }
    for segment in ["acme~2", "acme~zz0123456789abcdef", "acme~2F", ""] {
        assert!(RunId::from_path_segment(segment).is_err(), "{segment}");
    }
}

// R-ID-10
#[test]
fn an_id_minted_with_a_tilde_still_resolves_when_percent_decoded() {
    let id = RunId::from_path_segment("ac~me/0123456789ab~def").expect("an old id");
    assert_eq!(id.tenant(), "ac~me");
    assert_eq!(RunId::from_path_segment(&id.projected()).expect("projected"), id);
}

// R-ID-13
#[test]
fn texts_outside_the_grammar_are_refused() {
    let long = "a".repeat(129);
    for text in ["", "a b", "a/b", "ünode", long.as_str()] {
        assert!(NodeId::parse(text).is_err(), "{text}");
    }
    for text in ["x/0123456789abcdef/", "/0123456789abcdef", "a:b/0123456789abcdef", "a/short"] {
        assert!(InterruptId::parse(text).is_err(), "{text}");
    }
    assert!(TenantId::parse("anon:guest").is_ok());
    assert!(TenantId::parse("anon:").is_err());
    assert!(TenantId::parse("other:guest").is_err());
}

#[test]
fn type_ids_have_two_segments_and_a_lower_case_head() {
    for text in ["core.noop", "core.ai.chatCompletion", "vendor.acme.my_tools.echo", "a.b-C_1"] {
        assert!(TypeId::parse(text).is_ok(), "{text}");
    }
    let long = format!("a.{}", "b".repeat(255));
    for text in ["core", "Core.noop", "core.Noop", "core..noop", ".noop", "core.", "coRe.x", &long] {
        assert!(TypeId::parse(text).is_err(), "{text}");
    }
}

#[test]
fn an_idempotency_key_has_at_least_128_bits() {
    assert!(IdempotencyKey::parse(&"k".repeat(22)).is_ok());
    assert!(IdempotencyKey::parse(&"k".repeat(21)).is_err());
    assert!(IdempotencyKey::parse(&"k".repeat(129)).is_err());
}

#[test]
fn an_error_names_the_kind_and_never_the_text() {
    let error = RunId::parse("secret-looking text").expect_err("no slash");
    assert_eq!(error.to_string(), "invalid runId: has no tenant segment");
}
