//! The checksums of rows: CRC-32 over the key and the content, so that a row moved to another
//! place fails as well as one that was changed (DECISIONS 30).

use crc32fast::Hasher;

/// A checksum being computed. Texts and bytes are preceded by their length, so that neighbouring
/// columns cannot trade bytes.
pub(super) struct Checksum(Hasher);

impl Checksum {
    pub(super) fn new() -> Checksum {
        Checksum(Hasher::new())
    }

    #[must_use]
    pub(super) fn int(mut self, value: i64) -> Checksum {
        self.0.update(&value.to_le_bytes());
        self
    }

    #[must_use]
    pub(super) fn maybe_int(self, value: Option<i64>) -> Checksum {
        match value {
            Some(value) => self.int(1).int(value),
            None => self.int(0),
        }
    }

    #[must_use]
    pub(super) fn bytes(mut self, value: &[u8]) -> Checksum {
        self.0.update(&(value.len() as u64).to_le_bytes());
        self.0.update(value);
        self
    }

    #[must_use]
    pub(super) fn text(self, value: &str) -> Checksum {
        self.bytes(value.as_bytes())
    }

    #[must_use]
    pub(super) fn maybe_text(self, value: Option<&str>) -> Checksum {
        match value {
            Some(value) => self.int(1).text(value),
            None => self.int(0),
        }
    }

    /// The value as a column holds it.
    pub(super) fn column(self) -> i64 {
        i64::from(self.0.finalize())
    }
}

/// The checksum of an event row.
pub(super) fn event(run: i64, seq: i64, body: &[u8]) -> i64 {
    Checksum::new().int(run).int(seq).bytes(body).column()
}
