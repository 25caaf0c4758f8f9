//! The cursor of the run list.
//!
//! It names the last run of a page and proves itself by that run's own row: a tag over tenant,
//! run id, creation time and definition. So it survives a restart without a secret to keep, works
//! only in the tenant that it was minted for, and a tampered one names nothing (R-LIST-04).

use data_encoding::BASE64URL_NOPAD;
use weft_model::{Digest, RunId, TenantId};
use weft_store::RunRecord;

use crate::error::{OpError, OpResult};
use crate::limits::CURSOR_MAX_CHARS;

/// The form of the cursor, so that a later build can change it.
const VERSION: u8 = 1;
/// Bytes of the tag: 128 bits.
const TAG_BYTES: usize = 16;

/// What a presented cursor claims.
pub(crate) struct Claimed {
    /// The run whose row must bear the claim out.
    pub(crate) run_id: RunId,
    tag: [u8; TAG_BYTES],
}

impl Claimed {
    /// Reads a cursor presented in `tenant`.
    pub(crate) fn parse(text: &str, tenant: &TenantId) -> OpResult<Claimed> {
        if text.is_empty() || text.len() > CURSOR_MAX_CHARS {
            return Err(refused());
        }
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).map_err(|_| refused())?;
        let (version, rest) = bytes.split_first().ok_or_else(refused)?;
        let (opaque, tag) = rest.split_last_chunk::<TAG_BYTES>().ok_or_else(refused)?;
        let opaque = std::str::from_utf8(opaque).map_err(|_| refused())?;
        if *version != VERSION {
            return Err(refused());
        }
        let run_id = RunId::parse(&format!("{tenant}/{opaque}")).map_err(|_| refused())?;
        Ok(Claimed { run_id, tag: *tag })
    }

    /// Whether `record` is the row that the cursor was minted from.
    pub(crate) fn check(&self, record: &RunRecord) -> OpResult<()> {
        if tag_of(record) == self.tag { Ok(()) } else { Err(refused()) }
    }
}

/// The cursor that continues after `record`.
pub(crate) fn mint(record: &RunRecord) -> String {
    let opaque = record.run_id.opaque().as_bytes();
    let mut bytes = Vec::with_capacity(1 + opaque.len() + TAG_BYTES);
    bytes.push(VERSION);
    bytes.extend_from_slice(opaque);
    bytes.extend_from_slice(&tag_of(record));
    BASE64URL_NOPAD.encode(&bytes)
}

/// The refusal of every cursor that this host did not mint for this tenant.
pub(crate) fn refused() -> OpError {
    OpError::invalid_field("cursor", "The cursor is not one that this host gave to this tenant.")
}

fn tag_of(record: &RunRecord) -> [u8; TAG_BYTES] {
    let digest = Digest::of_parts(&[
        b"weft run list cursor",
        record.run_id.as_str().as_bytes(),
        &record.created_at.as_micros().to_le_bytes(),
        record.definition.as_bytes(),
    ]);
    let (tag, _) = digest.as_bytes().split_first_chunk::<TAG_BYTES>().expect("a digest has 32 bytes");
    *tag
}
