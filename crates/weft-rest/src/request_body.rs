//! The body of a request: its type and coding, its size, its time, its JSON.
//!
//! Checked in this order: coding and type by the headers (415), declared size (413), then read
//! with the size counted and the clock running, then parsed. Nothing is parsed that is too large
//! (R-HDR-06), and nothing is read that would be refused anyway.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, header};
use http_body::Body;
use serde_json::Value;
use weft_model::{ErrorCode, json};
use weft_ops::{OpError, OpResult};

/// Bytes that are set aside for a body before its first byte arrived. A declared length is a
/// claim, and many silent clients must not be able to claim memory.
const TRUSTED_CAPACITY: usize = 64 * 1024;
/// Bytes of a member's name that a refusal repeats.
const ECHOED_BYTES_MAX: usize = 128;

/// What a body may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyLimits {
    /// Bytes at most (DECISIONS 44).
    pub(crate) bytes_max: usize,
    /// From the first look at the body to its last byte.
    pub(crate) read_within: Duration,
}

/// Reads a body that must be there.
pub(crate) async fn required_json<B>(headers: &HeaderMap, body: &mut B, limits: BodyLimits) -> OpResult<Value>
where
    B: Body<Data = Bytes> + Unpin,
{
    optional_json(headers, body, limits)
        .await?
        .ok_or_else(|| OpError::invalid("The operation needs a body, and the request has none."))
}

/// Reads a body that may be absent or empty.
pub(crate) async fn optional_json<B>(headers: &HeaderMap, body: &mut B, limits: BodyLimits) -> OpResult<Option<Value>>
where
    B: Body<Data = Bytes> + Unpin,
{
    if body.is_end_stream() {
        return Ok(None);
    }
    check_coding(headers)?;
    let typed = check_type(headers)?;
    if body.size_hint().lower() > limits.bytes_max as u64 {
        return Err(too_large(limits));
    }
    let bytes = match tokio::time::timeout(limits.read_within, collect(body, limits)).await {
        Ok(read) => read?,
        Err(_) => return Err(OpError::invalid("The body did not arrive in time.")),
    };
    if bytes.is_empty() {
        return Ok(None);
    }
    if !typed {
        return Err(wrong_type());
    }
    json::parse(&bytes).map(Some).map_err(malformed)
}

/// A body of one frame, which most are, is not copied.
async fn collect<B>(body: &mut B, limits: BodyLimits) -> OpResult<Bytes>
where
    B: Body<Data = Bytes> + Unpin,
{
    let Some(first) = next_data(body).await? else { return Ok(Bytes::new()) };
    if first.len() > limits.bytes_max {
        return Err(too_large(limits));
    }
    if body.is_end_stream() {
        return Ok(first);
    }
    let declared = usize::try_from(body.size_hint().lower()).unwrap_or(TRUSTED_CAPACITY);
    let mut whole = BytesMut::with_capacity(first.len() + declared.min(TRUSTED_CAPACITY));
    whole.extend_from_slice(&first);
    while let Some(data) = next_data(body).await? {
        if whole.len() + data.len() > limits.bytes_max {
            return Err(too_large(limits));
        }
        whole.extend_from_slice(&data);
    }
    Ok(whole.freeze())
}

/// The next data of the body; trailers are skipped.
async fn next_data<B>(body: &mut B) -> OpResult<Option<Bytes>>
where
    B: Body<Data = Bytes> + Unpin,
{
    loop {
        let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await;
        match frame {
            None => return Ok(None),
            // The peer broke off or sent a malformed chunk; whoever still listens learns that.
            Some(Err(_)) => return Err(OpError::invalid("The body could not be read to its end.")),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}

/// Only plain bodies are taken: a coded one could unfold to any size.
fn check_coding(headers: &HeaderMap) -> OpResult<()> {
    let plain = headers
        .get_all(header::CONTENT_ENCODING)
        .iter()
        .all(|coding| coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"identity"));
    if plain {
        return Ok(());
    }
    Err(OpError::new(ErrorCode::UnsupportedMediaType, "The body must not have a content encoding."))
}

/// Whether a type is declared; one that is declared must be JSON in UTF-8 (R-HDR-05).
fn check_type(headers: &HeaderMap) -> OpResult<bool> {
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let Some(declared) = types.next() else { return Ok(false) };
    let json = declared.to_str().is_ok_and(is_json);
    if json && types.next().is_none() { Ok(true) } else { Err(wrong_type()) }
}

fn is_json(media_type: &str) -> bool {
    let mut parts = media_type.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default();
    essence.eq_ignore_ascii_case("application/json")
        && parts.all(|parameter| match parameter.split_once('=') {
            Some((name, charset)) if name.trim().eq_ignore_ascii_case("charset") => {
                let charset = charset.trim().trim_matches('"');
                charset.eq_ignore_ascii_case("utf-8") || charset.eq_ignore_ascii_case("utf8")
            }
            _ => true,
        })
}

fn wrong_type() -> OpError {
    OpError::new(ErrorCode::UnsupportedMediaType, "The body must be application/json in UTF-8.")
}

fn too_large(limits: BodyLimits) -> OpError {
    OpError::new(ErrorCode::PayloadTooLarge, format!("The body is larger than {} bytes.", limits.bytes_max))
}

/// `400` with the place (R-HDR-08).
fn malformed(fault: json::JsonFault) -> OpError {
    let mut reason = fault.reason.to_string();
    if reason.len() > ECHOED_BYTES_MAX {
        reason.truncate(reason.floor_char_boundary(ECHOED_BYTES_MAX));
        reason.push('…');
    }
    OpError::invalid(format!(
        "The body is not acceptable JSON: {reason}, at line {}, column {}.",
        fault.line, fault.column
    ))
    .with_detail("line", fault.line)
    .with_detail("column", fault.column)
}
