//! Moments in time as the wire writes them: RFC 3339, UTC, microseconds.
//!
//! Hand-written because an event carries one and the encoder is on the hot path; the calendar
//! is the proleptic Gregorian one, computed by counting days from 1 March of year 0.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

const MICROS_PER_SECOND: i64 = 1_000_000;
const MICROS_PER_DAY: i64 = 86_400 * MICROS_PER_SECOND;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH_SHIFT_DAYS: i64 = 719_468;
/// Days in 400 Gregorian years.
const DAYS_PER_ERA: i64 = 146_097;

/// Microseconds since 1970-01-01T00:00:00Z, within the years 0000 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// A text that is no RFC 3339 date-time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an RFC 3339 date-time")]
pub struct TimestampError;

/// Length of the text of every timestamp: `2026-12-01T02:45:00.000000Z`.
pub const TEXT_LEN: usize = 27;

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);
    /// 0000-01-01T00:00:00Z, the earliest moment four digits can write.
    pub const MIN: Self = Self(-62_167_219_200 * MICROS_PER_SECOND);
    /// 9999-12-31T23:59:59.999999Z, the latest.
    pub const MAX: Self = Self(253_402_300_800 * MICROS_PER_SECOND - 1);

    /// The moment `micros` after the epoch, moved into the range the text can write.
    pub const fn from_micros(micros: i64) -> Self {
        if micros < Self::MIN.0 {
            Self::MIN
        } else if micros > Self::MAX.0 {
            Self::MAX
        } else {
            Self(micros)
        }
    }

    /// The moment `millis` after the epoch, moved into the range the text can write.
    pub const fn from_millis(millis: i64) -> Self {
        Self::from_micros(millis.saturating_mul(1_000))
    }

    /// Microseconds since the epoch.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Whole milliseconds since the epoch, rounded down.
    pub const fn as_millis(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    /// This moment and `ms` milliseconds, at most [`Timestamp::MAX`].
    pub fn plus_ms(self, ms: u64) -> Self {
        let micros = i64::try_from(ms).unwrap_or(i64::MAX).saturating_mul(1_000);
        Self::from_micros(self.0.saturating_add(micros))
    }

    /// Whole milliseconds from `other` to this moment; 0 when `other` is later.
    pub fn saturating_ms_since(self, other: Self) -> u64 {
        u64::try_from(self.0.saturating_sub(other.0) / 1_000).unwrap_or(0)
    }

    /// Reads an RFC 3339 date-time with any offset; digits beyond the sixth are cut off.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        parse(text.as_bytes()).ok_or(TimestampError)
    }

    /// Writes the text, always [`TEXT_LEN`] bytes of ASCII.
    pub fn to_text(self) -> [u8; TEXT_LEN] {
        let days = self.0.div_euclid(MICROS_PER_DAY);
        let of_day = self.0.rem_euclid(MICROS_PER_DAY).unsigned_abs();
        let (year, month, day) = civil_from_days(days);
        let seconds = of_day / 1_000_000;
        let mut out = *b"0000-00-00T00:00:00.000000Z";
        put(&mut out[0..4], year);
        put(&mut out[5..7], month);
        put(&mut out[8..10], day);
        put(&mut out[11..13], seconds / 3_600);
        put(&mut out[14..16], seconds / 60 % 60);
        put(&mut out[17..19], seconds % 60);
        put(&mut out[20..26], of_day % 1_000_000);
        out
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.to_text();
        f.write_str(std::str::from_utf8(&text).expect("the text is ASCII"))
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        Self::parse(text)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.to_text();
        serializer.serialize_str(std::str::from_utf8(&text).expect("the text is ASCII"))
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Timestamp;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an RFC 3339 date-time")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Timestamp, E> {
                Timestamp::parse(text).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

/// Writes `value` right-aligned with leading zeros; the caller sized `out` for it.
fn put(out: &mut [u8], mut value: u64) {
    for digit in out.iter_mut().rev() {
        *digit = b'0' + (value % 10) as u8;
        value /= 10;
    }
}

/// Year, month and day of a day count from the epoch, for years 0 to 9999.
fn civil_from_days(days: i64) -> (u64, u64, u64) {
    let shifted = days + EPOCH_SHIFT_DAYS;
    let era = shifted.div_euclid(DAYS_PER_ERA);
    let of_era = shifted.rem_euclid(DAYS_PER_ERA);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year.unsigned_abs(), month.unsigned_abs(), day.unsigned_abs())
}

/// The inverse of [`civil_from_days`].
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let march_month = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * march_month + 2) / 5 + day - 1;
    let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
    era * DAYS_PER_ERA + of_era - EPOCH_SHIFT_DAYS
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn digits(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0i64, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
}

fn parse(text: &[u8]) -> Option<Timestamp> {
    if text.len() < 20 || text[4] != b'-' || text[7] != b'-' || !matches!(text[10], b'T' | b't') {
        return None;
    }
    if text[13] != b':' || text[16] != b':' {
        return None;
    }
    let (year, month, day) = (digits(&text[0..4])?, digits(&text[5..7])?, digits(&text[8..10])?);
    let (hour, minute) = (digits(&text[11..13])?, digits(&text[14..16])?);
    let second = digits(&text[17..19])?;
    // A leap second is written as 60; it names the first moment of the next minute here.
    if !(1..=12).contains(&month) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    if day < 1 || day > days_in_month(year, month) {
        return None;
    }
    let (micros, rest) = fraction(&text[19..])?;
    let offset_seconds = offset(rest)?;
    let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset_seconds;
    let moment = seconds * MICROS_PER_SECOND + micros;
    (Timestamp::MIN.0..=Timestamp::MAX.0).contains(&moment).then_some(Timestamp(moment))
}

/// Reads an optional `.digits`; answers microseconds and what follows.
fn fraction(text: &[u8]) -> Option<(i64, &[u8])> {
    let Some(tail) = text.strip_prefix(b".") else {
        return Some((0, text));
    };
    let count = tail.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 {
        return None;
    }
    let (digits, rest) = tail.split_at(count);
    let places = digits.iter().map(|digit| i64::from(digit - b'0')).chain(std::iter::repeat(0));
    Some((places.take(6).fold(0, |micros, digit| micros * 10 + digit), rest))
}

/// Reads `Z` or `±hh:mm` and answers seconds east of Greenwich.
fn offset(text: &[u8]) -> Option<i64> {
    match text {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (digits(&[*h1, *h2])?, digits(&[*m1, *m2])?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let seconds = hours * 3_600 + minutes * 60;
            Some(if *sign == b'+' { seconds } else { -seconds })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
