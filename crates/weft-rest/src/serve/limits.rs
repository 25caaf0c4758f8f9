//! The limits of connections.

use std::time::Duration;

/// What one listener and its connections may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServeLimits {
    /// Connections at once; above it new ones are told so and closed.
    pub connections_max: usize,
    /// Connections at once that are being told so; above it they wait in the listener's backlog.
    pub turned_away_max: usize,
    /// How long a connection that is turned away has to ask and to read its answer.
    pub turned_away_within: Duration,
    /// From the end of one request, or from the accept, to the end of the next request's head. It
    /// bounds both a slow head and an idle connection.
    pub head_read_within: Duration,
    /// How long a peer may take nothing while there is something to write. Only a socket that
    /// stalls is cut; a reader that is merely slow keeps its stream.
    pub write_stalled_for: Duration,
    /// How long an answered connection is kept so that its peer can stop sending and read.
    pub linger_for: Duration,
    /// Bytes that are thrown away while lingering.
    pub linger_bytes: usize,
    /// How long open requests have from the start of a shutdown.
    pub drain_within: Duration,
    /// HTTP/2 streams at once on one connection.
    pub http2_streams_max: u32,
    /// Bytes that a connection buffers of a head, or an HTTP/2 stream of an unsent body.
    pub buffer_bytes: usize,
}

impl ServeLimits {
    /// What a host uses unless its operator says otherwise. 16,384 connections of about 24 KiB
    /// are 400 MiB at the very worst; the descriptor limit of the process usually binds first. A
    /// stop has five seconds in all, of which the engine's effects get three.
    pub const STANDARD: ServeLimits = ServeLimits {
        connections_max: 16_384,
        turned_away_max: 16,
        turned_away_within: Duration::from_secs(1),
        head_read_within: Duration::from_secs(30),
        write_stalled_for: Duration::from_secs(30),
        linger_for: Duration::from_secs(1),
        linger_bytes: 64 * 1024 * 1024,
        drain_within: Duration::from_millis(1_500),
        http2_streams_max: 256,
        buffer_bytes: 64 * 1024,
    };
}
