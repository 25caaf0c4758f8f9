//! Durations as people write them: `90s`, `15m`, `12h`, `30d`.

use std::time::Duration;

/// A century; longer lifetimes are typing errors.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// Reads a whole number followed by `s`, `m`, `h` or `d`.
///
/// # Errors
/// A sentence for the command line that says what is expected.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let expected = || format!("`{text}` is not a duration; write a whole number and a unit, like 90s, 15m, 12h or 30d");
    let split = text.find(|character: char| !character.is_ascii_digit()).ok_or_else(expected)?;
    let (digits, unit) = text.split_at(split);
    let count: u64 = digits.parse().map_err(|_| expected())?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return Err(expected()),
    };
    let duration = count.checked_mul(seconds).map(Duration::from_secs).filter(|d| *d <= LONGEST);
    duration.filter(|d| !d.is_zero()).ok_or_else(|| format!("`{text}` is out of range; use 1s to 36500d"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read() {
        for (text, seconds) in [("90s", 90), ("15m", 900), ("12h", 43_200), ("30d", 2_592_000)] {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "5", "d", "-1d", "1.5h", "0s", "1w", "99999999999999999999d", "40000d", "１d"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
