//! The text of one frame (R-SSE-02).

use std::fmt::Write;

use bytes::{BufMut, Bytes, BytesMut};
use weft_ops::events::Frame;

/// What a stream says when it has nothing to say (R-SSE-01). A comment is no event to any client.
pub(super) const KEEP_ALIVE: Bytes = Bytes::from_static(b": keep-alive\n\n");

/// Bytes of a frame beside its name and data: the field names, a 20-digit id, the line ends.
const OVERHEAD: usize = 48;

/// Appends a frame.
pub(super) fn write(out: &mut BytesMut, frame: &Frame) {
    out.reserve(OVERHEAD + frame.event.len() + frame.data.len());
    // Writing to memory cannot fail.
    let _ = write!(out, "id: {}\nevent: {}\n", frame.id, frame.event);
    // The data is one line of JSON. Should a payload ever bring a line break, it must not be able
    // to forge a field: every line is a data line of its own.
    for line in frame.data.split(|byte| matches!(byte, b'\n' | b'\r')) {
        out.put_slice(b"data: ");
        out.put_slice(line);
        out.put_u8(b'\n');
    }
    out.put_u8(b'\n');
}
