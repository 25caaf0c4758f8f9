use proptest::prelude::*;
use serde_json::{Value, json};

use super::{DEPTH_MAX, FaultReason, parse};

fn reason(text: &str) -> FaultReason {
    parse(text.as_bytes()).expect_err(text).reason
}

/// Any value whose numbers the reader keeps.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e300f64..1e300).prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map(".*", inner, 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(value in any_json()) {
        prop_assert_eq!(&parse(value.to_string().as_bytes()).expect("compact"), &value);
        let pretty = serde_json::to_vec_pretty(&value).expect("a value");
        prop_assert_eq!(&parse(&pretty).expect("pretty"), &value);
    }

    #[test]
    fn nothing_is_accepted_that_another_reader_refuses(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        if let Ok(value) = parse(&bytes) {
            prop_assert_eq!(serde_json::from_slice::<Value>(&bytes).expect("JSON"), value);
        }
    }

    #[test]
    fn json_like_text_gets_the_same_verdict(text in r#"[\[\]{}",:0-9eE+.\-\\untrfals ]{0,24}"#) {
        match (parse(text.as_bytes()), serde_json::from_str::<Value>(&text)) {
            (Ok(ours), Ok(theirs)) => prop_assert_eq!(ours, theirs),
            (Ok(_), Err(error)) => prop_assert!(false, "accepted although {}", error),
            (Err(fault), Ok(_)) => prop_assert!(
                matches!(fault.reason, FaultReason::DuplicateMember(_)
                    | FaultReason::IntegerTooLarge | FaultReason::NumberOutOfRange),
                "refused with {:?}", fault
            ),
            (Err(_), Err(_)) => {}
        }
    }
}

#[test]
fn a_member_named_twice_is_refused_at_its_second_place() {
    let fault = parse(b"{\"a\": 1,\n \"b\": {\"x\": 1, \"\\u0078\": 2}}").expect_err("twice");
    assert_eq!(fault.reason, FaultReason::DuplicateMember("x".to_owned()));
    assert_eq!((fault.line, fault.column), (2, 16));
    assert_eq!(fault.to_string(), "the member \"x\" is given twice at line 2, column 16");
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse(nested(DEPTH_MAX).as_bytes()).is_ok());
    assert_eq!(reason(&nested(DEPTH_MAX + 1)), FaultReason::TooDeep);
    assert_eq!(reason(&"[".repeat(1_000_000)), FaultReason::TooDeep);
}

#[test]
fn numbers_are_kept_or_refused() {
    let kept = json!([9_007_199_254_740_993u64, u64::MAX, i64::MIN, 0.1, 1e3]);
    let text = b"[9007199254740993, 18446744073709551615, -9223372036854775808, 0.1, 1e3]";
    assert_eq!(parse(text).expect("in range"), kept);
    for text in ["18446744073709551616", "-9223372036854775809", "123456789012345678901234567890"] {
        assert_eq!(reason(text), FaultReason::IntegerTooLarge, "{text}");
    }
    for text in ["1e400", "-1e400", "1e-400"] {
        assert_eq!(reason(text), FaultReason::NumberOutOfRange, "{text}");
    }
    for text in ["0e5", "0.0e-999", "-0"] {
        assert!(parse(text.as_bytes()).is_ok(), "{text}");
    }
}

#[test]
fn broken_texts_are_refused() {
    for text in ["", " ", "[1", "{\"a\"", "\"a", "\"a\\", "-"] {
        assert_eq!(reason(text), FaultReason::UnexpectedEnd, "{text}");
    }
    for text in ["[1,]", "{,}", "{a:1}", "tru", "01", "1.", "+1", "\"\\u12", "\"\\x\"", "\"\t\"", "'a'", "nulL"] {
        assert!(parse(text.as_bytes()).is_err(), "{text}");
    }
    assert_eq!(reason("1 2"), FaultReason::TrailingText);
    assert_eq!(parse(b"\"\xff\"").expect_err("no text").reason, FaultReason::NotUtf8);
}

#[test]
fn half_a_surrogate_pair_is_refused() {
    assert_eq!(parse(br#""\ud83d\ude00""#).expect("a pair"), json!("😀"));
    for text in [r#""\ud83d""#, r#""\ude00""#, r#""\ud83d\u0041""#, r#""\ud83dx""#] {
        assert!(parse(text.as_bytes()).is_err(), "{text}");
    }
}
