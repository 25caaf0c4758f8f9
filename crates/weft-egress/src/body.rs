//! Reading a response body up to a limit.

use bytes::{Bytes, BytesMut};
use http_body::Body as _;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;

use crate::error::EgressError;

/// Collects a body, or stops at the first byte above the limit. Trailers are
/// dropped.
pub(crate) async fn collect(mut body: Incoming, limit: usize) -> Result<Bytes, EgressError> {
    // An honest length saves reading what would be thrown away.
    if body.size_hint().lower() > limit as u64 {
        return Err(EgressError::BodyTooLarge { limit });
    }
    let mut collected = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| EgressError::from_hyper(&error))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if collected.len() + data.len() > limit {
            return Err(EgressError::BodyTooLarge { limit });
        }
        collected.extend_from_slice(&data);
    }
    Ok(collected.freeze())
}
