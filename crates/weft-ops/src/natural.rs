//! Numbers in query parameters and headers.

/// Digits as a number; more of them than a number holds are the largest one. A caller that asks
/// for so much means "beyond everything", and every limit and every end of a log answers that.
pub(crate) fn natural(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}
