//! A lean HTTP/1.1 client: one keep-alive connection, fixed requests, answers with a length.
//!
//! A general client costs as much CPU as the server under test; on two cores that would measure
//! the client.

use anyhow::{Context, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An answer larger than this is a fault of the measurement.
const ANSWER_MAX_BYTES: usize = 8 * 1024 * 1024;

/// One keep-alive connection.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
    read: usize,
}

/// One answer; the body borrows the connection's buffer.
pub(crate) struct Answer<'c> {
    /// The status code.
    pub status: u16,
    /// The body.
    pub body: &'c [u8],
}

/// The bytes of a request, made once and sent many times.
pub(crate) fn request(method: &str, path: &str, key: Option<&str>, body: Option<&str>) -> Vec<u8> {
    use std::fmt::Write;
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: bench\r\nopenwop-version: 2.0\r\n");
    if let Some(key) = key {
        let _ = write!(head, "authorization: Bearer {key}\r\n");
    }
    if let Some(body) = body {
        let _ = write!(head, "content-type: application/json\r\ncontent-length: {}\r\n", body.len());
    }
    head.push_str("\r\n");
    head.push_str(body.unwrap_or_default());
    head.into_bytes()
}

impl Connection {
    /// Connects to `host:port`.
    pub(crate) async fn open(address: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: vec![0; 64 * 1024], read: 0 })
    }

    /// Sends a request and reads its whole answer.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<Answer<'_>> {
        self.stream.write_all(request).await?;
        self.read = 0;
        let head = self.read_head().await?;
        let text = std::str::from_utf8(&self.buffer[..head])?;
        let status = text.get(9..12).context("a short status line")?.parse()?;
        let length = content_length(text)?;
        while self.read < head + length {
            self.fill().await?;
        }
        Ok(Answer { status, body: &self.buffer[head..head + length] })
    }

    /// Sends a request and returns the connection's raw bytes from then on (an event stream).
    pub(crate) async fn stream(mut self, request: &[u8]) -> anyhow::Result<TcpStream> {
        self.stream.write_all(request).await?;
        Ok(self.stream)
    }

    async fn read_head(&mut self) -> anyhow::Result<usize> {
        loop {
            self.fill().await?;
            if let Some(end) = self.buffer[..self.read].windows(4).position(|window| window == b"\r\n\r\n") {
                return Ok(end + 4);
            }
        }
    }

    async fn fill(&mut self) -> anyhow::Result<()> {
        if self.read == self.buffer.len() {
            if self.read >= ANSWER_MAX_BYTES {
                bail!("an answer over {ANSWER_MAX_BYTES} bytes");
            }
            self.buffer.resize(self.read * 2, 0);
        }
        match self.stream.read(&mut self.buffer[self.read..]).await? {
            0 => bail!("the server closed the connection"),
            count => self.read += count,
        }
        Ok(())
    }
}

fn content_length(head: &str) -> anyhow::Result<usize> {
    for line in head.lines() {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            return Ok(value.trim().parse()?);
        }
    }
    bail!("an answer without a length:\n{head}")
}
