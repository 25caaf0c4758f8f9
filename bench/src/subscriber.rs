//! A subscriber that holds every event's own timestamp against the moment of its receipt.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use tokio::io::AsyncReadExt;

use crate::http::{Connection, request};
use crate::server::Server;

/// Reads one stream to its end; latency of every event stamped after the subscriber joined.
pub(crate) async fn subscriber(server: &Server, path: &str) -> anyhow::Result<Vec<Duration>> {
    let connection = Connection::open(&server.address).await?;
    let mut stream = connection.stream(&request("GET", path, Some(&server.key), None)).await?;
    let joined = SystemTime::now();
    let mut latencies = Vec::new();
    let mut tail = Vec::new();
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let count = tokio::time::timeout(Duration::from_secs(30), stream.read(&mut chunk)).await??;
        let received = SystemTime::now();
        tail.extend_from_slice(&chunk[..count]);
        while let Some(at) = find(&tail, b"\"timestamp\":\"") {
            if tail.len() < at + 13 + 27 {
                break;
            }
            let stamp = stamp(std::str::from_utf8(&tail[at + 13..at + 13 + 27])?)?;
            if stamp > joined {
                latencies.push(received.duration_since(stamp).unwrap_or_default());
            }
            tail.drain(..at + 13 + 27);
        }
        if count == 0 || find(&tail, b"\r\n0\r\n\r\n").is_some() {
            return Ok(latencies);
        }
    }
}

/// A vectorised search: two hundred readers share one thread, and a slow one would measure itself.
fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(haystack, needle)
}

/// Reads `2026-01-02T03:04:05.678901Z`.
fn stamp(text: &str) -> anyhow::Result<SystemTime> {
    let number =
        |from: usize, to: usize| -> anyhow::Result<i64> { Ok(text.get(from..to).context("a short stamp")?.parse()?) };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    // Days from the civil calendar, counted from March so that the leap day comes last.
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719_468;
    let seconds = days * 86_400 + number(11, 13)? * 3_600 + number(14, 16)? * 60 + number(17, 19)?;
    let micros = number(20, 26)?;
    Ok(UNIX_EPOCH + Duration::from_micros(u64::try_from(seconds * 1_000_000 + micros)?))
}
