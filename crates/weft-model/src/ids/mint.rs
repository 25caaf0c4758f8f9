//! The opaque text of a minted id: 48 bits of milliseconds, then 128 random bits.
//!
//! The alphabet is the one of base32hex in lower case: its symbols are in ASCII order, so ids
//! minted later compare greater as text. The ordinary base32 alphabet puts digits after letters
//! and would scatter inserts.

use crate::time::Timestamp;

/// Length of a minted opaque text: 176 bits at 5 bits a character, rounded up.
pub const MINTED_LEN: usize = 36;

const ALPHABET: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";

/// A minted text on the stack; callers copy it once, into its final place.
pub(super) struct Minted([u8; MINTED_LEN]);

impl Minted {
    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("the alphabet is ASCII")
    }
}

/// Encodes `now` and `random`. A time before 1970 counts as 0.
pub(super) fn opaque(now: Timestamp, random: [u8; 16]) -> Minted {
    let millis = u64::try_from(now.as_millis()).unwrap_or(0);
    let mut source = [0u8; 22];
    source[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
    source[6..].copy_from_slice(&random);

    let mut text = [0u8; MINTED_LEN];
    let (mut bits, mut pending, mut at) = (0u32, 0u32, 0);
    for byte in source {
        bits = (bits << 8) | u32::from(byte);
        pending += 8;
        while pending >= 5 {
            pending -= 5;
            text[at] = ALPHABET[((bits >> pending) & 31) as usize];
            at += 1;
        }
        bits &= (1 << pending) - 1;
    }
    // 176 bits leave one bit over; it is padded with zeros.
    text[at] = ALPHABET[((bits << (5 - pending)) & 31) as usize];
    Minted(text)
}
