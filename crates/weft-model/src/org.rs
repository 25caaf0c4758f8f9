//! Vendor organisations: who may name an event type or an error code (R-EVT-12, R-EVT-13, R-CAP-33).

/// Organisations that no host may use.
pub const RESERVED: [&str; 4] = ["openwop", "vendor", "effect-seams", "events"];
/// First segments of pack namespaces; they name a trust tier, not an organisation.
pub const PACK_TIERS: [&str; 5] = ["core", "community", "vendor", "private", "local"];
/// Organisations registered upstream. `example` is for documentation and tests.
pub const REGISTERED: [&str; 3] = ["example", "openwop-app", "myndhyve"];

/// Whether `org` may stand in front of a vendor name.
pub fn is_registered(org: &str) -> bool {
    REGISTERED.contains(&org)
}

/// `^[a-z][a-z0-9]*(-[a-z0-9]+)*$`: one kebab-case segment.
pub fn is_kebab(segment: &str) -> bool {
    segment.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
        && segment
            .split('-')
            .all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
}
