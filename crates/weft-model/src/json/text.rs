//! String literals and their escapes.

use super::FaultReason;
use super::parse::Fault;

/// Reads the literal whose quote is at `start`; answers its text and the byte after it.
pub(super) fn read_string(text: &str, start: usize) -> Result<(String, usize), Fault> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut at = start + 1;
    let mut plain_from = at;
    loop {
        match bytes.get(at) {
            None => return Err((at, FaultReason::UnexpectedEnd)),
            Some(b'"') => {
                out.push_str(&text[plain_from..at]);
                return Ok((out, at + 1));
            }
            Some(b'\\') => {
                out.push_str(&text[plain_from..at]);
                let (character, end) = read_escape(bytes, at)?;
                out.push(character);
                at = end;
                plain_from = end;
            }
            Some(0..=0x1f) => return Err((at, FaultReason::Syntax("no raw control character"))),
            Some(_) => at += 1,
        }
    }
}

/// Reads the escape whose backslash is at `at`.
fn read_escape(bytes: &[u8], at: usize) -> Result<(char, usize), Fault> {
    let simple = match bytes.get(at + 1) {
        None => return Err((at + 1, FaultReason::UnexpectedEnd)),
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return read_unicode(bytes, at),
        Some(_) => return Err((at, FaultReason::Syntax("an escape"))),
    };
    Ok((simple, at + 2))
}

/// Reads `\uXXXX`, or two of them that form one character; half a pair is refused.
fn read_unicode(bytes: &[u8], at: usize) -> Result<(char, usize), Fault> {
    let unpaired = (at, FaultReason::Syntax("a pair of surrogates"));
    let first = unit(bytes, at)?;
    match first {
        0xd800..=0xdbff => {
            let second = unit(bytes, at + 6).map_err(|_| unpaired.clone())?;
            if !(0xdc00..=0xdfff).contains(&second) {
                return Err(unpaired);
            }
            let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            char::from_u32(code).map(|character| (character, at + 12)).ok_or(unpaired)
        }
        _ => char::from_u32(first).map(|character| (character, at + 6)).ok_or(unpaired),
    }
}

/// The sixteen bits of the `\uXXXX` at `at`.
fn unit(bytes: &[u8], at: usize) -> Result<u32, Fault> {
    let fault = (at, FaultReason::Syntax("four hexadecimal digits"));
    let escape = bytes.get(at..at + 6).ok_or_else(|| fault.clone())?;
    if !escape.starts_with(b"\\u") {
        return Err(fault);
    }
    escape[2..].iter().try_fold(0u32, |sum, byte| {
        let digit = char::from(*byte).to_digit(16).ok_or_else(|| fault.clone())?;
        Ok(sum << 4 | digit)
    })
}
