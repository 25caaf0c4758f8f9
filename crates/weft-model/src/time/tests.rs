use proptest::prelude::*;

use super::Timestamp;

proptest! {
    #[test]
    fn text_and_moment_are_one(micros in Timestamp::MIN.0..=Timestamp::MAX.0) {
        let moment = Timestamp::from_micros(micros);
        prop_assert_eq!(Timestamp::parse(&moment.to_string()), Ok(moment));
        let json = serde_json::to_string(&moment).expect("a string");
        prop_assert_eq!(serde_json::from_str::<Timestamp>(&json).expect("the same"), moment);
    }

    #[test]
    fn the_calendar_agrees_with_another_implementation(
        micros in Timestamp::MIN.0..=Timestamp::MAX.0,
    ) {
        let other = jiff::Timestamp::from_microsecond(micros).expect("in range");
        prop_assert_eq!(Timestamp::from_micros(micros).to_string(), format!("{other:.6}"));
    }

    #[test]
    fn texts_sort_like_moments(
        a in Timestamp::MIN.0..=Timestamp::MAX.0,
        b in Timestamp::MIN.0..=Timestamp::MAX.0,
    ) {
        let (a, b) = (Timestamp::from_micros(a), Timestamp::from_micros(b));
        prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
    }

    #[test]
    fn reading_any_text_never_panics(text in ".{0,40}") {
        let _ = Timestamp::parse(&text);
    }
}

#[test]
fn known_moments() {
    assert_eq!(Timestamp::EPOCH.to_string(), "1970-01-01T00:00:00.000000Z");
    assert_eq!(Timestamp::MIN.to_string(), "0000-01-01T00:00:00.000000Z");
    assert_eq!(Timestamp::MAX.to_string(), "9999-12-31T23:59:59.999999Z");
    assert_eq!(Timestamp::from_micros(1_709_164_799_123_456).to_string(), "2024-02-28T23:59:59.123456Z");
}

#[test]
fn offsets_fractions_and_leap_seconds_are_read() {
    let noon = Timestamp::parse("2024-02-29T12:00:00Z").expect("a leap day");
    for text in [
        "2024-02-29t12:00:00z",
        "2024-02-29T12:00:00.0Z",
        "2024-02-29T13:30:00+01:30",
        "2024-02-29T04:00:00-08:00",
        "2024-02-29T11:59:60Z",
        "2024-02-29T12:00:00.0000009Z",
    ] {
        assert_eq!(Timestamp::parse(text), Ok(noon), "{text}");
    }
}

#[test]
fn other_texts_are_refused() {
    for text in [
        "",
        "2024-02-29",
        "2024-02-29 12:00:00Z",
        "2024-02-29T12:00:00",
        "2024-02-30T12:00:00Z",
        "2023-02-29T12:00:00Z",
        "2024-13-01T12:00:00Z",
        "2024-00-01T12:00:00Z",
        "2024-01-01T24:00:00Z",
        "2024-01-01T12:60:00Z",
        "2024-01-01T12:00:61Z",
        "2024-01-01T12:00:00.Z",
        "2024-01-01T12:00:00+0100",
        "2024-01-01T12:00:00+24:00",
        "+024-01-01T12:00:00Z",
        "0000-01-01T00:00:00+00:01",
    ] {
        assert!(Timestamp::parse(text).is_err(), "{text}");
    }
}

#[test]
fn sums_and_differences_stay_in_range() {
    assert_eq!(Timestamp::MAX.plus_ms(1), Timestamp::MAX);
    assert_eq!(Timestamp::EPOCH.plus_ms(u64::MAX), Timestamp::MAX);
    assert_eq!(Timestamp::EPOCH.saturating_ms_since(Timestamp::MAX), 0);
    assert_eq!(Timestamp::EPOCH.plus_ms(1_500).saturating_ms_since(Timestamp::EPOCH), 1_500);
    assert_eq!(Timestamp::from_micros(-1).as_millis(), -1);
    assert_eq!(Timestamp::from_micros(i64::MIN), Timestamp::MIN);
}
