use super::{ErrorClass, ErrorCode, FailureCode};

// R-ERR-02
#[test]
fn every_code_reads_back_from_its_text() {
    for code in ErrorCode::ALL {
        assert_eq!(ErrorCode::parse(code.as_str()), Some(*code));
        let json = serde_json::to_string(code).expect("a string");
        assert_eq!(serde_json::from_str::<ErrorCode>(&json).expect("the same"), *code);
    }
    assert_eq!(ErrorCode::parse("no_such_code"), None);
}

// R-ERR-12
#[test]
fn exactly_seven_codes_are_retriable() {
    let retriable: Vec<_> = ErrorCode::ALL.iter().filter(|code| code.retriable()).map(|code| code.as_str()).collect();
    let expected = [
        "internal_error",
        "pack_registry_unreachable",
        "rate_limited",
        "residency_unavailable",
        "runner_unavailable",
        "service_unavailable",
        "upstream_unavailable",
    ];
    assert_eq!(retriable, expected);
}

// R-ERR-03
#[test]
fn a_class_and_a_status_belong_together() {
    for code in ErrorCode::ALL {
        let statuses: &[u16] = match code.class() {
            ErrorClass::Malformed => &[400],
            ErrorClass::Pack => &[400, 409, 422],
            ErrorClass::Unauthenticated => &[401],
            ErrorClass::Forbidden | ErrorClass::TenantMismatch => &[403],
            ErrorClass::NotFound => &[404],
            ErrorClass::VersionUnsupported => &[400, 406],
            ErrorClass::ClientTooOld => &[426],
            ErrorClass::Conflict | ErrorClass::AlreadyResolved | ErrorClass::Idempotency => &[409],
            ErrorClass::Gone => &[410],
            ErrorClass::TooLarge => &[413],
            ErrorClass::UnsupportedMediaType => &[415],
            ErrorClass::Unprocessable | ErrorClass::CapabilityMissing => &[422],
            ErrorClass::LimitReached => &[422],
            ErrorClass::RateLimited => &[429],
            ErrorClass::Internal => &[500],
            ErrorClass::NotOffered => &[501],
            ErrorClass::Upstream => &[502],
            ErrorClass::Unavailable => &[422, 503],
        };
        assert!(statuses.contains(&code.http_status()), "{code}");
    }
}

// R-ERR-08, R-EVT-22
#[test]
fn a_failure_is_registered_or_of_a_registered_organisation() {
    assert_eq!(FailureCode::parse("run_timeout"), Ok(ErrorCode::RunTimeout.into()));
    assert!(FailureCode::parse("example.disk_on_fire").is_ok());
    for text in ["nope", "openwop.x", "acme.x", "example.X", "example.", "example.1", "vendor.x", ""] {
        assert!(FailureCode::parse(text).is_err(), "{text}");
    }
}
