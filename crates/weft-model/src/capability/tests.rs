use std::collections::HashSet;

use serde_json::json;

use super::{FAMILIES, Family, InvalidRecord, METADATA_KEYS, Record, Seat, Since, Status, Until};
use crate::event::EventType;

const SINCE: Since = Since { major: 2, minor: 46 };
const UNTIL: Until = Until::Version(Since { major: 3, minor: 0 });

fn find(key: &str) -> &'static Family {
    Family::find(key).expect(key)
}

// R-CAP-25, R-CAP-34
#[test]
fn keys_are_unique_and_extension_families_have_a_seat_of_their_own() {
    let mut keys: HashSet<&str> = METADATA_KEYS.into();
    for family in FAMILIES {
        assert!(keys.insert(family.key), "{} is there twice", family.key);
    }
    let roots = FAMILIES.iter().filter(|family| family.seat == Seat::Root).count();
    assert_eq!((roots, FAMILIES.len() - roots), (68, 12));
}

// R-CAP-12, R-CAP-15, R-CAP-19, R-CAP-20, R-CAP-21
#[test]
fn a_record_is_written_with_its_facets_and_without_a_supported_member() {
    let family = find("runList");
    let record = Record::of(family, SINCE, UNTIL).with("maxPageSize", 100);
    assert_eq!(record.check(family), Ok(()));
    let expected = json!({"status": "experimental", "since": "2.46", "until": "3.0",
        "witness": "witnessable-gated", "maxPageSize": 100});
    assert_eq!(serde_json::to_value(&record).expect("an object"), expected);
}

// R-CAP-15, R-CAP-23
#[test]
fn a_status_above_the_ceiling_and_a_misplaced_until_are_refused() {
    let family = find("runList");
    let mut record = Record::of(family, SINCE, UNTIL).with("maxPageSize", 100);
    record.until = None;
    assert_eq!(record.check(family), Err(InvalidRecord::Until));
    record.status = Status::Stable;
    assert_eq!(record.check(family), Err(InvalidRecord::Status));
    let limits = Record::of(find("limits"), SINCE, UNTIL);
    assert_eq!((limits.status, limits.until), (Status::Stable, None));
}

// R-CAP-19, R-CAP-21
#[test]
fn unknown_and_missing_facets_and_foreign_witnesses_are_refused() {
    let family = find("runList");
    let record = Record::of(family, SINCE, UNTIL);
    assert_eq!(record.check(family), Err(InvalidRecord::MissingFacet("maxPageSize")));
    let unknown = record.clone().with("maxPageSize", 1).with("supported", true);
    assert_eq!(unknown.check(family), Err(InvalidRecord::UnknownFacet("supported".to_owned())));
    assert_eq!(record.check(find("a2a")), Err(InvalidRecord::Witness));
}

// R-CAP-14, R-CAP-16
#[test]
fn versions_and_days_are_written_plainly() {
    assert_eq!(Since::parse("2.46"), Some(SINCE));
    for text in ["02.0", "2", "2.00", "2.-1", "2.+1", "2.1.0", "", ".", "2."] {
        assert_eq!(Since::parse(text), None, "{text}");
    }
    assert_eq!(Until::Day { year: 2027, month: 1, day: 9 }.to_string(), "2027-01-09");
}

// R-ERR-09, R-EVT-17
#[test]
fn a_family_knows_what_it_gates() {
    let operations: Vec<_> = find("replay").gated_operations().map(|row| row.operation_id).collect();
    assert_eq!(operations, ["getEffectSeamManifest", "forkRun"]);
    assert!(find("deadLetter").gated_events().any(|kind| *kind == EventType::RunDeadLettered));
    assert!(find("toolHooks").gated_events().any(|kind| *kind == EventType::AgentToolCalled));
}
