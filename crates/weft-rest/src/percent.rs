//! Percent-decoding of one path segment or one query text.

use std::borrow::Cow;

/// What a `+` means where the text was found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plus {
    /// Itself, as in a path.
    Literal,
    /// A space, as in a query.
    Space,
}

/// Why a text cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PercentFault {
    /// A `%` that two hex digits do not follow.
    Escape,
    /// The decoded bytes are no UTF-8.
    NotUtf8,
}

/// Decodes once. A text without escapes is borrowed.
pub(crate) fn decode(text: &str, plus: Plus) -> Result<Cow<'_, str>, PercentFault> {
    let escaped = |byte: &u8| *byte == b'%' || (plus == Plus::Space && *byte == b'+');
    let Some(first) = text.as_bytes().iter().position(escaped) else {
        return Ok(Cow::Borrowed(text));
    };
    let (plain, rest) = text.as_bytes().split_at(first);
    let mut decoded = Vec::with_capacity(text.len());
    decoded.extend_from_slice(plain);
    let mut bytes = rest.iter().copied();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => match (bytes.next().and_then(hex), bytes.next().and_then(hex)) {
                (Some(high), Some(low)) => high << 4 | low,
                _ => return Err(PercentFault::Escape),
            },
            b'+' if plus == Plus::Space => b' ',
            other => other,
        });
    }
    String::from_utf8(decoded).map(Cow::Owned).map_err(|_| PercentFault::NotUtf8)
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_once() {
        assert_eq!(decode("acme%2Fx", Plus::Literal).as_deref(), Ok("acme/x"));
        assert_eq!(decode("acme%2fx", Plus::Literal).as_deref(), Ok("acme/x"));
        assert_eq!(decode("a%252Fb", Plus::Literal).as_deref(), Ok("a%2Fb"));
        assert_eq!(decode("a+b", Plus::Literal).as_deref(), Ok("a+b"));
        assert_eq!(decode("a+b%2B", Plus::Space).as_deref(), Ok("a b+"));
        assert_eq!(decode("%C3%BC", Plus::Literal).as_deref(), Ok("ü"));
    }

    #[test]
    fn broken_escapes_and_bytes_are_refused() {
        for text in ["%", "%2", "%zz", "a%2", "%%41", "%+1"] {
            assert_eq!(decode(text, Plus::Literal), Err(PercentFault::Escape), "{text}");
        }
        assert_eq!(decode("%FF", Plus::Literal), Err(PercentFault::NotUtf8));
    }

    #[test]
    fn a_plain_text_is_borrowed() {
        assert!(matches!(decode("plain~2F", Plus::Space), Ok(Cow::Borrowed("plain~2F"))));
    }
}
