//! The parts of a snapshot: little-endian numbers, texts and JSON with their lengths before them.

use serde::de::DeserializeOwned;
use weft_model::Timestamp;

use super::SnapshotFault;

/// Writes parts.
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new() -> Self {
        Self(Vec::with_capacity(1024))
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(super) fn u16(&mut self, value: u16) {
        self.raw(&value.to_le_bytes());
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.raw(&value.to_le_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.raw(&value.to_le_bytes());
    }

    pub(super) fn moment(&mut self, at: Timestamp) {
        self.raw(&at.as_micros().to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.u32(text.len() as u32);
        self.raw(text.as_bytes());
    }

    /// A wire document, already written by [`weft_model::json::to_bytes`].
    pub(super) fn document(&mut self, document: &[u8]) {
        self.u32(document.len() as u32);
        self.raw(document);
    }

    pub(super) fn optional<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        match value {
            None => self.u8(0),
            Some(value) => {
                self.u8(1);
                write(self, value);
            }
        }
    }
}

/// Reads parts; whatever does not fit is damage.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn raw(&mut self, length: usize) -> Result<&'a [u8], SnapshotFault> {
        let (part, rest) = self.0.split_at_checked(length).ok_or(SnapshotFault::Damaged)?;
        self.0 = rest;
        Ok(part)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], SnapshotFault> {
        self.raw(N)?.try_into().map_err(|_| SnapshotFault::Damaged)
    }

    pub(super) fn u8(&mut self) -> Result<u8, SnapshotFault> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16, SnapshotFault> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, SnapshotFault> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, SnapshotFault> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn moment(&mut self) -> Result<Timestamp, SnapshotFault> {
        self.array().map(i64::from_le_bytes).map(Timestamp::from_micros)
    }

    pub(super) fn text(&mut self) -> Result<&'a str, SnapshotFault> {
        let length = self.u32()? as usize;
        std::str::from_utf8(self.raw(length)?).map_err(|_| SnapshotFault::Damaged)
    }

    pub(super) fn json<T: DeserializeOwned>(&mut self) -> Result<T, SnapshotFault> {
        let length = self.u32()? as usize;
        serde_json::from_slice(self.raw(length)?).map_err(|_| SnapshotFault::Damaged)
    }

    pub(super) fn optional<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, SnapshotFault>,
    ) -> Result<Option<T>, SnapshotFault> {
        match self.u8()? {
            0 => Ok(None),
            1 => read(self).map(Some),
            _ => Err(SnapshotFault::Damaged),
        }
    }

    pub(super) fn end(self) -> Result<(), SnapshotFault> {
        if self.0.is_empty() { Ok(()) } else { Err(SnapshotFault::Damaged) }
    }
}
