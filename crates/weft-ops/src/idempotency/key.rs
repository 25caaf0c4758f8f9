//! The key's grammar and the scope that it is unique in.

use weft_model::{Digest, ErrorCode, IdempotencyKey, TenantId};
use weft_store::ReceiptScope;

use crate::error::{OpError, OpResult};

/// The scope of a record: a hash of tenant, operation and key (R-IDEM-03). The key itself is
/// neither stored nor logged (R-IDEM-11).
pub(crate) fn scope_of(tenant: &TenantId, operation: &str, key: &str) -> OpResult<ReceiptScope> {
    let key: IdempotencyKey = key.parse().map_err(|_| {
        OpError::new(
            ErrorCode::IdempotencyKeyInvalid,
            "The Idempotency-Key must be 22 to 128 characters of A-Z, a-z, 0-9, '.', '_', '~' and '-'.",
        )
    })?;
    let parts = [tenant.as_str(), operation, key.as_str()].map(str::as_bytes);
    Ok(ReceiptScope(*Digest::of_parts(&parts).as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "abcdefghijklmnopqrstuv";

    fn tenant(name: &str) -> TenantId {
        name.parse().expect("a tenant")
    }

    // R-IDEM-02: only the grammar's keys are accepted.
    #[test]
    fn keys_outside_the_grammar_are_refused() {
        let long = "k".repeat(129);
        for key in ["", "short", &KEY[..21], &long, "abcdefghijklmnopqrstu v", "abcdefghijklmnopqrstuü"] {
            let refused = scope_of(&tenant("acme"), "createRun", key).expect_err(key);
            assert_eq!(refused.code(), ErrorCode::IdempotencyKeyInvalid, "{key}");
        }
        for key in [KEY, &"k".repeat(128), "A-z0.9_~bcdefghijklmnopqrstuv"] {
            scope_of(&tenant("acme"), "createRun", key).expect(key);
        }
    }

    // R-IDEM-03: tenant, operation and key together name a record.
    #[test]
    fn tenant_operation_and_key_each_separate_records() {
        let base = scope_of(&tenant("acme"), "createRun", KEY).expect("valid");
        for other in [
            scope_of(&tenant("acme2"), "createRun", KEY),
            scope_of(&tenant("acme"), "cancelRun", KEY),
            scope_of(&tenant("acme"), "createRun", &KEY.to_uppercase()),
        ] {
            assert_ne!(other.expect("valid").0, base.0);
        }
        assert_eq!(scope_of(&tenant("acme"), "createRun", KEY).expect("valid").0, base.0);
    }
}
