//! What a subscriber receives.

use std::borrow::Cow;

use bytes::{BufMut, Bytes, BytesMut};
use serde::Deserialize;
use serde_json::value::RawValue;
use weft_model::EncodedEvent;
use weft_model::event::EventType;

use super::mode::Shown;

/// One frame of a stream. The door adds the framing and the keep-alive comments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The frame's id: a sequence of the log, to resume after (R-SSE-02).
    pub id: u64,
    /// The frame's name.
    pub event: Cow<'static, str>,
    /// One line of JSON.
    pub data: Bytes,
}

/// The frame of an event that is shown as something of the log. `None` for a snapshot, which the
/// fold makes, and for bytes that are no event.
pub(crate) fn of_event(event: &EncodedEvent, shown: Shown) -> Option<Frame> {
    let (name, data) = match shown {
        Shown::Event => (type_name(&event.event_type), event.bytes.clone()),
        Shown::Admitted(mode) => (Cow::Borrowed(mode.as_str()), event.bytes.clone()),
        Shown::Chunk => (Cow::Borrowed("ai.message.chunk"), payload_of(&event.bytes)?),
        Shown::Snapshot => return None,
    };
    Some(Frame { id: event.sequence, event: name, data })
}

/// The frame of a snapshot folded up to `sequence`.
pub(crate) fn of_snapshot(sequence: u64, snapshot: Bytes) -> Frame {
    Frame { id: sequence, event: Cow::Borrowed("state.snapshot"), data: snapshot }
}

/// One frame that carries several, named by the highest sequence in it (R-SSE-17).
pub(crate) fn batch(frames: &[Frame]) -> Option<Frame> {
    let id = frames.last()?.id;
    let mut data = BytesMut::with_capacity(frames.iter().map(|frame| frame.data.len() + 1).sum::<usize>() + 1);
    for (at, frame) in frames.iter().enumerate() {
        data.put_u8(if at == 0 { b'[' } else { b',' });
        data.put_slice(&frame.data);
    }
    data.put_u8(b']');
    Some(Frame { id, event: Cow::Borrowed("batch"), data: data.freeze() })
}

fn type_name(event_type: &EventType) -> Cow<'static, str> {
    match event_type {
        EventType::Vendor(name) => Cow::Owned(name.to_string()),
        registered => Cow::Borrowed(registered.row().name),
    }
}

/// The payload's own bytes, without reading it.
fn payload_of(event: &Bytes) -> Option<Bytes> {
    #[derive(Deserialize)]
    struct PayloadOnly<'a> {
        #[serde(borrow)]
        payload: &'a RawValue,
    }
    let event_text: PayloadOnly<'_> = serde_json::from_slice(event).ok()?;
    Some(event.slice_ref(event_text.payload.get().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(sequence: u64, text: &'static str) -> EncodedEvent {
        EncodedEvent::from_bytes(sequence, Bytes::from_static(text.as_bytes())).expect("an event")
    }

    // R-SSE-08, R-EVT-88: the chunk's payload alone, and its bytes are the stored ones.
    #[test]
    fn a_chunk_is_its_payload() {
        let chunk = event(7, r#"{"type":"output.chunk","sequence":7,"payload":{"chunk":"Hi","isLast":false}}"#);
        let frame = of_event(&chunk, Shown::Chunk).expect("a frame");
        assert_eq!((frame.id, frame.event.as_ref()), (7, "ai.message.chunk"));
        assert_eq!(frame.data, r#"{"chunk":"Hi","isLast":false}"#);
        assert!(chunk.bytes.as_ptr_range().contains(&frame.data.as_ptr()));
    }

    // R-SSE-09: a vendor's event is named by its own type.
    #[test]
    fn a_vendor_event_keeps_its_name() {
        let vendor = event(1, r#"{"type":"example.thing-happened","payload":{}}"#);
        assert_eq!(of_event(&vendor, Shown::Event).expect("a frame").event, "example.thing-happened");
    }

    // R-SSE-17: an array, named by its highest sequence; nothing gathered is no frame.
    #[test]
    fn a_batch_is_an_array() {
        let frame = |id| Frame { id, event: Cow::Borrowed("x"), data: Bytes::from(id.to_string()) };
        let whole = batch(&[frame(1), frame(2), frame(9)]).expect("a batch");
        assert_eq!((whole.id, whole.event.as_ref(), whole.data), (9, "batch", Bytes::from_static(b"[1,2,9]")));
        assert_eq!(batch(&[]), None);
    }
}
